package eager

import (
	"fmt"
	"slices"
)

// Cell is one element: a Num where the dtype is floating point, else a whole number.
type Cell struct {
	Num
	I int64
}

// memory is shared by views. A write makes a new version, so that earlier reads do not change.
type memory struct {
	cells []Cell
	root  *memory // the first version
}

// Tensor is a view of memory.
type Tensor struct {
	T      DType
	Shape  []int
	stride []int
	off    int
	mem    *memory
	weak   bool  // a number of the program, which does not count in promotion
	err    error // why it has no elements, where other values of its step have
	Shared bool  // it cannot be written: a constant, or one that shows the memory of another value only at times
}

// refusal is the panic of an operation without a value.
type refusal string

func refuse(format string, args ...any) { panic(refusal(fmt.Sprintf(format, args...))) }

// unfit is the panic of an operation without a value for its elements.
type unfit string

// cause is the panic of an operation whose operands have no value.
type cause struct{ error }

func refuseElements(format string, args ...any) { panic(unfit(fmt.Sprintf(format, args...))) }

func dense(t DType, shape []int, cells []Cell) *Tensor {
	m := &memory{cells: cells}
	m.root = m
	return &Tensor{T: t, Shape: slices.Clone(shape), stride: rowMajor(shape), mem: m}
}

func rowMajor(shape []int) []int {
	s := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = step
		step *= shape[i]
	}
	return s
}

// view returns other elements of the same memory.
func (x *Tensor) view(shape, stride []int, off int) *Tensor {
	return &Tensor{T: x.T, Shape: shape, stride: stride, off: off, mem: x.mem, Shared: x.Shared}
}

// places returns the places of the elements in memory, in row-major order.
func (x *Tensor) places() []int {
	n := volume(x.Shape)
	at := make([]int, n)
	if n == 0 {
		return at
	}
	index, place := make([]int, len(x.Shape)), x.off
	for i := range at {
		at[i] = place
		for axis := len(index) - 1; axis >= 0; axis-- {
			index[axis]++
			place += x.stride[axis]
			if index[axis] < x.Shape[axis] {
				break
			}
			place -= index[axis] * x.stride[axis]
			index[axis] = 0
		}
	}
	return at
}

// Cells returns the elements in row-major order.
func (x *Tensor) Cells() []Cell {
	at := x.places()
	list := make([]Cell, len(at))
	for i, k := range at {
		list[i] = x.mem.cells[k]
	}
	return list
}

// isDense reports whether the elements lie in row-major order without gaps.
func (x *Tensor) isDense() bool {
	step := 1
	for i := len(x.Shape) - 1; i >= 0; i-- {
		if x.Shape[i] != 1 && x.stride[i] != step {
			return volume(x.Shape) == 0
		}
		step *= x.Shape[i]
	}
	return true
}

// Apart reports whether no two elements share a place.
func (x *Tensor) Apart() bool {
	at := x.places()
	slices.Sort(at)
	return len(slices.Compact(at)) == volume(x.Shape)
}

// SharesMemory reports whether two values show the same memory, of any version.
func (x *Tensor) SharesMemory(y *Tensor) bool { return x.mem.root == y.mem.root }

// Version identifies the memory of x and the last write to it: it is equal for values of one version.
func (x *Tensor) Version() any { return x.mem }

// IsLiteral reports whether x is a number of the program, which does not count in promotion.
func (x *Tensor) IsLiteral() bool { return x.weak }

// Err returns why a value has no elements although other values of its step have, or nil.
func (x *Tensor) Err() error { return x.err }

// Root identifies the memory of x, independent of writes.
func (x *Tensor) Root() any { return x.mem.root }

// broadcast returns the common shape.
func broadcast(shapes ...[]int) []int {
	var out []int
	for _, s := range shapes {
		for len(out) < len(s) {
			out = append([]int{1}, out...)
		}
		for i, d := range s {
			at := len(out) - len(s) + i
			switch {
			case out[at] == 1:
				out[at] = d
			case d != 1 && d != out[at]:
				refuse("%v does not meet %v", s, out)
			}
		}
	}
	return out
}

// expand repeats x to a shape.
func (x *Tensor) expand(shape []int) *Tensor {
	more := len(shape) - len(x.Shape)
	if more < 0 {
		refuse("%v to %v", x.Shape, shape)
	}
	stride := make([]int, len(shape))
	for i, d := range x.Shape {
		switch {
		case d == shape[more+i]:
			stride[more+i] = x.stride[i]
		case d != 1:
			refuse("%v to %v", x.Shape, shape)
		}
	}
	return x.view(slices.Clone(shape), stride, x.off)
}

// over returns the elements of x repeated to a shape.
func (x *Tensor) over(shape []int) []Cell { return x.expand(shape).Cells() }

// axis counts from either end.
func (x *Tensor) axis(a int) int { return axisOf(a, len(x.Shape)) }

func axisOf(a, rank int) int {
	if a < 0 {
		a += rank
	}
	if a < 0 || a >= rank {
		refuse("axis %d of %d", a, rank)
	}
	return a
}
