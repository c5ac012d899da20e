package main

import "github.com/broadloom/broadloom/kernels/amd64"

// The fields of thinArgs, by offset.
const (
	argVectors = 0
	argSums    = 8
	argThinB   = 16
	argThinRow = 24
	argFactors = 32
	argFactor  = 40
)

// thinRows is the number of rows of B that are added at a time.
const thinRows = 8

// addRows is the code that adds rows of B, each times a factor, to a row of sums:
//
//	for v := range vectors {
//		for r := range rows {
//			sums[v] = fma(factors[r], b[r][v], sums[v])
//		}
//	}
func (e element) addRows(width amd64.Width, rows int) []byte {
	a := &amd64.Asm{}
	const vectors, sums, bRow, factor, step = amd64.RAX, amd64.RDX, amd64.R8, amd64.R9, amd64.R10
	const sum = amd64.Vec(0)
	load(a, []field{{vectors, argVectors}, {sums, argSums}, {bases[0], argThinB}, {bRow, argThinRow}, {factor, argFactors}, {step, argFactor}})
	used := threeApart(a, rows, bRow)
	for r := range rows {
		a.M(e.broadcast, width, sum+1+amd64.Vec(r), 0, amd64.At(factor, 0))
		a.Add(factor, step)
	}
	a.Align(32)
	loop := a.Here()
	a.M(amd64.MOVUPS, width, sum, 0, amd64.At(sums, 0))
	for r := range rows {
		a.M(e.fma, width, sum, sum+1+amd64.Vec(r), rowAt(r, bRow))
	}
	a.M(amd64.MOVUPSSt, width, sum, 0, amd64.At(sums, 0))
	a.AddImm(sums, int32(width.Bytes()))
	for _, base := range used {
		a.AddImm(base, int32(width.Bytes()))
	}
	a.SubImm(vectors, 1)
	a.JumpIf(amd64.NotEqual, loop)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// The fields of dotArgs, by offset.
const (
	argDotK    = 0
	argDotA    = 8
	argDotB    = 16
	argDotSums = 24
)

// Blocks of products that are summed up side by side, and their length, which is KBlock of
// package gemm.
const (
	dotBlocks = 8
	kBlock    = 256
)

// dot is the code that sums up the products of blocks of contiguous elements, k of each:
//
//	for i := range k {
//		for b := range dotBlocks {
//			sums[b] = fma(a[b*kBlock+i], b[b*kBlock+i], sums[b])
//		}
//	}
//
// from sums of zero.
func (e element) dot() []byte {
	a := &amd64.Asm{}
	const k, x, y, sums = amd64.RAX, amd64.RSI, amd64.RDX, amd64.R8
	load(a, []field{{k, argDotK}, {x, argDotA}, {y, argDotB}, {sums, argDotSums}})
	const factors = amd64.Vec(dotBlocks)
	for b := range amd64.Vec(dotBlocks) {
		a.R(amd64.XORPS, amd64.W256, b, b, b)
	}
	a.Align(32)
	loop := a.Here()
	for b := range amd64.Vec(dotBlocks) {
		at := int32(b) * kBlock * e.size
		a.M(e.broadcast, amd64.W256, factors, 0, amd64.At(x, at))
		a.M(e.broadcast, amd64.W256, factors+1, 0, amd64.At(y, at))
		a.R(e.fma, amd64.W256, b, factors, factors+1)
	}
	a.AddImm(x, e.size)
	a.AddImm(y, e.size)
	a.SubImm(k, 1)
	a.JumpIf(amd64.NotEqual, loop)
	// All lanes of a sum are equal: each store leaves its first one.
	for b := range amd64.Vec(dotBlocks) {
		a.M(amd64.MOVUPSSt, amd64.W256, b, 0, amd64.At(sums, int32(b)*e.size))
	}
	a.Zeroupper()
	a.Return()
	return finish(a)
}
