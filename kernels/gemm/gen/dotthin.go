package main

import (
	"bytes"
	"fmt"

	"github.com/broadloom/broadloom/kernels/asm"
)

// thinDot is loops that multiply few rows by B in place: bytes, where those of one factor are unsigned.
type thinDot struct {
	name, doc  string
	contiguous bool // columns of B are; else its rows
	turned     bool // B has no sign, else A
}

var thinDots = []thinDot{
	{"thinQuads", "few rows of unsigned bytes by rows of signed ones", false, false},
	{"thinTurnedQuads", "few rows of signed bytes by rows of unsigned ones", false, true},
	{"thinColumns", "few rows of unsigned bytes by columns of signed ones", true, false},
	{"thinTurnedColumns", "few rows of signed bytes by columns of unsigned ones", true, true},
}

// thinDotMachines are as wide as tiles, with as many rows as there are registers for.
var thinDotMachines = []dotMachine{{"AVX2", asm.W256, 2}, {"AVX512", asm.W512, 3}}

// The fields of thinDotArgs, by offset.
const (
	thinDotSteps   = 0
	thinDotB       = 8
	thinDotBStep   = 16
	thinDotA       = 24
	thinDotARow    = 32
	thinDotSums    = 40
	thinDotSumsRow = 48
	thinDotBlocks  = 56
)

func writeThinDots(add func(name, args, doc string, code []byte), table *bytes.Buffer) {
	for _, d := range thinDots {
		for _, m := range thinDotMachines {
			fmt.Fprintf(table, "var %s%s = []func(*thinDotArgs){nil", d.name, m.name)
			for rows := 1; rows <= m.rows; rows++ {
				name := fmt.Sprintf("%s%sRows%d", d.name, m.name, rows)
				code := d.rows
				if d.contiguous {
					code = d.columns
				}
				add(name, "thinDotArgs", fmt.Sprintf("multiplies %s, %d at a time", d.doc, rows), code(m.width, rows))
				fmt.Fprintf(table, ", %s", name)
			}
			table.WriteString("}\n\n")
		}
	}
}

// dot adds the products of the bytes of two words to sums.
func (d thinDot) dot(a *asm.Asm, w asm.Width, sum, ofA, ofB asm.Vec) {
	if d.turned {
		ofA, ofB = ofB, ofA
	}
	a.R(asm.PDPBUSD, w, sum, ofA, ofB)
}

// Registers of these loops.
const (
	thinSteps, thinB, thinBStep, thinThrice = asm.RAX, asm.RSI, asm.R8, asm.R10
	thinA, thinARow, thinAThrice            = asm.RDX, asm.RCX, asm.R15
	thinSums, thinSumsRow                   = asm.R9, asm.R11
)

// begin loads the arguments and clears the registers of sums.
func (d thinDot) begin(a *asm.Asm, w asm.Width, sums int) {
	load(a, []field{{thinSteps, thinDotSteps}, {thinB, thinDotB}, {thinBStep, thinDotBStep}, {thinA, thinDotA},
		{thinARow, thinDotARow}})
	a.Lea(thinThrice, asm.Indexed(thinBStep, thinBStep, 2, 0))
	a.Lea(thinAThrice, asm.Indexed(thinARow, thinARow, 2, 0))
	for i := range asm.Vec(sums) {
		a.R(asm.XORPS, w, i, i, i)
	}
	a.Align(32)
}

// next advances to the sums and the bytes of B of the next block.
func (d thinDot) next(a *asm.Asm, again asm.Label, sums int32, b func(r asm.Reg)) {
	a.MovImm(thinSteps, uint64(sums))
	a.AddStore(asm.At(asm.RDI, thinDotSums), thinSteps)
	b(thinSteps)
	a.AddStore(asm.At(asm.RDI, thinDotB), thinSteps)
	a.Dec(asm.At(asm.RDI, thinDotBlocks))
	a.JumpIf(asm.NotEqual, again)
	a.Zeroupper()
	a.Return()
}

