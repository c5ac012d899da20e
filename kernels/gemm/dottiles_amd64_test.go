package gemm

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// Tile registers keep their contents while signals interrupt threads, as the garbage collector sends them, and
// goroutines change threads.
func TestTileRegistersSurviveSignals(t *testing.T) {
	if !cpu.ProductsOf(cpu.Machine()).Tiles {
		t.Skip("the processor has no tile registers, or the system does not grant them")
	}
	defer func(was func() *dotTable) { chosenDots = was }(chosenDots)
	table := dotTableOf(cpu.Machine(), cpu.ProductsOf(cpu.Machine()))
	chosenDots = func() *dotTable { return &table }
	const size, k = 96, 1024
	r := rand.New(rand.NewPCG(1, 2))
	a, b := randomIntegers(r, Uint8, size*k), randomIntegers(r, Int8, size*k)
	run := func(s *Scratch[int32]) []int32 {
		p := Product[int32]{M: size, N: size, K: k, A: Matrix[int32]{Row: k, Col: 1},
			B: Matrix[int32]{Row: size, Col: 1},
			C: Matrix[int32]{Data: make([]int32, size*size), Row: size, Col: 1}, FactorA: a.factor, FactorB: b.factor}
		p.Run(s)
		return p.C.Data
	}
	want := run(&Scratch[int32]{})
	stop := time.Now().Add(300 * time.Millisecond)
	var all sync.WaitGroup
	wrong := make([]int, 3*runtime.GOMAXPROCS(0))
	for i := range wrong {
		all.Go(func() {
			var s Scratch[int32]
			for time.Now().Before(stop) {
				if !slices.Equal(want, run(&s)) {
					wrong[i]++
				}
			}
		})
	}
	for time.Now().Before(stop) {
		runtime.GC()
	}
	all.Wait()
	require.Equal(t, make([]int, len(wrong)), wrong)
}
