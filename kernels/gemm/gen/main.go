// Command gen writes the machine code of package gemm as assembly files: the innermost loops of products, for AVX2,
// AVX-512 and NEON, and the transposition of blocks. The bytes come from the encoder of package asm, so that the loops
// are code of the program itself and need no executable memory.
//
// main.go lists the loops, convert.go converts 16 bits to float32, join.go packs pairs of bfloat16. tile.go is a tile
// and its code, loop.go the loop over a block of K, windowrows.go a tile whose rows are windows, rows.go the addresses
// of rows of A and C; gemv.go adds rows, pieces.go copies pieces of windows, transpose.go transposes, thin.go
// multiplies what it transposes. lanes.go multiplies a vector by blocks of integers, blockpanel.go makes panels of
// their words, and blocktile.go multiplies rows by these. dot.go has the tiles of integers, dottile.go those of tile
// registers, interleave.go packs B for them, and dotthin.go multiplies few rows by B in place.
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/internal/asmfile"
)

// arch is the architecture that code is written for.
var arch asm.Machine

func main() {
	loops("amd64", machines[:3], func(pkg *asmfile.Package) {
		for _, e := range elements {
			pkg.Add("transpose"+e.name+"AVX512", "transposeArgs", "transposes square blocks of 64 bytes a side",
				transposer{e, asm.W512}.code())
		}
		pairTiles(pkg)
	})
	writeDots()
	arch = asm.ARM64
	loops("arm64", machines[3:], func(*asmfile.Package) {})
}

// loops writes the loops of machines, and those of a single architecture that more adds.
func loops(name string, machines []machine, more func(*asmfile.Package)) {
	pkg := asmfile.NewPackage("gemm", arch)
	for _, m := range machines {
		for _, e := range elements {
			m.loops(pkg, e)
		}
	}
	for _, e := range elements {
		pkg.Add("transpose"+e.name, "transposeArgs", "transposes square blocks of 32 bytes a side",
			transposer{e, asm.W256}.code())
		pkg.Add("transposeSmall"+e.name, "transposeArgs", "transposes square blocks of 16 bytes a side",
			transposer{e, asm.W128}.code())
		pkg.Add("copyPieces"+e.name, "piecesArgs", "copies rows made up of pieces of 32 bytes", e.copyPieces(1))
		pkg.Add("copyPieces2"+e.name, "piecesArgs", "copies every other element", e.copyPieces(2))
	}
	for _, c := range conversions {
		pkg.Add("convert"+c.name, "convertArgs", "makes float32 of rows of "+c.doc, c.code())
		pkg.Add("convertPieces"+c.name, "piecesArgs", "makes float32 of rows made up of pieces of "+c.doc, c.pieces(1))
		pkg.Add("convertPieces2"+c.name, "piecesArgs", "makes float32 of every other element", c.pieces(2))
	}
	for _, ints := range allBlockInts {
		pkg.Add("convert"+ints.String(), "scaledArgs",
			fmt.Sprintf("makes float32 of rows of blocks of %s with scales", ints.dtype()), scaledCode(ints))
	}
	more(pkg)
	if err := pkg.Save("tile_"+name+".s", "table_"+name+".go"); err != nil {
		log.Fatal(err)
	}
}

// loops writes the loops of a machine for elements.
func (m machine) loops(pkg *asmfile.Package, e element) {
	table, suffix := &pkg.Table, e.name+m.name
	byRows := func(kind, args, doc string, least, most int, of tile, code func(tile) []byte) {
		fmt.Fprintf(table, "var %sTiles%s = []func(*%s){nil%s", kind, suffix, args, strings.Repeat(", nil", least-1))
		for rows := least; rows <= most; rows++ {
			of.machine, of.element, of.rows = m, e, rows
			name := fmt.Sprintf("%sTile%sRows%d", kind, suffix, rows)
			pkg.Add(name, args, fmt.Sprintf("multiplies tiles of %d rows%s", rows, doc), code(of))
			fmt.Fprintf(table, ", %s", name)
		}
		table.WriteString("}\n\n")
	}
	tiles := func(kind, doc string, most int, of tile) { byRows(kind, "tileArgs", doc, 1, most, of, tile.code) }
	windowRows := func(kind, doc string, most int, of tile) {
		byRows(kind, "windowRowsArgs", doc, leastWindowRows(most), most, of, tile.windowRows)
	}
	largest := func(kind, doc string, of tile) {
		of.machine, of.element, of.rows = m, e, m.rows
		pkg.Add(kind+suffix, "tileArgs", fmt.Sprintf("multiplies tiles of %d rows and copies %s", m.rows, doc),
			of.code())
	}
	tiles("full", "", m.rows, tile{})
	if !m.isVariant() {
		tiles("edge", ", some of the columns", m.rows, tile{masked: true})
		tiles("window", ", of columns whose rows have offsets", m.rows, tile{window: true})
		tiles("half", ", one vector of columns or less", m.halfRows(), tile{masked: true, half: true})
		windowRows("windowRows", ", of A with offsets", m.rows, tile{})
		windowRows("halfWindowRows", ", of A with offsets, by one vector of columns", m.halfRows(), tile{half: true})
	}
	largest("packingTile", "B", tile{copies: packing})
	largest("packingWindowTile", "B, whose rows have offsets", tile{copies: packing, window: true})
	largest("packNextTile", "rows of another B", tile{copies: packNext})
	if m.isVariant() {
		return
	}
	m.thinLoops(pkg, e, e.name, false)
	m.adders(pkg, e, nil)
	if e.size == 4 {
		m.thinLoops(pkg, e, "BF16", true)
		for i := range conversions {
			m.adders(pkg, e, &conversions[i])
		}
		m.laneLoops(pkg.Add)
		m.blockPanels(pkg.Add)
		if !m.lanes {
			m.blockTiles(&pkg.Table, pkg.Add)
		}
	}
}

