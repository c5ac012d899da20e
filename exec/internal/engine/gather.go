package engine

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/pool"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gather"
)

// gatherTask is a gather with all sizes known.
type gatherTask struct {
	spec       *lower.GatherSpec
	shape      gather.Shape
	indexShape []int
	ptr        [3]unsafe.Pointer

	columnParts int         // the number of ranges of columns, when combining rows
	stopped     func() bool // reports whether the run is to stop, or nil
}

func (b *Specialization) bindGather(p *Code, spec *lower.GatherSpec) Launch {
	s := b.newLaunch(p, spec.Operands[:])
	s.Task = &gatherTask{spec: spec, indexShape: b.Shape(spec.Node.In(1).Shape()),
		shape: gather.Shape{Outer: b.Eval(spec.Outer), Size: b.Eval(spec.Size), Inner: b.Eval(spec.Inner),
			Count: b.Eval(spec.Count)}}
	return s
}

func (k *gatherTask) SetPointer(operand int, p unsafe.Pointer) { k.ptr[operand] = p }

func (k *gatherTask) Run(s *State) error {
	k.stopped = s.stopped()
	tiles, cost := k.shape.Outer*k.runs(), k.shape.Outer*k.shape.Count*(2+k.shape.Inner/4)
	if k.spec.Fold != graph.NoFold {
		if k.columnParts = 1; cost >= pool.ParallelCost {
			k.columnParts = max(1, min(s.Threads, k.shape.Inner/minUnitedColumns))
		}
		tiles = k.shape.Outer * k.columnParts
	}
	alone := !s.pays(tiles, cost)
	if alone && k.shape.Outer == 1 {
		return k.runBlocks(&s.Ws)
	}
	switch bad := k.outside(0, k.shape.Count); {
	case bad >= 0:
		return k.outOfRange(bad)
	case !alone:
		s.ParallelFor(k, tiles, cost)
	case k.shape.Count*k.shape.Inner > movedAtOnce:
		s.each(k, tiles, 0)
	default:
		k.someBlocks(&s.Ws)
	}
	return nil
}

const (
	// checkedBlock is how many indices are checked before they are used: they are in a cache then.
	checkedBlock = 1 << 11
	// movedAtOnce is how many elements are picked or combined before it is asked again whether the run is to stop.
	movedAtOnce = 1 << 18
)

// rowsAtOnce returns how many rows of some elements are moved before it is asked again whether the run is to stop: up
// to a number.
func rowsAtOnce(most, elements int) int { return max(1, min(most, movedAtOnce/max(elements, 1))) }

func (k *gatherTask) isStopped() bool { return k.stopped != nil && k.stopped() }

// someBlocks picks elements, or combines rows, of several small blocks at a time. All indices are in range.
func (k *gatherTask) someBlocks(ws *Workspace) {
	count := rowsAtOnce(k.shape.Outer, k.shape.Count*k.shape.Inner)
	for block := 0; block < k.shape.Outer && !k.isStopped(); block += count {
		if some := min(count, k.shape.Outer-block); k.spec.Fold == graph.NoFold {
			k.takeRun(block, some, 0, k.shape.Count)
		} else {
			k.uniteBlocks(block, some, ws)
		}
	}
}

// runBlocks picks elements, or combines rows, of a single block, with some indices at a time.
func (k *gatherTask) runBlocks(ws *Workspace) error {
	count := rowsAtOnce(checkedBlock, k.shape.Inner)
	for lo := 0; lo == 0 || lo < k.shape.Count && !k.isStopped(); lo += count {
		hi := min(lo+count, k.shape.Count)
		if bad := k.outside(lo, hi); bad >= 0 {
			return k.outOfRange(lo + bad)
		}
		if k.spec.Fold == graph.NoFold {
			k.takeRun(0, 1, lo, hi-lo)
		} else {
			k.uniteRows(unitedRows{lo: lo, hi: hi, right: k.shape.Inner, begins: lo == 0}, ws)
		}
	}
	return nil
}

// takeTile is the number of indices in a tile when threads share picked rows, if these are not long.
const takeTile = 256

func (k *gatherTask) tileRows() int { return rowsAtOnce(takeTile, k.shape.Inner) }

// outside returns the position, relative to lo, of the first index from lo to hi that is out of range, or -1.
func (k *gatherTask) outside(lo, hi int) (bad int) {
	if k.isShort() {
		return gather.Outside(elements[int32](k.ptr[1], k.shape.Count)[lo:hi], k.shape.Size)
	}
	return gather.Outside(elements[int64](k.ptr[1], k.shape.Count)[lo:hi], k.shape.Size)
}

// runs returns the number of tiles of a block.
func (k *gatherTask) runs() int { return ceilDiv(k.shape.Count, k.tileRows()) }

// Tile picks elements for a range of indices in one block, or combines some columns of all rows of a block.
func (k *gatherTask) Tile(i int, ws *Workspace) {
	if k.spec.Fold != graph.NoFold {
		k.uniteColumns(i/k.columnParts, i%k.columnParts, ws)
		return
	}
	lo := i % k.runs() * k.tileRows()
	k.takeRun(i/k.runs(), 1, lo, min(k.tileRows(), k.shape.Count-lo))
}

// isShort reports whether indices have 32 bits.
func (k *gatherTask) isShort() bool { return k.spec.Node.In(1).DType() == graph.Int32 }

