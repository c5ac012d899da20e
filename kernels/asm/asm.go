package asm

import "runtime"

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

// Machine is the architecture that code is for.
type Machine uint8

// The machines.
const (
	AMD64 Machine = iota
	ARM64         // whose instructions do what those of amd64 would do
)

// Host is the machine that the program runs on, or [AMD64] if there is no code for it.
func Host() Machine {
	if runtime.GOARCH == "arm64" {
		return ARM64
	}
	return AMD64
}

// Asm collects code for a machine, and the constants that it refers to.
type Asm struct {
	*buffer
	Instructions
}

// New returns an empty Asm.
func New(machine Machine) *Asm {
	b := new(buffer)
	if machine == ARM64 {
		return &Asm{b, &arm64{buffer: b}}
	}
	return &Asm{b, amd64{b}}
}

// DataAlign is the alignment of the constants after the code, in bytes.
const DataAlign = 64

// Finish returns the code followed by its constants, with all distances filled in. It must be aligned to [DataAlign].
// The first result is the length of the code without constants.
func (a *Asm) Finish() (code int, all []byte) {
	code = len(a.code)
	a.Align(DataAlign)
	base := len(a.code)
	a.code = append(a.code, a.data...)
	for _, f := range a.fixups {
		p := a.labels[f.label]
		if p.offset < 0 {
			panic("asm: a label is not bound")
		}
		if p.data {
			p.offset += base
		}
		a.reach(a.code[f.at:], p.offset-f.end)
	}
	return code, a.code
}
