package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Few rows times contiguous columns, and contiguous rows times few columns, have the sums of other products, for all
// sizes near those of a block of columns, of the columns whose sums are kept, of pieces of 16 bytes and of blocks of K.
func TestThinProducts(t *testing.T) {
	t.Run("float32", thinProductsAgree[float32])
	t.Run("float64", thinProductsAgree[float64])
}

func thinProductsAgree[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	from := values[T](r, 0)
	var s Scratch[T]
	for _, many := range []int{15, 16, 17, 31, 32, 33, 63, 70, thinCols - 1, thinCols + 7, thinCols + 40,
		2*thinCols + 1} {
		for _, k := range []int{7, 8, 9, 10, 11, 16, 30, KC + 3, wholeSum, wholeSum + 5} {
			if many*k > 40000 && (many+k)%3 > 0 {
				continue
			}
			few := r.IntN(5)
			for _, size := range [][2]int{{few, many}, {many, few}} {
				p := draw(r, size[0], size[1], k, from)
				p.A, p.B = Matrix[T]{Data: window(r, from, p.M*k), Row: k, Col: 1},
					Matrix[T]{Data: window(r, from, k*p.N), Row: 1, Col: k}
				requireSame(t, p, &s)
			}
		}
	}
}

// Columns that fall into a few sets of a cache are copied, which changes no sum.
func TestThinProductsOfConflictingColumns(t *testing.T) {
	t.Run("float32", conflictingColumnsAgree[float32])
	t.Run("float64", conflictingColumnsAgree[float64])
}

func conflictingColumnsAgree[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	from := values[T](r, 0)
	var s Scratch[T]
	for _, many := range []int{16, 32, 33, 47, 70} {
		for _, k := range []int{8, 9, 30, 512, 1024, 1029, 2048} {
			step := roundUp(k, 512)
			for few := range 5 {
				p := draw(r, few, many, k, from)
				p.A = Matrix[T]{Data: window(r, from, few*k), Row: k, Col: 1}
				p.B = Matrix[T]{Data: window(r, from, many*step), Row: 1, Col: step}
				requireSame(t, p, &s)
			}
		}
	}
}

// A row times rows of a few vectors, dense or apart, has the sums of other products, and so have few rows times columns
// that are apart.
func TestNarrowProducts(t *testing.T) {
	t.Run("float32", narrowProductsAgree[float32])
	t.Run("float64", narrowProductsAgree[float64])
}

func narrowProductsAgree[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	from := values[T](r, 0)
	var s Scratch[T]
	for narrow := 4; narrow <= 144; narrow += 4 {
		for _, many := range []int{1, 2, 9, 63, KC + 3, wholeSum + 5} {
			step := narrow + 5*r.IntN(2)
			p := draw(r, 1, narrow, many, from)
			p.B = Matrix[T]{Data: window(r, from, many*step), Row: step, Col: 1}
			requireSame(t, p, &s)
			p = draw(r, 1+r.IntN(4), many, narrow, from)
			p.B = Matrix[T]{Data: window(r, from, many*step), Row: 1, Col: step}
			requireSame(t, p, &s)
		}
	}
}

// Few rows by a second matrix of 16 bits have the sums of the same numbers in float32, for sizes near those of a block
// of columns, of pieces of 16 bytes, of the vectors whose sums stay in registers and of blocks of K. Columns of
// 16 bits, and the rows that one row is multiplied by, are not packed into panels.
func TestFewRowsByHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	from := values[float32](r, 0)
	for i, n := range []int{16, 31, 32, 33, 63, 64, 70, 130, 300, thinCols + 40} {
		for _, k := range []int{7, 8, 9, 15, 16, 64, 70, wholeSum + 5} {
			if n*k > 70000 {
				continue
			}
			for _, isTransposed := range []bool{false, true} {
				p := draw(r, 1+(i+k)%4, n, k, from)
				p.A = Matrix[float32]{Data: slices.Clone(window(r, from, p.M*k)), Row: k, Col: 1}
				p.B = Matrix[float32]{Data: slices.Clone(window(r, from, k*n)), Row: n, Col: 1}
				if isTransposed {
					p.B.Row, p.B.Col = 1, k
				}
				p.Add = false
				narrow, wide := withHalves(r, p, 2*(k%2), k%3 == 0)
				if narrow.FactorB.Type == Own {
					narrow.FactorB = halves(r, &wide.B, BFloat16, false)
				}
				var s, plain Scratch[float32]
				want := whole(t, wide, &plain)
				require.NoError(t, narrow.Check())
				narrow.Run(&s)
				requireBits(t, want, narrow)
				isThin := isTransposed && narrow.FactorB.isHalf() && n >= 32 && k >= thinProducts
				if simdOf[float32]() != nil && isThin {
					require.Empty(t, s.runs, "%d rows, %d columns, %d products", p.M, n, k)
				}
			}
		}
	}
}
