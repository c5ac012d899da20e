package main

import (
	"encoding/binary"
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/fourier/internal/butterfly"
)

// registers keeps the values of a program in registers. If there are too few, the value whose next use is farthest is
// spilled.
type registers struct {
	machine
	a       *asm.Asm
	program butterfly.Program
	kind    kind
	half    int32
	at      int     // of the instruction at hand
	uses    [][]int // of each value, the instructions that take it, which are to come
	in      map[butterfly.Value]asm.Vec
	free    []asm.Vec
	spilled map[butterfly.Value]int32
	numbers map[float64]asm.Label
	slots   int32
}

// compute is the code of a program, for a part of the lanes.
func (m machine) compute(a *asm.Asm, p butterfly.Program, k kind, half int32) {
	r := &registers{machine: m, a: a, program: p, kind: k, half: half, uses: make([][]int, len(p)),
		in:      map[butterfly.Value]asm.Vec{},
		spilled: map[butterfly.Value]int32{}, numbers: map[float64]asm.Label{}}
	for at, i := range p {
		for _, v := range i.Args[:i.Op.Operands()] {
			r.uses[v] = append(r.uses[v], at)
		}
	}
	for v := m.vectors - 1; v >= 0; v-- {
		r.free = append(r.free, asm.Vec(v))
	}
	for at, i := range p {
		r.at = at
		r.instruction(butterfly.Value(at), i)
	}
}

// isLazy reports whether a value is loaded at its use.
func isLazy(o butterfly.Op) bool {
	return o == butterfly.Input || o == butterfly.Twiddle || o == butterfly.Const
}

func (r *registers) instruction(v butterfly.Value, i butterfly.Instr) {
	if isLazy(i.Op) {
		return
	}
	args := i.Args[:i.Op.Operands()]
	place := make([]asm.Vec, len(args))
	for k, x := range args {
		place[k] = r.fetch(x, args)
	}
	for k, x := range args { // which are taken
		for len(r.uses[x]) > 0 && r.uses[x][0] <= r.at {
			r.uses[x] = r.uses[x][1:]
		}
		if _, is := r.in[x]; len(r.uses[x]) == 0 && is {
			delete(r.in, x)
			r.free = append(r.free, place[k])
		}
	}
	if i.Op == butterfly.Output {
		r.a.M(asm.MOVUPSSt, r.width, place[0], 0, r.place(r.a, r.kind, i, r.half))
		return
	}
	var dst asm.Vec
	switch i.Op {
	case butterfly.Add, butterfly.Sub, butterfly.Mul:
		dst = r.take(v, args)
		r.a.R(map[butterfly.Op]*asm.Op{butterfly.Add: r.add, butterfly.Sub: r.sub, butterfly.Mul: r.mul}[i.Op], r.width,
			dst, place[0], place[1])
	default:
		op := map[butterfly.Op][3]*asm.Op{butterfly.FMA: r.multiplyAdd, butterfly.FMS: r.subtract,
			butterfly.FNMA: r.neg}[i.Op]
		switch {
		case r.takes(v, place[2]):
			r.a.R(op[2], r.width, place[2], place[0], place[1])
		case r.takes(v, place[0]):
			r.a.R(op[1], r.width, place[0], place[1], place[2])
		case r.takes(v, place[1]):
			r.a.R(op[1], r.width, place[1], place[0], place[2])
		default:
			dst = r.take(v, args)
			r.a.R(asm.MOVAPS, r.width, dst, 0, place[2])
			r.a.R(op[2], r.width, dst, place[0], place[1])
		}
	}
}

// fetch returns a register with a value.
func (r *registers) fetch(v butterfly.Value, keep []butterfly.Value) asm.Vec {
	if at, is := r.in[v]; is {
		return at
	}
	to := r.take(v, keep)
	i := r.program[v]
	slot, isSpilled := r.spilled[v]
	switch {
	case isSpilled:
		r.a.M(asm.MOVUPS, r.width, to, 0, asm.At(asm.RDI, argSpill+slot))
	case i.Op == butterfly.Const:
		r.a.M(r.broadcast, r.width, to, 0, asm.Labelled(r.number(i.Value)))
	case i.Op == butterfly.Twiddle && !r.kind.lanes:
		r.a.M(r.broadcast, r.width, to, 0, r.place(r.a, r.kind, i, r.half))
	default:
		r.a.M(asm.MOVUPS, r.width, to, 0, r.place(r.a, r.kind, i, r.half))
	}
	return to
}

// number is the label of a constant after the code.
func (r *registers) number(v float64) asm.Label {
	if _, known := r.numbers[v]; !known {
		bits := binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
		if r.size == 4 {
			bits = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
		}
		r.numbers[v] = r.a.Data(bits, len(bits))
	}
	return r.numbers[v]
}

// takes gives a value a certain register if that is free, and reports whether it did.
func (r *registers) takes(v butterfly.Value, at asm.Vec) bool {
	for k, f := range r.free {
		if f == at {
			r.free = append(r.free[:k], r.free[k+1:]...)
			r.in[v] = at
			return true
		}
	}
	return false
}

// take gives a value a register that holds none of the values to keep.
func (r *registers) take(v butterfly.Value, keep []butterfly.Value) asm.Vec {
	if len(r.free) == 0 {
		r.spill(keep)
	}
	last := len(r.free) - 1
	at := r.free[last]
	r.free, r.in[v] = r.free[:last], at
	return at
}

// spill frees the register whose value's next use is farthest.
func (r *registers) spill(keep []butterfly.Value) {
	latest, victim := -1, butterfly.Value(-1)
values:
	for v := range butterfly.Value(len(r.program)) {
		if _, is := r.in[v]; !is {
			continue
		}
		for _, k := range keep {
			if k == v {
				continue values
			}
		}
		if use := r.uses[v][0]; use > latest {
			latest, victim = use, v
		}
	}
	at := r.in[victim]
	if _, kept := r.spilled[victim]; !kept && !isLazy(r.program[victim].Op) {
		r.spilled[victim] = r.slots
		r.a.M(asm.MOVUPSSt, r.width, at, 0, asm.At(asm.RDI, argSpill+r.slots))
		if r.slots += int32(r.width.Bytes()); r.slots > spillBytes {
			panic("there is no room for so many values beside registers")
		}
	}
	delete(r.in, victim)
	r.free = append(r.free, at)
}
