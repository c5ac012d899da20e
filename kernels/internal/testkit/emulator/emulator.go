package emulator

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"testing"
	"unsafe"
)

// Machine is a processor with the code that it runs.
type Machine struct {
	t     testing.TB
	code  []byte
	insts []*emulated // by offset
	g     [16]uint64
	z     [32][64]byte
	k     [8]uint64
	lanes [64]byte // of the last operand that is one element for all lanes
	zero  bool     // flags of the last arithmetic
	less  bool
	below bool
	sign  bool

	// Callees are machines whose code can be called, by address.
	Callees map[uintptr]*Machine
}

// emulated is an instruction.
type emulated struct {
	name string
	ops  []argument
	next int
	fma  *fma // nil of other instructions
}

// argument is an operand of an instruction.
type argument struct {
	kind        byte // g: general register, v: vector, k: mask register, m: memory, i: number
	n           int  // the register's number
	size        int  // bytes of a register
	value       uint64
	base, index int // -1 for none; base -2 is the code's beginning
	scale       uint64
	mask        int
	zeroing     bool
	repeated    bool // one element of memory stands for all lanes
}

// address is the address of a memory operand.
func (e *Machine) address(a argument) unsafe.Pointer {
	v := a.value
	switch {
	case a.base == -2:
		v += uint64(uintptr(unsafe.Pointer(&e.code[0])))
	case a.base >= 0:
		v += e.g[a.base]
	}
	if a.index >= 0 {
		v += e.g[a.index] * a.scale
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&v))
}

// read returns the bytes of an operand that is a vector or memory.
func (e *Machine) read(a argument, size int) []byte {
	if a.kind == 'v' {
		return e.z[a.n][:size]
	}
	if a.repeated {
		element := unsafe.Slice((*byte)(e.address(a)), a.size)
		for i := 0; i < size; i += a.size {
			copy(e.lanes[i:], element)
		}
		return e.lanes[:size]
	}
	return unsafe.Slice((*byte)(e.address(a)), size)
}

// write sets the active lanes of a destination.
func (e *Machine) write(a argument, data []byte, lane int) {
	if a.mask == 0 {
		if a.kind == 'm' {
			copy(unsafe.Slice((*byte)(e.address(a)), len(data)), data)
			return
		}
		z := &e.z[a.n]
		clear(z[copy(z[:], data):])
		return
	}
	if a.kind == 'm' {
		for i := 0; i < len(data); i += lane {
			if e.k[a.mask]>>(i/lane)&1 != 0 {
				copy(unsafe.Slice((*byte)(unsafe.Add(e.address(a), i)), lane), data[i:i+lane])
			}
		}
		return
	}
	z := &e.z[a.n]
	for i := range z {
		switch {
		case i >= len(data):
			z[i] = 0
		case e.k[a.mask]>>(i/lane)&1 != 0:
			z[i] = data[i]
		case a.zeroing:
			z[i] = 0
		}
	}
}

func (e *Machine) get(a argument) uint64 {
	switch a.kind {
	case 'g':
		return e.g[a.n] & (1<<(8*a.size) - 1)
	case 'm':
		var b [8]byte
		copy(b[:], unsafe.Slice((*byte)(e.address(a)), a.size))
		return binary.LittleEndian.Uint64(b[:])
	case 'k':
		return e.k[a.n]
	}
	return a.value
}

func (e *Machine) set(a argument, v uint64) {
	switch {
	case a.kind == 'k':
		e.k[a.n] = v
	case a.kind == 'm':
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(unsafe.Slice((*byte)(e.address(a)), a.size), b[:a.size])
	case a.size == 1:
		e.g[a.n] = e.g[a.n]&^0xff | v&0xff
	case a.size == 4:
		e.g[a.n] = uint64(uint32(v))
	default:
		e.g[a.n] = v
	}
}

// flags records the result x - y.
func (e *Machine) flags(x, y uint64) {
	e.zero, e.less, e.below, e.sign = x == y, int64(x) < int64(y), x < y, int64(x-y) < 0
}

// Call runs the code until it returns.
func (e *Machine) Call(offset int, args unsafe.Pointer) {
	e.g[7] = uint64(uintptr(args))
	e.run(offset)
}

// call has another machine continue with the registers.
func (e *Machine) call(address uint64) {
	callee := e.Callees[uintptr(address)]
	if callee == nil {
		e.t.Fatalf("a call of %#x", address)
	}
	callee.g, callee.z, callee.k = e.g, e.z, e.k
	callee.run(0)
	e.g, e.z, e.k = callee.g, callee.z, callee.k
}

// run runs the code from an offset on until it returns.
func (e *Machine) run(offset int) {
	for at := offset; at >= 0; {
		in := e.insts[at]
		if in == nil {
			e.t.Fatalf("no instruction at %#x", at)
		}
		at = e.step(in)
	}
}

// step runs an instruction and returns the offset of the next, or -1 at the end.
func (e *Machine) step(in *emulated) int {
	if in.fma != nil {
		e.fused(in)
		return in.next
	}
	if strings.HasPrefix(in.name, "prefetch") {
		return in.next // its address may be anywhere
	}
	o := in.ops
	var x, y uint64
	if len(o) > 0 && o[0].kind != 'v' && in.name[0] != 'v' {
		x = e.get(o[0])
	}
	if len(o) > 1 && o[1].kind != 'v' && in.name[0] != 'v' && in.name != "lea" {
		y = e.get(o[len(o)-1])
	}
	jump := false
	switch in.name {
	case "ret":
		return -1
	case "call":
		e.call(x)
	case "nop", "sfence", "vzeroupper":
	case "jmp":
		jump = true
	case "je":
		jump = e.zero
	case "jne":
		jump = !e.zero
	case "jl":
		jump = e.less
	case "jb":
		jump = e.below
	case "jge":
		jump = !e.less
	case "mov", "movabs":
		e.set(o[0], y)
	case "kmovw":
		e.set(o[0], y&0xffff)
	case "lea":
		e.set(o[0], uint64(uintptr(e.address(o[1]))))
	case "add":
		e.set(o[0], x+y)
		e.flags(x+y, 0)
	case "sub":
		e.set(o[0], x-y)
		e.flags(x, y)
	case "imul":
		e.set(o[0], x*y)
	case "cmp":
		e.flags(x, y)
	case "dec":
		e.set(o[0], x-1)
		e.flags(x, 1)
	case "and":
		e.set(o[0], x&y)
		e.flags(x&y, 0)
	case "xor":
		e.set(o[0], x^y)
		e.flags(x^y, 0)
	case "test":
		e.flags(x&y, 0)
	case "not":
		e.set(o[0], ^x)
	case "shl":
		e.set(o[0], x<<y)
	case "shr":
		e.set(o[0], x>>y)
	case "tzcnt":
		e.set(o[0], uint64(bits.TrailingZeros64(y)))
	default:
		e.vector(in)
	}
	if jump {
		return int(o[0].value)
	}
	return in.next
}
