package engine

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/interval"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file finds columns of wide matrices that do not matter for a block's rows, because of their position: what
// products read there is 0, and what is reduced does not change the result. Such are columns behind the diagonal of a
// causal mask. It executes the row programs on intervals.

// skipper finds columns to skip.
type skipper struct {
	b      *Specialization
	t      *chainTask
	loops  []*skippedLoop    // of each member, nil for a product
	bounds []interval.Bounds // of each wide matrix
	mask   *graph.Node       // a mask in memory that is looked at when it is there, or nil
	hidden interval.Bounds   // its elements in the columns
}

// skippedLoop is a row program of a chain, with bounds of its values and operands.
type skippedLoop struct {
	loop     *lower.Loop
	wide     []int
	rows     int // the program's axis of rows
	values   []interval.Bounds
	operands []interval.Bounds
}

// skipColumns narrows the columns of blocks to those that matter.
func (b *Specialization) skipColumns(t *chainTask) {
	s := skipper{b: b, t: t}
	if indexed := s.prepare(); !indexed || t.pitch == t.cols {
		return
	}
	for i := range t.blocks {
		s.narrow(&t.blocks[i])
	}
}

// prepare makes room for bounds. It reports whether a row program computes positions.
func (s *skipper) prepare() (indexed bool) {
	s.bounds = make([]interval.Bounds, len(s.t.Wide))
	for _, m := range s.t.Members {
		var l *skippedLoop
		if k, ok := m.Kernel.(*lower.Fused); ok && slices.ContainsFunc(m.Wide, func(w int) bool { return w >= 0 }) {
			p := k.Parts[0]
			indexed = indexed || asksForPositions(p.Program)
			l = &skippedLoop{loop: p, wide: m.Wide, rows: axesOf(p)[len(s.t.batch)],
				values:   make([]interval.Bounds, len(p.Program.Insts)),
				operands: make([]interval.Bounds, len(p.Operands))}
		}
		s.loops = append(s.loops, l)
	}
	return indexed
}

// Columns are skipped in units: the columns of a tile on the right, and on the left whole steps of a reduction's lanes.
const (
	rightUnit = 32
	leftUnit  = 256
)

// narrow finds the columns that matter for a block.
func (s *skipper) narrow(at *rowBlock) {
	cols := s.t.cols
	right := leastWhere(ceilDiv(cols, rightUnit), func(k int) bool {
		return s.skips(at.lo, at.hi, min(k*rightUnit, cols), cols)
	})
	left := 0
	if cols <= rowprog.RowChunk {
		left = leastWhere(cols/leftUnit+1, func(k int) bool { return !s.skips(at.lo, at.hi, 0, (k+1)*leftUnit) })
	}
	if lo, hi := left*leftUnit, min(right*rightUnit, cols); lo < hi {
		at.left, at.right = lo, hi
	}
}

// leastWhere returns the least number below n for which something holds, or n. It must hold for all numbers after the
// first.
func leastWhere(n int, holds func(int) bool) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// skips reports whether columns from left to right do not matter for rows from lo to hi.
func (s *skipper) skips(lo, hi, left, right int) bool {
	if left >= right {
		return true
	}
	for i := range s.bounds {
		s.bounds[i] = interval.Anything
	}
	for i, m := range s.t.Members {
		if l := s.loops[i]; l != nil {
			if !s.computes(l, [2]interval.Bounds{
				{Lo: float64(lo), Hi: float64(hi - 1)}, {Lo: float64(left), Hi: float64(right - 1)}}) {
				return false
			}
			continue
		}
		if k, ok := m.Kernel.(*lower.MatMul); ok {
			for j, w := range m.Wide {
				if w >= 0 && !k.Operands()[j].Write && !s.bounds[w].Is(0) {
					return false
				}
			}
		}
	}
	return true
}

// computes finds bounds of a program's values at some rows and columns. It reports whether no reduction, and no value
// stored outside of wide matrices, depends on them.
func (s *skipper) computes(l *skippedLoop, at [2]interval.Bounds) bool {
	p := l.loop.Program
	for i := range l.operands {
		l.operands[i] = interval.Anything
		if o := l.loop.Operands[i]; o.Base == nil {
			l.operands[i] = interval.Exactly(float64(s.b.Eval(o.Size)))
		} else if w := l.wide[i]; w >= 0 {
			l.operands[i] = s.bounds[w]
		} else if o.Base == s.mask {
			l.operands[i] = s.hidden
		}
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		arg := func(k int) interval.Bounds { return l.values[in.Args[k]] }
		f := interval.Anything
		switch in.Op {
		case rowprog.OpIota:
			if in.Axis == p.Outer {
				f = at[1]
			} else if in.Axis == l.rows {
				f = at[0]
			}
		case rowprog.OpLoad:
			f = l.operands[in.Operand]
		case rowprog.OpStore:
			w := l.wide[in.Operand]
			if w < 0 && p.Operands[in.Operand].Domain == rowprog.Vec {
				return false
			}
			l.operands[in.Operand] = arg(0)
			if w >= 0 {
				s.bounds[w] = arg(0)
			}
		case rowprog.OpReduce:
			if !arg(0).IsNeutral(in.Reduction) {
				return false
			}
		default:
			f = interval.Of(in, arg)
		}
		l.values[i] = f
	}
	return true
}
