package main

import "github.com/broadloom/broadloom/kernels/asm"

// Further fields of sumsArgs, by offset.
const (
	argSums      = 72
	argSumsPlane = 80
	argMasks     = 88
	argBuffer    = 96
)

// mostSums is the number of sums that have registers.
const mostSums = 5

// lineBytes is the size of the elements whose sums are separate.
const lineBytes = 64

// sums is the code of some sums of products, 16 elements at a time:
//
//	for p := range planes {
//		for v := range vectors {
//			for k := range n {
//				sums[p][k] = fma(y[p][v], x[p][offsets[k]:][v] & masks[v], sums[p][k])
//			}
//		}
//	}
//
// and of the sums of their 16 numbers.
func (m machine) sums(n int) *asm.Asm {
	a := asm.New(arch)
	const vectors, x, offsets, y, masks, result = asm.RAX, asm.RSI, asm.R8, asm.RDX, asm.RCX, asm.RBX
	rows := []asm.Reg{asm.R9, asm.R10, asm.R11, asm.R12, asm.R13}[:n]
	firstPlane(a)
	load(a, offsets, argOffsets, result, argSums)
	plane := a.Here()
	load(a, vectors, argVectors, x, argXNow, y, argYNow, masks, argMasks)
	for k, row := range rows {
		a.MovLoad(row, asm.At(offsets, int32(8*k)))
		a.Add(row, x)
	}
	parts := lineBytes / m.width.Bytes()
	sum := func(k, part int) asm.Vec { return asm.Vec(k*parts + part) }
	const factor, mask, element = asm.Vec(10), asm.Vec(11), asm.Vec(12)
	for i := range asm.Vec(n * parts) {
		a.R(asm.XORPS, asm.W128, i, i, i)
	}
	next := a.Here()
	for part := range parts {
		at := int32(part * m.width.Bytes())
		a.M(asm.MOVUPS, m.width, factor, 0, asm.At(y, at))
		a.M(asm.MOVUPS, m.width, mask, 0, asm.At(masks, at))
		for k, row := range rows {
			a.M(asm.ANDPS, m.width, element, mask, asm.At(row, at))
			a.R(asm.FMADDPS[2], m.width, sum(k, part), factor, element)
		}
	}
	for _, r := range append(rows, y, masks) {
		a.AddImm(r, lineBytes)
	}
	a.SubImm(vectors, 1)
	a.JumpIf(asm.NotEqual, next)
	for k := range n {
		if m.width == asm.W512 {
			at := int32(argBuffer + k*lineBytes)
			a.M(asm.MOVUPSSt, m.width, sum(k, 0), 0, asm.At(asm.RDI, at))
			a.M(asm.MOVUPS, asm.W256, sum(k, 0), 0, asm.At(asm.RDI, at))
			a.M(asm.ADDPS, asm.W256, sum(k, 0), sum(k, 0), asm.At(asm.RDI, at+32))
		} else {
			a.R(asm.ADDPS, asm.W256, sum(k, 0), sum(k, 0), sum(k, 1))
		}
		s := sum(k, 0)
		a.R(asm.EXTRACTF128, asm.W256, s, 0, element, 1)
		a.R(asm.ADDPS, asm.W128, s, s, element)
		a.R(asm.SHUFPS, asm.W128, element, s, s, 0xee)
		a.R(asm.ADDPS, asm.W128, s, s, element)
		a.R(asm.SHUFPS, asm.W128, element, s, s, 0x55)
		a.R(asm.ADDPS, asm.W128, s, s, element)
		a.M(asm.MOVSSSt, asm.W128, s, 0, asm.At(result, int32(4*k)))
	}
	a.AddLoad(result, asm.At(asm.RDI, argSumsPlane))
	nextPlane(a, plane)
	return a
}
