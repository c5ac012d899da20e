package wire

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

var kinds = map[protowire.Type]string{
	protowire.VarintType: "a varint", protowire.Fixed32Type: "4 bytes", protowire.Fixed64Type: "8 bytes",
	protowire.BytesType: "a string of bytes", protowire.StartGroupType: "a group",
	protowire.EndGroupType: "the end of a group",
}

// want expects a kind of value.
func (f *field) want(name string, kind protowire.Type) error {
	if f.kind != kind {
		return f.errorf(name, "it is %s, but must be %s", kinds[f.kind], kinds[kind])
	}
	return nil
}

func (f *field) blob(name string, to *[]byte) error {
	err := f.want(name, protowire.BytesType)
	if err == nil {
		*to = f.bytes
	}
	return err
}

func (f *field) blobs(name string, to *[][]byte) error {
	err := f.want(name, protowire.BytesType)
	if err == nil {
		*to = append(*to, f.bytes)
	}
	return err
}

func (f *field) text(name string, to *string) error {
	err := f.want(name, protowire.BytesType)
	if err == nil {
		*to = string(f.bytes)
	}
	return err
}

func (f *field) texts(name string, to *[]string) error {
	err := f.want(name, protowire.BytesType)
	if err == nil {
		*to = append(*to, string(f.bytes))
	}
	return err
}

func (f *field) int64(name string, to *int64) error {
	err := f.want(name, protowire.VarintType)
	if err == nil {
		*to = int64(f.bits)
	}
	return err
}

// enum reads an int32, or one of an enumeration.
func enum[T ~int32](f *field, name string, to *T) error {
	err := f.want(name, protowire.VarintType)
	if err == nil {
		*to = T(f.bits)
	}
	return err
}

func (f *field) float(name string, to *float32) error {
	err := f.want(name, protowire.Fixed32Type)
	if err == nil {
		*to = math.Float32frombits(uint32(f.bits))
	}
	return err
}

// varints reads one whole number, or several that are packed.
func varints[T int32 | int64 | uint64](f *field, name string, to *[]T) error {
	if f.kind == protowire.VarintType {
		*to = append(*to, T(f.bits))
		return nil
	}
	if err := f.want(name, protowire.BytesType); err != nil {
		return err
	}
	count := 0
	for _, b := range f.bytes {
		if b < 0x80 {
			count++
		}
	}
	list := grown(*to, count)
	for at := 0; at < len(f.bytes); {
		v, n := protowire.ConsumeVarint(f.bytes[at:])
		if n < 0 {
			return f.errorf(name, "number %d: %v", len(list), protowire.ParseError(n))
		}
		list = append(list, T(v))
		at += n
	}
	*to = list
	return nil
}

// fixed reads one number of some bytes, or several that are packed.
func fixed[T any](f *field, name string, kind protowire.Type, size int, number func(uint64) T, to *[]T) error {
	if f.kind == kind {
		*to = append(*to, number(f.bits))
		return nil
	}
	if err := f.want(name, protowire.BytesType); err != nil {
		return err
	}
	if len(f.bytes)%size != 0 {
		return f.errorf(name, "its %d bytes are not a multiple of %d", len(f.bytes), size)
	}
	list := grown(*to, len(f.bytes)/size)
	for b := f.bytes; len(b) > 0; b = b[size:] {
		bits := uint64(0)
		for i := range size {
			bits |= uint64(b[i]) << (8 * i)
		}
		list = append(list, number(bits))
	}
	*to = list
	return nil
}

func (f *field) floats(name string, to *[]float32) error {
	return fixed(f, name, protowire.Fixed32Type, 4, func(bits uint64) float32 {
		return math.Float32frombits(uint32(bits))
	}, to)
}

func (f *field) doubles(name string, to *[]float64) error {
	return fixed(f, name, protowire.Fixed64Type, 8, math.Float64frombits, to)
}

// grown makes room for more elements, exactly where there were none.
func grown[T any](list []T, more int) []T {
	if list == nil && more > 0 {
		return make([]T, 0, more)
	}
	return list
}

// inner returns the bytes of a message that is a field.
func (f *field) inner(name string) (part, error) {
	return part{f.bytes, f.at, f.depth + 1}, f.want(name, protowire.BytesType)
}

// one reads a message that is a field.
func one[T any](f *field, name string, to **T, read func(*reader, part) (*T, error)) error {
	if f.structs--; f.structs < 0 {
		return f.errorf(name, "there are more messages than a file of this length can have")
	}
	p, err := f.inner(name)
	if err == nil {
		*to, err = read(f.reader, p)
	}
	return err
}

// many reads one of several messages that are a field.
func many[T any](f *field, name string, to *[]*T, read func(*reader, part) (*T, error)) error {
	var v *T
	err := one(f, name, &v, read)
	if err == nil {
		*to = append(*to, v)
	}
	return err
}

// values reads one of several small messages that are a field, and are kept as values.
func values[T any](f *field, name string, to *[]T, read func(*reader, part) (*T, error)) error {
	p, err := f.inner(name)
	if err != nil {
		return err
	}
	v, err := read(f.reader, p)
	if err == nil {
		*to = append(*to, *v)
	}
	return err
}
