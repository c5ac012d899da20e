package main

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/internal/asmfile"
)

// dotMachine is a set of vector instructions and the number of rows of the largest tile of integers.
type dotMachine struct {
	name  string
	width asm.Width
	rows  int
}

var (
	// 12 sums, 2 vectors of B, an element of A and a product in 16 registers
	dotAVX2   = dotMachine{"AVX2", asm.W256, 6}
	dotAVX512 = dotMachine{"AVX512", asm.W512, 14} // 28, 2, 1 and 1 in 32
)

// dot is the loops that add up products of words of 32 bits: an integer each, two of 16 bits, or four of 8.
type dot struct {
	name, doc string
	machines  []dotMachine
	fused     *asm.Op // adds products of two words to a sum
	product   *asm.Op // else these are added by an instruction of its own
	turned    bool    // its first word is one of B
}

var dots = []dot{
	{"singles", "integers of 32 bits", []dotMachine{dotAVX2, dotAVX512}, nil, asm.PMULLD, false},
	{"pairs", "pairs of integers of 16 bits", []dotMachine{dotAVX2, dotAVX512}, nil, asm.PMADDWD, false},
	{"vnniPairs", "pairs of integers of 16 bits", []dotMachine{dotAVX2, dotAVX512}, asm.PDPWSSD, nil, false},
	{"vnniQuads", "four unsigned bytes by four signed ones", []dotMachine{dotAVX2, dotAVX512}, asm.PDPBUSD, nil, false},
	{"vnniTurnedQuads", "four signed bytes by four unsigned ones", []dotMachine{dotAVX2, dotAVX512}, asm.PDPBUSD, nil,
		true},
}

// The fields of dotArgs, by offset.
const (
	dotWords  = 0
	dotA      = 8
	dotB      = 16
	dotC      = 24
	dotARow   = 32
	dotCRow   = 40
	dotAdd    = 48
	dotTiles  = 56
	dotATile  = 64
	dotCTile  = 72
	dotConfig = 80
	dotBegin  = 88
)

// wordBytes is the size of a word, and of a sum.
const wordBytes = 4

// writeDots writes the loops of integers to separate files.
func writeDots() {
	pkg := asmfile.NewPackage("gemm", arch)
	table, add := &pkg.Table, pkg.Add
	for _, d := range dots {
		for _, m := range d.machines {
			fmt.Fprintf(table, "var %s%s = []func(*dotArgs){nil", d.name, m.name)
			for rows := 1; rows <= m.rows; rows++ {
				name := fmt.Sprintf("%s%sRows%d", d.name, m.name, rows)
				add(name, "dotArgs", fmt.Sprintf("multiplies %s in tiles of %d rows", d.doc, rows), d.tile(m, rows))
				fmt.Fprintf(table, ", %s", name)
			}
			table.WriteString("}\n\n")
		}
	}
	for _, t := range tileDots {
		add(t.name, "dotArgs", "multiplies "+t.doc+" in tile registers", t.code())
	}
	writeThinDots(add, table)
	add("interleavePanel", "panelArgs", "makes words of four rows of 32 bytes", interleavePanel())
	add("copyTurned", "widenArgs", "copies bytes with their highest bits turned", copyTurned())
	for _, i := range interleavings {
		add(i.name, "interleaveArgs", i.doc, i.code())
	}
	for _, w := range widenings {
		add(w.name, "widenArgs", w.doc, w.code())
	}
	if err := pkg.Save("dot_amd64.s", "dottable_amd64.go"); err != nil {
		log.Fatal(err)
	}
}

// tile is the code of a product of rows of A and two packed vectors of columns of B:
//
//	for ; words > 0; words-- {
//		for r := range rows {
//			for v := range vectors {
//				sum[r][v] += dot(A[r], B[v])
//			}
//		}
//	}
//
// starting from a row of sums that is the same for all rows, plus C if the result is added to it. It continues with a
// given number of tiles of the same columns, one below the other.
func (d dot) tile(m dotMachine, rows int) []byte {
	a := asm.New(asm.AMD64)
	sum := func(row, v int) asm.Vec { return asm.Vec(row*vectors + v) }
	columns := func(v int) asm.Vec { return asm.Vec(m.rows*vectors + v) }
	element, product := columns(vectors), columns(vectors+1)
	bytes := int32(m.width.Bytes())
	throughC := func(write func(x asm.Vec, at asm.Mem)) {
		load(a, []field{{c, dotC}, {cRow, dotCRow}})
		for r := range rows {
			for v := range vectors {
				write(sum(r, v), asm.At(c, int32(v)*bytes))
			}
			if r < rows-1 {
				a.Add(c, cRow)
			}
		}
	}
	begun := a.NewLabel()
	again := a.Here()
	load(a, []field{{count, dotWords}, {bases[0], dotA}, {b, dotBegin}, {aRow, dotARow}})
	for v := range vectors {
		a.M(asm.MOVUPS, m.width, sum(0, v), 0, asm.At(b, int32(v)*bytes))
	}
	a.MovLoad(b, asm.At(asm.RDI, dotB))
	for r := 1; r < rows; r++ {
		for v := range vectors {
			a.R(asm.MOVAPS, m.width, sum(r, v), 0, sum(0, v))
		}
	}
	used := pointBases(a, rows, aRow)
	a.CmpMemImm(asm.At(asm.RDI, dotAdd), 0)
	a.JumpIf(asm.Equal, begun)
	throughC(func(x asm.Vec, at asm.Mem) { a.M(asm.PADDD, m.width, x, x, at) })
	a.Bind(begun)
	a.Align(32)
	loop := a.Here()
	for v := range vectors {
		a.M(asm.MOVUPS, m.width, columns(v), 0, asm.At(b, int32(v)*bytes))
	}
	for r := range rows {
		a.M(asm.PBROADCASTD, m.width, element, 0, rowAt(r, aRow))
		for v := range vectors {
			switch {
			case d.turned:
				a.R(d.fused, m.width, sum(r, v), columns(v), element)
				continue
			case d.fused != nil:
				a.R(d.fused, m.width, sum(r, v), element, columns(v))
				continue
			}
			a.R(d.product, m.width, product, element, columns(v))
			a.R(asm.PADDD, m.width, sum(r, v), sum(r, v), product)
		}
	}
	for _, base := range used {
		a.AddImm(base, wordBytes)
	}
	a.AddImm(b, vectors*bytes)
	a.SubImm(count, 1)
	a.JumpIf(asm.NotEqual, loop)
	throughC(func(x asm.Vec, at asm.Mem) { a.M(asm.MOVUPSSt, m.width, x, 0, at) })
	passTiles(a, again)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// passTiles continues with the next tile, if there is one.
func passTiles(a *asm.Asm, again asm.Label) {
	for _, f := range []struct{ field, step int32 }{{dotA, dotATile}, {dotC, dotCTile}} {
		a.MovLoad(asm.RAX, asm.At(asm.RDI, f.step))
		a.AddStore(asm.At(asm.RDI, f.field), asm.RAX)
	}
	a.Dec(asm.At(asm.RDI, dotTiles))
	a.JumpIf(asm.NotEqual, again)
}
