package main

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/asm"
)

// bases point at rows. Other rows are at one, two, four and eight steps from each.
var (
	bases    = []asm.Reg{asm.RSI, asm.R11, asm.RBX, asm.R13}
	baseRows = []int{0, 3, 5, 8}
)

// pointBases points bases at rows; the first base already points at the first row. It returns the bases that it uses.
func pointBases(a *asm.Asm, rows int, step asm.Reg) []asm.Reg {
	used := 0
	for r := range rows {
		used = max(used, baseOf(r)+1)
	}
	if used > 1 {
		a.Lea(bases[1], asm.Indexed(bases[0], step, 2, 0))
		a.Add(bases[1], step)
	}
	if used > 2 {
		a.Lea(bases[2], asm.Indexed(bases[1], step, 2, 0))
	}
	if used > 3 {
		a.Lea(bases[3], asm.Indexed(bases[0], step, 8, 0))
	}
	return bases[:used]
}

// baseOf is the first base from which a row can be reached.
func baseOf(r int) int {
	for i, first := range baseRows {
		switch r - first {
		case 0, 1, 2, 4, 8:
			return i
		}
	}
	panic(fmt.Sprintf("no base reaches row %d", r))
}

// rowAt returns the memory of a row.
func rowAt(r int, step asm.Reg) asm.Mem {
	i := baseOf(r)
	if on := r - baseRows[i]; on > 0 {
		return asm.Indexed(bases[i], step, uint8(on), 0)
	}
	return asm.At(bases[i], 0)
}

// rowOn returns the memory that is i steps, at most three, and some bytes after a base.
func rowOn(base asm.Reg, i int32, step, thrice asm.Reg, at int32) asm.Mem {
	switch i {
	case 1:
		return asm.Indexed(base, step, 1, at)
	case 2:
		return asm.Indexed(base, step, 2, at)
	case 3:
		return asm.Indexed(base, thrice, 1, at)
	}
	return asm.At(base, at)
}
