package asm

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// arm64 writes the instructions of amd64 as equivalent instructions of ARMv8.0. Each general register is one of
// arm64's, and each vector register of 32 bytes is a pair of NEON's, its halves 16 registers apart. An instruction of
// AVX2 becomes one of NEON for each half of 16 bytes. Results have the same bits.
//
// Vector registers from [FirstTemporary] on hold intermediate values; code can use them if no instruction needs that.
// An instruction on 16 bytes leaves the upper half unchanged, while that of amd64 clears it; the one that makes zeros
// clears it here too. Flags are those of the last comparison or addition; shifts do not change them.
type arm64 struct {
	*buffer
	sums sums
}

// FirstTemporary is the first of three vector registers that instructions for [ARM64] use for intermediate values.
const FirstTemporary Vec = 13

// The general registers of arm64 that are none of amd64's. The registers 18, 26 to 29 belong to the system and to Go.
const (
	scratch     = 17 // an address or a number that is used at once
	scratch2    = 25 // what goes to that address
	savedReturn = 24 // where code returns to, while it calls other code
	returnsTo   = 30
	zeroReg     = 31
)

// sumRegs hold sums of two registers, for addresses.
var sumRegs = [...]uint32{16, 19, 20, 21, 22, 23}

// sum is the content of a register: base + index << shift.
type sum struct {
	base, index Reg
	shift       uint8
	valid       bool
}

// sums are the contents of sumRegs, and which of them is replaced next. They are invalid after a label.
type sums struct {
	held    [len(sumRegs)]sum
	next    int
	entries int // of the buffer, when they were valid
}

// change invalidates the sums that contain a register.
func (s *sums) change(r Reg) {
	for i := range s.held {
		if s.held[i].base == r || s.held[i].index == r {
			s.held[i].valid = false
		}
	}
}

// three adds an instruction on three registers.
func (a *arm64) three(op, d, n, m uint32) { a.emit32(op | m<<16 | n<<5 | d) }

// two adds an instruction on two registers.
func (a *arm64) two(op, d, n uint32) { a.emit32(op | n<<5 | d) }

// The general instructions of arm64, of 64 bits unless stated otherwise.
const (
	armAdd    = 0x8b000000 // of a register shifted to the left, as are those that follow
	armSub    = 0xcb000000
	armFlags  = 1 << 29 // of additions and subtractions
	armAdds   = armAdd | armFlags
	armSubs   = armSub | armFlags
	armAnds   = 0xea000000
	armEor    = 0xca000000
	armOrr    = 0xaa000000
	armOrn    = 0xaa200000
	armOrr32  = 0x2a000000
	armAddImm = 0x91000000
	armSubImm = 0xd1000000
	armMul    = 0x9b007c00
	armRbit   = 0xdac00000
	armClz    = 0xdac01000
	armUbfm   = 0xd3400000
	armBfm    = 0xb3400000
	armMovz   = 0xd2800000
	armMovk   = 0xf2800000
	armAdr    = 0x10000000
	armB      = 0x14000000
	armBcond  = 0x54000000
	armTbz    = 0x36000000
	armTbnz   = 0x37000000
	armBlr    = 0xd63f0000
	armRet    = 0xd65f03c0
	armNop    = 0xd503201f
	armDmb    = 0xd5033abf // of stores
)

// access is an instruction that accesses memory: with an offset of 12 bits in units of its size, or with a signed
// offset of 9 bits in bytes.
type access struct {
	scaled, unscaled uint32
	bytes            int32
}

var (
	loadX    = access{0xf9400000, 0xf8400000, 8}
	storeX   = access{0xf9000000, 0xf8000000, 8}
	loadW    = access{0xb9400000, 0xb8400000, 4}
	storeW   = access{0xb9000000, 0xb8000000, 4}
	loadB    = access{0x39400000, 0x38400000, 1}
	storeB   = access{0x39000000, 0x38000000, 1}
	prefetch = access{0xf9800000, 0xf8800000, 8} // to the first-level cache, to be read
	loadQ    = access{0x3dc00000, 0x3cc00000, 16}
	storeQ   = access{0x3d800000, 0x3c800000, 16}
	loadD    = access{0xfd400000, 0xfc400000, 8}
	storeD   = access{0xfd000000, 0xfc000000, 8}
	loadS    = access{0xbd400000, 0xbc400000, 4}
	storeS   = access{0xbd000000, 0xbc000000, 4}
)

// reaches reports whether an offset fits into the instruction.
func (x access) reaches(disp int32) bool {
	return disp >= 0 && disp%x.bytes == 0 && disp/x.bytes < 1<<12 || disp >= -256 && disp < 256
}

// mem adds an access to memory.
func (a *arm64) mem(x access, r uint32, m Mem) {
	base, disp := a.place(m)
	a.memAt(x, r, base, disp)
}

