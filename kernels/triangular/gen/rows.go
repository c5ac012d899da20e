package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of rowsArgs, by offset.
const (
	argA       = 0
	argARow    = 8
	argRowsX   = 16
	argY       = 24
	argFactors = 32
	argSums    = 40
	argStrips  = 48
)

// together is how many rows a loop goes along.
const together = 4

// rowsLoop is the code of
//
//	for c := range side * strips {
//		for r := range together {
//			sums[r][c%side] = fma(a[r][c], x[c], sums[r][c%side]) // for dots
//			y[c] = fma(a[r][c], factors[r], y[c])           // for adds
//		}
//	}
func (m machine) rowsLoop(dots, adds bool) *asm.Asm {
	const a0, aRow, aRow3, x, y, factors, sums, strips = asm.RSI, asm.R9, asm.R10, asm.RDX, asm.RCX, asm.R8, asm.R12,
		asm.RAX
	a := asm.New(arch)
	vectors := stripBytes / m.width.Bytes()
	sum := func(row, v int) asm.Vec { return asm.Vec(row*vectors + v) }
	factor := func(row int) asm.Vec { return asm.Vec(together*vectors + row) }
	ofX := asm.Vec(together * (vectors + 1))
	ofY := ofX + 1
	for _, f := range []struct {
		r  asm.Reg
		at int32
	}{{a0, argA}, {aRow, argARow}, {x, argRowsX}, {y, argY}, {factors, argFactors}, {sums, argSums},
		{strips, argStrips}} {
		a.MovLoad(f.r, asm.At(asm.RDI, f.at))
	}
	a.Lea(aRow3, asm.Indexed(aRow, aRow, 2, 0))
	eachSum := func(op *asm.Op) {
		for r := range together {
			for v := range vectors {
				if dots {
					a.M(op, m.width, sum(r, v), 0, asm.At(sums, int32(r*stripBytes+v*m.width.Bytes())))
				}
			}
		}
	}
	eachSum(asm.MOVUPS)
	for r := range together {
		if adds {
			a.M(m.numbers.broadcast, m.width, factor(r), 0, asm.At(factors, m.numbers.bytes*int32(r)))
		}
	}
	next, done := a.NewLabel(), a.NewLabel()
	a.Bind(next)
	a.SubImm(strips, 1)
	a.JumpIf(asm.Less, done)
	for v := range vectors {
		bytes := int32(v * m.width.Bytes())
		if dots {
			a.M(asm.MOVUPS, m.width, ofX, 0, asm.At(x, bytes))
		}
		if adds {
			a.M(asm.MOVUPS, m.width, ofY, 0, asm.At(y, bytes))
		}
		for r := range together {
			element := at(a0, 0, aRow, aRow3, r, bytes)
			if dots {
				a.M(m.numbers.multiplyAdd, m.width, sum(r, v), ofX, element)
			}
			if adds {
				a.M(m.numbers.multiplyAdd, m.width, ofY, factor(r), element)
			}
		}
		if adds {
			a.M(asm.MOVUPSSt, m.width, ofY, 0, asm.At(y, bytes))
		}
	}
	for _, r := range []asm.Reg{a0, x, y} {
		a.AddImm(r, stripBytes)
	}
	a.Jump(next)
	a.Bind(done)
	eachSum(asm.MOVUPSSt)
	a.Zeroupper()
	a.Return()
	return a
}
