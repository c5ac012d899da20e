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

// A weight that no run of the program changes is laid out for products in the order in which
// they read it: in the second run that finds it unchanged, since one that is set or trained
// between runs is not worth it. A run lays out a part of a large model, so that none takes much longer than others. That of a parameter belongs to the parameter, so that all sessions that share
// this read one copy.

// packedKey tells which elements of a weight are packed. Those of a batch count as rows of its matrices of
// the weight.
type packedKey struct {
	spec     *lower.MatMulSpec // nil where the weight is a parameter, which has these whatever the program
	start    uintptr           // of a parameter's: bytes before the first of K rows and N columns
	row, col int               // steps, in elements
	k, n     int
	batch    string    // the steps from matrix to matrix
	a        gemm.Type // of the first factor's elements
}

// packedWeight is a weight as these products read it.
type packedWeight[T scalar.Number] struct {
	mu       sync.Mutex
	elements []T
	version  int // of the parameter that is packed
	seen     int // that of the last run
}

// Bytes is its memory.
func (w *packedWeight[T]) Bytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.elements) * int(unsafe.Sizeof(*new(T)))
}

// packedOf returns the weight of a key, which is not packed at first.
func packedOf[T scalar.Number](all *params.Packed, key packedKey) *packedWeight[T] {
	return all.Find(key, func() params.Copy { return &packedWeight[T]{version: -1, seen: -1} }).(*packedWeight[T])
}

// Products of more rows gain little from packed weights, since they pack them beside their
// multiplications; those of weights that stay in the first-level cache nothing, nor do those of
// one row and a weight whose rows are contiguous, which is read once as it lies.
const (
	packedRows  = 256
	packedBytes = 32 << 10
)

// weightOf returns the parameter or constant, which the program does not write, the value that the session keeps of these, or the
// value of outside of a loop's body, that is the second factor of a product; nil if that is another value.
func (p *Code) weightOf(spec *lower.MatMulSpec) *lower.Buffer {
	switch s := p.BufferOf[spec.Operands[1].Base]; {
	case s.Kind == lower.InConst, s.Kind == lower.InKept, s.Kind == lower.InParam && !slices.Contains(p.Written, s.Index),
		s.Kind == lower.InInput && p.invariant != nil && p.invariant[s.Index]:
		return s
	}
	return nil
}

// packedPerRun is the number of bytes from which on a run leaves weights that it could lay out to later ones.
const packedPerRun = 128 << 20

// readsPacked lets a product read its weight packed, if there is one and it gains by that.
func (t *MatMulTask[T]) readsPacked(weight *lower.Buffer) {
	if weight != nil && t.p.GainsByPacking() && t.p.Rows() <= packedRows*t.p.Weights() && t.p.N*t.p.K*t.spec.Dtype.Size() >= packedBytes && t.p.PackedLen() > 0 {
		t.weight = weight
	}
}

// pack lets the product read its weight packed if the last run has found the same one. Runs that share a
// parameter all find the same version, since none of them may write it.
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

// findPacked returns the product's weight among those of its parameter or, if it is none, of the session.
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

// batchOf describes the axes of a batch along which products have matrices of their own as the second factor.
func batchOf[T scalar.Number](p *gemm.Product[T]) (axes string) {
	for axis, step := range p.StepB {
		if step != 0 && p.Batch[axis] != 1 {
			axes += fmt.Sprint(p.Batch[axis], "*", step, " ")
		}
	}
	return axes
}
