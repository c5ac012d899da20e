package main

import "github.com/broadloom/broadloom/kernels/amd64"

// machine is a set of vector instructions.
type machine struct {
	name  string
	width amd64.Width
	rows  int // of the largest tile
}

var machines = []machine{
	{"AVX2", amd64.W256, 6},    // 12 sums, 2 vectors of B, 2 elements of A in 16 registers
	{"AVX512", amd64.W512, 14}, // 28 sums, 2 vectors of B in 32 registers; A comes with the multiplication
}

// element is a type of elements.
type element struct {
	name      string
	size      int32
	fma       *amd64.Op
	add       *amd64.Op
	broadcast *amd64.Op
	load      *amd64.Op // of some lanes, with VEX
	store     *amd64.Op
	w         *amd64.Op // moves elements with EVEX, whose masks count them
	wStore    *amd64.Op
}

var elements = []element{
	{"F32", 4, amd64.FMADDPS[2], amd64.ADDPS, amd64.BROADCASTSS, amd64.MASKMOVPS, amd64.MASKMOVPSSt, amd64.MOVUPS, amd64.MOVUPSSt},
	{"F64", 8, amd64.FMADDPD[2], amd64.ADDPD, amd64.BROADCASTSD, amd64.MASKMOVPD, amd64.MASKMOVPDSt, amd64.MOVUPD, amd64.MOVUPDSt},
}

// The fields of tileArgs, by offset.
const (
	argK       = 0
	argA       = 8
	argB       = 16
	argC       = 24
	argARow    = 32
	argAStep   = 40
	argBStep   = 48
	argCRow    = 56
	argMasks   = 64
	argAdd     = 72
	argTiles   = 80
	argATile   = 88
	argCTile   = 96
	argStretch = 104
	argTo      = 112
	argAhead   = 120
	argFrom    = 128
	argFromRow = 136
	argFetchC  = 144
	argSecond  = 152
)

// offsetBytes is the size of an offset.
const offsetBytes = 8

// vectors is the number of vectors side by side in a tile that is not narrow.
const vectors = 2

// Registers of the loop.
const (
	count = amd64.RAX
	b     = amd64.RDX
	aRow  = amd64.R8
	aStep = amd64.R9
	bStep = amd64.R10
	c     = amd64.RCX
	cRow  = amd64.R12
	// While the loop runs:
	fetched = c // what the next tile needs
	stretch = cRow
	to      = amd64.R14 // where a row of B is copied
	ahead   = c         // the row of B that is fetched, to be copied later
	// If the rows are not those that are multiplied:
	from    = amd64.R15
	fromRow = cRow
	// If rows of B have offsets, to which b points:
	first  = c // what the offset of a row is added to, for each vector
	second = cRow
	offset = bStep
)

// tile is the code of a product of rows of A and two vectors of columns of B:
//
//	for ; k > 0; k-- {
//		for r := range rows {
//			for v := range vectors {
//				sum[r][v] = fma(A[r], B[v], sum[r][v])
//			}
//		}
//	}
//
// from sums of zero, which are then stored to C or added to it. It goes on with as many
// tiles of the same columns, one below the other, as it is told.
type tile struct {
	machine
	element
	rows   int
	masked bool // C has fewer columns; B has all, packed
	narrow bool // of one vector of columns
	copies copying
	window bool // rows of B have offsets, and vectors of its columns are contiguous
}

// copying is what a tile copies, so that B is packed for the next ones.
type copying int

const (
	nothing copying = iota
	own             // all rows of B that it multiplies, which lie anywhere
	next            // rows of another panel of B, one in each unrolled loop
)

// fetches tells whether the tile fetches what the next one needs.
func (t tile) fetches() bool { return t.copies == nothing && !t.masked && !t.window }

// fetchSteps is the number of steps from one fetch to the next where the loop is unrolled.
func (t tile) fetchSteps() int32 {
	if t.rows < t.machine.rows {
		return 1
	}
	return unrolled
}

func (t tile) vectors() int {
	if t.narrow {
		return 1
	}
	return vectors
}

// narrowRows is the number of rows of the largest narrow tile.
func (m machine) narrowRows() int { return min(m.rows*vectors, 14) }

func (t tile) sum(row, v int) amd64.Vec { return amd64.Vec(row*t.vectors() + v) }

// spare gives the registers behind the sums of the largest tile.
func (t tile) spare(i int) amd64.Vec { return amd64.Vec(t.machine.rows*vectors + i) }

