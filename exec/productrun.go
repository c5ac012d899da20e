package exec

import (
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// productScratch is the packed blocks of matrix products, by element type.
type productScratch struct {
	f32 gemm.Scratch[float32]
	f64 gemm.Scratch[float64]
	i32 gemm.Scratch[int32]
	i64 gemm.Scratch[int64]
}

// typedProduct is a product of one element type.
type typedProduct[T scalar.Number] struct {
	p       gemm.Product[T]
	extents [3]int // elements from each operand's first to its last
	scratch func(*productScratch) *gemm.Scratch[T]
}

func (t *typedProduct[T]) point(operand int, p unsafe.Pointer) {
	var data []T
	if p != nil {
		data = unsafe.Slice((*T)(p), t.extents[operand])
	}
	switch operand {
	case 0:
		t.p.A.Data = data
	case 1:
		t.p.B.Data = data
	default:
		t.p.C.Data = data
	}
}

func (t *typedProduct[T]) run(s *Session) error {
	t.p.Run(t.scratch(&s.products))
	return nil
}

// bindProduct evaluates the sizes and strides of a matrix product.
func (b *binding) bindProduct(p *Program, spec *product) step {
	s := b.newStep(p, spec.operands[:])
	switch spec.dtype {
	case graph.Int32:
		s.kernel = newTypedProduct(b, spec, func(s *productScratch) *gemm.Scratch[int32] { return &s.i32 })
	case graph.Int64:
		s.kernel = newTypedProduct(b, spec, func(s *productScratch) *gemm.Scratch[int64] { return &s.i64 })
	case graph.Float32:
		s.kernel = newTypedProduct(b, spec, func(s *productScratch) *gemm.Scratch[float32] { return &s.f32 })
	default:
		s.kernel = newTypedProduct(b, spec, func(s *productScratch) *gemm.Scratch[float64] { return &s.f64 })
	}
	return s
}

func newTypedProduct[T scalar.Number](b *binding, spec *product, scratch func(*productScratch) *gemm.Scratch[T]) *typedProduct[T] {
	t := &typedProduct[T]{scratch: scratch}
	batch := b.shape(spec.batch)
	t.p = gemm.Product[T]{M: b.eval(spec.m), N: b.eval(spec.n), K: b.eval(spec.k), Batch: batch}
	steps := [3]*[]int{&t.p.StepA, &t.p.StepB, &t.p.StepC}
	matrices := [3]*gemm.Matrix[T]{&t.p.A, &t.p.B, &t.p.C}
	sizes := [3][2]int{{t.p.M, t.p.K}, {t.p.K, t.p.N}, {t.p.M, t.p.N}}
	for i, o := range spec.operands {
		strides := b.strides(o)
		*steps[i] = strides[:len(batch)]
		matrices[i].Row, matrices[i].Col = strides[len(batch)], strides[len(batch)+1]
		t.extents[i] = 1 + max(sizes[i][0]-1, 0)*matrices[i].Row + max(sizes[i][1]-1, 0)*matrices[i].Col
		for axis, n := range batch {
			t.extents[i] += max(n-1, 0) * strides[axis]
		}
	}
	return t
}
