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
	switch t := k.spec.Node.DType(); {
	case k.spec.Fold == graph.NoFold:
		bad = k.take(s)
	case t == graph.Int32:
		bad = unite[int32](k, &s.Ws.rows)
	case t == graph.Int64:
		bad = unite[int64](k, &s.Ws.rows)
	case t == graph.Float32:
		bad = unite[float32](k, &s.Ws.rows)
	case t == graph.Float64:
		bad = unite[float64](k, &s.Ws.rows)
	}
	if bad >= 0 {
		return k.outOfRange(bad)
	}
	return nil
}

// takeTile is the number of indices of a tile, where threads share the rows that are taken.
const takeTile = 256

// take picks elements by index. It gives the position of the first index that is out of range, or -1.
func (k *gatherTask) take(s *State) (bad int) {
	if k.isShort() {
		bad = gather.Outside(elements[int32](k.ptr[1], k.shape.Count), k.shape.Size)
	} else {
		bad = gather.Outside(elements[int64](k.ptr[1], k.shape.Count), k.shape.Size)
	}
	tiles, cost := k.shape.Outer*k.runs(), k.shape.Outer*k.shape.Count*(2+k.shape.Inner/4)
	switch {
	case bad >= 0:
	case s.Threads > 1 && tiles > 1 && cost >= parallelCost:
		s.ParallelFor(k, tiles, cost)
	default:
		k.takeRun(0, k.shape.Outer, 0, k.shape.Count)
	}
	return bad
}

// runs is the number of tiles of a block.
func (k *gatherTask) runs() int { return (k.shape.Count + takeTile - 1) / takeTile }

// Tile picks what a run of indices names in one block.
func (k *gatherTask) Tile(i int, _ *Workspace) {
	lo := i % k.runs() * takeTile
	k.takeRun(i/k.runs(), 1, lo, min(takeTile, k.shape.Count-lo))
}

// isShort reports whether indices have 32 bits.
func (k *gatherTask) isShort() bool { return k.spec.Node.In(1).DType() == graph.Int32 }

// takeRun picks what some indices, from one on, name in some blocks.
func (k *gatherTask) takeRun(block, blocks, from, count int) {
	switch k.spec.Node.DType().Size() {
	case 1:
		pick[uint8](k, block, blocks, from, count)
	case 2:
		pick[uint16](k, block, blocks, from, count)
	case 4:
		pick[uint32](k, block, blocks, from, count)
	case 8:
		pick[uint64](k, block, blocks, from, count)
	}
}

// outOfRange tells of the index at a place of the indices.
func (k *gatherTask) outOfRange(at int) error {
	var value int64
	if k.isShort() {
		value = int64(elements[int32](k.ptr[1], k.shape.Count)[at])
	} else {
		value = elements[int64](k.ptr[1], k.shape.Count)[at]
	}
	return outOfRange(k.spec.Node, k.indexShape, at, value, k.shape.Size)
}

// outOfRange is the error of the at-th of the indices of n, an index that is not one of 0..size-1.
func outOfRange(n *graph.Node, indexShape []int, at int, value int64, size int) error {
	return &FailedCheck{Node: n.Source(), Message: fmt.Sprintf("index out of range in self: %s%s is %d%s",
		calledIn(n, n.In(1)), elementAt(indexShape, at), value, notIn(0, size))}
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

// pick is takeRun for elements of a size. Where there are several blocks, all indices are taken.
func pick[T any](k *gatherTask, block, blocks, from, count int) {
	s := k.shape
	src, dst := elements[T](k.ptr[0], s.Outer*s.Size*s.Inner), elements[T](k.ptr[2], s.Outer*s.Count*s.Inner)
	src, dst = src[block*s.Size*s.Inner:], dst[(block*s.Count+from)*s.Inner:]
	s.Outer, s.Count = blocks, count
	if k.isShort() {
		gather.TakeInside(s, dst, src, elements[int32](k.ptr[1], k.shape.Count)[from:])
	} else {
		gather.TakeInside(s, dst, src, elements[int64](k.ptr[1], k.shape.Count)[from:])
	}
}

// foldsByIndex are the folds of package gather; what is not here is a sum.
var foldsByIndex = map[graph.Fold]gather.Fold{graph.FoldProd: gather.Prod, graph.FoldMax: gather.Max, graph.FoldMin: gather.Min}

// unite unites numbers by index.
func unite[T gather.Number](k *gatherTask, m *gather.Scratch) int {
	by, s := foldsByIndex[k.spec.Fold], k.shape
	src, dst := elements[T](k.ptr[0], s.Outer*s.Count*s.Inner), elements[T](k.ptr[2], s.Outer*s.Size*s.Inner)
	if k.isShort() {
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
