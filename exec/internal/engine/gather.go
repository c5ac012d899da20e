package engine

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gather"
)

// gatherTask is a gather with all sizes known.
type gatherTask struct {
	spec       *lower.GatherSpec
	shape      gather.Shape
	indexShape []int
	ptr        [3]unsafe.Pointer
}

func (b *Specialization) bindGather(p *Code, spec *lower.GatherSpec) Launch {
	s := b.newLaunch(p, spec.Operands[:])
	s.Task = &gatherTask{spec: spec, indexShape: b.Shape(spec.Node.In(1).Shape()), shape: gather.Shape{Outer: b.Eval(spec.Outer), Size: b.Eval(spec.Size), Inner: b.Eval(spec.Inner), Count: b.Eval(spec.Count)}}
	return s
}

func (k *gatherTask) SetPointer(operand int, p unsafe.Pointer) { k.ptr[operand] = p }

func (k *gatherTask) Run(*State) error {
	bad := -1
	if t := k.spec.Node.DType(); k.spec.Fold == graph.NoFold {
		switch t.Size() {
		case 1:
			bad = pick[uint8](k)
		case 2:
			bad = pick[uint16](k)
		case 4:
			bad = pick[uint32](k)
		case 8:
			bad = pick[uint64](k)
		}
	} else {
		switch t {
		case graph.Int32:
			bad = unite[int32](k)
		case graph.Int64:
			bad = unite[int64](k)
		case graph.Float32:
			bad = unite[float32](k)
		case graph.Float64:
			bad = unite[float64](k)
		}
	}
	if bad >= 0 {
		return k.outOfRange(bad)
	}
	return nil
}

// outOfRange tells of the index at a place of the indices.
func (k *gatherTask) outOfRange(at int) error {
	var value int64
	if k.spec.Node.In(1).DType() == graph.Int32 {
		value = int64(elements[int32](k.ptr[1], k.shape.Count)[at])
	} else {
		value = elements[int64](k.ptr[1], k.shape.Count)[at]
	}
	return outOfRange(k.spec.Node, k.indexShape, at, value, k.shape.Size)
}

// outOfRange is the error of the at-th of the indices of n, an index that is not one of 0..size-1.
func outOfRange(n *graph.Node, indexShape []int, at int, value int64, size int) error {
	name := n.In(1).Called()
	if n.In(1).Source() == n.Source() { // made of what the user gave
		name = "index"
	}
	return &FailedCheck{Node: n.Source(), Message: fmt.Sprintf("index out of range in self: %s%s is %d%s",
		name, elementAt(indexShape, at), value, notIn(0, size))}
}

// elementAt writes where an element lies that is the at-th in row-major order: "[1, 4]", and
// nothing for a scalar.
func elementAt(shape []int, at int) string {
	if len(shape) == 0 {
		return ""
	}
	index := make([]string, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = strconv.Itoa(at % shape[axis])
		at /= shape[axis]
	}
	return "[" + strings.Join(index, ", ") + "]"
}

// kernelOf is a kernel on elements and indices of one type each.
type kernelOf[T any, I gather.Index] func(s gather.Shape, dst, src []T, index []I) int

// pick picks elements by index.
func pick[T any](k *gatherTask) int {
	return byIndexType(k, gather.Take[T, int32], gather.Take[T, int64])
}

// unite unites numbers by index.
func unite[T gather.Number](k *gatherTask) int {
	switch k.spec.Fold {
	case graph.FoldProd:
		return byIndexType(k, gather.ScatterMul[T, int32], gather.ScatterMul[T, int64])
	case graph.FoldMax:
		return byIndexType(k, gather.ScatterMax[T, int32], gather.ScatterMax[T, int64])
	case graph.FoldMin:
		return byIndexType(k, gather.ScatterMin[T, int32], gather.ScatterMin[T, int64])
	}
	return byIndexType(k, gather.ScatterAdd[T, int32], gather.ScatterAdd[T, int64])
}

// byIndexType calls the kernel of the indices' type.
func byIndexType[T any](k *gatherTask, f32 kernelOf[T, int32], f64 kernelOf[T, int64]) int {
	read, written := k.shape.Outer*k.shape.Size*k.shape.Inner, k.shape.Outer*k.shape.Count*k.shape.Inner
	if k.spec.Fold != graph.NoFold {
		read, written = written, read
	}
	src, dst := elements[T](k.ptr[0], read), elements[T](k.ptr[2], written)
	if k.spec.Node.In(1).DType() == graph.Int32 {
		return f32(k.shape, dst, src, elements[int32](k.ptr[1], k.shape.Count))
	}
	return f64(k.shape, dst, src, elements[int64](k.ptr[1], k.shape.Count))
}

// elements returns n elements from an address on.
func elements[T any](p unsafe.Pointer, n int) []T {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}
