package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// ofRows writes the phases of values per row.
func (w *rowBlock) ofRows(list []phase) {
	for _, p := range list {
		if p.rowByRow {
			w.rowByRow(p.values)
		} else {
			w.allRows(p.values)
		}
	}
}

// phase is a group of instructions of a section of the row that run for all rows at once, or row by row.
type phase struct {
	values   []rowprog.Value
	rowByRow bool
}

// isRowByRow reports whether an instruction on values per row runs row by row: rows pick from their own places, are
// added up one after the other, and have numbers.
func isRowByRow(in *rowprog.Inst) bool {
	return in.Op == rowprog.OpPick || in.Op == rowprog.OpAccumulate || in.Op == rowprog.OpIota
}

// phases splits a section of the row. Effects come last, as in the section itself.
func (w *rowBlock) phases(s rowprog.Section) (list []phase) {
	at := map[rowprog.Value]int{} // the phase of a value
	isDone := func(x rowprog.Value) bool {
		_, here := at[x]
		return here || w.p.Insts[x].Section != s || w.p.Insts[x].Op == rowprog.OpReduce
	}
	rest := w.values(s)
	for _, effects := range []bool{false, true} {
		for idle := 0; idle < 2; {
			p := phase{rowByRow: len(list)%2 == 1}
			var later []rowprog.Value
			for _, v := range rest {
				in := &w.p.Insts[v]
				if isRowByRow(in) == p.rowByRow && in.Op.IsEffect() == effects &&
					!slices.ContainsFunc(in.Uses(), func(x rowprog.Value) bool { return !isDone(x) }) {
					p.values = append(p.values, v)
					at[v] = len(list)
				} else {
					later = append(later, v)
				}
			}
			if idle++; len(p.values) > 0 {
				idle = 0
			}
			rest = later
			list = append(list, p)
		}
	}
	return list
}

// keepBetween gives values of a phase that later phases use a place for the rows of a block.
func (w *rowBlock) keepBetween(list []phase) {
	made := map[rowprog.Value]int{}
	for i, p := range list {
		for _, v := range p.values {
			made[v] = i
			for _, x := range w.p.Insts[v].Uses() {
				if from, here := made[x]; here && from < i && w.liveOut[x] == nil {
					w.liveOut[x] = &slot{mem: inBlock(w.layout.room(vectorBytes))}
				}
			}
		}
	}
}

// allRows writes the code for all rows at once.
func (w *rowBlock) allRows(values []rowprog.Value) {
	lanes := w.rows
	if slices.ContainsFunc(values, w.isWide) {
		lanes /= 2
	}
	program := w.p
	w.p = w.across
	b := w.newBlock(lanes)
	b.rows = true
	b.addAll(values)
	w.p = program
	if len(b.insts) == 0 {
		return
	}
	w.a.Xor(index, index)
	w.body(b, w.rows/lanes, true, &pins{}, mode{})
	if b.guard {
		w.a.CmpMemImm(inBlock(offFaulted), 0)
		w.a.JumpIf(asm.NotEqual, w.again)
	}
}

// isWide reports whether an instruction has a result or an argument of 8 bytes.
func (w *rowBlock) isWide(v rowprog.Value) bool {
	in := &w.p.Insts[v]
	return laneSize(in.Type) == 8 || slices.ContainsFunc(in.Uses(), func(x rowprog.Value) bool {
		return laneSize(w.p.Insts[x].Type) == 8
	})
}

// rowByRow writes a loop over rows that runs instructions as outside of blocks.
func (w *rowBlock) rowByRow(values []rowprog.Value) {
	b := w.newBlock(w.target.bytes() / 8)
	b.addAll(values)
	if len(b.insts) == 0 {
		return
	}
	w.eachRow(func() {
		w.spread(b, &plan{})
		w.body(b, 1, false, &pins{}, mode{row: true, ofBlock: w})
		w.a.Dec(inBlock(w.layout.Counter(w.p.Outer - 1)))
	})
	w.bringPointers(w.first)
	w.a.MovLoad(temp, inBlock(w.counted))
	w.a.MovStore(inBlock(w.layout.Counter(w.p.Outer-1)), temp)
}
