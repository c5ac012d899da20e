package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/broadloom/broadloom/internal/raw"
)

// span is a tensor of the header: its bytes are those from begin to end of the data.
type span struct {
	raw.Info
	begin, end int64
}

// parseHeader reads the header of a file that has so many bytes of data. Every byte of them must
// be part of one tensor.
func parseHeader(header []byte, dataBytes int64) (spans []span, metadata map[string]string, err error) {
	if len(header) == 0 || header[0] != '{' {
		return nil, nil, errors.New("the header does not start with {")
	}
	if !utf8.Valid(header) {
		return nil, nil, errors.New("the header is not UTF-8")
	}
	p := headerParser{json.NewDecoder(bytes.NewReader(header))}
	p.UseNumber()
	seen := map[string]bool{}
	err = p.object(func(name string) error {
		if seen[name] {
			return fmt.Errorf("two tensors are called %q", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			metadata, err = p.strings()
			return err
		}
		s, err := p.tensor(name)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		spans = append(spans, s)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if rest := strings.TrimLeft(string(header[p.InputOffset():]), " "); rest != "" {
		return nil, nil, fmt.Errorf("there is data after the end of the header: %.20q", rest)
	}
	return spans, metadata, checkSpans(spans, dataBytes)
}

// checkSpans brings tensors into the order of the file, and wants one to begin where the last
// one ends.
func checkSpans(spans []span, dataBytes int64) error {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	at := int64(0)
	for _, s := range spans {
		switch {
		case s.begin < at:
			return fmt.Errorf("tensor %q starts at byte %d, inside the one before it, which ends at %d", s.Name,
				s.begin, at)
		case s.begin > at:
			return fmt.Errorf("tensor %q starts at byte %d, but the bytes from %d on belong to no tensor", s.Name,
				s.begin, at)
		}
		at = s.end
	}
	switch {
	case at > dataBytes:
		return fmt.Errorf("the file is truncated: tensors need %d bytes, but it has %d", at, dataBytes)
	case at < dataBytes:
		return fmt.Errorf("tensors need %d bytes, but the file has %d", at, dataBytes)
	}
	return nil
}

// headerParser reads JSON token by token, so that names that stand twice are seen.
type headerParser struct{ *json.Decoder }

// object reads an object and calls member for each key, to read its value.
func (p headerParser) object(member func(key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	for p.More() {
		key, err := p.string()
		if err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
	return p.delim('}')
}

func (p headerParser) next() (json.Token, error) {
	token, err := p.Token()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the header ends too early")
	}
	return token, err
}

func (p headerParser) delim(want json.Delim) error {
	token, err := p.next()
	if err == nil && token != want {
		return fmt.Errorf("found %v instead of %v", token, want)
	}
	return err
}

func (p headerParser) string() (string, error) {
	token, err := p.next()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("found %v instead of a string", token)
	}
	return s, nil
}

// strings reads an object of strings.
func (p headerParser) strings() (map[string]string, error) {
	found := map[string]string{}
	err := p.object(func(key string) error {
		if _, twice := found[key]; twice {
			return fmt.Errorf("metadata has %q twice", key)
		}
		s, err := p.string()
		found[key] = s
		return err
	})
	return found, err
}

// tensor reads an object of dtype, shape and data_offsets.
func (p headerParser) tensor(name string) (span, error) {
	s := span{Info: raw.Info{Name: name}}
	var sizes, offsets []int64
	seen := map[string]bool{}
	err := p.object(func(key string) (err error) {
		if seen[key] {
			return fmt.Errorf("%q stands twice", key)
		}
		seen[key] = true
		switch key {
		case "dtype":
			var d string
			d, err = p.string()
			s.DType = raw.DType(d)
		case "shape":
			sizes, err = p.numbers()
		case "data_offsets":
			offsets, err = p.numbers()
		default: // what a later version of the format adds
			err = p.Decode(new(json.RawMessage))
		}
		return err
	})
	switch {
	case err != nil:
		return s, err
	case s.DType == "" || !seen["shape"] || !seen["data_offsets"]:
		return s, errors.New("one of dtype, shape and data_offsets is missing")
	case len(offsets) != 2:
		return s, fmt.Errorf("data_offsets has %d numbers, not 2", len(offsets))
	}
	s.begin, s.end = offsets[0], offsets[1]
	bytes, err := raw.Bytes(s.DType, sizes)
	switch {
	case err != nil:
		return s, err
	case s.end < s.begin || s.end-s.begin != bytes:
		return s, fmt.Errorf("bytes %d to %d do not match %s %v, which needs %d", s.begin, s.end, s.DType, sizes, bytes)
	}
	s.Shape = raw.Shape(sizes)
	return s, nil
}

// maxRank bounds the axes of a tensor.
const maxRank = 64

// numbers reads a list of whole numbers that are not negative.
func (p headerParser) numbers() (list []int64, err error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	for p.More() {
		token, err := p.next()
		if err != nil {
			return nil, err
		}
		text, ok := token.(json.Number)
		v, err := strconv.ParseUint(string(text), 10, 63)
		if !ok || err != nil || v > math.MaxInt64 {
			return nil, fmt.Errorf("found %v instead of a size", token)
		}
		if list = append(list, int64(v)); len(list) > maxRank {
			return nil, fmt.Errorf("a list has more than %d numbers", maxRank)
		}
	}
	return list, p.delim(']')
}
