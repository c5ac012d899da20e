package engine

import (
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/gather"
)

// putRowsTask writes slices at given indices, with all sizes known. Its tiles are the positions of the axes before that
// of the indices.
type putRowsTask struct {
	spec       *lower.AddRowsSpec
	rows       gather.Shape // in bytes
	indexShape []int
	ptr        []unsafe.Pointer
}

func newPutRowsTask(b *Specialization, spec *lower.AddRowsSpec) *putRowsTask {
	return &putRowsTask{spec: spec, indexShape: b.Shape(spec.Node.In(1).Shape()),
		ptr: make([]unsafe.Pointer, len(spec.Operands)),
		rows: gather.Shape{Outer: b.Eval(spec.Outer), Size: b.Eval(spec.Size), Count: b.Eval(spec.Count),
			Inner: b.Eval(spec.Inner) * spec.Node.DType().Size()}}
}

func (k *putRowsTask) SetPointer(operand int, p unsafe.Pointer) { k.ptr[operand] = p }

func (k *putRowsTask) Run(s *State) error {
	index := k.index()
	if bad := gather.Outside(index, k.rows.Size); bad >= 0 {
		return outOfRange(k.spec.Node, k.indexShape, bad, index[bad], k.rows.Size)
	}
	s.each(k, k.rows.Outer, k.rows.Outer*k.rows.Count*k.rows.Inner/4)
	return nil
}

// Tile writes the slices at one position of the axes before.
func (k *putRowsTask) Tile(i int, _ *Workspace) {
	one := k.rows
	one.Outer = 1
	whole, src := one.Size*one.Inner, one.Count*one.Inner
	gather.Put(one, elements[byte](k.ptr[len(k.ptr)-1], k.rows.Outer*whole)[i*whole:],
		elements[byte](k.ptr[2], k.rows.Outer*src)[i*src:], k.index())
}

func (k *putRowsTask) index() []int64 { return elements[int64](k.ptr[1], k.rows.Count) }