// thinLoops writes the loops of few rows times contiguous columns, of elements with a name.
func (m machine) thinLoops(pkg *asmfile.Package, e element, of string, isPairs bool) {
	suffix := of + m.name
	fmt.Fprintf(&pkg.Table, "var thin%s = []func(*thinArgs){nil", suffix)
	for rows := 1; rows <= thinRows; rows++ {
		name := fmt.Sprintf("thin%sRows%d", suffix, rows)
		pkg.Add(name, "thinArgs", fmt.Sprintf("multiplies %d rows by columns that are contiguous", rows),
			transposer{e, m.width}.thin(rows, isPairs))
		fmt.Fprintf(&pkg.Table, ", %s", name)
	}
	pkg.Table.WriteString("}\n\n")
}

// adders writes the loops that add rows, which a conversion makes the elements of sums unless it is nil.
func (m machine) adders(pkg *asmfile.Package, e element, from *conversion) {
	of := e.name
	if from != nil {
		of = from.name
	}
	suffix, d := of+m.name, adder{e, m.width, from}
	pkg.Add("addRow"+suffix, "gemvArgs", "adds a row times a factor to sums", d.addRows(1))
	pkg.Add("addRows"+suffix, "gemvArgs", fmt.Sprintf("adds %d rows times factors to sums", gemvRows),
		d.addRows(gemvRows))
	fmt.Fprintf(&pkg.Table, "var sumRows%s = []func(*gemvArgs){nil", suffix)
	for vectors := 1; vectors <= gemvVectors; vectors++ {
		name := fmt.Sprintf("sumRows%sVectors%d", suffix, vectors)
		pkg.Add(name, "gemvArgs", fmt.Sprintf("adds rows of %d vectors times factors to sums", vectors),
			d.sumRows(vectors))
		fmt.Fprintf(&pkg.Table, ", %s", name)
	}
	pkg.Table.WriteString("}\n\n")
}

// pairTiles writes the loops for pairs of bfloat16.
func pairTiles(pkg *asmfile.Package) {
	m := machines[1]
	tiles := func(kind string, most int, of tile) {
		fmt.Fprintf(&pkg.Table, "var %sTiles%s = []func(*tileArgs){nil", kind, pairs.name)
		for rows := 1; rows <= most; rows++ {
			of.machine, of.element, of.rows = m, pairs, rows
			name := fmt.Sprintf("%sTile%sRows%d", kind, pairs.name, rows)
			pkg.Add(name, "tileArgs", fmt.Sprintf("multiplies tiles of %d rows of pairs of bfloat16", rows), of.code())
			fmt.Fprintf(&pkg.Table, ", %s", name)
		}
		pkg.Table.WriteString("}\n\n")
	}
	tiles("full", m.rows, tile{})
	tiles("edge", m.rows, tile{masked: true})
	tiles("half", m.halfRows(), tile{masked: true, half: true})
	pkg.Add("joinRows", "joinArgs", "makes pairs of bfloat16 of float32 in two rows", join(false))
	pkg.Add("joinColumns", "joinArgs", "makes pairs of bfloat16 of float32 in a row", join(true))
}

// field is a register and the offset of the argument that it is to hold.
type field struct {
	r  asm.Reg
	at int32
}

// load loads fields of the arguments, to which DI points.
func load(a *asm.Asm, fields []field) {
	for _, f := range fields {
		a.MovLoad(f.r, asm.At(asm.RDI, f.at))
	}
}

// finish returns code that refers to no constants.
func finish(a *asm.Asm) []byte {
	n, all := a.Finish()
	return all[:n]
}
