package main

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/fourier/internal/butterfly"
)

// The fields of stepArgs, by offset.
const (
	argX        = 0
	argY        = 8
	argFactors  = 16
	argXStep    = 24
	argYStep    = 32
	argInner    = 40
	argOuter    = 48
	argYSkip    = 56
	argXMirror  = 64
	argYMirror  = 72
	argSpill    = 80
	partBytes   = 64 // of the real parts of an element, and of the imaginary ones
	elementSize = 2 * partBytes
	spillBytes  = 26 * partBytes // of stepArgs.spill
)

// Registers of a step. The upper ones point to element 4, or to the mirrored one.
const (
	x, xUpper = asm.RSI, asm.R8
	y, yUpper = asm.RDX, asm.RBX
	factors   = asm.RCX
	upper     = asm.R13 // factors of the results from 4 on
	xStep, x3 = asm.R9, asm.R10
	yStep, y3 = asm.R11, asm.R12
	inner     = asm.RAX
	skip      = asm.R14
	top       = asm.R15 // element 8, while it is accessed
)

// kind says in what order a step visits elements, and what factors it reads.
type kind struct {
	name     string
	factors  butterfly.Factors
	lanes    bool // factors are elements, else numbers that are the same for a whole element
	mirrored bool // the second operand and result go backwards
}

var kinds = []kind{{"", butterfly.None, false, false}, {"Rest", butterfly.Rest, false, false},
	{"All", butterfly.All, true, false}}

var mirrored = []kind{{"Same", butterfly.All, false, true}, {"Lanes", butterfly.All, true, true}}

// step is the code of
//
//	for range outer {
//		for range inner {
//			compute y[0], y[yStep], … of x[0], x[xStep], … and factors
//			x, y = x[1:], y[1:] // factors go along where they are elements, or steps are mirrored
//		}
//		y = y[ySkip:]
//		factors = the next ones
//	}
//
// where x and y are elements.
func (m machine) step(p butterfly.Program, k kind, radix int) *asm.Asm {
	a := asm.New(arch)
	load(a, x, argX, y, argY, factors, argFactors)
	if k.mirrored {
		load(a, xUpper, argXMirror, yUpper, argYMirror)
	} else {
		load(a, xStep, argXStep, yStep, argYStep, skip, argYSkip)
		a.Lea(x3, asm.Indexed(xStep, xStep, 2, 0))
		a.Lea(y3, asm.Indexed(yStep, yStep, 2, 0))
		if radix > 4 {
			a.Lea(xUpper, asm.Indexed(x, xStep, 4, 0))
			a.Lea(yUpper, asm.Indexed(y, yStep, 4, 0))
			if k.lanes {
				a.Lea(upper, asm.Indexed(factors, yStep, 4, 0))
			}
		}
	}
	outer := a.Here()
	load(a, inner, argInner)
	next := a.Here()
	for half := int32(0); half < partBytes; half += int32(m.width.Bytes()) {
		m.compute(a, p, k, half)
	}
	forward := []asm.Reg{x, y}
	switch {
	case k.mirrored:
		a.SubImm(xUpper, elementSize)
		a.SubImm(yUpper, elementSize)
		if k.lanes {
			a.AddImm(factors, elementSize)
		} else {
			a.AddImm(factors, 2*m.size)
		}
	case radix > 4:
		forward = append(forward, xUpper, yUpper)
	}
	if k.lanes && !k.mirrored {
		forward = append(forward, factors)
		if radix > 4 {
			forward = append(forward, upper)
		}
	}
	for _, r := range forward {
		a.AddImm(r, elementSize)
	}
	a.SubImm(inner, 1)
	a.JumpIf(asm.NotEqual, next)
	if k.factors == butterfly.Rest {
		a.AddImm(factors, int32(2*(radix-1))*m.size)
		a.Add(y, skip)
		if radix > 4 {
			a.Add(yUpper, skip)
		}
		a.Dec(asm.At(asm.RDI, argOuter))
		a.JumpIf(asm.NotEqual, outer)
	}
	return a
}

// place is the address of a part of an operand, a result or a factor of an element.
func (m machine) place(a *asm.Asm, k kind, i butterfly.Instr, half int32) asm.Mem {
	base, fourth, step, step3 := x, xUpper, xStep, x3
	switch i.Op {
	case butterfly.Output:
		base, fourth, step, step3 = y, yUpper, yStep, y3
	case butterfly.Twiddle:
		if !k.lanes {
			return asm.At(factors, int32(2*i.Index+i.Part)*m.size)
		}
		base, fourth, step, step3 = factors, upper, yStep, y3
	}
	at := half + int32(i.Part*partBytes)
	switch {
	case k.mirrored && i.Index == 1:
		return asm.At(fourth, at)
	case i.Index == 12:
		return asm.Indexed(fourth, step, 8, at)
	case i.Index >= 8:
		a.Lea(top, asm.Indexed(base, step, 8, 0))
		base = top
	case i.Index >= 4:
		base = fourth
	}
	switch i.Index % 4 {
	case 1:
		return asm.Indexed(base, step, 1, at)
	case 2:
		return asm.Indexed(base, step, 2, at)
	case 3:
		return asm.Indexed(base, step3, 1, at)
	}
	return asm.At(base, at)
}

// load loads fields of the arguments, to which DI points: registers and offsets in turn.
func load(a *asm.Asm, fields ...any) {
	for i := 0; i < len(fields); i += 2 {
		a.MovLoad(fields[i].(asm.Reg), asm.At(asm.RDI, int32(fields[i+1].(int))))
	}
}
