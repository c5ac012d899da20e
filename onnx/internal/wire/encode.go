package wire

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxBytes bounds a message of protocol buffers.
const maxBytes = math.MaxInt32

// Encode writes a model. It returns an error if it takes 2 GiB or more, since its tensors then need files of their
// own, and for types that only [Decode] supports.
func (m *Model) Encode() ([]byte, error) {
	e := &encoder{isMeasuring: true}
	e.model(m)
	if e.err != nil {
		return nil, fmt.Errorf("onnx: %w", e.err)
	}
	if e.size > maxBytes {
		return nil, fmt.Errorf(
			"onnx: the model takes %d bytes, but a file may have at most %d: put its tensors into separate files",
			e.size, maxBytes)
	}
	e.isMeasuring, e.out = false, make([]byte, 0, e.size)
	e.model(m)
	return e.out, nil
}

// encoder writes messages twice: first it only finds how long they are, since a message begins with its length.
type encoder struct {
	isMeasuring bool
	size        int   // of what would have been written
	sizes       []int // of messages that are fields, in the order in which they begin
	next        int   // the one that comes next
	out         []byte
	err         error
}

func (e *encoder) tag(num protowire.Number, kind protowire.Type) {
	if e.isMeasuring {
		e.size += protowire.SizeTag(num)
		return
	}
	e.out = protowire.AppendTag(e.out, num, kind)
}

func (e *encoder) varint(v uint64) {
	if e.isMeasuring {
		e.size += protowire.SizeVarint(v)
		return
	}
	e.out = protowire.AppendVarint(e.out, v)
}

// message writes a message that is a field.
func (e *encoder) message(num protowire.Number, body func()) {
	if e.isMeasuring {
		at, start := len(e.sizes), e.size
		e.sizes = append(e.sizes, 0)
		body()
		e.sizes[at] = e.size - start
		e.size += protowire.SizeTag(num) + protowire.SizeVarint(uint64(e.sizes[at]))
		return
	}
	e.tag(num, protowire.BytesType)
	e.varint(uint64(e.sizes[e.next]))
	e.next++
	body()
}

// always writes bytes, even none.
func (e *encoder) always(num protowire.Number, b []byte) {
	e.tag(num, protowire.BytesType)
	e.varint(uint64(len(b)))
	if e.isMeasuring {
		e.size += len(b)
		return
	}
	e.out = append(e.out, b...)
}

// alwaysText writes a string, even an empty one.
func (e *encoder) alwaysText(num protowire.Number, s string) {
	e.tag(num, protowire.BytesType)
	e.varint(uint64(len(s)))
	if e.isMeasuring {
		e.size += len(s)
		return
	}
	e.out = append(e.out, s...)
}

func (e *encoder) text(num protowire.Number, s string) {
	if s != "" {
		e.alwaysText(num, s)
	}
}

func (e *encoder) texts(num protowire.Number, list []string) {
	for _, s := range list {
		e.alwaysText(num, s)
	}
}

// number writes a whole number, even 0.
func (e *encoder) number(num protowire.Number, v int64) {
	e.tag(num, protowire.VarintType)
	e.varint(uint64(v))
}

// float writes a float32, even 0.
func (e *encoder) float(num protowire.Number, v float32) {
	e.tag(num, protowire.Fixed32Type)
	e.fixed32(math.Float32bits(v))
}

func (e *encoder) fixed32(bits uint32) {
	if e.isMeasuring {
		e.size += 4
		return
	}
	e.out = protowire.AppendFixed32(e.out, bits)
}

func (e *encoder) fixed64(bits uint64) {
	if e.isMeasuring {
		e.size += 8
		return
	}
	e.out = protowire.AppendFixed64(e.out, bits)
}

// plain writes whole numbers each with its tag, as proto2 does of what is not declared packed.
func (e *encoder) plain(num protowire.Number, list []int64) {
	for _, v := range list {
		e.number(num, v)
	}
}

// packed writes numbers as one field.
func packed[T any](e *encoder, num protowire.Number, list []T, write func(v T)) {
	if len(list) == 0 {
		return
	}
	e.message(num, func() {
		for _, v := range list {
			write(v)
		}
	})
}

func (e *encoder) fail(text string) {
	if e.err == nil {
		e.err = errors.New(text)
	}
}

// messages writes a field that is a list of messages.
func messages[T any](e *encoder, num protowire.Number, list []T, write func(v T)) {
	for _, v := range list {
		e.message(num, func() { write(v) })
	}
}
