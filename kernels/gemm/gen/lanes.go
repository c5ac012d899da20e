package main

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/asm"
)

// The fields of lanesArgs, by offset.
const (
	lanesSets      = 0
	lanesBlocks    = 8
	lanesGroups    = 16
	lanesX         = 24
	lanesFrom      = 32
	lanesFromRow   = 40
	lanesScales    = 48
	lanesScalesRow = 56
	lanesTo        = 64
	lanesLevels    = 72
)

// laneSums is the code that multiplies a vector by some rows of blocks at a time. Lane l of 16 adds up every sixteenth
// product: of each group of 32 it has two.
//
//	for s := range sets {
//		for r := range rows {
//			sums := [16]float32{}
//			for b := range blocks {
//				block := [16]float32{}
//				for g := range groups {
//					for h := range 2 {
//						block[l] = fma(from[r][b][g][h][l], x[b][g][h][l], block[l])
//					}
//				}
//				sums[l] = fma(block[l], scales[r][b], sums[l])
//			}
//			to[s][r] = the sum of sums, of which halves are added to each other
//		}
//	}
type laneSums struct {
	machine
	blockInts
	rows int
}

// laneRows is the number of rows at a time: their sums, and what is made of integers, fit into the registers.
func (m machine) laneRows() int {
	if m.width == asm.W512 {
		return 4
	}
	return 2
}

// laneLoops writes the loops of a machine for products in lanes.
func (m machine) laneLoops(add func(name, args, doc string, code []byte)) {
	for _, ints := range allBlockInts {
		for _, rows := range []int{m.laneRows(), 1} {
			t := laneSums{m, ints, rows}
			if t.looksUp() && t.unsigned {
				continue // the same code, with other numbers to look up
			}
			add(fmt.Sprintf("lanes%s%sRows%d", ints, m.name, rows), "lanesArgs",
				fmt.Sprintf("multiplies a vector by %d rows of blocks of %s with scales", rows, ints.dtype()),
				t.code())
		}
	}
}

// Registers of the loop. The elements of x and of integers are read from there on.
const (
	laneSets   = asm.RAX
	laneX      = asm.RCX
	laneGroups = asm.RDX
	laneStep   = asm.R8 // from row to row, in bytes
	laneScale  = asm.R9
	laneNext   = asm.R10 // from the scale of a row to that of the next
	laneTo     = asm.R12
	laneBlocks = asm.R13
)

// lanesOfSums is the number of lanes of a sum.
const lanesOfSums = 16

// vectors is the number of vectors of a sum.
func (t laneSums) vectors() int { return 4 * lanesOfSums / t.width.Bytes() }

// sum is the register of a part of the sums of a row; block that of the sums of a block, and raw one for integers.
func (t laneSums) sum(r, v int) asm.Vec   { return asm.Vec(r*t.vectors() + v) }
func (t laneSums) block(r, v int) asm.Vec { return asm.Vec((t.rows+r)*t.vectors() + v) }
func (t laneSums) raw(r int) asm.Vec      { return asm.Vec(2*t.rows*t.vectors() + r) }
func (t laneSums) number(r int) asm.Vec   { return t.raw(t.rows + r) }

// laneLevels is the register with the numbers of integers of 4 bits.
const laneLevels = asm.Vec(31)

