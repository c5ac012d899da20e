package main

import "github.com/broadloom/broadloom/kernels/asm"

// unrolled is the number of steps that the loop makes at a time if A's columns are contiguous.
const unrolled = 4

// loops adds the products. It is unrolled if A's columns are contiguous; the remaining steps, or all, are made one at a
// time. An unrolled step takes the fewest instructions, which matters most if a core's other thread issues some too.
func (t tile) loops(a *asm.Asm, used []asm.Reg) {
	const thrice = aStep // while the loop is unrolled
	strided, rest, done := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.SubImm(aStep, t.size)
	a.JumpIf(asm.NotEqual, strided)
	a.SubImm(count, unrolled)
	a.JumpIf(asm.Less, rest)
	if !t.window {
		a.Lea(thrice, asm.Indexed(bStep, bStep, 2, 0))
	}
	a.Align(32)
	loop := a.Here()
	for i := range int32(unrolled) {
		t.step(a, i, true, thrice, t.fetchSteps(), func(r int) { t.copyNext(a, i, r) })
	}
	if t.copies == packNext {
		t.passNext(a)
	}
	t.pass(a, used)
	a.SubImm(count, unrolled)
	a.JumpIf(asm.NotLess, loop)
	a.Xor(aStep, aStep)
	a.Bind(rest)
	a.AddImm(count, unrolled)
	a.JumpIf(asm.Equal, done)
	a.Bind(strided)
	a.AddImm(aStep, t.size)
	a.Align(32)
	loop = a.Here()
	t.step(a, 0, false, 0, 1, func(int) {})
	for _, base := range used {
		a.Add(base, aStep)
	}
	t.passB(a, 1)
	a.SubImm(count, 1)
	a.JumpIf(asm.NotEqual, loop)
	a.Bind(done)
}

// listedLoop adds products and prefetches the listed lines with them. A's columns are contiguous.
func (t tile) listedLoop(a *asm.Asm, used []asm.Reg) {
	const thrice = aStep
	none := a.NewLabel()
	a.CmpMemImm(asm.At(asm.RDI, argListed), 0)
	a.JumpIf(asm.Equal, none)
	load(a, []field{{left, argListed}, {entry, argList}, {base, argFar}})
	a.Sub(count, left)
	a.Lea(thrice, asm.Indexed(bStep, bStep, 2, 0))
	a.Align(32)
	loop := a.Here()
	for i := range int32(unrolled) {
		a.MovLoad(listed, asm.At(entry, i*entryBytes))
		a.Prefetch(asm.Indexed(base, listed, 1, 0))
		t.step(a, i, true, thrice, 0, func(int) {})
	}
	a.AddImm(entry, unrolled*entryBytes)
	t.pass(a, used)
	a.SubImm(left, unrolled)
	a.JumpIf(asm.NotEqual, loop)
	load(a, []field{{aStep, argAStep}, {left, argFarTile}})
	a.AddStore(asm.At(asm.RDI, argFar), left)
	a.Bind(none)
}

// pass advances pointers by the unrolled steps.
func (t tile) pass(a *asm.Asm, used []asm.Reg) {
	for _, base := range used {
		a.AddImm(base, unrolled*t.size)
	}
	t.passB(a, unrolled)
}

// passB advances by some rows of B.
func (t tile) passB(a *asm.Asm, rows int32) {
	if t.copies == packing {
		a.AddImm(to, rows*t.bytes())
	}
	if t.window {
		a.AddImm(b, rows*offsetBytes)
		return
	}
	a.Lea(b, asm.Indexed(b, bStep, uint8(rows), 0))
	if t.copies == packing {
		a.Lea(fetched, asm.Indexed(fetched, bStep, uint8(rows), 0))
	}
}

// bytes is the size of a row of B.
func (t tile) bytes() int32 { return int32(t.vectors() * t.width.Bytes()) }

