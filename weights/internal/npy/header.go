package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/internal/raw"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 16 // bytes
	maxRank   = 64
)

// header describes an array.
type header struct {
	dtype    raw.DType
	order    binary.ByteOrder
	shape    []int
	isColumn bool  // whether the first axis is the innermost one
	start    int64 // where elements begin
	bytes    int64 // that they take
	// unsupported says why elements of this dtype are not read; bytes is 0 then.
	unsupported error
}

// readHeader reads what stands before the elements.
func readHeader(r io.Reader) (h header, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:8]); err != nil || string(head[:6]) != magic {
		return h, errors.New("this is not an .npy file: it does not start with \\x93NUMPY")
	}
	lengthBytes := 2
	switch major := head[6]; major {
	case 1:
	case 2, 3:
		lengthBytes = 4
	default:
		return h, fmt.Errorf("version %d of the format is unknown", major)
	}
	if _, err := io.ReadFull(r, head[8:8+lengthBytes]); err != nil {
		return h, errors.New("the header is truncated")
	}
	length := int64(binary.LittleEndian.Uint32(head[8:]))
	if length > maxHeader {
		return h, fmt.Errorf("the header has %d bytes: the limit is %d", length, maxHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, errors.New("the header is truncated")
	}
	h.start = int64(8+lengthBytes) + length
	p := literal{rest: string(text)}
	if err := p.dictionary(&h); err != nil {
		return h, fmt.Errorf("header %.80q: %w", strings.TrimSpace(string(text)), err)
	}
	if h.unsupported != nil {
		h.unsupported = fmt.Errorf("header %.80q: %w", strings.TrimSpace(string(text)), h.unsupported)
	}
	return h, nil
}

// literal reads the one dictionary that a header is.
type literal struct{ rest string }

func (p *literal) dictionary(h *header) error {
	if err := p.want("{"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for !p.accept("}") {
		key, err := p.string()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("%q stands twice", key)
		}
		seen[key] = true
		if err := p.want(":"); err != nil {
			return err
		}
		if err := p.value(key, h); err != nil {
			return err
		}
		if !p.accept(",") {
			if err := p.want("}"); err != nil {
				return err
			}
			break
		}
	}
	switch {
	case strings.TrimSpace(p.rest) != "":
		return fmt.Errorf("%.20q follows the dictionary", p.rest)
	case len(seen) != 3:
		return errors.New("it must have descr, fortran_order and shape")
	}
	if h.unsupported != nil {
		return nil
	}
	sizes := make([]int64, len(h.shape))
	for i, n := range h.shape {
		sizes[i] = int64(n)
	}
	var err error
	h.bytes, err = raw.Bytes(h.dtype, sizes)
	return err
}

func (p *literal) value(key string, h *header) (err error) {
	switch key {
	case "descr":
		if p.accept("[") {
			h.dtype, h.unsupported = "records", errors.New(
				"arrays of records are not supported: save each field as a separate array")
			return p.skipList()
		}
		var descr string
		if descr, err = p.string(); err != nil {
			return err
		}
		if h.dtype, h.order, h.unsupported = parseDescr(descr); h.unsupported != nil {
			h.dtype = raw.DType(descr)
		}
	case "fortran_order":
		h.isColumn = p.accept("True")
		if !h.isColumn {
			err = p.want("False")
		}
	case "shape":
		h.shape, err = p.tuple()
	default:
		err = fmt.Errorf("%q is unknown", key)
	}
	return err
}

// skipList passes over the rest of a list.
func (p *literal) skipList() error {
	depth, quote := 1, rune(0)
	for at, r := range p.rest {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == '[':
			depth++
		case r == ']':
			if depth--; depth == 0 {
				p.rest = p.rest[at+1:]
				return nil
			}
		}
	}
	return errors.New("a list has no end")
}

func (p *literal) accept(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " \n\t"), text)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *literal) want(text string) error {
	if !p.accept(text) {
		return fmt.Errorf("found %.20q instead of %s", strings.TrimLeft(p.rest, " "), text)
	}
	return nil
}

func (p *literal) string() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.accept(quote) {
			s, rest, ok := strings.Cut(p.rest, quote)
			if !ok || strings.Contains(s, `\`) {
				break
			}
			p.rest = rest
			return s, nil
		}
	}
	return "", fmt.Errorf("found %.20q instead of a string", p.rest)
}

// tuple reads a shape.
func (p *literal) tuple() (shape []int, err error) {
	if err := p.want("("); err != nil {
		return nil, err
	}
	for !p.accept(")") {
		p.accept(" ")
		digits := len(p.rest) - len(strings.TrimLeft(strings.TrimLeft(p.rest, " "), "0123456789"))
		text := strings.TrimLeft(p.rest[:digits], " ")
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("found %.20q instead of a size", p.rest)
		}
		p.rest = strings.TrimPrefix(p.rest[digits:], "L") // as Python 2 wrote it
		if shape = append(shape, n); len(shape) > maxRank {
			return nil, fmt.Errorf("the shape has more than %d axes", maxRank)
		}
		if !p.accept(",") {
			if err := p.want(")"); err != nil {
				return nil, err
			}
			break
		}
	}
	return shape, nil
}

// kinds are the dtypes of NumPy, by their letter and bytes.
var kinds = map[string]raw.DType{
	"b1": raw.Bool, "i1": raw.I8, "i2": raw.I16, "i4": raw.I32, "i8": raw.I64, "u1": raw.U8, "u2": raw.U16,
	"u4": raw.U32, "u8": raw.U64,
	"f2": raw.F16, "f4": raw.F32, "f8": raw.F64,
}

// parseDescr reads a dtype with its order of bytes, as "<f4".
func parseDescr(descr string) (raw.DType, binary.ByteOrder, error) {
	order := binary.ByteOrder(binary.LittleEndian)
	kind := strings.TrimLeft(descr, "<>|=")
	if len(descr)-len(kind) > 1 {
		kind = ""
	}
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	d, ok := kinds[kind]
	switch {
	case strings.HasPrefix(kind, "O"):
		return "", nil, errors.New("arrays of Python objects are not read: they can run code")
	case !ok:
		return "", nil, fmt.Errorf("dtype %q is not supported: save it as float32 or int64", descr)
	}
	return d, order, nil
}

// descrOf returns NumPy's word for a dtype that is written. It has none for BF16.
func descrOf(d raw.DType) (string, error) {
	for kind, of := range kinds {
		switch {
		case of != d:
		case d.Bits() == 8:
			return "|" + kind, nil // of no order
		default:
			return "<" + kind, nil
		}
	}
	return "", fmt.Errorf("NumPy has no dtype %s: write .safetensors", d)
}
