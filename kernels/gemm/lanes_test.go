package gemm

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A row by blocks of integers has the bits of plain Go in lanes, in all sizes and parts, and about the sums of a
// product of float32.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s Scratch[float32]
	for _, size := range []struct{ n, blocks, block, gap, step int }{
		{1, 1, 32, 0, 1}, {3, 2, 64, 1, 2}, {4, 5, 32, 0, 1},
		{5, 1, 96, 2, 3}, {7, 3, 128, 0, 1}, {1030, 2, 32, 1, 1}, {6, 0, 32, 0, 1}} {
		for _, of := range typesOfBlocks {
			for _, add := range []bool{false, true} {
				k := size.blocks * size.block
				p := Product[float32]{M: 1, N: size.n, K: k, Add: add, InLanes: true,
					A: Matrix[float32]{Data: make([]float32, max(k*size.step, 1)), Col: size.step},
					B: Matrix[float32]{Row: 1, Col: k + size.gap*size.block, Start: size.gap * size.block},
					C: Matrix[float32]{Data: make([]float32, 2*size.n), Row: 9, Col: 2}}
				for _, data := range [][]float32{p.A.Data, p.C.Data} {
					for i := range data {
						data[i] = float32(r.NormFloat64())
					}
				}
				p.B.Data = make([]float32, p.B.Start+size.n*p.B.Col+1)
				p.FactorB = scaledBlocks(r, &p.B, size.block, of)
				require.NoError(t, p.Check())
				wide := p
				wide.InLanes, wide.FactorB, wide.C.Data = false, Factor{}, slices.Clone(p.C.Data)
				begun := slices.Clone(p.C.Data)
				x := make([]float32, k)
				for i := range x {
					x[p.laneOf(i)] = p.A.Data[i*size.step]
				}
				var want []float32
				for j := range size.n {
					sum := p.laneSum(x, p.B.Start+j*p.B.Col)
					if add {
						sum += begun[2*j]
					}
					want = append(want, sum, begun[2*j+1])
				}
				wide.Run(&s)
				p.Run(&s)
				if p.FactorB.hasMinima() {
					require.InDeltaSlice(t, wide.C.Data, p.C.Data, 4e-3)
					want = slices.Clone(p.C.Data)
				}
				require.InDeltaSlice(t, wide.C.Data, want, 4e-3)
				require.Equal(t, want, p.C.Data, "%v", size)
				copy(p.C.Data, begun)
				cut := r.IntN(size.n + 1)
				p.RunPart(0, 1, cut, size.n, &s)
				p.RunPart(0, 1, 0, cut, &s)
				require.Equal(t, want, p.C.Data, "%v", size)
			}
		}
	}
}

// Nothing keeps an address past the memory of a factor, where the garbage collector would find none of its own.
func TestLanesLeaveNoAddresses(t *testing.T) {
	const n, k = 36, 32 // 1152 bytes: a size of which Go's heap has some behind which nothing is
	scratches := make([]Scratch[float32], 64)
	for i := range scratches {
		p := &Product[float32]{M: 1, N: n, K: k, InLanes: true, A: Matrix[float32]{Data: make([]float32, k), Col: 1},
			B: Matrix[float32]{Data: make([]float32, n*k), Row: 1, Col: k},
			C: Matrix[float32]{Data: make([]float32, n), Col: 1}}
		p.FactorB = scaledBlocks(rand.New(rand.NewPCG(1, 2)), &p.B, k, Int8Blocks)
		p.Run(&scratches[i])
	}
	runtime.GC()
	runtime.KeepAlive(scratches)
}

func TestProductsWithoutLanes(t *testing.T) {
	p := Product[float32]{M: 1, N: 2, K: 64, InLanes: true, A: Matrix[float32]{Data: make([]float32, 64), Col: 1},
		B: Matrix[float32]{
			Row:  1,
			Col:  64,
			Data: make([]float32, 128),
		}, C: Matrix[float32]{Data: make([]float32, 2), Col: 1}}
	p.FactorB = scaledBlocks(rand.New(rand.NewPCG(1, 2)), &p.B, 32, Int4Blocks)
	require.NoError(t, p.Check())
	for _, change := range []func(q *Product[float32]){
		func(q *Product[float32]) { q.M = 2 },
		func(q *Product[float32]) { q.K = 48 },
		func(q *Product[float32]) { q.B.Row, q.B.Col = 2, 1 },
		func(q *Product[float32]) { q.B.Start = 1 },
		func(q *Product[float32]) { q.FactorB.Block = 16 },
		func(q *Product[float32]) { q.FactorB = Factor{} },
	} {
		q := p
		change(&q)
		require.Error(t, q.Check())
	}
}
