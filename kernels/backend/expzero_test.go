package backend

import (
	"fmt"
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/clock"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The exponential of a very negative argument, such as a masked score, is 0. It must not be computed by way of
// subnormal numbers, which take Intel processors 25 times as long.
func TestExpOfMaskedScores(t *testing.T) {
	for _, op := range []rowprog.Op{rowprog.OpExp, rowprog.OpExpOrZero, rowprog.OpSigmoid} {
		b := rowprog.NewBuilder("exp", 0)
		x := b.Load(b.In("x", f32, rowprog.Vec))
		b.Store(b.Out("y", f32, rowprog.Vec), b.Apply(op, x))
		p := build(t, b)
		k, err := Compile(p)
		require.NoError(t, err)
		a := launch.New(p)
		in, out := make([]float32, 4096), make([]float32, 4096)
		a.N, a.Stride[0][0], a.Stride[1][0] = len(in), 1, 1
		a.Ptr[0], a.Ptr[1] = unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0])
		var s Scratch
		least := func(x float32) time.Duration {
			for i := range in {
				in[i] = x
			}
			best := time.Duration(math.MaxInt64)
			for range 50 {
				start := clock.Now()
				k.Run(a, &s)
				best = min(best, clock.Now()-start)
			}
			return best
		}
		usual := least(-1)
		masked := []float32{-104, -1e4, float32(math.Inf(-1))}
		if op == rowprog.OpExpOrZero {
			masked = append(masked, -87, -100)
		}
		for _, x := range masked {
			t.Run(fmt.Sprint(op, x), func(t *testing.T) {
				took := least(x)
				require.Zero(t, math.Float32bits(out[0]))
				require.Less(t, took, 4*usual, "for %v, and %v for -1", took, usual)
			})
		}
	}
}
