package gemm

import (
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/broadloom/broadloom/kernels/clock"
)

// autotune chooses between loops that give the same bits, before any is used. It takes a few tenths of a millisecond
// for each element type that has a choice.
var autotune = sync.OnceFunc(func() {
	for _, v := range []*simdTiles{simd32, simd64} {
		if v != nil {
			v.wholeTiles = fastest(append([]wholeTiles{v.wholeTiles}, v.variants...), v.trial(clock.Now))
		}
	}
})

// The default loops stay unless others take less than gain of their time. Loops are timed in turn. The least time
// counts, since other programs only add to it.
const (
	gain   = 0.98
	trials = 40
)

// fastest times each of several loops and returns the fastest.
func fastest(choices []wholeTiles, trial func(*wholeTiles) float64) wholeTiles {
	if len(choices) == 1 {
		return choices[0]
	}
	least := make([]float64, len(choices))
	for i := range least {
		least[i] = math.Inf(1)
	}
	for range trials {
		for i := range choices {
			least[i] = min(least[i], trial(&choices[i]))
		}
	}
	best := 0
	for i, t := range least {
		if t < least[best] && t < gain*least[0] {
			best = i
		}
	}
	return choices[best]
}

// trial times the largest tile on operands that stay in the first-level cache. The operands are zeros: their values do
// not change the time.
func (v *simdTiles) trial(now func() time.Duration) func(*wholeTiles) float64 {
	const k, line, tiles = 128, 64, 4
	row := 2 * line // of B: two vectors
	size := row / v.cols
	pitch := k*size + line
	a, b, c := make([]byte, v.rows*pitch), make([]byte, k*row), make([]byte, v.rows*row)
	return func(w *wholeTiles) float64 {
		args := tileArgs{k: k, a: address(a, 0), aRow: pitch, aCol: size, b: address(b, 0), bRow: row, c: address(c, 0),
			cRow:  row,
			tiles: tiles, stretch: size * v.rows}
		began := now()
		w.full[v.rows](&args)
		took := (now() - began).Seconds()
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
		runtime.KeepAlive(c)
		return took
	}
}
