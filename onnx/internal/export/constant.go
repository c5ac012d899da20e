package export

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// bytesOf returns elements in row-major order as little-endian bytes.
func bytesOf(data any) []byte {
	out, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // slices of numbers can be written
	}
	return out
}

// initialiser is a constant of the model. Equal ones are one.
func (b *builder) initialiser(t tensor, l *literal) *value {
	key := fmt.Sprint(t.dtype, t.shape, l.single) + string(l.raw)
	if v := b.consts[key]; v != nil {
		return v
	}
	v := &value{tensor: t, data: l}
	b.consts[key] = v
	b.initial = append(b.initial, v)
	return v
}

// scalar is a constant of one element, the first of a slice of Go's.
func (b *builder) scalar(t graph.DType, data any) *value {
	x, whole := graph.NumberAt(data, 0)
	raw := bytesOf(data)
	return b.initialiser(tensor{t, graph.Shape{}}, &literal{raw: raw[:t.Size()], number: x, whole: whole, single: true})
}

// number is a constant of one element of a dtype.
func (b *builder) number(t graph.DType, x float64) *value {
	switch {
	case t == graph.Bool:
		return b.scalar(t, []bool{x != 0})
	case t.IsInt() && x >= 0x1p63:
		return b.whole(t, int64(uint64(x)))
	case t.IsInt():
		return b.whole(t, int64(x))
	}
	data := t.MakeSlice(1)
	graph.SetNumberAt(data, 0, x, 0)
	return b.scalar(t, data)
}

// whole is a constant of one integer, as a number of t.
func (b *builder) whole(t graph.DType, x int64) *value {
	if !t.IsInt() {
		return b.number(t, float64(x))
	}
	data := t.MakeSlice(1)
	graph.SetNumberAt(data, 0, float64(x), x)
	return b.scalar(t, data)
}

// ints is a list of int64.
func (b *builder) ints(list []int64) *value {
	return b.initialiser(tensor{graph.Int64, graph.Shape{graph.Dim(len(list))}}, &literal{raw: bytesOf(list)})
}

// intsOf is a list of int64.
func (b *builder) intsOf(list []int) *value {
	wide := make([]int64, len(list))
	for i, v := range list {
		wide[i] = int64(v)
	}
	return b.ints(wide)
}

// constant is a node that is a constant: one element is held as a number without axes.
func (e *exporter) constant(n *graph.Node) *value {
	t, data := e.typeOf(n), n.ConstData()
	_, count := graph.DTypeOfSlice(data)
	total, static := t.count()
	switch {
	case count == 1 && (!static || total != 1 || len(t.shape) == 0):
		return e.expand(e.scalar(t.dtype, data), t.shape)
	case !static || int64(count) != total:
		return e.Fail(n, "is a constant of %d elements for the shape %s", count, t.shape)
	}
	x, whole := 0.0, int64(0)
	if count == 1 {
		x, whole = graph.NumberAt(data, 0)
	}
	return e.initialiser(t, &literal{raw: bytesOf(data), number: x, whole: whole, single: count == 1})
}

// numberOf returns the number of a constant of one element.
func numberOf(x *value) (v float64, whole int64, ok bool) {
	if x.data == nil || !x.data.single {
		return 0, 0, false
	}
	return x.data.number, x.data.whole, true
}

// least is what every number is greater than, or equal to.
func (b *builder) least(t graph.DType) *value {
	switch {
	case t.IsFloat():
		return b.number(t, math.Inf(-1))
	case t.IsInt() && !t.IsUnsigned():
		return b.whole(t, math.MinInt64>>(64-t.Bits()))
	}
	return b.number(t, 0)
}

// greatest is what every number is less than, or equal to.
func (b *builder) greatest(t graph.DType) *value {
	switch {
	case t.IsFloat():
		return b.number(t, math.Inf(1))
	case t.IsUnsigned():
		return b.whole(t, -1)
	case t.IsInt():
		return b.whole(t, math.MaxInt64>>(64-t.Bits()))
	}
	return b.number(t, 1)
}

// nan is a constant that is no number.
func (b *builder) nan(t graph.DType) *value { return b.number(t, math.NaN()) }
