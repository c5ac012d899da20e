package gemm

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// transposes is code that transposes blocks, if there is any.
var transposes func(*transposeArgs)

// dotTable holds the loops of a processor.
type dotTable struct {
	singles, pairs *dots
	// of four bytes in a word, or two of BFloat16, by the types of A and B
	bytes [numWordTypes][numWordTypes]*dots
}

// chosenDots is made on first use: a process that multiplies no integers does not ask the system for tile registers.
var chosenDots = sync.OnceValue(func() *dotTable {
	t := dotTableOf(cpu.Chosen(), cpu.ProductsOf(cpu.Chosen()))
	return &t
})

func init() {
	if cpu.Chosen() != cpu.Portable {
		transposes = transposeF32
	}
}

// dotTableOf returns the loops of an instruction set. The portable one has none.
func dotTableOf(isa cpu.ISA, has cpu.Products) (t dotTable) {
	singles := dots{each: 1, unit: 1}
	pairs := dots{each: 2, unit: 1, interleave: interleavePairs, widen: widenBytes}
	quads := dots{each: 4, unit: 1, interleave: interleaveQuads, interleaveOther: interleaveOtherQuads}
	turned := quads
	switch isa {
	case cpu.AVX2:
		singles.tiles, pairs.tiles, quads.tiles, turned.tiles = singlesAVX2, pairsAVX2, vnniQuadsAVX2,
			vnniTurnedQuadsAVX2
		quads.thinRows, quads.thinColumns, turned.thinRows, turned.thinColumns = thinQuadsAVX2, thinColumnsAVX2,
			thinTurnedQuadsAVX2, thinTurnedColumnsAVX2
		if has.Dots {
			pairs.tiles = vnniPairsAVX2
		}
	case cpu.AVX512:
		singles.tiles, pairs.tiles, quads.tiles, turned.tiles = singlesAVX512, pairsAVX512, vnniQuadsAVX512,
			vnniTurnedQuadsAVX512
		quads.thinRows, quads.thinColumns, turned.thinRows, turned.thinColumns = thinQuadsAVX512, thinColumnsAVX512,
			thinTurnedQuadsAVX512, thinTurnedColumnsAVX512
		quads.panel, turned.panel = interleavePanel, interleavePanel
		if has.Dots {
			pairs.tiles = vnniPairsAVX512
		}
	default:
		return t
	}
	for _, d := range []*dots{&singles, &pairs, &quads, &turned} {
		d.rows, d.cols = len(d.tiles)-1, 16*int(isa-cpu.AVX2+1)
	}
	t.singles, t.pairs = &singles, &pairs
	if has.Dots {
		signed, unsigned := quads, turned
		signed.copyTurned, unsigned.copyTurned = copyTurned, copyTurned
		signed.turn, unsigned.turn = -128, 128
		t.bytes = [numWordTypes][numWordTypes]*dots{
			Uint8: {Int8: &quads, Uint8: &unsigned}, Int8: {Int8: &signed, Uint8: &turned}}
	}
	if has.Tiles {
		for _, x := range []struct {
			a, b Type
			code func(*dotArgs)
		}{{Uint8, Int8, tilesUS}, {Int8, Uint8, tilesSU}, {Int8, Int8, tilesSS}, {Uint8, Uint8, tilesUU}} {
			t.bytes[x.a][x.b] = &dots{each: 4, rows: 32, cols: 32, unit: 16, whole: x.code,
				config: unsafe.Pointer(&tileConfig), interleave: interleaveQuads, interleaveOther: interleaveOtherQuads,
				panel: interleavePanel}
		}
	}
	if has.BFloat16Tiles {
		t.bytes[FastBFloat16][FastBFloat16] = &dots{
			each: 2, rows: 32, cols: 32, unit: 16, whole: tilesBF16, config: unsafe.Pointer(&tileConfig),
			interleave: interleavePairs, isFloat: true}
	}
	return t
}

var (
	interleaveQuads      = [numWordTypes]func(*interleaveArgs){Int8: interleaveBytes, Uint8: interleaveBytes}
	interleaveOtherQuads = [numWordTypes]func(*interleaveArgs){Int8: interleaveOtherBytes, Uint8: interleaveOtherBytes}
	interleavePairs      = [numWordTypes]func(*interleaveArgs){
		Int8: interleaveSigned, Uint8: interleaveUnsigned, Int16: interleaveWords, FastBFloat16: interleaveWords}
	widenBytes = [numWordTypes]func(*widenArgs){Int8: widenSigned, Uint8: widenUnsigned}
)

// tileConfig gives each tile register sixteen rows of 64 bytes (Intel 64 Software Developer's Manual, volume 2,
// LDTILECFG).
var tileConfig = struct {
	palette, start byte
	_              [14]byte
	bytes          [16]uint16
	rows           [16]byte
}{palette: 1, bytes: [16]uint16{64, 64, 64, 64, 64, 64, 64, 64}, rows: [16]byte{16, 16, 16, 16, 16, 16, 16, 16}}

// dotsFor returns the loops for two types of factors; nil if both have the type of the sums and there is no machine
// code.
func dotsFor(a, b Type) *dots { return chosenDots().of(a, b) }

func (t *dotTable) of(a, b Type) *dots {
	inWords := func(x Type) bool { return x == Int8 || x == Uint8 || x == Int16 }
	switch {
	case a == FastBFloat16 || b == FastBFloat16:
		return t.bytes[a][b]
	case t.singles == nil && a == Own && b == Own:
		return nil
	case t.singles == nil:
		return &plainDots
	case t.bytes[a][b] != nil:
		return t.bytes[a][b]
	case inWords(a) && inWords(b):
		return t.pairs
	}
	return t.singles
}
