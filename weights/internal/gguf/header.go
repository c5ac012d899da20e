package gguf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The types of values in metadata.
const (
	typeUint8 = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeString
	typeArray
	typeUint64
	typeInt64
	typeFloat64
)

// maxNesting bounds arrays of arrays.
const maxNesting = 4

// The fewest bytes in the header of a tensor, of a metadata value, and of a text and an array in an array.
const (
	minTensor = 8 + 4 + 4 + 8
	minField  = 8 + 4 + 1
	minText   = 8
	minArray  = 4 + 8
)

// header reads the header of a file.
type header struct {
	buffered *bufio.Reader
	left     int64 // bytes of the file that have not been read
}

// Read implements io.Reader.
func (h *header) Read(p []byte) (int, error) {
	n, err := h.buffered.Read(p)
	h.left -= int64(n)
	return n, err
}

// number reads a value of fixed size.
func number[T any](h *header) (v T, err error) {
	if err = binary.Read(h, binary.LittleEndian, &v); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the header ends too early")
	}
	return v, err
}

// count reads the number of things of which each takes up at least so many bytes.
func (h *header) count(what string, bytes int64) (int, error) {
	n, err := number[uint64](h)
	if err == nil && n > uint64(h.left/bytes) {
		err = fmt.Errorf("the header claims %d %s, but only %d bytes follow", n, what, h.left)
	}
	return int(n), err
}

func (h *header) text() (string, error) {
	n, err := h.count("bytes of text", 1)
	if err != nil {
		return "", err
	}
	data := make([]byte, n)
	_, err = io.ReadFull(h, data)
	return string(data), err
}

// begin reads what precedes metadata, and returns the numbers of tensors and of metadata values.
func (h *header) begin() (tensors, fields int, err error) {
	var magic [4]byte
	if _, err := io.ReadFull(h, magic[:]); err != nil || string(magic[:]) != "GGUF" {
		return 0, 0, errors.New(`the file does not start with "GGUF"`)
	}
	version, err := number[uint32](h)
	switch {
	case err != nil:
		return 0, 0, err
	case version&math.MaxUint16 == 0:
		return 0, 0, errors.New("the file is big-endian: convert it with gguf_convert_endian of the Python package gguf")
	case version < 2 || version > 3:
		return 0, 0, fmt.Errorf("version %d of GGUF cannot be read, only 2 and 3", version)
	}
	if tensors, err = h.count("tensors", minTensor); err != nil {
		return 0, 0, err
	}
	fields, err = h.count("metadata values", minField)
	return tensors, fields, err
}

// metadata reads named values.
func (h *header) metadata(count int) (map[string]any, error) {
	fields := make(map[string]any, count)
	for range count {
		key, err := h.text()
		if err != nil {
			return nil, err
		}
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("two metadata values are called %q", key)
		}
		kind, err := number[uint32](h)
		if err == nil {
			fields[key], err = h.value(kind, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("metadata %q: %w", key, err)
		}
	}
	return fields, nil
}

// numeric reads one value of a type of fixed size, and an array of them.
type numeric struct {
	one, array func(h *header) (any, error)
}

func numericOf[T any]() numeric {
	return numeric{func(h *header) (any, error) { return number[T](h) },
		func(h *header) (any, error) { return numbers[T](h) }}
}

var numerics = map[uint32]numeric{
	typeUint8: numericOf[uint8](), typeInt8: numericOf[int8](), typeUint16: numericOf[uint16](),
	typeInt16: numericOf[int16](), typeUint32: numericOf[uint32](), typeInt32: numericOf[int32](),
	typeUint64: numericOf[uint64](), typeInt64: numericOf[int64](), typeFloat32: numericOf[float32](),
	typeFloat64: numericOf[float64](), typeBool: numericOf[bool](),
}

// value reads a value of a type, inside of depth arrays.
func (h *header) value(kind uint32, depth int) (any, error) {
	if n, is := numerics[kind]; is {
		return n.one(h)
	}
	switch kind {
	case typeString:
		return h.text()
	case typeArray:
		return h.array(depth + 1)
	}
	return nil, fmt.Errorf("the type %d of a value is unknown", kind)
}

// array reads an array, inside of depth - 1 others.
func (h *header) array(depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("arrays are nested more than %d deep", maxNesting)
	}
	kind, err := number[uint32](h)
	if err != nil {
		return nil, err
	}
	if n, is := numerics[kind]; is {
		return n.array(h)
	}
	if kind == typeString {
		return list(h, minText, h.text)
	}
	return list(h, minArray, func() (any, error) { return h.value(kind, depth) })
}

// numbers reads an array of values of fixed size.
func numbers[T any](h *header) ([]T, error) {
	var v T
	n, err := h.count("values", int64(binary.Size(v)))
	if err != nil {
		return nil, err
	}
	list := make([]T, n)
	return list, binary.Read(h, binary.LittleEndian, list)
}

// list reads an array of other values, each of at least so many bytes.
func list[T any](h *header, bytes int64, read func() (T, error)) ([]T, error) {
	n, err := h.count("values", bytes)
	if err != nil {
		return nil, err
	}
	values := make([]T, n)
	for i := range values {
		if values[i], err = read(); err != nil {
			return nil, err
		}
	}
	return values, nil
}
