package engine

import (
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gather"
)

// addRowsTask adds to rows at given indices, with all sizes known. Its tiles are ranges of indices: each changes the
// rows whose first index is in it.
type addRowsTask[T float32 | float64, I gather.Index] struct {
	spec       *lower.AddRowsSpec
	rows       *gather.Rows[T, I]
	indexShape []int
	ptr        []unsafe.Pointer
}

// addRowsTile is the number of indices of a tile.
const addRowsTile = 256

func (b *Specialization) bindAddRows(p *Code, spec *lower.AddRowsSpec) Launch {
	s := b.newLaunch(p, spec.Operands)
	isWide, isLong := spec.Node.DType() == graph.Float64, spec.Node.In(1).DType() == graph.Int64
	switch {
	case spec.Replace:
		s.Task = newPutRowsTask(b, spec)
	case isWide && isLong:
		s.Task = newAddRowsTask[float64, int64](b, spec)
	case isWide:
		s.Task = newAddRowsTask[float64, int32](b, spec)
	case isLong:
		s.Task = newAddRowsTask[float32, int64](b, spec)
	default:
		s.Task = newAddRowsTask[float32, int32](b, spec)
	}
	return s
}

func newAddRowsTask[T float32 | float64, I gather.Index](b *Specialization, spec *lower.AddRowsSpec) *addRowsTask[T,
	I] {
	shape := gather.Shape{Outer: b.Eval(spec.Outer), Size: b.Eval(spec.Size), Inner: b.Eval(spec.Inner),
		Count: b.Eval(spec.Count)}
	return &addRowsTask[T, I]{
		spec: spec, indexShape: b.Shape(spec.Node.In(1).Shape()), ptr: make([]unsafe.Pointer, len(spec.Operands)),
		rows: gather.NewRows[T, I](shape, len(spec.Node.Operands())-3, spec.Subtract),
	}
}

func (k *addRowsTask[T, I]) SetPointer(operand int, p unsafe.Pointer) { k.ptr[operand] = p }

func (k *addRowsTask[T, I]) Run(s *State) error {
	index := k.index()
	if bad := k.rows.Group(index); bad >= 0 {
		return outOfRange(k.spec.Node, k.indexShape, bad, int64(index[bad]), k.rows.Size)
	}
	for i := range k.rows.Factors {
		k.rows.Factors[i] = *(*T)(k.ptr[3+i])
	}
	whole, isInPlace := k.whole(), k.ptr[0] == k.ptr[len(k.ptr)-1]
	if !isInPlace {
		copy(whole, elements[T](k.ptr[0], len(whole)))
	}
	if !isInPlace || !k.spec.Apart { // otherwise an earlier step of a loop has done this
		k.rows.AddNothing(whole)
	}
	tiles := ceilDiv(k.rows.Count, addRowsTile)
	s.each(k, tiles, k.rows.Outer*k.rows.Count*k.rows.Inner)
	k.rows.Forget(index)
	return nil
}

// Tile changes the rows whose first index is in the tile.
func (k *addRowsTask[T, I]) Tile(i int, ws *Workspace) {
	src, lo := elements[T](k.ptr[2], k.rows.Outer*k.rows.Count*k.rows.Inner), i*addRowsTile
	k.rows.Add(k.whole(), src, k.index(), lo, min(lo+addRowsTile, k.rows.Count), &ws.rows)
}

// whole returns all elements of the value whose rows change.
func (k *addRowsTask[T, I]) whole() []T {
	return elements[T](k.ptr[len(k.ptr)-1], k.rows.Outer*k.rows.Size*k.rows.Inner)
}

func (k *addRowsTask[T, I]) index() []I { return elements[I](k.ptr[1], k.rows.Count) }
