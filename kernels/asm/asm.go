package asm

import (
	"encoding/binary"
	"runtime"
)

// Reg is a general register.
type Reg uint8

// The general registers. RSP and RBP belong to Go and must not be changed by kernels.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	NoReg // where a memory operand has no base or no index
)

// Label is a place in the code or among the constants.
type Label int32

// NoLabel is the label of a memory operand that has a base register.
const NoLabel Label = -1

// Mem is a memory operand: base + index*scale + displacement, or a label.
type Mem struct {
	Base, Index Reg
	Scale       uint8 // 1, 2, 4 or 8
	Broadcast   bool  // one element for all lanes, with EVEX only
	Disp        int32
	Label       Label
}

// At is the memory at a base register with a displacement.
func At(base Reg, disp int32) Mem {
	return Mem{Base: base, Index: NoReg, Scale: 1, Disp: disp, Label: NoLabel}
}

// Indexed is the memory at base + index*scale + disp.
func Indexed(base, index Reg, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp, Label: NoLabel}
}

// Labelled is the memory at a label.
func Labelled(l Label) Mem { return Mem{Base: NoReg, Index: NoReg, Scale: 1, Label: l} }

// fixup is a 32-bit distance to a label, counted from end.
type fixup struct {
	at, end int
	label   Label
}

// Machine is what code is for.
type Machine uint8

// The machines.
const (
	AMD64 Machine = iota
	ARM64         // whose instructions do what those of amd64 would do
)

// Host is the machine that the program runs on: [AMD64] unless it is another one that there is code for.
func Host() Machine {
	if runtime.GOARCH == "arm64" {
		return ARM64
	}
	return AMD64
}

// Asm collects code and the constants that it refers to. The zero value is for [AMD64].
type Asm struct {
	Machine Machine

	sums   sums // of ARM64
	code   []byte
	data   []byte
	labels []place
	fixups []fixup
}

// place is where a label is bound: an offset in the code or in the data.
type place struct {
	offset int
	data   bool
}

// Mark is a state of an Asm to which [Asm.Rewind] returns.
type Mark struct{ code, data, labels, fixups int }

// Mark returns the current state.
func (a *Asm) Mark() Mark { return Mark{len(a.code), len(a.data), len(a.labels), len(a.fixups)} }

// Rewind drops everything that was added since the mark was taken. Labels made before
// the mark must not have been bound since.
func (a *Asm) Rewind(m Mark) {
	a.sums.forget()
	a.code, a.data, a.labels, a.fixups = a.code[:m.code], a.data[:m.data], a.labels[:m.labels], a.fixups[:m.fixups]
}

// Len is the number of bytes of code so far.
func (a *Asm) Len() int { return len(a.code) }

// NewLabel makes a label that is bound later.
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, place{offset: -1})
	return Label(len(a.labels) - 1)
}

// Bind puts a label at the current place in the code.
func (a *Asm) Bind(l Label) {
	a.sums.forget()
	a.labels[l] = place{offset: len(a.code)}
}

// Offset is where a label is bound, in bytes from the beginning of the code.
func (a *Asm) Offset(l Label) int { return a.labels[l].offset }

// Here makes a label at the current place in the code.
func (a *Asm) Here() Label {
	l := a.NewLabel()
	a.Bind(l)
	return l
}

// Data adds a constant at a multiple of align bytes and gives its label.
func (a *Asm) Data(b []byte, align int) Label {
	for len(a.data)%align != 0 {
		a.data = append(a.data, 0)
	}
	a.labels = append(a.labels, place{len(a.data), true})
	a.data = append(a.data, b...)
	return Label(len(a.labels) - 1)
}

// nops holds the recommended instructions without effect, by length.
var nops = [...][]byte{{}, {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0}, {0x0f, 0x1f, 0x40, 0}, {0x0f, 0x1f, 0x44, 0, 0},
	{0x66, 0x0f, 0x1f, 0x44, 0, 0}, {0x0f, 0x1f, 0x80, 0, 0, 0, 0}, {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}}

// Align fills up the code to a multiple of n bytes.
func (a *Asm) Align(n int) {
	for pad := -len(a.code) & (n - 1); pad > 0; {
		if a.Machine == ARM64 {
			a.word(armNop)
			pad -= 4
			continue
		}
		k := min(pad, len(nops)-1)
		a.emit(nops[k]...)
		pad -= k
	}
}

// DataAlign is the alignment of the constants behind the code, in bytes.
const DataAlign = 64

// Finish returns the code followed by its constants, with all distances filled in. It
// must lie at a multiple of [DataAlign]. The first result is the length of the code
// alone. The bytes are valid until the next Reset.
func (a *Asm) Finish() (code int, all []byte) {
	code = len(a.code)
	a.Align(DataAlign)
	base := len(a.code)
	a.code = append(a.code, a.data...)
	for _, f := range a.fixups {
		p := a.labels[f.label]
		if p.offset < 0 {
			panic("amd64: a label is not bound")
		}
		if p.data {
			p.offset += base
		}
		at := a.code[f.at:]
		if a.Machine == ARM64 {
			binary.LittleEndian.PutUint32(at, reach(binary.LittleEndian.Uint32(at), p.offset-f.end))
			continue
		}
		binary.LittleEndian.PutUint32(at, uint32(int32(p.offset-f.end)))
	}
	return code, a.code
}

func (a *Asm) emit(b ...byte)   { a.code = append(a.code, b...) }
func (a *Asm) emit32(v uint32)  { a.code = binary.LittleEndian.AppendUint32(a.code, v) }
func (a *Asm) distance(l Label) { a.distanceBefore(l, 0) }
func low(r Reg) byte            { return byte(r) & 7 }
func bit(r uint8, n uint8) byte { return r >> n & 1 }
func (m *Mem) index() uint8     { return number(m.Index) }
func (m *Mem) base() uint8      { return number(m.Base) }

// number is a register's number, 0 where there is none.
func number(r Reg) uint8 {
	if r == NoReg {
		return 0
	}
	return uint8(r)
}

// distanceBefore adds a distance to a label, counted from after bytes later.
func (a *Asm) distanceBefore(l Label, after int) {
	at := len(a.code)
	a.fixups = append(a.fixups, fixup{at, at + 4 + after, l})
	a.emit32(0)
}

// modMem adds the bytes that describe a memory operand. unit is what an 8-bit
// displacement counts; after is the number of bytes that follow in the instruction.
func (a *Asm) modMem(reg uint8, m *Mem, unit int32, after int) {
	r := reg & 7 << 3
	if m.Label != NoLabel {
		a.emit(r | 5)
		a.distanceBefore(m.Label, after)
		return
	}
	mode, small := byte(0x80), false
	switch {
	case m.Disp == 0 && low(m.Base) != low(RBP):
		mode = 0
	case m.Disp%unit == 0 && m.Disp/unit == int32(int8(m.Disp/unit)):
		mode, small = 0x40, true
	}
	if m.Index != NoReg || low(m.Base) == low(RSP) {
		index := byte(4) // none
		if m.Index != NoReg {
			index = low(m.Index)
		}
		a.emit(mode|r|4, scaleBits(m.Scale)|index<<3|low(m.Base))
	} else {
		a.emit(mode | r | low(m.Base))
	}
	switch {
	case small:
		a.emit(byte(m.Disp / unit))
	case mode != 0:
		a.emit32(uint32(m.Disp))
	}
}

func scaleBits(scale uint8) byte {
	switch scale {
	case 2:
		return 0x40
	case 4:
		return 0x80
	case 8:
		return 0xc0
	}
	return 0
}