// step adds the products of the column of A and the row of B that are i on. thrice holds three steps. unrolls says that
// the step is part of an unrolled loop. If it prefetches, it does so once in fetchSteps steps. Before each row of A is
// loaded, other code can use its register.
func (t tile) step(a *asm.Asm, i int32, unrolls bool, thrice asm.Reg, fetchSteps int32, before func(row int)) {
	row := func(base asm.Reg, at int32) asm.Mem { return rowOn(base, i, bStep, thrice, at) }
	bytes := int32(t.width.Bytes())
	if t.window {
		a.MovLoad(offset, asm.At(b, i*offsetBytes))
	}
	for v := range t.vectors() {
		m := row(b, int32(v)*bytes)
		if t.window {
			m = asm.Indexed([]asm.Reg{first, second}[v], offset, uint8(t.size), 0)
		}
		if t.masked && t.width == asm.W512 {
			a.MK(t.w, t.width, t.spare(v), 0, m, asm.Mask{K: uint8(v + 1), Zero: true})
		} else {
			a.M(asm.MOVUPS, t.width, t.spare(v), 0, m)
		}
	}
	if t.copies == packing {
		for v := range int32(t.vectors()) {
			a.M(asm.MOVUPSSt, t.width, t.spare(int(v)), 0, asm.At(to, i*t.bytes()+v*bytes))
		}
		for line := int32(0); line < t.bytes() && !t.window; line += 64 {
			a.Prefetch(row(fetched, line+60))
		}
	}
	if fetchSteps > 0 && t.fetches() && i%fetchSteps == 0 {
		a.Prefetch(asm.At(fetched, 0))
		a.Lea(fetched, asm.Indexed(fetched, stretch, uint8(fetchSteps), 0))
	}
	if t.lanes && unrolls && i%t.perHalf() == 0 {
		for r := range t.rows {
			m := rowAt(r, aRow)
			m.Disp = i * t.size
			a.M(asm.LDRQ, asm.W128, t.factors(r), 0, m)
		}
	}
	for r := range t.rows {
		before(r)
		if t.lanes && unrolls {
			for v := range t.vectors() {
				a.R(t.fmaLane, t.width, t.sum(r, v), t.spare(v), t.factors(r), byte(i%t.perHalf()))
			}
			continue
		}
		t.multiply(a, r, i*t.size)
	}
}

// copyPlaces are the places in unrolled steps at which the vectors of a row of the next panel are copied: in which
// step, before how many rows from the last one on. The cost of the stores on AMD Zen 3 depends on their place between
// multiplications: at these places, they slow the loop by 2 to 4 %; with both after the last one, by 9 %.
var copyPlaces = [vectors]struct{ step, rows int }{{2, 6}, {3, 1}}

// copyNext copies a vector of the next panel of B, if this is its place.
func (t tile) copyNext(a *asm.Asm, step int32, r int) {
	if t.copies != packNext {
		return
	}
	for v, place := range copyPlaces {
		if int(step) == place.step && r == t.rows-min(place.rows, t.rows) {
			on := int32(v * t.width.Bytes())
			a.M(asm.MOVUPS, t.width, t.rowSpare(r), 0, asm.At(from, on))
			a.M(asm.MOVUPSSt, t.width, t.rowSpare(r), 0, asm.At(to, on))
		}
	}
}

// passNext advances by a row of the next panel of B, and prefetches one that is copied later.
func (t tile) passNext(a *asm.Asm) {
	for line := int32(0); line < t.bytes(); line += 64 {
		a.Prefetch(asm.At(fetched, line+60))
	}
	a.Add(fetched, fromRow)
	a.Add(from, fromRow)
	a.AddImm(to, t.bytes())
}

// rowSpare is the register for an element of a row of A.
func (t tile) rowSpare(r int) asm.Vec { return t.spare(t.vectors() + r%2) }

// multiply adds the products of a row, some bytes on.
func (t tile) multiply(a *asm.Asm, r int, on int32) {
	m := rowAt(r, aRow)
	m.Disp = on
	t.multiplyBy(a, r, m)
}

// multiplyBy adds the products of a row whose element of A is in memory.
func (t tile) multiplyBy(a *asm.Asm, r int, m asm.Mem) {
	if !t.splats {
		m.Broadcast = true
		for v := range t.vectors() {
			a.M(t.fma, t.width, t.sum(r, v), t.spare(v), m)
		}
		return
	}
	x := t.rowSpare(r)
	a.M(t.broadcast, t.width, x, 0, m)
	for v := range t.vectors() {
		a.R(t.fma, t.width, t.sum(r, v), x, t.spare(v))
	}
}