// memAt adds an access to memory at an offset from a register.
func (a *arm64) memAt(x access, r, base uint32, disp int32) {
	switch {
	case !x.reaches(disp):
		far := uint32(scratch)
		if base == scratch {
			far = scratch2
		}
		a.number(far, uint64(int64(disp)))
		a.three(armAdd, far, base, far)
		a.two(x.scaled, r, far)
	case disp >= 0 && disp%x.bytes == 0 && disp/x.bytes < 1<<12:
		a.two(x.scaled|uint32(disp/x.bytes)<<10, r, base)
	default:
		a.two(x.unscaled|uint32(disp)&0x1ff<<12, r, base)
	}
}

// place is the beginning of memory: a register and an offset from it.
func (a *arm64) place(m Mem) (base uint32, disp int32) {
	if m.Label != NoLabel {
		a.fixups = append(a.fixups, fixup{len(a.code), len(a.code), m.Label})
		a.emit32(armAdr | scratch)
		return scratch, m.Disp
	}
	base, disp = uint32(m.Base), m.Disp
	if m.Index == NoReg {
		return base, disp
	}
	if a.sums.entries != a.entries {
		a.sums = sums{entries: a.entries}
	}
	want := sum{m.Base, m.Index, uint8(bits.TrailingZeros8(m.Scale)), true}
	for i, s := range a.sums.held {
		if s == want {
			return sumRegs[i], disp
		}
	}
	i := a.sums.next
	a.sums.held[i], a.sums.next = want, (i+1)%len(sumRegs)
	a.three(armAdd|uint32(want.shift)<<10, sumRegs[i], base, uint32(m.Index))
	return sumRegs[i], disp
}

// address loads the address of memory into a register, from which accesses of up to 64 bytes need no other.
func (a *arm64) address(m Mem) (base uint32, disp int32) {
	base, disp = a.place(m)
	if disp < 0 || disp >= 4096-64 {
		a.add(0, scratch, base, disp)
		return scratch, 0
	}
	return base, disp
}

// add is d = s + v. It sets flags if flags is [armFlags] and not 0.
func (a *arm64) add(flags, d, s uint32, v int32) {
	switch {
	case v >= 0 && v < 1<<12:
		a.two(armAddImm|flags|uint32(v)<<10, d, s)
	case v < 0 && v > -1<<12:
		a.two(armSubImm|flags|uint32(-v)<<10, d, s)
	default:
		a.number(scratch, uint64(int64(v)))
		a.three(armAdd|flags, d, s, scratch)
	}
}

// pointer is a register that holds the address of memory.
func (a *arm64) pointer(m Mem) uint32 {
	base, disp := a.address(m)
	if disp == 0 {
		return base
	}
	a.add(0, scratch, base, disp)
	return scratch
}

// number loads a number into a register.
func (a *arm64) number(r uint32, v uint64) {
	op := uint32(armMovz)
	for half := range uint32(4) {
		part := uint32(v>>(16*half)) & 0xffff
		if part == 0 && (op == armMovk || half < 3) {
			continue
		}
		a.emit32(op | half<<21 | part<<5 | r)
		op = armMovk
	}
}

// subFlags is d = s - v, and sets flags.
func (a *arm64) subFlags(d, s uint32, v int32) {
	if v >= 0 && v < 1<<12 {
		a.two(armSubImm|armFlags|uint32(v)<<10, d, s)
		return
	}
	a.number(scratch, uint64(int64(v)))
	a.three(armSubs, d, s, scratch)
}

// conditions are the condition codes of arm64.
var conditions = map[Cond]uint32{Below: 3, AtLeast: 2, Equal: 0, NotEqual: 1, Negative: 4, Less: 11, NotLess: 10,
	NotAbove: 13, Greater: 12}

// branch adds a jump, whose distance is filled in later.
func (a *arm64) branch(op uint32, l Label) {
	a.fixups = append(a.fixups, fixup{len(a.code), len(a.code), l})
	a.emit32(op)
}

func (a *arm64) Align(n int) {
	for len(a.code)&(n-1) != 0 {
		a.emit32(armNop)
	}
}

func (a *arm64) reach(at []byte, distance int) {
	binary.LittleEndian.PutUint32(at, reaching(binary.LittleEndian.Uint32(at), distance))
}

// reaching is a jump, or the load of a constant, with its distance.
func reaching(w uint32, distance int) uint32 {
	limit, field := 1<<20, uint32(distance>>2)&0x7ffff<<5 // of a jump on a condition, or a literal
	switch {
	case w&0x9f000000 == armAdr:
		field |= uint32(distance) & 3 << 29
	case w&0xfc000000 == armB:
		limit, field = 1<<27, uint32(distance>>2)&0x3ffffff
	case w&0x7e000000 == armTbz:
		limit, field = 1<<15, uint32(distance>>2)&0x3fff<<5
	}
	if distance < -limit || distance >= limit {
		panic(fmt.Sprintf("arm64: a distance of %d bytes is more than %d", distance, limit))
	}
	return w | field
}
