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

func (k *gatherTask) Run(s *State) error {
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
			bad = unite[int32](k, &s.Ws.rows)
		case graph.Int64:
			bad = unite[int64](k, &s.Ws.rows)
		case graph.Float32:
			bad = unite[float32](k, &s.Ws.rows)
		case graph.Float64:
			bad = unite[float64](k, &s.Ws.rows)
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

// pick picks elements by index.
func pick[T any](k *gatherTask) int {
	s := k.shape
	src, dst := elements[T](k.ptr[0], s.Outer*s.Size*s.Inner), elements[T](k.ptr[2], s.Outer*s.Count*s.Inner)
	if k.spec.Node.In(1).DType() == graph.Int32 {
		return gather.Take(s, dst, src, elements[int32](k.ptr[1], s.Count))
	}
	return gather.Take(s, dst, src, elements[int64](k.ptr[1], s.Count))
}

// foldsByIndex are the folds of package gather; what is not here is a sum.
var foldsByIndex = map[graph.Fold]gather.Fold{graph.FoldProd: gather.Prod, graph.FoldMax: gather.Max, graph.FoldMin: gather.Min}

// unite unites numbers by index.
func unite[T gather.Number](k *gatherTask, m *gather.Scratch) int {
	by, s := foldsByIndex[k.spec.Fold], k.shape
	src, dst := elements[T](k.ptr[0], s.Outer*s.Count*s.Inner), elements[T](k.ptr[2], s.Outer*s.Size*s.Inner)
	if k.spec.Node.In(1).DType() == graph.Int32 {
		return gather.Scatter(by, s, dst, src, elements[int32](k.ptr[1], s.Count), m)
	}
	return gather.Scatter(by, s, dst, src, elements[int64](k.ptr[1], s.Count), m)
}

// elements returns n elements from an address on.
func elements[T any](p unsafe.Pointer, n int) []T {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}
