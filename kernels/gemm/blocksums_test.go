package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSumsOfBlocksMakeTheSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var s Scratch[float32]
	for layout := range layouts * layouts * layouts {
		for _, add := range []bool{false, true} {
			p := product[float32](r, 7, 9, 3*KC+100, layout)
			p.Add = add
			q := *p
			q.C.Data = slices.Clone(p.C.Data)
			p.Run(&s)
			require.Equal(t, 4, q.Blocks())
			sums := make([]float32, q.Blocks()*7*9)
			for block := range q.Blocks() {
				q.SumBlock(block, sums[block*7*9:][:7*9], &s)
			}
			q.AddSums(sums)
			require.Equal(t, p.C.Data, q.C.Data)
		}
	}
}
