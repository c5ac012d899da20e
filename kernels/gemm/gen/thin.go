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
	argThinStep    = 72
	argThinLine    = 80
	argThinTurn    = 88
	argThinLines   = 96
	argThinTurns   = 104
)

// thinRows is the most rows of A that a loop multiplies by contiguous columns of B.
const thinRows = 4

// thinVectors is the number of vectors of columns that it processes at a time, so that sums wait less for each other.
const thinVectors = 2

// thin is the code of a product of few rows and contiguous columns. 16 bytes of each column at a time become vectors,
// and are multiplied as they are transposed:
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
// If words are pairs of bfloat16, 16 bytes are 8 elements of a column; factors are float32 all the same. With each of
// four pieces of a line, it prefetches a quarter of the columns' lines: a step apart, then in the next
// line, and after the last line in the next columns.
func (t transposer) thin(rows int, isPairs bool) []byte {
	l := thinLoop{Asm: asm.New(arch), transposer: t, rows: rows, isPairs: isPairs,
		bases: blockBases[:max(t.lanes()*t.perLane()/rowsEach, 1)]}
	again := l.Here()
	l.begin()
	l.Align(32)
	loop := l.Here()
	for v := range thinVectors {
		l.multiply(v)
	}
	l.advance()
	l.JumpIf(asm.NotEqual, loop)
	l.store()
	l.Dec(asm.At(asm.RDI, argThinBlocks))
	l.JumpIf(asm.NotEqual, again)
	l.Zeroupper()
	l.Return()
	return finish(l.Asm)
}

// thinLoop writes the code of [transposer.thin].
type thinLoop struct {
	*asm.Asm
	transposer
	rows    int
	isPairs bool      // whether words are pairs of bfloat16
	bases   []asm.Reg // of columns, rowsEach of them apart
}

// The registers of a thinLoop.
const (
	loopPieces, loopFactors, loopFactorRow, loopFactorThrice, loopDown, loopBack = asm.RAX, asm.RDX, asm.RCX, asm.R15,
		asm.R9, asm.R12

	loopFetched   = asm.R14 // what is fetched next
	loopRowOfSums = thrice  // when columns have been read
	loopTemp      = asm.Vec(4)
	loopFirst     = asm.Vec(5) // the first elements of pairs
	loopSums      = 8          // registers of a transposition are before the sums; its result is not in loopTemp
)

// factorBytes is the size of the factors of a word of a column.
func (l *thinLoop) factorBytes() int {
	if l.isPairs {
		return 2 * int(l.size)
	}
	return int(l.size)
}

// sum is the register of the sums of a row of A, for a vector of columns.
func (l *thinLoop) sum(v, r int) asm.Vec { return asm.Vec(loopSums + v*l.rows + r) }

// begin loads the arguments of a block of columns, and clears the sums.
func (l *thinLoop) begin() {
	load(l.Asm, []field{{loopPieces, argThinPieces}, {l.bases[0], argThinCols}, {srcRow, argThinColStep},
		{loopFactors, argFactorsAt}, {loopFactorRow, argFactorsRow}})
	l.Lea(thrice, asm.Indexed(srcRow, srcRow, 2, 0))
	l.Lea(loopFactorThrice, asm.Indexed(loopFactorRow, loopFactorRow, 2, 0))
	for i := range l.bases[1:] {
		l.Lea(l.bases[i+1], asm.Indexed(l.bases[i], srcRow, rowsEach, 0))
	}
	l.Xor(loopDown, loopDown)
	for range l.lanes() * l.perLane() {
		l.Add(loopDown, srcRow)
	}
	l.MovImm(loopBack, 16)
	l.Sub(loopBack, loopDown)
	l.Mov(loopFetched, l.bases[0])
	l.AddLoad(loopFetched, asm.At(asm.RDI, argThinAhead))
	l.restart()
	for v := range thinVectors {
		for r := range l.rows {
			l.R(asm.XORPS, l.width, l.sum(v, r), l.sum(v, r), l.sum(v, r))
		}
	}
}

// multiply adds products of 16 bytes of a vector of columns, and advances to the next vector, or after the last one to
// the next bytes.
func (l *thinLoop) multiply(v int) {
	for range l.bases {
		l.Prefetch(asm.At(loopFetched, 0))
		l.AddLoad(loopFetched, asm.At(asm.RDI, argThinStep))
	}
	columns := l.columns(l.Asm, func(r int) asm.Mem {
		return rowOn(l.bases[r/rowsEach], int32(r%rowsEach), srcRow, thrice, 0)
	})
	for i, column := range columns {
		if !l.isPairs {
			l.multiplyBy(v, i, column)
			continue
		}
		l.R(asm.PSLLD, l.width, 0, loopFirst, column, 16)
		l.R(asm.PSRLD, l.width, 0, column, column, 16)
		l.R(asm.PSLLD, l.width, 0, column, column, 16)
		l.multiplyBy(v, 2*i, loopFirst)
		l.multiplyBy(v, 2*i+1, column)
	}
	move := loopDown
	if v == thinVectors-1 {
		move = loopBack
	}
	for _, base := range l.bases {
		l.Add(base, move)
	}
}

// multiplyBy adds a vector of elements k of columns, times the factors of these elements, to the sums.
func (l *thinLoop) multiplyBy(v, k int, column asm.Vec) {
	for r := range l.rows {
		factor := rowOn(loopFactors, int32(r), loopFactorRow, loopFactorThrice, int32(k)*l.size)
		if l.width == asm.W512 {
			factor.Broadcast = true
			l.M(l.fma, l.width, l.sum(v, r), column, factor)
			continue
		}
		l.M(l.broadcast, l.width, loopTemp, 0, factor)
		l.R(l.fma, l.width, l.sum(v, r), column, loopTemp)
	}
}

// restart begins to count the lines of the next columns that are fetched. It borrows a register.
func (l *thinLoop) restart() {
	l.MovLoad(loopDown, asm.At(asm.RDI, argThinLines))
	l.MovStore(asm.At(asm.RDI, argThinTurns), loopDown)
	l.MovImm(loopDown, 16)
	l.Sub(loopDown, loopBack)
}

// advance goes on to the next line that is fetched, and counts a piece.
func (l *thinLoop) advance() {
	inTurn := l.NewLabel()
	l.AddLoad(loopFetched, asm.At(asm.RDI, argThinLine))
	l.Dec(asm.At(asm.RDI, argThinTurns))
	l.JumpIf(asm.NotEqual, inTurn)
	l.AddLoad(loopFetched, asm.At(asm.RDI, argThinTurn))
	l.restart()
	l.Bind(inTurn)
	l.AddImm(loopFactors, int32(l.perLane()*l.factorBytes()))
	l.SubImm(loopPieces, 1)
}

// store writes the sums, and advances the arguments to the next block of columns.
func (l *thinLoop) store() {
	load(l.Asm, []field{{dst, argThinSums}, {loopRowOfSums, argThinSumsRow}})
	for r := range l.rows {
		for v := range thinVectors {
			l.M(asm.MOVUPSSt, l.width, l.sum(v, r), 0, asm.At(dst, int32(v*l.width.Bytes())))
		}
		if r < l.rows-1 {
			l.Add(dst, loopRowOfSums)
		}
	}
	l.MovImm(loopPieces, uint64(thinVectors*l.width.Bytes()))
	l.AddStore(asm.At(asm.RDI, argThinSums), loopPieces)
	for range thinVectors {
		l.AddStore(asm.At(asm.RDI, argThinCols), loopDown)
	}
}
