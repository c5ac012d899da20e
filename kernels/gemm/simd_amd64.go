package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// choose returns the loops of an instruction set, for float32 and float64; none for plain Go.
func choose(isa cpu.ISA) (f32, f64 *simdTiles) {
	switch isa {
	case cpu.AVX2:
		f32 = &simdTiles{rows: 6, cols: 16, masks: lanes32,
			rowLoops: rowLoops{thinF32AVX2, addRowF32AVX2, addRowsF32AVX2, sumRowsF32AVX2},
			halves:   halvesAVX2,
			edge:     edgeTilesF32AVX2, half: halfTilesF32AVX2,
			windowRows: windowRowsTilesF32AVX2, halfWindowRows: halfWindowRowsTilesF32AVX2,
			window: windowTilesF32AVX2,
			lanes:  lanesAVX2, blockPanels: blockPanelsAVX2, blockTiles: blockTilesAVX2,
			wholeTiles: wholeTiles{fullTilesF32AVX2, packingWindowTileF32AVX2, packingTileF32AVX2, packNextTileF32AVX2}}
		f64 = &simdTiles{rows: 6, cols: 8, masks: lanes64,
			rowLoops: rowLoops{thinF64AVX2, addRowF64AVX2, addRowsF64AVX2, sumRowsF64AVX2},
			edge:     edgeTilesF64AVX2, half: halfTilesF64AVX2,
			windowRows: windowRowsTilesF64AVX2, halfWindowRows: halfWindowRowsTilesF64AVX2,
			window:     windowTilesF64AVX2,
			wholeTiles: wholeTiles{fullTilesF64AVX2, packingWindowTileF64AVX2, packingTileF64AVX2, packNextTileF64AVX2}}
	case cpu.AVX512:
		f32 = &simdTiles{rows: 14, cols: 32, variants: []wholeTiles{splat32}, masks: bits32,
			rowLoops: rowLoops{thinF32AVX512, addRowF32AVX512, addRowsF32AVX512, sumRowsF32AVX512},
			halves:   halvesAVX512,
			edge:     edgeTilesF32AVX512, half: halfTilesF32AVX512, quarter: halfTilesF32AVX2, quarterMasks: lanes32,
			loadsWithMasks: true,
			windowRows:     windowRowsTilesF32AVX512, halfWindowRows: halfWindowRowsTilesF32AVX512,
			window:      windowTilesF32AVX512,
			transposers: []transposer{{64, transposeF32AVX512}},
			lanes:       lanesAVX512, blockPanels: blockPanelsAVX512, blockTiles: blockTilesAVX512,
			wholeTiles: wholeTiles{fullTilesF32AVX512, packingWindowTileF32AVX512, packingTileF32AVX512,
				packNextTileF32AVX512}}
		f64 = &simdTiles{rows: 14, cols: 16, variants: []wholeTiles{splat64}, masks: bits64,
			rowLoops: rowLoops{thinF64AVX512, addRowF64AVX512, addRowsF64AVX512, sumRowsF64AVX512},
			edge:     edgeTilesF64AVX512, half: halfTilesF64AVX512, quarter: halfTilesF64AVX2, quarterMasks: lanes64,
			loadsWithMasks: true,
			windowRows:     windowRowsTilesF64AVX512, halfWindowRows: halfWindowRowsTilesF64AVX512,
			window:      windowTilesF64AVX512,
			transposers: []transposer{{64, transposeF64AVX512}},
			wholeTiles: wholeTiles{fullTilesF64AVX512, packingWindowTileF64AVX512, packingTileF64AVX512,
				packNextTileF64AVX512}}
	default:
		return nil, nil
	}
	f32.moves(f64)
	return f32, f64
}

// Loops of AVX-512 that load each element of A once. The others load it for each vector.
var (
	splat32 = wholeTiles{fullTilesF32AVX512Splat, packingWindowTileF32AVX512Splat, packingTileF32AVX512Splat,
		packNextTileF32AVX512Splat}
	splat64 = wholeTiles{fullTilesF64AVX512Splat, packingWindowTileF64AVX512Splat, packingTileF64AVX512Splat,
		packNextTileF64AVX512Splat}
)

var (
	lanesAVX2 = [blockTypes]laneLoops{{2, lanesInt8AVX2Rows2, lanesInt8AVX2Rows1},
		{2, lanesInt4AVX2Rows2, lanesInt4AVX2Rows1}, {2, lanesUint8AVX2Rows2, lanesUint8AVX2Rows1},
		{2, lanesUint4AVX2Rows2, lanesUint4AVX2Rows1}}
	lanesAVX512 = [blockTypes]laneLoops{{4, lanesInt8AVX512Rows4, lanesInt8AVX512Rows1},
		{4, lanesInt4AVX512Rows4, lanesInt4AVX512Rows1}, {4, lanesUint8AVX512Rows4, lanesUint8AVX512Rows1},
		{4, lanesInt4AVX512Rows4, lanesInt4AVX512Rows1}} // of other levels
)

var (
	blockPanelsAVX2 = [blockTypes]func(*blockPanelArgs){blockPanelInt8AVX2, blockPanelInt4AVX2, blockPanelUint8AVX2,
		blockPanelUint4AVX2}
	blockPanelsAVX512 = [blockTypes]func(*blockPanelArgs){blockPanelInt8AVX512, blockPanelInt4AVX512,
		blockPanelUint8AVX512, blockPanelUint4AVX512}
)

// Masks for AVX-512 have a bit for each lane, 16 to a vector.
var (
	bits4 [33][2]uint16
	bits8 [17][2]uint16
)

func init() {
	for n := range bits4 {
		all := uint64(1)<<n - 1
		bits4[n] = [2]uint16{uint16(all), uint16(all >> 16)}
	}
	for n := range bits8 {
		all := uint64(1)<<n - 1
		bits8[n] = [2]uint16{uint16(all & 0xff), uint16(all >> 8)}
	}
}

func bits32(n int) unsafe.Pointer { return unsafe.Pointer(&bits4[n]) }
func bits64(n int) unsafe.Pointer { return unsafe.Pointer(&bits8[n]) }

// halvesAVX2 are the loops whose B has elements of Float16 and of BFloat16.
var halvesAVX2 = [2]rowLoops{{nil, addRowF16AVX2, addRowsF16AVX2, sumRowsF16AVX2},
	{thinBF16AVX2, addRowBF16AVX2, addRowsBF16AVX2, sumRowsBF16AVX2}}

// halvesAVX512 are the loops whose B has elements of Float16 and of BFloat16.
var halvesAVX512 = [2]rowLoops{{nil, addRowF16AVX512, addRowsF16AVX512, sumRowsF16AVX512},
	{thinBF16AVX512, addRowBF16AVX512, addRowsBF16AVX512, sumRowsBF16AVX512}}
