package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	maxDepth = 100 // of messages within messages

	// bytesPerStruct bounds memory: a message takes a struct of up to 300 bytes, and might have two bytes. Those of
	// real models have more than 4 on average, sizes and pairs of texts aside, whose structs are small.
	bytesPerStruct = 4
)

// Decode reads a model. Byte strings and raw tensor data are slices of data, which must not change. An error names
// the message, the invalid field and its byte offset.
func Decode(data []byte) (*Model, error) { return decode(data, (*reader).model) }

// DecodeTensor reads a tensor, like [Decode].
func DecodeTensor(data []byte) (*Tensor, error) { return decode(data, (*reader).tensor) }

func decode[T any](data []byte, read func(*reader, part) (*T, error)) (*T, error) {
	r := &reader{structs: len(data)/bytesPerStruct + 64}
	v, err := read(r, part{data: data})
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return v, nil
}

// reader reads the messages of one file.
type reader struct {
	structs int // how many messages may still come that take a large struct
}

// part is the bytes of a message, which begin at a byte of the file.
type part struct {
	data      []byte
	at, depth int
}

// field is a field of a message.
type field struct {
	*reader
	message string
	num     protowire.Number
	kind    protowire.Type
	at      int    // the byte of the file at which its value begins
	bits    uint64 // of a number
	bytes   []byte // of anything else
	depth   int    // of the message
}

func (f *field) errorf(name, format string, args ...any) error {
	return fmt.Errorf("byte %d: field %s of %s: %s", f.at, name, f.message, fmt.Sprintf(format, args...))
}

// fields calls take with each field of a message.
func (r *reader) fields(p part, message string, take func(f *field) error) error {
	if p.depth > maxDepth {
		return fmt.Errorf("byte %d: %s: messages are nested more than %d deep", p.at, message, maxDepth)
	}
	f := field{reader: r, message: message, depth: p.depth}
	for at := 0; at < len(p.data); {
		num, kind, n := protowire.ConsumeTag(p.data[at:])
		if n < 0 {
			return fmt.Errorf("byte %d: %s: the tag of a field: %w", p.at+at, message, protowire.ParseError(n))
		}
		at += n
		f.num, f.kind, f.at, f.bits, f.bytes = num, kind, p.at+at, 0, nil
		if n = f.consume(p.data[at:]); n < 0 {
			return fmt.Errorf("byte %d: field %d of %s: %w", f.at, num, message, protowire.ParseError(n))
		}
		at += n
		if err := take(&f); err != nil {
			return err
		}
	}
	return nil
}

// consume takes the value from bytes that begin with it, and returns its length, negative for an error.
func (f *field) consume(data []byte) (n int) {
	switch f.kind {
	case protowire.VarintType:
		f.bits, n = protowire.ConsumeVarint(data)
	case protowire.Fixed64Type:
		f.bits, n = protowire.ConsumeFixed64(data)
	case protowire.Fixed32Type:
		var bits uint32
		bits, n = protowire.ConsumeFixed32(data)
		f.bits = uint64(bits)
	case protowire.BytesType:
		if f.bytes, n = protowire.ConsumeBytes(data); n > 0 {
			f.at += n - len(f.bytes)
			f.bytes = f.bytes[:len(f.bytes):len(f.bytes)]
		}
	default:
		n = protowire.ConsumeFieldValue(f.num, f.kind, data)
	}
	return n
}
