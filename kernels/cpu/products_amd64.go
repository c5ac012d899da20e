package cpu

import "sync"

// More bits of CPUID and of the state.
const (
	bitVNNI512   = 1 << 11 // leaf 7, ecx
	bitTiles     = 1 << 24 // leaf 7, edx
	bitTilesInt8 = 1 << 25
	bitTilesBF16 = 1 << 22
	bitVNNI      = 1 << 4 // leaf 7, sub-leaf 1, eax
	bitDotsBF16  = 1 << 5
	stateTiles   = 1<<17 | 1<<18
)

func productsOf(isa ISA) (p Products) {
	if isa == Portable || isa > machine {
		return p
	}
	most, _, c, d := cpuid(7, 0)
	switch isa {
	case AVX512:
		const tiles = bitTiles | bitTilesInt8
		p.Dots = c&bitVNNI512 != 0
		p.Tiles = d&tiles == tiles && xgetbv()&stateTiles == stateTiles && tilesGranted()
		p.BFloat16Tiles = p.Tiles && d&bitTilesBF16 != 0
		if most >= 1 {
			a, _, _, _ := cpuid(7, 1)
			p.BFloat16Dots = a&bitDotsBF16 != 0
		}
	case AVX2:
		if most >= 1 {
			a, _, _, _ := cpuid(7, 1)
			p.Dots = a&bitVNNI != 0
		}
	}
	return p
}

// tilesGranted asks the system for the tile registers, which it grants only on request.
var tilesGranted = sync.OnceValue(askForTiles)
