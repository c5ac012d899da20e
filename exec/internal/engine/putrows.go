package engine

import (
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
)

// putRowsTask writes slices where indices say, with all sizes known. Its tiles are the values of the axes before that of the indices.
type putRowsTask struct {
	spec               *lower.AddRowsSpec
	indexShape         []int
	ptr                []unsafe.Pointer
	outer, size, count int
	slice              int // bytes
}

func newPutRowsTask(b *Specialization, spec *lower.AddRowsSpec) *putRowsTask {
	return &putRowsTask{spec: spec, indexShape: b.Shape(spec.Node.In(1).Shape()), ptr: make([]unsafe.Pointer, len(spec.Operands)),
		outer: b.Eval(spec.Outer), size: b.Eval(spec.Size), count: b.Eval(spec.Count), slice: b.Eval(spec.Inner) * spec.Node.DType().Size()}
}

func (k *putRowsTask) SetPointer(operand int, p unsafe.Pointer) { k.ptr[operand] = p }

func (k *putRowsTask) Run(s *State) error {
	for i, at := range k.index() {
		if at < 0 || at >= int64(k.size) {
			return outOfRange(k.spec.Node, k.indexShape, i, at, k.size)
		}
	}
	if cost := k.outer * k.count * k.slice / 4; s.Threads > 1 && cost >= parallelCost {
		s.ParallelFor(k, k.outer, cost)
		return nil
	}
	for i := range k.outer {
		k.Tile(i, &s.Ws)
	}
	return nil
}

// Tile writes the slices of one value of the axes before.
func (k *putRowsTask) Tile(i int, _ *Workspace) {
	whole := elements[byte](k.ptr[len(k.ptr)-1], k.outer*k.size*k.slice)
	src := elements[byte](k.ptr[2], k.outer*k.count*k.slice)
	if len(whole) == 0 || len(src) == 0 {
		return
	}
	whole, src = whole[i*k.size*k.slice:], src[i*k.count*k.slice:]
	for from, at := range k.index() {
		copy(whole[int(at)*k.slice:(int(at)+1)*k.slice], src[from*k.slice:])
	}
}

func (k *putRowsTask) index() []int64 { return elements[int64](k.ptr[1], k.count) }
