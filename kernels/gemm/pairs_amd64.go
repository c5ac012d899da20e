package gemm

import (
	"math"
	"sync"

	"github.com/broadloom/broadloom/kernels/clock"
	"github.com/broadloom/broadloom/kernels/cpu"
)

var bfloat16Pairs = pairTiles{full: fullTilesBF16Pairs, edge: edgeTilesBF16Pairs, half: halfTilesBF16Pairs,
	joinRows: joinRows, joinColumns: joinColumns}

// chosenPairs returns the loops for pairs, if the processor has them and is faster with them. On Intel's processors the
// instruction takes four times as long as a multiply-add, which computes half as many products.
var chosenPairs = sync.OnceValue(func() *pairTiles {
	if !cpu.ProductsOf(cpu.Chosen()).BFloat16Dots || simd32 == nil {
		return nil
	}
	autotune()
	trial := simd32.trial(clock.Now)
	single, pair := math.Inf(1), math.Inf(1)
	for range trials {
		single = min(single, trial(&simd32.wholeTiles))
		pair = min(pair, trial(&wholeTiles{full: bfloat16Pairs.full}))
	}
	const mostTime = 1.6 // of twice the products
	if pair > mostTime*single {
		return nil
	}
	return &bfloat16Pairs
})