// takeRun picks elements for count indices, from one on, in some blocks.
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

// outOfRange returns the error for the index at a position.
func (k *gatherTask) outOfRange(at int) error {
	var value int64
	if k.isShort() {
		value = int64(elements[int32](k.ptr[1], k.shape.Count)[at])
	} else {
		value = elements[int64](k.ptr[1], k.shape.Count)[at]
	}
	return outOfRange(k.spec.Node, k.indexShape, at, value, k.shape.Size)
}

// outOfRange returns the error for the at-th index of n, which is not one of 0..size-1.
func outOfRange(n *graph.Node, indexShape []int, at int, value int64, size int) error {
	return &FailedCheck{Node: n.Source(), Message: indexMessage(n, n.In(1), indexShape, at, value, size)}
}

// indexMessage says that the at-th element of x, an operand of n, is not in 0..size-1.
func indexMessage(n, x *graph.Node, shape []int, at int, value int64, size int) string {
	return fmt.Sprintf("index out of range in self: %s%s is %d%s", calledIn(n, x), elementAt(shape, at), value,
		notIn(0, size))
}

// elementAt formats the position of the at-th element in row-major order: "[1, 4]", or nothing for a scalar.
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

// pick is takeRun for elements of one size. With several blocks, it must take all indices.
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

// foldsByIndex maps folds to those of package gather. A fold that is missing is a sum.
var foldsByIndex = map[graph.Fold]gather.Fold{
	graph.FoldProd: gather.Prod, graph.FoldMax: gather.Max, graph.FoldMin: gather.Min}

// unitedRows is some columns of rows of one block, which are combined by index.
type unitedRows struct {
	block       int
	from        unsafe.Pointer // the rows; nil for those of the operand
	lo, hi      int            // the range of rows
	left, right int
	begins      bool // initialises the result before
}

// uniteRows combines rows by index. All indices are in range.
func (k *gatherTask) uniteRows(r unitedRows, ws *Workspace) {
	switch k.spec.Node.DType() {
	case graph.Int32:
		unite[int32](k, r, &ws.rows)
	case graph.Int64:
		unite[int64](k, r, &ws.rows)
	case graph.Float32:
		unite[float32](k, r, &ws.rows)
	case graph.Float64:
		unite[float64](k, r, &ws.rows)
	}
}

// uniteColumns combines a part of the columns of a block. All indices are in range.
func (k *gatherTask) uniteColumns(block, part int, ws *Workspace) {
	r := unitedRows{block: block, left: part * k.shape.Inner / k.columnParts,
		right: (part + 1) * k.shape.Inner / k.columnParts, begins: true}
	count := rowsAtOnce(k.shape.Count, r.right-r.left)
	for ; r.begins || r.lo < k.shape.Count && !k.isStopped(); r.lo += count {
		r.hi = min(r.lo+count, k.shape.Count)
		k.uniteRows(r, ws)
		r.begins = false
	}
}

// uniteBlocks combines the rows of some blocks. All indices are in range.
func (k *gatherTask) uniteBlocks(first, count int, ws *Workspace) {
	switch k.spec.Node.DType() {
	case graph.Int32:
		uniteBlocks[int32](k, first, count, &ws.rows)
	case graph.Int64:
		uniteBlocks[int64](k, first, count, &ws.rows)
	case graph.Float32:
		uniteBlocks[float32](k, first, count, &ws.rows)
	case graph.Float64:
		uniteBlocks[float64](k, first, count, &ws.rows)
	}
}

func uniteBlocks[T gather.Number](k *gatherTask, first, count int, m *gather.Scratch) {
	by, s := foldsByIndex[k.spec.Fold], k.shape
	src, dst := elements[T](k.ptr[0], s.Outer*s.Count*s.Inner), elements[T](k.ptr[2], s.Outer*s.Size*s.Inner)
	src, dst, s.Outer = src[first*s.Count*s.Inner:], dst[first*s.Size*s.Inner:], count
	if k.isShort() {
		gather.ScatterInside(by, s, dst, src, elements[int32](k.ptr[1], s.Count), m)
	} else {
		gather.ScatterInside(by, s, dst, src, elements[int64](k.ptr[1], s.Count), m)
	}
}

func unite[T gather.Number](k *gatherTask, r unitedRows, m *gather.Scratch) {
	by, s := foldsByIndex[k.spec.Fold], k.shape
	if r.from == nil {
		r.from = unsafe.Add(k.ptr[0], (r.block*s.Count+r.lo)*s.Inner*int(unsafe.Sizeof(*new(T))))
	}
	src, dst := elements[T](r.from, (r.hi-r.lo)*s.Inner),
		elements[T](k.ptr[2], s.Outer*s.Size*s.Inner)[r.block*s.Size*s.Inner:]
	if r.begins {
		gather.Clear(by, s, dst, r.left, r.right)
	}
	if k.isShort() {
		gather.Unite(by, s, dst, src, elements[int32](k.ptr[1], s.Count)[r.lo:r.hi], r.left, r.right, m)
	} else {
		gather.Unite(by, s, dst, src, elements[int64](k.ptr[1], s.Count)[r.lo:r.hi], r.left, r.right, m)
	}
}

// elements returns the n elements at an address.
func elements[T any](p unsafe.Pointer, n int) []T {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}
