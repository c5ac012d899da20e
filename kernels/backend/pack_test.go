package backend

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Images whose channels are last are scaled, summed and written with the channels first, between the zeros at the edges
// of larger images, and back. The result is that of the interpreter, and the elements between rows are unchanged.
func TestExchangedAxes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I32} {
		b := rowprog.NewBuilder("exchange", 2)
		x, z := b.Load(b.In("x", typ, rowprog.Vec)), b.Load(b.In("z", typ, rowprog.Vec))
		b.Store(b.Out("y", typ, rowprog.Vec), b.Apply(rowprog.OpAdd, x, z))
		p := build(t, b)
		ways := bothWays(t, p)
		for range 120 {
			channels, height, width, gap := 1+r.IntN(40), 1+r.IntN(9), 1+r.IntN(40), r.IntN(3)
			if r.IntN(8) == 0 {
				width = 500 + r.IntN(200)
			}
			last, first := []int{1, width * channels, channels}, []int{(height + gap) * (width + gap), width + gap, 1}
			n := max(channels*height*width, channels*(height+gap)*(width+gap))
			in, also := randomWords(r, n), randomWords(r, n)
			toFirst := r.IntN(2) == 0
			var got [2][]uint64
			for i, run := range ways {
				a := launch.New(p)
				a.Outer[0], a.Outer[1], a.N = channels, height, width
				out := make([]uint64, n)
				for at := range out {
					out[at] = 0x5555555555555555
				}
				a.Ptr = []unsafe.Pointer{unsafe.Pointer(&in[0]), unsafe.Pointer(&also[0]), unsafe.Pointer(&out[0])}
				a.Stride = [][]int{last, last, first}
				if !toFirst {
					a.Stride = [][]int{first, last, last}
				}
				require.NoError(t, launch.Check(p, a))
				run(a)
				got[i] = out
			}
			require.Equal(t, got[0], got[1], "%v: %d channels of %d x %d, gap %d, first %v", typ, channels, height,
				width, gap, toFirst)
		}
	}
}
