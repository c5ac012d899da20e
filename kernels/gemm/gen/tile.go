package main

import "github.com/broadloom/broadloom/kernels/asm"

// machine is a set of vector instructions.
type machine struct {
	name  string
	width asm.Width
	rows  int // of the largest tile
	// splats says that an element of A is broadcast to a register, which multiplies all vectors of its row. Otherwise
	// each multiplication reads it from memory: one instruction less per row, but two loads, of which processors start
	// at most two per cycle.
	splats bool
	// lanes says that vectors of a row of A are loaded into registers, whose lanes multiply: of four rows at most.
	lanes bool
}

var machines = []machine{
	{"AVX2", asm.W256, 6, true, false}, // 12 sums, 2 vectors of B, 2 elements of A in 16 registers
	// 28 sums, 2 vectors of B in 32 registers; A comes with the multiplication
	{"AVX512", asm.W512, 14, false, false},
	{"AVX512Splat", asm.W512, 14, true, false}, // 28 sums, 2 vectors of B, 2 elements of A
	// 8 sums, 2 vectors of B, and halves of 4 with A, which leaves epilogues 5 registers
	{"NEON", asm.W256, 4, true, true},
}

// isVariant reports whether a machine only has other loops for tiles of full width.
func (m machine) isVariant() bool { return m.splats && m.width == asm.W512 }

// perHalf is the number of elements of a half of a vector of NEON.
func (e element) perHalf() int32 { return 16 / e.size }

// factors is the half of a register for elements of a row of A, after the registers that tiles use otherwise.
func (t tile) factors(row int) asm.Vec { return asm.Vec(12 + row/2).Halves()[row%2] }

// element is a type of elements.
type element struct {
	name      string
	size      int32
	fma       *asm.Op
	fmaLane   *asm.Op // of NEON
	add       *asm.Op
	broadcast *asm.Op
	load      *asm.Op // of some lanes, with VEX
	store     *asm.Op
	w         *asm.Op // moves elements with EVEX, whose masks count them
	wStore    *asm.Op
}

var elements = []element{
	{"F32", 4, asm.FMADDPS[2], asm.FMLAPS, asm.ADDPS, asm.BROADCASTSS, asm.MASKMOVPS, asm.MASKMOVPSSt, asm.MOVUPS,
		asm.MOVUPSSt},
	{"F64", 8, asm.FMADDPD[2], asm.FMLAPD, asm.ADDPD, asm.BROADCASTSD, asm.MASKMOVPD, asm.MASKMOVPDSt, asm.MOVUPD,
		asm.MOVUPDSt},
}

// The fields of tileArgs, by offset.
const (
	argK         = 0
	argA         = 8
	argB         = 16
	argC         = 24
	argARow      = 32
	argAStep     = 40
	argBStep     = 48
	argCRow      = 56
	argMasks     = 64
	argAdd       = 72
	argTiles     = 80
	argATile     = 88
	argCTile     = 96
	argFetch     = 104
	argFetchTile = 112
	argStretch   = 120
	argFetchC    = 128
	argTo        = 136
	argFrom      = 144
	argFromRow   = 152
	argSecond    = 160
	argCode      = 168
	argCodeArg   = 176
	argListed    = 184
	argList      = 192
	argFar       = 200
	argFarTile   = 208
	argContinues = 216
	argBegun     = 224
)

// offsetBytes is the size of an offset, entryBytes that of an entry of the list.
const (
	offsetBytes = 8
	entryBytes  = 8
)

// vectors is the number of vectors side by side in a tile that is not half.
const vectors = 2

