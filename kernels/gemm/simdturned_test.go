package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Products that are computed as their transpose have the sums of others, whole and in parts, for all layouts of A.
func TestTurnedProducts(t *testing.T) {
	t.Run("float32", turnedProductsAgree[float32])
	t.Run("float64", turnedProductsAgree[float64])
}

func turnedProductsAgree[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	from := values[T](r, 0)
	var s Scratch[T]
	turned := 0
	for _, rows := range []int{4, 8, 16, 24, 28, 32, 48, 64} {
		for _, size := range [][2]int{{301, 200}, {97, 600}, {250, KC + 2}, {130, wholeSum + 1}} {
			p := &Product[T]{M: rows, N: size[0], K: size[1]}
			p.A = Matrix[T]{Data: window(r, from, p.M*p.K), Row: p.K, Col: 1}
			if r.IntN(2) == 0 {
				p.A.Row, p.A.Col = 1, p.M
			}
			p.B = Matrix[T]{Data: window(r, from, p.K*p.N), Row: 1, Col: p.K}
			p.C = Matrix[T]{Data: make([]T, p.M*p.N), Row: p.N, Col: 1}
			if q := p.matrix(0); q.isTurned(region{0, p.M, 0, p.N}, &s) {
				turned++
			}
			want := expected(t, p)
			p.Run(&s)
			requireBits(t, want, p)
			clear(p.C.Data)
			for left := 0; left < p.N; left += 90 {
				p.RunPart(0, p.M, left, min(left+90, p.N), &s)
			}
			requireBits(t, want, p)
		}
	}
	if simdOf[T]() != nil {
		require.Greater(t, turned, 8)
	}
}
