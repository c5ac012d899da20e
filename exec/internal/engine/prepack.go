package engine

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/params"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/hugepage"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// A weight that the program does not write is packed for products in the second run that finds it unchanged. Packing
// does not pay for a weight that is set or trained between runs. Each run packs only a part of a large model, so that
// no run takes much longer than others. The packed copy of a parameter belongs to the parameter, so sessions that share
// it read one copy.

// packedKey identifies the elements of a weight that are packed. Batch axes of the weight are part of it.
type packedKey struct {
	spec     *lower.MatMulSpec // nil if the weight is a parameter, which shares copies between programs
	start    uintptr           // of a parameter: bytes before the first of K rows and N columns
	row, col int               // strides, in elements
	k, n     int
	batch    string    // strides between matrices
	a        gemm.Type // of the first factor's elements
}

// packedWeight is a weight in the layout that these products read.
type packedWeight[T scalar.Number] struct {
	mu       sync.Mutex
	elements []T
	version  int // of the parameter when it was packed
	seen     int // that of the last run
}

// Bytes returns its size.
func (w *packedWeight[T]) Bytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.elements) * int(unsafe.Sizeof(*new(T)))
}

// packedOf returns the weight of a key, which may not be packed yet.
func packedOf[T scalar.Number](all *params.Packed, key packedKey) *packedWeight[T] {
	return all.Find(key, func() params.Copy { return &packedWeight[T]{version: -1, seen: -1} }).(*packedWeight[T])
}

// Products of more than packedRows rows gain little from packed weights, since packing takes little time compared with
// their multiplications. Weights under packedBytes, which stay in the first-level cache, gain nothing. Neither do
// products of one row with a weight whose rows are contiguous: it is read once in place.
const (
	packedRows  = 256
	packedBytes = 32 << 10
)

// weightOf returns the second factor of a product if it stays the same between runs or steps: a constant, a parameter
// that the program does not write, a kept value, or a value from outside a loop's body. It returns nil for other
// values.
func (p *Code) weightOf(spec *lower.MatMulSpec) *lower.Buffer {
	switch s := p.BufferOf[spec.Operands[1].Base]; {
	case s.Kind == lower.InConst, s.Kind == lower.InKept,
		s.Kind == lower.InParam && !slices.Contains(p.Written, s.Index),
		s.Kind == lower.InInput && p.invariant != nil && p.invariant[s.Index]:
		return s
	}
	return nil
}

// packedPerRun is the number of bytes after which a run leaves further weights to later runs.
const packedPerRun = 128 << 20

// readsPacked lets a product read its weight packed, if it has one and gains by that.
func (t *MatMulTask[T]) readsPacked(weight *lower.Buffer) {
	if weight != nil && t.p.GainsByPacking() && t.p.Rows() <= packedRows*t.p.Weights() &&
		t.p.N*t.p.K*t.spec.Dtype.Size() >= packedBytes && t.p.PackedLen() > 0 {
		t.weight = weight
	}
}

// pack lets the product read its weight packed if the last run found the same version. Runs that share a parameter all
// find the same version, since none of them may write it.
func (t *MatMulTask[T]) pack(s *State) {
	if t.packed == nil {
		t.packed = t.findPacked(s)
	}
	w, version := t.packed, 0
	switch t.weight.Kind {
	case lower.InParam:
		version = s.Params[t.weight.Index].Version
	case lower.InInput:
		version = s.loops
	case lower.InKept:
		version = s.kept.runs[t.weight.First]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.version != version && w.seen == version && s.laidOut < packedPerRun {
		if w.elements == nil {
			w.elements = hugepage.Make[T](t.p.PackedLen())
		}
		s.laidOut += len(w.elements) * int(unsafe.Sizeof(w.elements[0]))
		t.p.PackB(w.elements, t.scratch(&s.Ws.products))
		w.version = version
	}
	t.p.Packed, w.seen = nil, version
	if w.version == version {
		t.p.Packed = w.elements
	}
}

// findPacked returns the product's packed weight, which belongs to its parameter or, for other weights, to the session.
func (t *MatMulTask[T]) findPacked(s *State) *packedWeight[T] {
	b := &t.p.B
	key := packedKey{row: b.Row, col: b.Col, k: t.p.K, n: t.p.N, batch: batchOf(&t.p), a: t.p.FactorA.Type}
	if t.weight.Kind != lower.InParam {
		key.spec = t.spec
		return packedOf[T](&s.packed, key)
	}
	p := s.Params[t.weight.Index]
	first := unsafe.Pointer(unsafe.SliceData(b.Data))
	if f := &t.p.FactorB; f.Type != gemm.Own {
		first = f.Data
	}
	key.start = uintptr(first) + uintptr(b.Start*t.spec.Operands[1].Base.DType().Size()) - uintptr(p.Ptr)
	return packedOf[T](&p.Packed, key)
}

// batchOf describes the batch axes along which a product has different second factors.
func batchOf[T scalar.Number](p *gemm.Product[T]) (axes string) {
	for axis, step := range p.StepB {
		if step != 0 && p.Batch[axis] != 1 {
			axes += fmt.Sprint(p.Batch[axis], "*", step, " ")
		}
	}
	return axes
}
