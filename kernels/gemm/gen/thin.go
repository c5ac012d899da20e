package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of thinArgs, by offset.
const (
	argThinPieces  = 0
	argThinCols    = 8
	argThinColStep = 16
	argFactorsAt   = 24
	argFactorsRow  = 32
	argThinSums    = 40
	argThinSumsRow = 48
	argThinBlocks  = 56
	argThinAhead   = 64
	argThinTurns   = 72
)

// thinRows is the most rows of A that a loop multiplies with columns of B which are contiguous.
const thinRows = 4

// thinVectors is the number of vectors of columns that it goes through at a time, so that sums wait less for each other.
const thinVectors = 2

// thin is the code of a product of few rows with columns that are contiguous. Columns become vectors, 16 bytes of
// each at a time, and are multiplied as they are transposed:
//
//	for ; blocks > 0; blocks-- {
//		for k := range 16/size*pieces {
//			for c := range columns {
//				for r := range rows {
//					sums[r][c] = fma(B[c][k], factors[r][k], sums[r][c])
//				}
//			}
//		}
//	}
//
// What comes later is fetched meanwhile, a line of each column with every fourth of its pieces, which are what a line holds.
func (t transposer) thin(rows int) []byte {
	a := asm.New(arch)
	const pieces, factors, factorRow, factorThrice, down, back = asm.RAX, asm.RDX, asm.RCX, asm.R15, asm.R9, asm.R12
	const fetched = asm.R14          // how far on from the first of four columns the one is that is fetched
	const sumsRow = thrice           // when columns have been read
	const temp, sums = asm.Vec(4), 8 // those of a transposition are before the sums; its result is not in temp
	n := t.perLane()
	bases := blockBases[:max(t.lanes()*n/rowsEach, 1)]
	sum := func(v, r int) asm.Vec { return asm.Vec(sums + v*rows + r) }
	again := a.Here()
	load(a, []field{{pieces, argThinPieces}, {bases[0], argThinCols}, {srcRow, argThinColStep}, {factors, argFactorsAt}, {factorRow, argFactorsRow}})
	a.Lea(thrice, asm.Indexed(srcRow, srcRow, 2, 0))
	a.Lea(factorThrice, asm.Indexed(factorRow, factorRow, 2, 0))
	for i := range bases[1:] {
		a.Lea(bases[i+1], asm.Indexed(bases[i], srcRow, rowsEach, 0))
	}
	a.Xor(down, down)
	for range t.lanes() * n {
		a.Add(down, srcRow)
	}
	a.MovImm(back, 16)
	a.Sub(back, down)
	a.MovLoad(fetched, asm.At(asm.RDI, argThinAhead))
	a.MovStoreImm(asm.At(asm.RDI, argThinTurns), rowsEach)
	for v := range thinVectors {
		for r := range rows {
			a.R(asm.XORPS, t.width, sum(v, r), sum(v, r), sum(v, r))
		}
	}
	a.Align(32)
	loop := a.Here()
	for v := range thinVectors {
		for _, base := range bases {
			a.Prefetch(asm.Indexed(base, fetched, 1, 0))
		}
		columns := t.columns(a, func(r int) asm.Mem { return rowOn(bases[r/rowsEach], int32(r%rowsEach), srcRow, thrice, 0) })
		for i, column := range columns {
			for r := range rows {
				factor := rowOn(factors, int32(r), factorRow, factorThrice, int32(i)*t.size)
				if t.width == asm.W512 {
					factor.Broadcast = true
					a.M(t.fma, t.width, sum(v, r), column, factor)
					continue
				}
				a.M(t.broadcast, t.width, temp, 0, factor)
				a.R(t.fma, t.width, sum(v, r), column, temp)
			}
		}
		move := down
		if v == thinVectors-1 {
			move = back
		}
		for _, base := range bases {
			a.Add(base, move)
		}
	}
	inTurn := a.NewLabel()
	a.Add(fetched, srcRow)
	a.Dec(asm.At(asm.RDI, argThinTurns))
	a.JumpIf(asm.NotEqual, inTurn)
	a.MovStoreImm(asm.At(asm.RDI, argThinTurns), rowsEach)
	for range rowsEach {
		a.Sub(fetched, srcRow)
	}
	a.Bind(inTurn)
	a.AddImm(factors, 16)
	a.SubImm(pieces, 1)
	a.JumpIf(asm.NotEqual, loop)
	load(a, []field{{dst, argThinSums}, {sumsRow, argThinSumsRow}})
	for r := range rows {
		for v := range thinVectors {
			a.M(asm.MOVUPSSt, t.width, sum(v, r), 0, asm.At(dst, int32(v*t.width.Bytes())))
		}
		if r < rows-1 {
			a.Add(dst, sumsRow)
		}
	}
	a.MovImm(pieces, uint64(thinVectors*t.width.Bytes()))
	a.AddStore(asm.At(asm.RDI, argThinSums), pieces)
	for range thinVectors {
		a.AddStore(asm.At(asm.RDI, argThinCols), down)
	}
	a.Dec(asm.At(asm.RDI, argThinBlocks))
	a.JumpIf(asm.NotEqual, again)
	a.Zeroupper()
	a.Return()
	return finish(a)
}