func (t tile) code() []byte {
	a := &amd64.Asm{}
	again := a.Here()
	t.fetch(a)
	load(a, []field{{count, argK}, {bases[0], argA}, {b, argB}, {aRow, argARow}, {aStep, argAStep}, {bStep, argBStep}})
	used := pointBases(a, t.rows, aRow)
	for r := range t.rows {
		for v := range t.vectors() {
			s := t.sum(r, v)
			a.R(amd64.XORPS, t.width, s, s, s)
		}
	}
	if t.copies != nothing {
		load(a, []field{{to, argTo}})
	}
	switch {
	case t.window:
		load(a, []field{{first, argFrom}, {second, argSecond}})
	case t.copies == next:
		load(a, []field{{ahead, argAhead}, {from, argFrom}, {fromRow, argFromRow}})
		a.Add(ahead, from)
	case t.copies == own:
		load(a, []field{{ahead, argAhead}})
		a.Add(ahead, b)
	case t.fetches():
		load(a, []field{{fetched, argATile}, {stretch, argStretch}})
		a.Add(fetched, bases[0])
	}
	t.loops(a, used)
	if t.copies == next {
		a.MovStore(amd64.At(amd64.RDI, argFrom), from)
		a.MovStore(amd64.At(amd64.RDI, argTo), to)
	}
	t.finish(a)
	for _, f := range []struct{ field, step int32 }{{argA, argATile}, {argC, argCTile}} {
		a.MovLoad(amd64.RAX, amd64.At(amd64.RDI, f.step))
		a.AddStore(amd64.At(amd64.RDI, f.field), amd64.RAX)
	}
	a.Dec(amd64.At(amd64.RDI, argTiles))
	a.JumpIf(amd64.NotEqual, again)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// unrolled is the number of steps that the loop makes at a time where A's columns are
// contiguous.
const unrolled = 4

// loops adds the products: unrolled where A's columns are contiguous, and what is left, or
// all, one step at a time. An unrolled step takes the fewest instructions, which counts
// most where a core's other thread issues some too.
func (t tile) loops(a *amd64.Asm, used []amd64.Reg) {
	const thrice = aStep // while the loop is unrolled
	strided, rest, done := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.SubImm(aStep, t.size)
	a.JumpIf(amd64.NotEqual, strided)
	a.SubImm(count, unrolled)
	a.JumpIf(amd64.Less, rest)
	if !t.window {
		a.Lea(thrice, amd64.Indexed(bStep, bStep, 2, 0))
	}
	a.Align(32)
	loop := a.Here()
	for i := range int32(unrolled) {
		t.step(a, i, thrice, t.fetchSteps())
	}
	switch t.copies {
	case own:
		a.AddImm(to, unrolled*t.bytes())
		if !t.window {
			a.Lea(ahead, amd64.Indexed(ahead, bStep, unrolled, 0))
		}
	case next:
		t.copyNext(a)
	}
	for _, base := range used {
		a.AddImm(base, unrolled*t.size)
	}
	if t.window {
		a.AddImm(b, unrolled*offsetBytes)
	} else {
		a.Lea(b, amd64.Indexed(b, bStep, unrolled, 0))
	}
	a.SubImm(count, unrolled)
	a.JumpIf(amd64.NotLess, loop)
	a.Xor(aStep, aStep)
	a.Bind(rest)
	a.AddImm(count, unrolled)
	a.JumpIf(amd64.Equal, done)
	a.Bind(strided)
	a.AddImm(aStep, t.size)
	a.Align(32)
	loop = a.Here()
	t.step(a, 0, 0, 1)
	if t.copies == own {
		a.AddImm(to, t.bytes())
		if !t.window {
			a.Add(ahead, bStep)
		}
	}
	for _, base := range used {
		a.Add(base, aStep)
	}
	if t.window {
		a.AddImm(b, offsetBytes)
	} else {
		a.Add(b, bStep)
	}
	a.SubImm(count, 1)
	a.JumpIf(amd64.NotEqual, loop)
	a.Bind(done)
}

// bytes is the size of a row of B.
func (t tile) bytes() int32 { return int32(t.vectors() * t.width.Bytes()) }

// step adds the products of the column of A and the row of B that are i on, of which thrice
// holds three steps. Where it fetches, it does so once in some steps.
func (t tile) step(a *amd64.Asm, i int32, thrice amd64.Reg, fetchSteps int32) {
	row := func(base amd64.Reg, at int32) amd64.Mem { return rowOn(base, i, bStep, thrice, at) }
	bytes := int32(t.width.Bytes())
	if t.window {
		a.MovLoad(offset, amd64.At(b, i*offsetBytes))
	}
	for v := range t.vectors() {
		m := row(b, int32(v)*bytes)
		if t.window {
			m = amd64.Indexed([]amd64.Reg{first, second}[v], offset, uint8(t.size), 0)
		}
		a.M(amd64.MOVUPS, t.width, t.spare(v), 0, m)
	}
	if t.copies == own {
		for v := range int32(t.vectors()) {
			a.M(amd64.MOVUPSSt, t.width, t.spare(int(v)), 0, amd64.At(to, i*t.bytes()+v*bytes))
		}
		for line := int32(0); line < t.bytes() && !t.window; line += 64 {
			a.Prefetch(row(ahead, line+60))
		}
	}
	if t.fetches() && i%fetchSteps == 0 {
		a.Prefetch(amd64.At(fetched, 0))
		a.Lea(fetched, amd64.Indexed(fetched, stretch, uint8(fetchSteps), 0))
	}
	for r := range t.rows {
		t.multiply(a, r, i*t.size)
	}
}

// copyNext copies a row of the next panel of B, and fetches one that is copied later.
func (t tile) copyNext(a *amd64.Asm) {
	bytes := int32(t.width.Bytes())
	for line := int32(0); line < t.bytes(); line += 64 {
		a.Prefetch(amd64.At(ahead, line+60))
	}
	a.Add(ahead, fromRow)
	for v := range int32(t.vectors()) {
		a.M(amd64.MOVUPS, t.width, t.spare(int(v)), 0, amd64.At(from, v*bytes))
		a.M(amd64.MOVUPSSt, t.width, t.spare(int(v)), 0, amd64.At(to, v*bytes))
	}
	a.Add(from, fromRow)
	a.AddImm(to, t.bytes())
}

// fetch asks for the rows of C, which the loop gives time to arrive, if they are not near.
func (t tile) fetch(a *amd64.Asm) {
	near := a.NewLabel()
	a.CmpMemImm(amd64.At(amd64.RDI, argFetchC), 0)
	a.JumpIf(amd64.Equal, near)
	a.MovLoad(c, amd64.At(amd64.RDI, argC))
	a.MovLoad(cRow, amd64.At(amd64.RDI, argCRow))
	for r := range t.rows {
		for v := range t.vectors() {
			if !t.masked || v == 0 {
				a.Prefetch(amd64.At(c, int32((v+1)*t.width.Bytes()-1)))
			}
		}
		if r < t.rows-1 {
			a.Add(c, cRow)
		}
	}
	a.Bind(near)
}

// multiply adds the products of a row, some bytes on.
func (t tile) multiply(a *amd64.Asm, r int, on int32) {
	m := rowAt(r, aRow)
	m.Disp = on
	if t.width == amd64.W512 {
		m.Broadcast = true
		for v := range t.vectors() {
			a.M(t.fma, t.width, t.sum(r, v), t.spare(v), m)
		}
		return
	}
	x := t.spare(t.vectors() + r%2)
	a.M(t.broadcast, t.width, x, 0, m)
	for v := range t.vectors() {
		a.R(t.fma, t.width, t.sum(r, v), x, t.spare(v))
	}
}

// finish stores the sums, or adds them to what C holds.
func (t tile) finish(a *amd64.Asm) {
	a.MovLoad(c, amd64.At(amd64.RDI, argC))
	a.MovLoad(cRow, amd64.At(amd64.RDI, argCRow))
	if t.masked {
		a.MovLoad(amd64.RAX, amd64.At(amd64.RDI, argMasks))
		for v := range t.vectors() {
			if t.width == amd64.W512 {
				a.M(amd64.KMOVW, amd64.W128, amd64.Vec(v+1), 0, amd64.At(amd64.RAX, int32(v)*2))
			} else {
				a.M(amd64.MOVUPS, t.width, t.spare(v), 0, amd64.At(amd64.RAX, int32(v)*32))
			}
		}
	}
	a.MovLoad(amd64.RDX, amd64.At(amd64.RDI, argAdd))
	a.Test(amd64.RDX, amd64.RDX)
	replace, end := a.NewLabel(), a.NewLabel()
	a.JumpIf(amd64.Equal, replace)
	t.store(a, true)
	a.Jump(end)
	a.Bind(replace)
	t.store(a, false)
	a.Bind(end)
}

func (t tile) store(a *amd64.Asm, add bool) {
	bytes := int32(t.width.Bytes())
	for r := range t.rows {
		for v := range t.vectors() {
			m, s := amd64.At(c, int32(v)*bytes), t.sum(r, v)
			switch {
			case !t.masked:
				if add {
					a.M(t.add, t.width, s, s, m)
				}
				a.M(amd64.MOVUPSSt, t.width, s, 0, m)
			case t.width == amd64.W512:
				some := amd64.Mask{K: uint8(v + 1)}
				if add {
					a.MK(t.w, t.width, t.spare(0), 0, m, amd64.Mask{K: some.K, Zero: true})
					a.R(t.add, t.width, s, s, t.spare(0))
				}
				a.MK(t.wStore, t.width, s, 0, m, some)
			default:
				if add {
					a.M(t.load, t.width, t.spare(t.vectors()), t.spare(v), m)
					a.R(t.add, t.width, s, s, t.spare(t.vectors()))
				}
				a.M(t.element.store, t.width, s, t.spare(v), m)
			}
		}
		if r < t.rows-1 {
			a.Add(c, cRow)
		}
	}
}
