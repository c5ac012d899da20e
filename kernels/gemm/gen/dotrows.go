package main

import "github.com/broadloom/broadloom/kernels/amd64"

// The fields of dotRowsArgs, by offset.
const (
	argRowBlocks = 0
	argRowsA     = 8
	argRowsB     = 16
	argRowsStep  = 24
	argRowsSums  = 32
	argRowsAhead = 40
)

// dotSums is the number of sums that are made side by side: of as many rows, or of
// dotFours blocks of each of some rows.
const (
	dotSums  = 16
	dotFours = 4
)

// dotRows is the code that multiplies contiguous rows with one of them and sums up:
//
//	for i := range blocks * 32 bytes {
//		for r := range dotSums {
//			sums[r] = fma(a[i], b[r][i], sums[r])
//		}
//	}
//
// or, where fours are asked for, that of blocks of rows, for which a holds the elements of
// as many blocks as a vector has, side by side:
//
//	for i := range blocks * 64 bytes {
//		for s := range dotSums {
//			sums[s] = fma(a[i][s], b[s/dotFours][s%dotFours*kBlock+i], sums[s])
//		}
//	}
//
// Square blocks are transposed in registers, so that different sums stand side by side.
func (e element) dotRows(fours bool) []byte {
	a := &amd64.Asm{}
	const blocks, x, low, high, sums = amd64.RAX, amd64.RSI, amd64.RDX, amd64.RCX, amd64.R12
	const step, step3, step5, step7 = amd64.R8, amd64.R9, amd64.R10, amd64.R11
	const lowAhead, highAhead = amd64.R13, amd64.R15
	load(a, []field{{blocks, argRowBlocks}, {x, argRowsA}, {low, argRowsB}, {step, argRowsStep}, {sums, argRowsSums}, {lowAhead, argRowsAhead}})
	a.Lea(step3, amd64.Indexed(step, step, 2, 0))
	a.Lea(step5, amd64.Indexed(step, step, 4, 0))
	a.Lea(step7, amd64.Indexed(step3, step, 4, 0))
	a.Lea(high, amd64.Indexed(low, step, 8, 0))
	a.Lea(highAhead, amd64.Indexed(high, lowAhead, 1, 0))
	a.Add(lowAhead, low)
	row := func(r int, low, high amd64.Reg) amd64.Mem {
		base := low
		if r >= dotSums/2 {
			base = high
		}
		switch r %= dotSums / 2; r {
		case 0:
			return amd64.At(base, 0)
		case 1, 2, 4:
			return amd64.Indexed(base, step, uint8(r), 0)
		case 6:
			return amd64.Indexed(base, step3, 2, 0)
		}
		return amd64.Indexed(base, map[int]amd64.Reg{3: step3, 5: step5, 7: step7}[r], 1, 0)
	}
	if all := row; fours {
		row = func(r int, low, high amd64.Reg) amd64.Mem {
			m := all(r/dotFours, low, high)
			m.Disp = int32(r%dotFours) * kBlock * e.size
			return m
		}
	}
	side := int(32 / e.size)
	groups := dotSums / side
	sum := func(group int) amd64.Vec { return amd64.Vec(15 - group) }
	for g := range groups {
		a.M(amd64.MOVUPS, amd64.W256, sum(g), 0, amd64.At(sums, int32(g*32)))
	}
	a.Align(32)
	loop := a.Here()
	for r := range dotSums {
		a.Prefetch(row(r, lowAhead, highAhead))
	}
	pieces := 1 // of 32 bytes
	if fours {
		pieces = 2 // a line of the cache
	}
	for at := range groups * pieces {
		g, piece := at/pieces, at%pieces
		member := func(r int) amd64.Mem {
			m := row(g*side+r, low, high)
			m.Disp += int32(piece) * 32
			return m
		}
		for i, column := range e.columns(a, member) {
			const transposed, factor = amd64.Vec(8), amd64.Vec(9)
			a.R(amd64.PERM2F128, amd64.W256, transposed, column.low, column.high, column.halves)
			if fours {
				a.M(e.fma, amd64.W256, sum(g), transposed, amd64.At(x, int32(i+piece*side)*32))
				continue
			}
			a.M(e.broadcast, amd64.W256, factor, 0, amd64.At(x, int32(i)*e.size))
			a.R(e.fma, amd64.W256, sum(g), transposed, factor)
		}
	}
	for _, p := range []amd64.Reg{low, high, lowAhead, highAhead} {
		a.AddImm(p, int32(pieces)*32)
	}
	if fours {
		a.AddImm(x, int32(side)*64)
	} else {
		a.AddImm(x, 32)
	}
	a.SubImm(blocks, 1)
	a.JumpIf(amd64.NotEqual, loop)
	for g := range groups {
		a.M(amd64.MOVUPSSt, amd64.W256, sum(g), 0, amd64.At(sums, int32(g*32)))
	}
	a.Zeroupper()
	a.Return()
	return finish(a)
}
