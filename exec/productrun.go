package exec

import (
	"slices"
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

// typedProduct is a product of one element type. It is a task: its tiles are rows of the
// result.
type typedProduct[T scalar.Number] struct {
	p       gemm.Product[T]
	before  [3]int // elements of each operand that lie before element (0, 0)
	extents [3]int // elements from each operand's first to its last
	scratch func(*productScratch) *gemm.Scratch[T]
	cost    int // an estimate of the time of a run, in nanoseconds
	rows    int // of a tile
}

func (t *typedProduct[T]) point(operand int, p unsafe.Pointer) {
	var data []T
	if p != nil {
		first := unsafe.Add(p, -t.before[operand]*int(unsafe.Sizeof(*new(T))))
		data = unsafe.Slice((*T)(first), t.extents[operand])
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
	if s.threads <= 1 || t.cost < offerCost || t.rows >= t.p.Rows() {
		t.p.Run(t.scratch(&s.ws.products))
		return nil
	}
	s.share(t, (t.p.Rows()+t.rows-1)/t.rows, t.cost)
	return nil
}

// tile computes some rows.
func (t *typedProduct[T]) tile(i int, ws *workspace) {
	t.p.RunPart(i*t.rows, min((i+1)*t.rows, t.p.Rows()), 0, t.p.N, t.scratch(&ws.products))
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
		t.extents[i] = 1
		for axis, n := range append(slices.Clone(batch), sizes[i][:]...) {
			reach := max(n-1, 0) * strides[axis]
			t.before[i] += max(-reach, 0)
			t.extents[i] += max(reach, -reach)
		}
		matrices[i].Start = t.before[i]
	}
	t.cost = 2 * t.p.Rows() * t.p.N * t.p.K / flopsPerNanosecond
	t.rows = (t.p.Rows()/productTiles + leastRows) / leastRows * leastRows
	return t
}

// flopsPerNanosecond is about what one thread computes.
const flopsPerNanosecond = 50

// Products are cut into few tiles, since each packs the other operand for itself, of a
// multiple of leastRows rows, which fills the vector registers.
const (
	productTiles = 4
	leastRows    = 36
)
