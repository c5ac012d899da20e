package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// collector collects the parts of B that a product shows.
type collector[T float32 | float64] struct {
	t      *testing.T
	b      Matrix[T]
	next   []int // the row that is shown next, of each column
	packed int   // panels
}

func (c *collector[T]) Panel(row, rows, col int, packed unsafe.Pointer) {
	_, cols := Tile[T]()
	elements := unsafe.Slice((*T)(packed), rows*cols)
	for i, x := range elements {
		at := c.b.Start + (row+i/cols)*c.b.Row + (col+i%cols)*c.b.Col
		require.Equal(c.t, c.b.Data[at], x, "row %d, column %d", row+i/cols, col+i%cols)
	}
	c.packed++
	c.Columns(row, rows, col, col+cols)
}

func (c *collector[T]) Columns(row, rows, left, right int) {
	for col := left; col < right; col++ {
		require.Equal(c.t, c.next[col], row, "column %d", col)
		c.next[col] += rows
	}
}

// TestPanelsAreShown expects that the parts of a product show each row of B to a reader once for each column, in order,
// and mostly packed.
func TestPanelsAreShown(t *testing.T) {
	if simdOf[float32]() == nil {
		t.Skip("there are no vectors")
	}
	t.Run("float32", requirePanels[float32])
	t.Run("float64", requirePanels[float64])
}

func requirePanels[T float32 | float64](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{15, 64, 1}, {48, 33, 100}, {60, 100, 801}, {500, 96, 1700}, {1000, 64, 900},
		{20, 300, 64}} {
		for _, turned := range []bool{false, true} {
			t.Run(fmt.Sprint(size, turned), func(t *testing.T) {
				m, n, k := size[0], size[1], size[2]
				p := Product[T]{M: m, N: n, K: k, A: Matrix[T]{make([]T, m*k), 0, k, 1},
					B: Matrix[T]{make([]T, n*k), 0, n, 1}, C: Matrix[T]{make([]T, m*n), 0, n, 1}}
				if turned {
					p.B.Row, p.B.Col = 1, k
				}
				for i := range p.B.Data {
					p.B.Data[i] = T(rng.NormFloat64())
				}
				require.True(t, p.HasPanels())
				c := collector[T]{t: t, b: p.B, next: make([]int, n)}
				s := &Scratch[T]{}
				half := n / 2 / 32 * 32 // two parts
				s.ShowPanels(&c)
				p.RunPart(0, m, 0, half, s)
				p.RunPart(0, m, half, n, s)
				s.ShowPanels(nil)
				p.Run(s)
				for _, next := range c.next {
					require.Equal(t, k, next)
				}
				_, cols := Tile[T]()
				require.GreaterOrEqual(t, c.packed, half/cols+(n-half)/cols)
			})
		}
	}
}
