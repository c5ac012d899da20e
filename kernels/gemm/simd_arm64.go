package gemm

import "github.com/broadloom/broadloom/kernels/cpu"

// choose returns the loops of an instruction set, for float32 and float64; none for plain Go.
func choose(isa cpu.ISA) (f32, f64 *simdTiles) {
	if isa != cpu.NEON {
		return nil, nil
	}
	f32 = &simdTiles{rows: 4, cols: 16, masks: lanes32,
		rowLoops: rowLoops{thinF32NEON, addRowF32NEON, addRowsF32NEON, sumRowsF32NEON},
		halves:   halvesNEON,
		edge:     edgeTilesF32NEON, half: halfTilesF32NEON,
		windowRows: windowRowsTilesF32NEON, halfWindowRows: halfWindowRowsTilesF32NEON,
		window: windowTilesF32NEON,
		lanes:  lanesNEON, blockPanels: blockPanelsNEON,
		wholeTiles: wholeTiles{fullTilesF32NEON, packingWindowTileF32NEON, packingTileF32NEON, packNextTileF32NEON}}
	f64 = &simdTiles{rows: 4, cols: 8, masks: lanes64,
		rowLoops: rowLoops{thinF64NEON, addRowF64NEON, addRowsF64NEON, sumRowsF64NEON},
		edge:     edgeTilesF64NEON, half: halfTilesF64NEON,
		windowRows: windowRowsTilesF64NEON, halfWindowRows: halfWindowRowsTilesF64NEON,
		window:     windowTilesF64NEON,
		wholeTiles: wholeTiles{fullTilesF64NEON, packingWindowTileF64NEON, packingTileF64NEON, packNextTileF64NEON}}
	f32.moves(f64)
	return f32, f64
}

var lanesNEON = [blockTypes]laneLoops{{2, lanesInt8NEONRows2, lanesInt8NEONRows1},
	{2, lanesInt4NEONRows2, lanesInt4NEONRows1}, {2, lanesUint8NEONRows2, lanesUint8NEONRows1},
	{2, lanesUint4NEONRows2, lanesUint4NEONRows1}}

var blockPanelsNEON = [blockTypes]func(*blockPanelArgs){blockPanelInt8NEON, blockPanelInt4NEON, blockPanelUint8NEON,
	blockPanelUint4NEON}

// autotune has nothing to choose between.
func autotune() {}

// halvesNEON are the loops whose B has elements of Float16 and of BFloat16.
var halvesNEON = [2]rowLoops{{nil, addRowF16NEON, addRowsF16NEON, sumRowsF16NEON},
	{thinBF16NEON, addRowBF16NEON, addRowsBF16NEON, sumRowsBF16NEON}}
