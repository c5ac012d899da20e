package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of gemvArgs, by offset.
const (
	argVectors   = 0
	argSums      = 8
	argThinB     = 16
	argThinRow   = 24
	argFactors   = 32
	argFactor    = 40
	argGemvRows  = 48
	argGemvAhead = 56
)

// gemvRows is the number of rows of B that are added at a time.
const gemvRows = 8

// adder is the code of loops that add rows of B. Its elements are those of the sums, or 16 bits that are converted.
type adder struct {
	element
	width asm.Width
	from  *conversion // nil for none
}

// bytes is the size of a vector of B in memory.
func (d adder) bytes() int {
	if d.from != nil {
		return d.width.Bytes() / 2
	}
	return d.width.Bytes()
}

// multiply adds a vector of B times a factor to sums; temp is for a vector that is converted.
func (d adder) multiply(a *asm.Asm, sum, factor, temp asm.Vec, b asm.Mem) {
	if d.from == nil {
		a.M(d.fma, d.width, sum, factor, b)
		return
	}
	d.from.load(a, d.width, temp, b)
	a.R(d.fma, d.width, sum, factor, temp)
}

// addRows is the code that adds rows of B, each times a factor, to a row of sums:
//
//	for v := range vectors {
//		for r := range rows {
//			sums[v] = fma(factors[r], b[r][v], sums[v])
//		}
//	}
func (d adder) addRows(rows int) []byte {
	a := asm.New(arch)
	const vectors, sums, bRow, factor, step = asm.RAX, asm.RDX, asm.R8, asm.R9, asm.R10
	const sum = asm.Vec(0)
	load(a, []field{{vectors, argVectors}, {sums, argSums}, {bases[0], argThinB}, {bRow, argThinRow},
		{factor, argFactors}, {step, argFactor}})
	used := pointBases(a, rows, bRow)
	for r := range rows {
		a.M(d.broadcast, d.width, sum+1+asm.Vec(r), 0, asm.At(factor, 0))
		a.Add(factor, step)
	}
	a.Align(32)
	loop := a.Here()
	a.M(asm.MOVUPS, d.width, sum, 0, asm.At(sums, 0))
	for r := range rows {
		d.multiply(a, sum, sum+1+asm.Vec(r), sum+1+gemvRows, rowAt(r, bRow))
	}
	a.M(asm.MOVUPSSt, d.width, sum, 0, asm.At(sums, 0))
	a.AddImm(sums, int32(d.width.Bytes()))
	for _, base := range used {
		a.AddImm(base, int32(d.bytes()))
	}
	a.SubImm(vectors, 1)
	a.JumpIf(asm.NotEqual, loop)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// gemvVectors is the most vectors of a row whose sums stay in registers.
const gemvVectors = 8

// sumRows is the code that adds rows of B of a few vectors, which it reads in memory order, each times a factor, to a
// row of sums:
//
//	for r := range rows {
//		for v := range vectors {
//			sums[v] = fma(factors[r], b[r][v], sums[v])
//		}
//	}
//
// Meanwhile it prefetches rows further on.
func (d adder) sumRows(vectors int) []byte {
	a := asm.New(arch)
	const rows, sums, b, bRow, factors, step, fetched = asm.RAX, asm.RDX, asm.RSI, asm.R8, asm.R9, asm.R10, asm.R11
	const factor = asm.Vec(gemvVectors)
	load(a, []field{{rows, argGemvRows}, {sums, argSums}, {b, argThinB}, {bRow, argThinRow}, {factors, argFactors},
		{step, argFactor}, {fetched, argGemvAhead}})
	a.Add(fetched, b)
	for v := range vectors {
		a.M(asm.MOVUPS, d.width, asm.Vec(v), 0, asm.At(sums, int32(v*d.width.Bytes())))
	}
	a.Align(32)
	loop := a.Here()
	a.M(d.broadcast, d.width, factor, 0, asm.At(factors, 0))
	for v := range vectors {
		at := int32(v * d.bytes())
		if at%64 == 0 { // once a line
			a.Prefetch(asm.At(fetched, at))
		}
		d.multiply(a, asm.Vec(v), factor, factor+1, asm.At(b, at))
	}
	a.Add(factors, step)
	a.Add(b, bRow)
	a.Add(fetched, bRow)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, loop)
	for v := range vectors {
		a.M(asm.MOVUPSSt, d.width, asm.Vec(v), 0, asm.At(sums, int32(v*d.width.Bytes())))
	}
	a.Zeroupper()
	a.Return()
	return finish(a)
}