// rows is the code for contiguous rows of B: the bytes of a vector from each of four rows become words in registers.
//
//	for ; blocks > 0; blocks-- {
//		for k := range steps {
//			for r := range rows {
//				for c := range 4*words of a vector {
//					sums[r][c] += dot(A[r][4*k:][:4], B[4*k:][:4][c]) // to those that are there
//				}
//			}
//		}
//	}
func (d thinDot) rows(w asm.Width, rows int) []byte {
	a := asm.New(asm.AMD64)
	const each = 4 // vectors of sums of a row
	words := asm.Vec(each * rows)
	sum := func(r, i int) asm.Vec { return asm.Vec(each*r + i) }
	again := a.Here()
	d.begin(a, w, each*rows)
	loop := a.Here()
	list := quads(a, w, words, func(i int32) asm.Mem { return rowOn(thinB, i, thinBStep, thinThrice, 0) })
	for r := range rows {
		element := words + 4 // one that quads needed
		a.M(asm.PBROADCASTD, w, element, 0, rowOn(thinA, int32(r), thinARow, thinAThrice, 0))
		for i, v := range list {
			d.dot(a, w, sum(r, i), element, v)
		}
	}
	a.Lea(thinB, asm.Indexed(thinB, thinBStep, 4, 0))
	a.AddImm(thinA, wordBytes)
	a.SubImm(thinSteps, 1)
	a.JumpIf(asm.NotEqual, loop)
	load(a, []field{{thinSums, thinDotSums}, {thinSumsRow, thinDotSumsRow}})
	for r := range rows {
		for i := range each {
			x := sum(r, i)
			add := func(x asm.Vec, lane int32) {
				at := asm.At(thinSums, 64*lane+int32(16*i))
				a.M(asm.PADDD, asm.W128, x, x, at)
				a.M(asm.MOVUPSSt, asm.W128, x, 0, at)
			}
			upper, over := words, words+1 // that quads needed
			if w == asm.W512 {
				a.R(asm.EXTRACTF256, w, x, 0, upper, 1)
				a.R(asm.EXTRACTF128, asm.W256, upper, 0, over, 1)
				add(upper, 2)
				add(over, 3)
			}
			a.R(asm.EXTRACTF128, asm.W256, x, 0, upper, 1)
			add(x, 0)
			add(upper, 1)
		}
		if r < rows-1 {
			a.Add(thinSums, thinSumsRow)
		}
	}
	d.next(a, again, int32(4*w.Bytes()), func(r asm.Reg) { a.MovImm(r, uint64(w.Bytes())) })
	return finish(a)
}

// columns is the code for contiguous columns of B: the bytes of four columns are multiplied in place; those of A have
// as many steps.
//
//	for ; blocks > 0; blocks-- {
//		for k := range steps {
//			for c := range 4 {
//				for r := range rows {
//					sums[r][c] += dot(A[r][k], B[c][k]) // of a vector of bytes each, whose sums are added up in the end
//				}
//			}
//		}
//	}
func (d thinDot) columns(w asm.Width, rows int) []byte {
	a := asm.New(asm.AMD64)
	const each = 4 // columns
	bytes := int32(w.Bytes())
	column := asm.Vec(each * rows)
	ofA := func(r int) asm.Vec { return column + 1 + asm.Vec(r) }
	sum := func(r, c int) asm.Vec { return asm.Vec(each*r + c) }
	again := a.Here()
	d.begin(a, w, each*rows)
	loop := a.Here()
	for r := range rows {
		a.M(asm.MOVUPS, w, ofA(r), 0, rowOn(thinA, int32(r), thinARow, thinAThrice, 0))
	}
	for c := range each {
		a.M(asm.MOVUPS, w, column, 0, rowOn(thinB, int32(c), thinBStep, thinThrice, 0))
		for r := range rows {
			d.dot(a, w, sum(r, c), ofA(r), column)
		}
	}
	a.AddImm(thinB, bytes)
	a.AddImm(thinA, bytes)
	a.SubImm(thinSteps, 1)
	a.JumpIf(asm.NotEqual, loop)
	load(a, []field{{thinSums, thinDotSums}, {thinSumsRow, thinDotSumsRow}})
	for r := range rows {
		x := sum(r, 0)
		added := func(to, y, z asm.Vec, low, high *asm.Op) { // the sums of pairs in each lane
			a.R(low, w, column, y, z)
			a.R(high, w, to, y, z)
			a.R(asm.PADDD, w, to, to, column)
		}
		added(x, x, x+1, asm.UNPCKLPS, asm.UNPCKHPS)
		added(x+2, x+2, x+3, asm.UNPCKLPS, asm.UNPCKHPS)
		added(x, x, x+2, asm.UNPCKLPD, asm.UNPCKHPD)
		if w == asm.W512 {
			a.R(asm.EXTRACTF256, w, x, 0, x+1, 1)
			a.R(asm.PADDD, asm.W256, x, x, x+1)
		}
		a.R(asm.EXTRACTF128, asm.W256, x, 0, x+1, 1)
		a.R(asm.PADDD, asm.W128, x, x, x+1)
		a.M(asm.MOVUPSSt, asm.W128, x, 0, asm.At(thinSums, 0))
		if r < rows-1 {
			a.Add(thinSums, thinSumsRow)
		}
	}
	d.next(a, again, each*wordBytes, func(r asm.Reg) {
		a.Mov(r, thinBStep)
		a.Shl(r, 2)
	})
	return finish(a)
}
