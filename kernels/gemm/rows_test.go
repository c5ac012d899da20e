package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// copier copies rows when it is called with them.
type copier struct {
	t    *testing.T
	p    *Product[float32]
	next int
	rows [][]float32
}

func (c *copier) Rows(lo, hi int) {
	require.Equal(c.t, c.next, lo, "rows join up")
	require.Greater(c.t, hi, lo)
	for ; lo < hi; lo++ {
		q := c.p.matrix(lo / c.p.M)
		row := make([]float32, c.p.N)
		for j := range row {
			row[j] = q.c.Data[q.c.Start+lo%c.p.M*q.c.Row+j*q.c.Col]
		}
		c.rows = append(c.rows, row)
	}
	c.next = hi
}

// TestRowsAreConsumed expects each row once, in order, and complete when it is passed to the consumer.
func TestRowsAreConsumed(t *testing.T) {
	type size struct {
		m, n, k int
		batch   []int
		shared  bool // one A for the batch
	}
	for _, c := range []size{{1, 1, 1, nil, false}, {3, 5, 7, nil, false}, {500, 150, 20, nil, false},
		{300, 130, 330, nil, false}, {300, 4200, 3, nil, false},
		{700, 1, 40, nil, false}, {1, 700, 40, nil, false}, {30, 40, 5, []int{3, 7}, false},
		{30, 40, 5, []int{9}, true}, {500, 20, 0, nil, false}} {
		for layout := 0; layout < layouts*layouts*layouts; layout += 9 {
			t.Run(fmt.Sprint(c, layout), func(t *testing.T) {
				p := product[float32](rand.New(rand.NewPCG(1, 2)), c.m, c.n, c.k, layout, c.batch...)
				if c.shared {
					clear(p.StepA)
				}
				var s Scratch[float32]
				lo, hi := p.Rows()/5, p.Rows()
				got := copier{t: t, p: p, next: lo}
				p.RunRows(lo, hi, &s, &got)
				require.Equal(t, hi, got.next)
				p.Run(&s)
				want := copier{t: t, p: p, next: lo}
				want.Rows(lo, hi)
				require.Equal(t, want.rows, got.rows)
			})
		}
	}
}
