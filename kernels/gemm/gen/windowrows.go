package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of windowRowsArgs, by offset.
const (
	windowRowsK       = 0
	windowRowsOffsets = 8
	windowRowsB       = 16
	windowRowsC       = 24
	windowRowsCRow    = 32
	windowRowsAdd     = 40
	windowRowsAt      = 48
)

// Registers of the loop, besides count, b and c.
const (
	windowOffsets = asm.RCX
	windowOffset  = asm.R15
	windowRow     = asm.R14 // one that has no register of its own
)

// windowRowBases point at rows.
var windowRowBases = []asm.Reg{asm.RSI, asm.RBX, asm.R8, asm.R9, asm.R10, asm.R11, asm.R12, asm.R13}

// leastWindowRows is the number of rows of the smallest tile if the largest one has most: fewer than four are shared
// with the tile before.
func leastWindowRows(most int) int { return min(4, (most+1)/2) }

// windowRows is a tile whose rows of A are anywhere, and whose columns have offsets. B is a packed panel of two vectors
// of columns; half multiplies only the first one. C is the product's own memory, so no column needs a mask.
func (t tile) windowRows() []byte {
	t.splats = true // loads of addresses leave no room for an element to be read for each vector
	a := asm.New(arch)
	t.clear(a)
	load(a, []field{{count, windowRowsK}, {windowOffsets, windowRowsOffsets}, {b, windowRowsB}})
	for r, base := range windowRowBases[:min(t.rows, len(windowRowBases))] {
		a.MovLoad(base, asm.At(asm.RDI, t.windowRowAt(r)))
	}
	rest, done, added := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.SubImm(count, unrolled)
	a.JumpIf(asm.Less, rest)
	t.windowLoop(a, unrolled)
	a.Bind(rest)
	a.AddImm(count, unrolled)
	a.JumpIf(asm.Equal, done)
	t.windowLoop(a, 1)
	a.Bind(done)
	a.CmpMemImm(asm.At(asm.RDI, windowRowsAdd), 0)
	a.JumpIf(asm.Equal, added)
	t.throughWindowC(a, func(r, v int, m asm.Mem) { a.M(t.add, t.width, t.sum(r, v), t.sum(r, v), m) })
	a.Bind(added)
	t.throughWindowC(a, func(r, v int, m asm.Mem) { a.M(asm.MOVUPSSt, t.width, t.sum(r, v), 0, m) })
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// windowRowAt is the offset of the field with the address of a row.
func (t tile) windowRowAt(r int) int32 { return int32(windowRowsAt + 8*r) }

// throughWindowC calls write for each vector of C.
func (t tile) throughWindowC(a *asm.Asm, write func(row, v int, m asm.Mem)) {
	load(a, []field{{c, windowRowsC}, {cRow, windowRowsCRow}})
	t.downRows(a, write)
}

// windowLoop adds products, some steps at a time, until count is zero or less than these steps.
func (t tile) windowLoop(a *asm.Asm, steps int32) {
	a.Align(32)
	loop, row := a.Here(), vectors*int32(t.width.Bytes())
	for i := range steps {
		a.MovLoad(windowOffset, asm.At(windowOffsets, i*offsetBytes))
		for v := range t.vectors() {
			a.M(asm.MOVUPS, t.width, t.spare(v), 0, asm.At(b, i*row+int32(v*t.width.Bytes())))
		}
		for r := range t.rows {
			base := windowRow
			if r < len(windowRowBases) {
				base = windowRowBases[r]
			} else {
				a.MovLoad(base, asm.At(asm.RDI, t.windowRowAt(r)))
			}
			t.multiplyBy(a, r, asm.Indexed(base, windowOffset, uint8(t.size), 0))
		}
	}
	a.AddImm(windowOffsets, steps*offsetBytes)
	a.AddImm(b, steps*row)
	a.SubImm(count, steps)
	if steps == 1 {
		a.JumpIf(asm.NotEqual, loop)
		return
	}
	a.JumpIf(asm.NotLess, loop)
}
