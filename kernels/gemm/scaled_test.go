package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// typesOfBlocks are the types of factors with scales.
var typesOfBlocks = []Type{Int8Blocks, Int4Blocks, Uint8Blocks, Uint4Blocks}

// scaledBlocks replaces the elements of a matrix by integers of 8 or 4 bits times scales of blocks, plus minima if the
// type has them.
func scaledBlocks(r *rand.Rand, m *Matrix[float32], block int, t Type) Factor {
	count := len(m.Data)
	bytes := make([]uint8, count)
	f := Factor{Type: t, Data: unsafe.Pointer(&bytes[0]), Len: count, Block: block,
		Scales: make([]float32, (count+block-1)/block)}
	for i := range f.Scales {
		f.Scales[i] = float32(r.NormFloat64())
	}
	if f.hasMinima() {
		f.Minima = make([]float32, len(f.Scales))
		for i := range f.Minima {
			f.Minima[i] = float32(r.NormFloat64())
		}
	}
	for i := range m.Data {
		random := uint8(r.Uint32())
		if t == Int4Blocks || t == Uint4Blocks {
			bytes[i/2] |= random & 15 << (i % 2 * 4)
		} else {
			bytes[i] = random
		}
		level := int(random)
		switch t {
		case Int8Blocks:
			level = int(int8(random))
		case Int4Blocks:
			level = int(int8(random<<4) >> 4)
		case Uint4Blocks:
			level &= 15
		}
		m.Data[i] = float32(float32(level) * f.Scales[i/block])
		if f.Minima != nil {
			m.Data[i] += f.Minima[i/block]
		}
	}
	return f
}

// Factors of integers with scales have the sums of the same numbers in float32, in all layouts, as either factor or
// both, next to those of 16 bits, and in parts. They are not packed for all runs.
func TestFactorsOfScaledBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s Scratch[float32]
	for _, size := range [][3]int{{1, 1, 1}, {1, 40, 9}, {1, 64, 1100}, {3, 2, 33}, {5, 70, 32}, {17, 64, 128},
		{40, 33, 1024}, {70, 1, 1030}, {9, 41, 1100}, {130, 97, 64}, {300, 40, 1200}} {
		for layout := range layouts * layouts * 2 {
			for which := range 3 {
				block := []int{1, 8, 16, 20, 32, 128}[(layout+which)%6]
				of := typesOfBlocks[r.IntN(len(typesOfBlocks))]
				wide := product[float32](r, size[0], size[1], size[2], layout, []int{2}[:layout/3%2]...)
				narrow := *wide
				narrow.C.Data = slices.Clone(wide.C.Data)
				if which != 1 {
					narrow.FactorB, narrow.B.Data = scaledBlocks(r, &wide.B, block, of), nil
				}
				if which == 1 {
					narrow.FactorA, narrow.A.Data = scaledBlocks(r, &wide.A, block, of), nil
				} else if which == 2 {
					narrow.FactorA, narrow.A.Data = halves(r, &wide.A, Float16, false), nil
				}
				require.NoError(t, narrow.Check())
				want := whole(t, wide, &s)
				begun := slices.Clone(narrow.C.Data)
				narrow.Run(&s)
				requireBits(t, want, &narrow)
				copy(narrow.C.Data, begun)
				lo, left := r.IntN(narrow.Rows()), r.IntN(narrow.N)
				narrow.RunPart(0, lo, 0, narrow.N, &s)
				narrow.RunPart(lo, narrow.Rows(), left, narrow.N, &s)
				narrow.RunPart(lo, narrow.Rows(), 0, left, &s)
				requireBits(t, want, &narrow)
				if narrow.FactorB.isBlocks() {
					require.Zero(t, narrow.PackedLen())
				}
			}
		}
	}
}

func TestScalesThatAreMissing(t *testing.T) {
	p := &Product[float32]{M: 1, N: 1, K: 64, A: Matrix[float32]{Data: make([]float32, 64), Col: 1},
		B: Matrix[float32]{Row: 1}, C: Matrix[float32]{Data: make([]float32, 1)}}
	bytes := make([]int8, 64)
	p.FactorB = Factor{Type: Int8Blocks, Data: unsafe.Pointer(&bytes[0]), Len: 64, Block: 32,
		Scales: make([]float32, 1)}
	require.ErrorContains(t, p.Check(), "1 scales and 0 minima of 32 elements for 64")
	p.FactorB.Type, p.FactorB.Scales = Uint8Blocks, make([]float32, 2)
	require.ErrorContains(t, p.Check(), "2 scales and 0 minima of 32 elements for 64")
}