func (t laneSums) code() []byte {
	a := asm.New(arch)
	load(a, []field{{laneSets, lanesSets}, {laneStep, lanesFromRow}, {laneNext, lanesScalesRow}, {laneTo, lanesTo}})
	if t.looksUp() {
		load(a, []field{{laneX, lanesLevels}})
		a.M(asm.MOVUPS, t.width, laneLevels, 0, asm.At(laneX, 0))
	}
	nextSet := a.Here()
	load(a, []field{{bases[0], lanesFrom}, {laneScale, lanesScales}, {laneX, lanesX}, {laneBlocks, lanesBlocks}})
	pointBases(a, t.rows, laneStep)
	for i := range asm.Vec(t.rows * t.vectors()) {
		a.R(asm.XORPS, asm.W256, i, i, i)
	}
	nextBlock := a.Here()
	load(a, []field{{laneGroups, lanesGroups}})
	for r := range t.rows {
		for v := range t.vectors() {
			i := t.block(r, v)
			a.R(asm.XORPS, asm.W256, i, i, i)
		}
	}
	nextGroup := a.Here()
	t.group(a)
	for i := range baseOf(t.rows-1) + 1 {
		a.AddImm(bases[i], int32(2*lanesOfSums*t.bits/8))
	}
	a.AddImm(laneX, 2*4*lanesOfSums)
	a.SubImm(laneGroups, 1)
	a.JumpIf(asm.NotEqual, nextGroup)
	t.scale(a)
	a.AddImm(laneScale, 4)
	a.SubImm(laneBlocks, 1)
	a.JumpIf(asm.NotEqual, nextBlock)
	for r := range t.rows {
		t.store(a, r)
	}
	a.AddImm(laneTo, int32(4*t.rows))
	for _, row := range []struct {
		step asm.Reg
		at   int32
	}{{laneStep, lanesFrom}, {laneNext, lanesScales}} {
		for range t.rows {
			a.AddStore(asm.At(asm.RDI, row.at), row.step)
		}
	}
	a.SubImm(laneSets, 1)
	a.JumpIf(asm.NotEqual, nextSet)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// looksUp reports whether integers of 4 bits are looked up in a register.
func (t laneSums) looksUp() bool { return t.bits == 4 && t.width == asm.W512 }

// group multiplies a group of 32 elements of each row.
func (t laneSums) group(a *asm.Asm) {
	bytes := int32(t.width.Bytes())
	x := func(half, v int) asm.Mem { return asm.At(laneX, int32(half)*4*lanesOfSums+int32(v)*bytes) }
	each := func(do func(r int)) {
		for r := range t.rows {
			do(r)
		}
	}
	for v := range t.vectors() {
		for half := range 2 {
			each(func(r int) {
				from := rowAt(r, laneStep)
				if from.Disp = int32(v) * bytes / 4; t.bits == 8 {
					from.Disp += int32(half) * lanesOfSums
				} else if half == 1 {
					return // the upper halves of the same bytes
				}
				a.M(t.widen(), t.width, t.raw(r), 0, from)
			})
			each(func(r int) { t.convert(a, r, half) })
			each(func(r int) { a.M(asm.FMADDPS[2], t.width, t.block(r, v), t.number(r), x(half, v)) })
		}
	}
}

// convert makes numbers of the integers of a row: of 4 bits, of the lower or the upper ones of bytes.
func (t laneSums) convert(a *asm.Asm, r, half int) {
	raw, number := t.raw(r), t.number(r)
	switch {
	case t.looksUp():
		if half == 1 {
			a.R(asm.PSRLD, t.width, 0, raw, raw, 4)
		}
		a.R(asm.PERMPS, t.width, number, raw, laneLevels)
		return
	case t.bits == 4 && half == 0:
		a.R(asm.PSLLD, t.width, 0, number, raw, 28)
		a.R(t.shiftRight(), t.width, 0, number, number, 28)
		raw = number
	case t.bits == 4:
		a.R(t.shiftRight(), t.width, 0, raw, raw, 4)
	}
	a.R(asm.CVTDQ2PS, t.width, number, 0, raw)
}

// scale adds the sums of a block, times its scale, to those of each row.
func (t laneSums) scale(a *asm.Asm) {
	for r := range t.rows {
		from := asm.At(laneScale, 0)
		switch r {
		case 1, 2:
			from = asm.Indexed(laneScale, laneNext, uint8(r), 0)
		case 3:
			a.Lea(laneGroups, asm.Indexed(laneScale, laneNext, 2, 0))
			from = asm.Indexed(laneGroups, laneNext, 1, 0)
		}
		a.M(asm.BROADCASTSS, t.width, t.number(r), 0, from)
		for v := range t.vectors() {
			a.R(asm.FMADDPS[2], t.width, t.sum(r, v), t.block(r, v), t.number(r))
		}
	}
}

// store adds halves of the sums of a row to each other until one is left.
func (t laneSums) store(a *asm.Asm, r int) {
	sum, other := t.sum(r, 0), t.number(0)
	if t.vectors() == 1 {
		a.R(asm.EXTRACTF256, asm.W512, sum, 0, other, 1)
	} else {
		other = t.sum(r, 1)
	}
	a.R(asm.ADDPS, asm.W256, sum, sum, other)
	a.R(asm.EXTRACTF128, asm.W256, sum, 0, other, 1)
	a.R(asm.ADDPS, asm.W128, sum, sum, other)
	for _, order := range []byte{0x4e, 0xb1} {
		a.R(asm.PSHUFD, asm.W128, other, 0, sum, order)
		a.R(asm.ADDPS, asm.W128, sum, sum, other)
	}
	a.M(asm.MOVSSSt, asm.W128, sum, 0, asm.At(laneTo, int32(4*r)))
}
