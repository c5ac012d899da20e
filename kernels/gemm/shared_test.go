package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// TestSharedB multiplies matrices of a batch that share B, which is packed once, for all or for a group. It expects the
// bits of separate products: for all rows and columns, and for parts.
func TestSharedB(t *testing.T) {
	t.Run("float32", testSharedB[float32])
	t.Run("float64", testSharedB[float64])
}

func testSharedB[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	rows, cols := Tile[T]()
	shared, grouped := 0, 0
	for i := range 90 {
		m, n, k := max(rows-1, 1)+r.IntN(60), max(cols-1, 1)+r.IntN(90), 1+r.IntN(60)
		switch i % 9 {
		case 0:
			k = wholeSum + r.IntN(600)
		case 1: // few to a group
			m, k = sharedRowwise-r.IntN(9), wholeSum-r.IntN(9)
		case 2:
			m = leastGroupedRows + r.IntN(9)
		}
		batch := []int{leastShares + r.IntN(3)}
		if r.IntN(3) == 0 {
			batch = append(batch, 2)
		}
		p := product[T](r, m, n, k, r.IntN(layouts*layouts), batch...)
		clear(p.StepB)
		p.Add = r.IntN(3) == 0
		if p.sharedLen() > 0 {
			shared++
		}
		if p.groupLen() > 1 {
			grouped++
		}
		before := slices.Clone(p.C.Data)
		var s, other Scratch[T]
		for i := range p.Rows() / p.M {
			q := p.matrix(i)
			(&Product[T]{M: m, N: n, K: k, A: q.a, B: q.b, C: q.c, Add: p.Add}).Run(&other)
		}
		want := slices.Clone(p.C.Data)
		copy(p.C.Data, before)
		name := fmt.Sprint(m, n, k, batch, p.B.Row, p.B.Col, p.Add)
		p.Run(&s)
		require.Equal(t, want, p.C.Data, name)

		copy(p.C.Data, before)
		lo, left := r.IntN(p.Rows()), r.IntN(n)
		if r.IntN(2) == 0 { // whole panels of enough matrices
			lo, left = 0, n/2/max(cols, 1)*max(cols, 1)
		}
		p.RunPart(0, lo, 0, n, &s)
		p.RunPart(lo, p.Rows(), 0, left, &s)
		p.RunPart(lo, p.Rows(), left, n, &s)
		require.Equal(t, want, p.C.Data, "parts of "+name)
	}
	if cols > 0 {
		require.Positive(t, shared)
		require.Positive(t, grouped)
	}
}
