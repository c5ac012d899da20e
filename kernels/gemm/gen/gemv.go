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

// addRows is the code that adds rows of B, each times a factor, to a row of sums:
//
//	for v := range vectors {
//		for r := range rows {
//			sums[v] = fma(factors[r], b[r][v], sums[v])
//		}
//	}
func (e element) addRows(width asm.Width, rows int) []byte {
	a := asm.New(arch)
	const vectors, sums, bRow, factor, step = asm.RAX, asm.RDX, asm.R8, asm.R9, asm.R10
	const sum = asm.Vec(0)
	load(a, []field{{vectors, argVectors}, {sums, argSums}, {bases[0], argThinB}, {bRow, argThinRow},
		{factor, argFactors}, {step, argFactor}})
	used := pointBases(a, rows, bRow)
	for r := range rows {
		a.M(e.broadcast, width, sum+1+asm.Vec(r), 0, asm.At(factor, 0))
		a.Add(factor, step)
	}
	a.Align(32)
	loop := a.Here()
	a.M(asm.MOVUPS, width, sum, 0, asm.At(sums, 0))
	for r := range rows {
		a.M(e.fma, width, sum, sum+1+asm.Vec(r), rowAt(r, bRow))
	}
	a.M(asm.MOVUPSSt, width, sum, 0, asm.At(sums, 0))
	a.AddImm(sums, int32(width.Bytes()))
	for _, base := range used {
		a.AddImm(base, int32(width.Bytes()))
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
func (e element) sumRows(width asm.Width, vectors int) []byte {
	a := asm.New(arch)
	const rows, sums, b, bRow, factors, step, fetched = asm.RAX, asm.RDX, asm.RSI, asm.R8, asm.R9, asm.R10, asm.R11
	const factor = asm.Vec(gemvVectors)
	load(a, []field{{rows, argGemvRows}, {sums, argSums}, {b, argThinB}, {bRow, argThinRow}, {factors, argFactors},
		{step, argFactor}, {fetched, argGemvAhead}})
	a.Add(fetched, b)
	at := func(base asm.Reg, v int) asm.Mem { return asm.At(base, int32(v*width.Bytes())) }
	for v := range vectors {
		a.M(asm.MOVUPS, width, asm.Vec(v), 0, at(sums, v))
	}
	a.Align(32)
	loop := a.Here()
	a.M(e.broadcast, width, factor, 0, asm.At(factors, 0))
	for v := range vectors {
		if v*width.Bytes()%64 == 0 { // once a line
			a.Prefetch(at(fetched, v))
		}
		a.M(e.fma, width, asm.Vec(v), factor, at(b, v))
	}
	a.Add(factors, step)
	a.Add(b, bRow)
	a.Add(fetched, bRow)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, loop)
	for v := range vectors {
		a.M(asm.MOVUPSSt, width, asm.Vec(v), 0, at(sums, v))
	}
	a.Zeroupper()
	a.Return()
	return finish(a)
}
