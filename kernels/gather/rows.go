package gather

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/internal/prefetch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Rows does the work of a sum by index, but only on the rows that are named. It keeps its memory from one use to the
// next.
type Rows[T float32 | float64, I Index] struct {
	Shape
	// Factors and Subtract say how a row x changes by the sum of its additions: x + sum·f1·f2…, or x - sum·f1·f2…. Each
	// operation rounds.
	Factors  []T
	Subtract bool

	first []int // for each row, 1 more than the first place of the indices that names it, 0 where none does
	next  []int // for each place, 1 more than the next one that names the same row, 0 at the last
	// Functions that compute several elements at once, or nil.
	add, sub, addScalar, scale aot.Func
}

// Scratch is the memory that a goroutine needs to combine rows.
type Scratch struct {
	row   []float64
	block aot.Block
}

// NewRows allocates memory for rows of a shape and some factors.
func NewRows[T float32 | float64, I Index](s Shape, factors int, subtract bool) *Rows[T, I] {
	t := rowprog.F32
	if unsafe.Sizeof(*new(T)) == 8 {
		t = rowprog.F64
	}
	find := func(op rowprog.Op, scalar int) aot.Func { return aot.Lookup(aot.Key{Op: op, Type: t, Scalar: scalar}) }
	return &Rows[T, I]{
		Shape: s, Factors: make([]T, factors), Subtract: subtract, first: make([]int, s.Size),
		next: make([]int, s.Count),
		add:  find(rowprog.OpAdd, 0), sub: find(rowprog.OpSub, 0), addScalar: find(rowprog.OpAdd, 2),
		scale: find(rowprog.OpMul, 2),
	}
}

// Group finds the places that name each row. It returns the position of the first index outside 0..Size-1, or -1.
// [Rows.Forget] undoes it.
func (r *Rows[T, I]) Group(index []I) (bad int) {
	if bad := check(r.Shape, index); bad >= 0 {
		return bad
	}
	for i := len(index) - 1; i >= 0; i-- {
		r.next[i] = r.first[index[i]]
		r.first[index[i]] = i + 1
	}
	return -1
}

// Forget undoes [Rows.Group], in time proportional to the indices, not to all rows.
func (r *Rows[T, I]) Forget(index []I) {
	for _, at := range index {
		r.first[at] = 0
	}
}

// Add changes each row of x that is first named at one of the places lo..hi-1 of the indices. It first sums the rows of
// src with the same index, in their order, from zero on. The bits are those of [Scatter] followed by the same
// arithmetic on all rows of x.
func (r *Rows[T, I]) Add(x, src []T, index []I, lo, hi int, m *Scratch) {
	if len(m.row) < r.Inner {
		m.row = make([]float64, r.Inner)
	}
	zero, sum := T(0), unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m.row))), r.Inner)
	for o := range r.Outer {
		from, to := src[o*r.Count*r.Inner:], x[o*r.Size*r.Inner:]
		rows := prefetch.Of(to[:r.Size*r.Inner], r.Inner)
		for i := lo; i < hi; i++ {
			fetchAhead(&rows, index[:hi], i)
			at := int(index[i])
			if r.first[at] != i+1 {
				continue
			}
			compute(m, r.addScalar, loops.AddScalar, sum, from[i*r.Inner:], &zero)
			for k := r.next[i]; k > 0; k = r.next[k-1] {
				computeRows(m, r.add, loops.Add, sum, from[(k-1)*r.Inner:])
			}
			for f := range r.Factors {
				compute(m, r.scale, loops.MulScalar, sum, sum, &r.Factors[f])
			}
			if row := to[at*r.Inner:][:r.Inner]; r.Subtract {
				computeRows(m, r.sub, loops.Sub, row, sum)
			} else {
				computeRows(m, r.add, loops.Add, row, sum)
			}
		}
	}
}

// AddNothing changes the rows that no index names as if zeros were added to them. That has an effect if a factor is not
// finite, or a zero gets another sign.
func (r *Rows[T, I]) AddNothing(x []T) {
	v := T(0)
	for _, f := range r.Factors {
		v = T(v * f)
	}
	if r.Subtract {
		v = -v
	}
	if v == 0 && 1/v < 0 {
		return // x + -0 is x
	}
	for row := range r.Outer * r.Size {
		if r.first[row%r.Size] == 0 {
			of := x[row*r.Inner : (row+1)*r.Inner]
			loops.AddScalar(of, of, v)
		}
	}
}

// computeRows is x = x ⊕ y, by f unless it is nil.
func computeRows[T float32 | float64](m *Scratch, f aot.Func, loop func(dst, x, y []T), x, y []T) {
	switch {
	case len(x) == 0:
	case f != nil:
		m.block.Run(f, len(x), unsafe.Pointer(&x[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]))
	default:
		loop(x, x, y[:len(x)])
	}
}

// compute is dst = x ⊕ c, by f unless it is nil.
func compute[T float32 | float64](m *Scratch, f aot.Func, loop func(dst, x []T, c T), dst, x []T, c *T) {
	switch {
	case len(dst) == 0:
	case f != nil:
		m.block.Run(f, len(dst), unsafe.Pointer(&dst[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(c))
	default:
		loop(dst, x[:len(dst)], *c)
	}
}
