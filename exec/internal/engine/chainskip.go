package engine

import (
	"math"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/interval"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file finds columns of wide matrices that do not matter for a block's rows, because of their position: what
// products read there is 0, and what is reduced does not change the result. Such are columns behind the diagonal of a
// causal mask. It executes the row programs on intervals. If positions are compared with integers in memory, such as
// the number of keys in a cache, it does so again in runs in which these have changed. If there is a mask in memory,
// each run looks at it: see masked.go.

// skipper finds columns to skip.
type skipper struct {
	b      *Specialization
	t      *chainTask
	loops  []*skippedLoop    // of each member, nil for a product
	bounds []interval.Bounds // of each wide matrix
	counts []count
	mask   *maskedColumns // at which runs look, or nil
}

// count is an operand of integers that are the same in all columns, with their bounds in each block in the last run.
type count struct {
	loop    *skippedLoop
	operand int
	batch   []int // offsets of matrices, in elements
	rowStep int
	bounds  []interval.Bounds
}

// skippedLoop is a row program of a chain, with bounds of its values and operands.
type skippedLoop struct {
	loop     *lower.Loop
	wide     []int
	rows     int // the program's axis of rows
	values   []interval.Bounds
	operands []interval.Bounds
	known    []interval.Bounds // what is known of operands in memory
	task     *LoopTask         // nil until it is bound
}

// skipColumns narrows the columns of blocks to those that matter.
func (b *Specialization) skipColumns(p *Code, t *chainTask) {
	if t.pitch == t.cols {
		return
	}
	s := &skipper{b: b, t: t}
	if s.prepare() {
		s.narrowAll()
		s.findCounts(p)
	} else {
		s.findMask(p)
	}
	if s.mask != nil || len(s.counts) > 0 {
		t.skipper = s
	}
}

// findCounts finds integers that are in memory before the chain runs.
func (s *skipper) findCounts(p *Code) {
	rank := len(s.t.batch)
	for _, l := range s.loops {
		if l == nil || len(l.loop.Space) != rank+2 {
			continue
		}
		for i, o := range l.loop.Operands {
			t := l.loop.Program.Operands[i].Type
			if o.Base == nil || o.Write || t != rowprog.I64 && t != rowprog.I32 || s.b.hasNothing(o) ||
				!s.isThere(p, o.Base) {
				continue
			}
			if strides := s.b.strides(o); strides[rank+1] == 0 {
				none := interval.Bounds{Lo: math.NaN(), Hi: math.NaN()}
				s.counts = append(s.counts, count{l, i, s.batchOffsets(o), strides[rank],
					slices.Repeat([]interval.Bounds{none}, len(s.t.blocks))})
			}
		}
	}
}

// batchOffsets are the offsets of an operand's distinct matrices, in elements.
func (s *skipper) batchOffsets(o fusion.Operand) []int {
	rank := len(s.t.batch)
	sizes, strides := s.b.Shape(o.Layout.Shape)[:rank], s.b.strides(o)[:rank]
	for axis, step := range strides {
		if step == 0 {
			sizes[axis] = 1
		}
	}
	return offsets(sizes, strides)
}

// isThere reports whether a value is in memory before the chain runs.
func (s *skipper) isThere(p *Code, n *graph.Node) bool {
	buffer := p.BufferOf[n]
	return buffer.Kind == lower.InInput || buffer.Kind == lower.InParam || buffer.First < s.t.First
}

// follow narrows the columns anew if integers have changed since the last run, or if there is a mask.
func (s *skipper) follow() {
	if s == nil {
		return
	}
	if s.mask != nil {
		for i := range s.t.blocks {
			at := &s.t.blocks[i]
			s.set(at, s.mask.find(at.lo, at.hi))
		}
		return
	}
	for block := range s.t.blocks {
		at, changed := &s.t.blocks[block], false
		for i := range s.counts {
			c := &s.counts[i]
			bounds := c.read(at.lo, at.hi)
			c.loop.known[c.operand] = bounds
			changed = changed || bounds != c.bounds[block]
			c.bounds[block] = bounds
		}
		if changed {
			s.narrow(at)
		}
	}
}

// largestExact is the number from which on float64 does not hold all integers.
const largestExact = 1 << 53

// read returns the bounds of the integers of some rows.
func (c *count) read(lo, hi int) interval.Bounds {
	if c.rowStep == 0 {
		lo, hi = 0, 1
	}
	at, bounds := c.loop.task.Args.Ptr[c.operand], interval.Bounds{Lo: math.Inf(1), Hi: math.Inf(-1)}
	for _, first := range c.batch {
		for row := lo; row < hi; row++ {
			value, i := 0.0, first+row*c.rowStep
			if c.loop.loop.Program.Operands[c.operand].Type == rowprog.I64 {
				value = float64(*(*int64)(unsafe.Add(at, 8*i)))
			} else {
				value = float64(*(*int32)(unsafe.Add(at, 4*i)))
			}
			bounds.Lo, bounds.Hi = min(bounds.Lo, value), max(bounds.Hi, value)
		}
	}
	if max(-bounds.Lo, bounds.Hi) >= largestExact {
		return interval.Anything
	}
	return bounds
}

// narrowAll finds the columns that matter for each block.
func (s *skipper) narrowAll() {
	for i := range s.t.blocks {
		s.narrow(&s.t.blocks[i])
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
				operands: make([]interval.Bounds, len(p.Operands)),
				known:    slices.Repeat([]interval.Bounds{interval.Anything}, len(p.Operands))}
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
	left := leastWhere(cols/leftUnit+1, func(k int) bool { return !s.skips(at.lo, at.hi, 0, (k+1)*leftUnit) })
	s.set(at, [2]int{left * leftUnit, right * rightUnit})
}

// set lets a block compute some columns, in whole units, or all if there are none.
func (s *skipper) set(at *rowBlock, columns [2]int) {
	at.left, at.right = 0, min(ceilDiv(columns[1], rightUnit)*rightUnit, s.t.cols)
	if s.t.cols <= rowprog.RowChunk {
		at.left = columns[0] / leftUnit * leftUnit
	}
	if at.left >= at.right {
		at.left, at.right = 0, s.t.cols
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
		l.operands[i] = l.known[i]
		if o := l.loop.Operands[i]; o.Base == nil {
			l.operands[i] = interval.Exactly(float64(s.b.Eval(o.Size)))
		} else if w := l.wide[i]; w >= 0 {
			l.operands[i] = s.bounds[w]
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
