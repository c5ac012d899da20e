package engine

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/hugepage"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// A weight that no run of the program changes is laid out for products in the order in which
// they read it: in the second run that finds it unchanged, since one that is set or trained
// between runs is not worth it.

// packedKey tells what a packed weight is for: products of one kernel, of one row or of more,
// whatever the batch.
type packedKey struct {
	spec  *lower.MatMulSpec
	isRow bool
}

// packedWeight is a weight as these products read it.
type packedWeight[T scalar.Number] struct {
	elements []T
	version  int // of the parameter that is packed
	seen     int // that of the last run
}

// Products of more rows gain little from packed weights, since they pack them beside their
// multiplications; those of weights that stay in the first-level cache nothing, nor do those of
// one row and a weight whose rows are contiguous, which is read once as it lies.
const (
	packedRows  = 256
	packedBytes = 32 << 10
)

// weightOf returns the parameter or constant, which the program does not write, or the value of
// outside of a loop's body, that is the second factor of a product; nil if that is another value.
func (p *Code) weightOf(spec *lower.MatMulSpec) *lower.Buffer {
	switch s := p.BufferOf[spec.Operands[1].Base]; {
	case s.Kind == lower.InConst, s.Kind == lower.InParam && !slices.Contains(p.Written, s.Index),
		s.Kind == lower.InInput && p.invariant != nil && p.invariant[s.Index]:
		return s
	}
	return nil
}

// usePacked lets a product read its weight packed, if there is one and it gains by that.
func (t *MatMulTask[T]) readsPacked(weight *lower.Buffer) {
	if weight != nil && (t.p.M > 1 || t.p.B.Col != 1) && t.p.Rows() <= packedRows && t.p.N*t.p.K*t.spec.Dtype.Size() >= packedBytes && t.p.PackedLen() > 0 {
		t.weight = weight
	}
}

// pack lets the product read its weight packed if the last run has found the same one.
func (t *MatMulTask[T]) pack(s *State) {
	if t.packed == nil {
		key := packedKey{t.spec, t.p.M == 1}
		known, _ := s.packed[key].(*packedWeight[T])
		if known == nil {
			known = &packedWeight[T]{version: -1, seen: -1}
			s.packed[key] = known
		}
		t.packed = known
	}
	w, version := t.packed, 0
	switch t.weight.Kind {
	case lower.InParam:
		version = s.Params[t.weight.Index].Version
	case lower.InInput:
		version = s.loops
	}
	if w.version != version && w.seen == version {
		if w.elements == nil {
			w.elements = hugepage.Make[T](t.p.PackedLen())
		}
		t.p.PackB(w.elements, t.scratch(&s.Ws.products))
		w.version = version
	}
	t.p.Packed, w.seen = nil, version
	if w.version == version {
		t.p.Packed = w.elements
	}
}
