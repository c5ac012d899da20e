package launch

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// TestChunkSums expects chunks to be combined in their order, by the program's reduction, and a chunk to begin with a
// value that changes no element, not even -0.
func TestChunkSums(t *testing.T) {
	for kind, want := range map[rowprog.Reduction][]float32{
		rowprog.Sum:  {float32(math.Copysign(0, -1)), 6, 1e8},
		rowprog.Prod: {float32(math.Copysign(0, -1)), 6, 1e8},
		rowprog.Max:  {float32(math.Copysign(0, -1)), 3, 1e8},
	} {
		b := rowprog.NewBuilder("sum", 2)
		b.Accumulate(b.Acc("s", rowprog.F32, rowprog.Vec, rowprog.Axes(0, 1)), kind,
			b.Load(b.In("x", rowprog.F32, rowprog.Vec)))
		p, err := b.Build()
		require.NoError(t, err)
		a := New(p)
		a.N, a.Outer[0], a.Outer[1] = 3, 2*rowprog.ChunkRows+1, 4
		require.Equal(t, 4*rowprog.ChunkRows, ChunkLen(a))

		s := NewChunkSums(p, &p.Insts[len(p.Insts)-1], a)
		s.Reset()
		for chunk := range 3 {
			line := unsafe.Slice((*float32)(s.At(chunk, 0)), 3)
			require.Equal(t, unsafe.Pointer(&line[1]), s.At(chunk, 1))
			require.Equal(t, s.At(chunk, 0), unsafe.Add(s.At(0, 0), chunk*s.Step()*4))
			for i, x := range []float32{float32(math.Copysign(0, -1)), float32(chunk + 1),
				[]float32{1e8, 1, 1}[chunk]} {
				switch kind {
				case rowprog.Sum:
					line[i] += x
				case rowprog.Prod:
					line[i] *= x
				default:
					line[i] = max(line[i], x)
				}
			}
		}
		var got [3]float32
		s.Combine(unsafe.Pointer(&got[0]))
		for i := range got {
			require.Equal(t, math.Float32bits(want[i]), math.Float32bits(got[i]), "%v %d", kind, i)
		}
	}
}