// Registers of the loop.
const (
	count = asm.RAX
	b     = asm.RDX
	aRow  = asm.R8
	aStep = asm.R9
	bStep = asm.R10
	c     = asm.RCX
	cRow  = asm.R12
	// While the loop runs:
	fetched = c // what is needed later
	stretch = cRow
	to      = asm.R14 // where a row of B is copied
	// While listed lines are prefetched:
	entry  = c
	base   = cRow
	listed = asm.R14 // an entry
	left   = asm.R15 // products that come with one each
	// If the copied rows are not those that are multiplied:
	from    = asm.R15
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
// starting from sums of zero, or from those that were begun. The sums are then stored to C or added to it. It continues
// with a given number of tiles of the same columns, one below the other.
type tile struct {
	machine
	element
	rows   int
	masked bool // C has fewer columns; B has all, packed
	half   bool // of one vector of columns
	copies copying
	window bool // rows of B have offsets, and vectors of its columns are contiguous
}

// copying says what a tile copies, so that B is packed for the next ones.
type copying int

const (
	nothing  copying = iota
	packing          // all rows of B that it multiplies, which lie anywhere
	packNext         // rows of another panel of B, one in each unrolled loop
)

// fetches reports whether the tile prefetches, other than rows that it copies.
func (t tile) fetches() bool { return t.copies == nothing && !t.masked && !t.window }

// fetchSteps is the number of steps from one prefetch to the next if the loop is unrolled: as many cache lines in the
// unrolled steps as a row of B has, or more if a tile has fewer rows than others.
func (t tile) fetchSteps() int32 {
	if t.rows < t.machine.rows {
		return 1
	}
	return unrolled * 64 / t.bytes()
}

func (t tile) vectors() int {
	if t.half {
		return 1
	}
	return vectors
}

// halfRows is the number of rows of the largest half tile.
func (m machine) halfRows() int { return min(m.rows*vectors, 14) }

func (t tile) sum(row, v int) asm.Vec { return asm.Vec(row*t.vectors() + v) }

// spare returns the registers after the sums of the largest tile.
func (t tile) spare(i int) asm.Vec { return asm.Vec(t.machine.rows*vectors + i) }

func (t tile) code() []byte {
	a := asm.New(arch)
	again := a.Here()
	t.fetch(a)
	if t.masked && t.width == asm.W512 { // rows of B are loaded with masks, too
		t.loadMasks(a, func(v int) { a.M(asm.KMOVW, asm.W128, asm.Vec(v+1), 0, asm.At(asm.RAX, int32(v)*2)) })
	}
	t.begin(a)
	load(a, []field{{count, argK}, {bases[0], argA}, {b, argB}, {aRow, argARow}, {aStep, argAStep}, {bStep, argBStep}})
	used := pointBases(a, t.rows, aRow)
	if t.copies != nothing {
		load(a, []field{{to, argTo}})
	}
	switch {
	case t.window:
		load(a, []field{{first, argFrom}, {second, argSecond}})
	case t.copies == packNext:
		load(a, []field{{fetched, argFetch}, {from, argFrom}, {fromRow, argFromRow}})
	case t.copies == packing:
		load(a, []field{{fetched, argFetch}})
	case t.fetches():
		t.listedLoop(a, used)
		load(a, []field{{fetched, argFetch}, {stretch, argStretch}})
	}
	t.loops(a, used)
	if t.copies == packNext {
		a.MovStore(asm.At(asm.RDI, argFrom), from)
		a.MovStore(asm.At(asm.RDI, argTo), to)
	}
	epilogue, done := a.NewLabel(), a.NewLabel()
	t.finish(a, epilogue)
	a.Bind(done)
	for _, f := range []struct{ field, step int32 }{{argA, argATile}, {argC, argCTile}, {argFetch, argFetchTile}} {
		a.MovLoad(asm.RAX, asm.At(asm.RDI, f.step))
		a.AddStore(asm.At(asm.RDI, f.field), asm.RAX)
	}
	a.Dec(asm.At(asm.RDI, argTiles))
	a.JumpIf(asm.NotEqual, again)
	a.Zeroupper()
	a.Return()
	if !t.masked {
		a.Bind(epilogue)
		t.callEpilogue(a)
		a.Jump(done)
	}
	return finish(a)
}

// begin sets the sums to zero, or to those that it continues.
func (t tile) begin(a *asm.Asm) {
	begun, zero := a.NewLabel(), a.NewLabel()
	a.CmpMemImm(asm.At(asm.RDI, argContinues), 0)
	a.JumpIf(asm.Equal, zero)
	if t.masked && t.width != asm.W512 {
		t.loadMasks(a, func(v int) { a.M(asm.MOVUPS, t.width, t.spare(v), 0, asm.At(asm.RAX, int32(v)*32)) })
	}
	load(a, []field{{c, argC}, {cRow, argCRow}, {asm.RAX, argBegun}})
	a.Add(c, asm.RAX)
	t.downRows(a, func(r, v int, m asm.Mem) { t.loadVector(a, t.sum(r, v), v, m) })
	a.Jump(begun)
	a.Bind(zero)
	t.clear(a)
	a.Bind(begun)
}

// clear sets the sums to zero.
func (t tile) clear(a *asm.Asm) {
	for r := range t.rows {
		for v := range t.vectors() {
			s := t.sum(r, v)
			a.R(asm.XORPS, t.width, s, s, s)
		}
	}
}

// fetch prefetches the rows of C, which arrive during the loop, on request.
func (t tile) fetch(a *asm.Asm) {
	near := a.NewLabel()
	a.CmpMemImm(asm.At(asm.RDI, argFetchC), 0)
	a.JumpIf(asm.Equal, near)
	t.throughC(a, func(_, v int, m asm.Mem) {
		if !t.masked || v == 0 {
			m.Disp += int32(t.width.Bytes() - 1)
			a.Prefetch(m)
		}
	})
	a.Bind(near)
}

// throughC calls write for each vector of C.
func (t tile) throughC(a *asm.Asm, write func(row, v int, m asm.Mem)) {
	load(a, []field{{c, argC}, {cRow, argCRow}})
	t.downRows(a, write)
}

// downRows calls write for each vector of a matrix with C's layout, to which c points.
func (t tile) downRows(a *asm.Asm, write func(row, v int, m asm.Mem)) {
	for r := range t.rows {
		for v := range t.vectors() {
			write(r, v, asm.At(c, int32(v*t.width.Bytes())))
		}
		if r < t.rows-1 {
			a.Add(c, cRow)
		}
	}
}

// callEpilogue calls code that computes with the sums. It finds them in the registers of their places in the tile, the
// number of rows in RBX, and its arguments at RDI; the first word of these is not its own. It preserves RDI.
func (t tile) callEpilogue(a *asm.Asm) {
	a.MovLoad(asm.RAX, asm.At(asm.RDI, argCode))
	a.Mov(asm.RDX, asm.RDI)
	a.MovLoad(asm.RDI, asm.At(asm.RDI, argCodeArg))
	a.MovStore(asm.At(asm.RDI, 0), asm.RDX)
	a.MovImm(asm.RBX, uint64(t.rows))
	a.Call(asm.RAX)
	a.MovLoad(asm.RDI, asm.At(asm.RDI, 0))
}

// finish adds C to the sums on request. It stores them, or jumps to an epilogue that continues with them.
func (t tile) finish(a *asm.Asm, epilogue asm.Label) {
	if t.masked && t.width != asm.W512 {
		t.loadMasks(a, func(v int) { a.M(asm.MOVUPS, t.width, t.spare(v), 0, asm.At(asm.RAX, int32(v)*32)) })
	}
	added := a.NewLabel()
	a.CmpMemImm(asm.At(asm.RDI, argAdd), 0)
	a.JumpIf(asm.Equal, added)
	t.throughC(a, func(r, v int, m asm.Mem) { t.addVector(a, t.sum(r, v), v, m) })
	a.Bind(added)
	if !t.masked {
		a.CmpMemImm(asm.At(asm.RDI, argCode), 0)
		a.JumpIf(asm.NotEqual, epilogue)
	}
	t.throughC(a, func(r, v int, m asm.Mem) { t.storeVector(a, t.sum(r, v), v, m) })
}

// loadMasks calls write for each mask of columns, to which RAX points.
func (t tile) loadMasks(a *asm.Asm, write func(v int)) {
	a.MovLoad(asm.RAX, asm.At(asm.RDI, argMasks))
	for v := range t.vectors() {
		write(v)
	}
}

// addVector adds a vector of C, side by side with others, to a sum.
func (t tile) addVector(a *asm.Asm, sum asm.Vec, v int, m asm.Mem) {
	if !t.masked {
		a.M(t.add, t.width, sum, sum, m)
		return
	}
	x := t.spare(t.vectors())
	t.loadVector(a, x, v, m)
	a.R(t.add, t.width, sum, sum, x)
}

// loadVector loads a vector of memory with C's layout.
func (t tile) loadVector(a *asm.Asm, x asm.Vec, v int, m asm.Mem) {
	switch {
	case !t.masked:
		a.M(asm.MOVUPS, t.width, x, 0, m)
	case t.width == asm.W512:
		a.MK(t.w, t.width, x, 0, m, asm.Mask{K: uint8(v + 1), Zero: true})
	default:
		a.M(t.load, t.width, x, t.spare(v), m)
	}
}

// storeVector stores a sum to a vector of C.
func (t tile) storeVector(a *asm.Asm, sum asm.Vec, v int, m asm.Mem) {
	switch {
	case !t.masked:
		a.M(asm.MOVUPSSt, t.width, sum, 0, m)
	case t.width == asm.W512:
		a.MK(t.wStore, t.width, sum, 0, m, asm.Mask{K: uint8(v + 1)})
	default:
		a.M(t.store, t.width, sum, t.spare(v), m)
	}
}
