package engine

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file finds columns of wide matrices that matter for no row of a block: those in which all that
// products read is 0 and all that is reduced changes nothing, because of where they stand, as behind
// the diagonal of a causal mask. It computes the row programs with intervals. Values that are not known
// are taken for finite numbers, and divisors for others than 0.

// fact is what is known of a value: that it lies between two numbers.
type fact struct{ lo, hi float64 }

var anything = fact{math.Inf(-1), math.Inf(1)}

func exactly(x float64) fact { return fact{x, x} }

func (f fact) is(x float64) bool { return f.lo == x && f.hi == x }

// known reports whether both bounds are numbers.
func (f fact) known() bool { return !math.IsInf(f.lo, 0) && !math.IsInf(f.hi, 0) }

// masked is the least number, as masked scores have it.
func (f fact) masked() bool { return f.is(math.Inf(-1)) }

// skipper looks for columns that can be skipped.
type skipper struct {
	b     *Specialization
	t     *chainTask
	loops []*skippedLoop // of each member, nil for a product
	facts []fact         // of each wide matrix
}

// skippedLoop is a row program of a chain, and what is known of its values and operands.
type skippedLoop struct {
	loop     *lower.Loop
	wide     []int
	rows     int // the program's axis of rows
	values   []fact
	operands []fact
}

// skipColumns narrows the columns of the blocks to those that matter.
func (b *Specialization) skipColumns(t *chainTask) {
	s := skipper{b: b, t: t, facts: make([]fact, len(t.Wide))}
	indexed := false
	for _, m := range t.Members {
		var l *skippedLoop
		if k, ok := m.Kernel.(*lower.Fused); ok && slices.ContainsFunc(m.Wide, func(w int) bool { return w >= 0 }) {
			p := k.Parts[0]
			indexed = indexed || asksForPositions(p.Program)
			l = &skippedLoop{loop: p, wide: m.Wide, rows: axesOf(p)[len(t.batch)], values: make([]fact, len(p.Program.Insts)), operands: make([]fact, len(p.Operands))}
		}
		s.loops = append(s.loops, l)
	}
	if !indexed || t.pitch == t.cols {
		return
	}
	for i := range t.blocks {
		s.narrow(&t.blocks[i])
	}
}

// The units in which columns are skipped: the columns of a tile, and lanes of a reduction.
const (
	rightUnit = 32
	leftUnit  = 256
)

// narrow finds the columns that matter for a block.
func (s *skipper) narrow(at *rowBlock) {
	cols := s.t.cols
	right := leastWhere(ceilDiv(cols, rightUnit), func(k int) bool { return s.skips(at.lo, at.hi, min(k*rightUnit, cols), cols) })
	left := 0
	if cols <= rowprog.RowChunk {
		left = leastWhere(cols/leftUnit+1, func(k int) bool { return !s.skips(at.lo, at.hi, 0, (k+1)*leftUnit) })
	}
	if lo, hi := left*leftUnit, min(right*rightUnit, cols); lo < hi {
		at.left, at.right = lo, hi
	}
}

// leastWhere returns the least number from 0 to n for which something holds, as it does for all that
// follow; n if there is none before.
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
	for i := range s.facts {
		s.facts[i] = anything
	}
	for i, m := range s.t.Members {
		if l := s.loops[i]; l != nil {
			if !s.computes(l, [2]fact{{float64(lo), float64(hi - 1)}, {float64(left), float64(right - 1)}}) {
				return false
			}
			continue
		}
		if k, ok := m.Kernel.(*lower.MatMul); ok {
			for j, w := range m.Wide {
				if w >= 0 && !k.Operands()[j].Write && !s.facts[w].is(0) {
					return false
				}
			}
		}
	}
	return true
}

// computes finds what is known of a program's values at some rows and columns. It reports whether
// nothing that it reduces or stores for others depends on them.
func (s *skipper) computes(l *skippedLoop, at [2]fact) bool {
	p := l.loop.Program
	for i := range l.operands {
		l.operands[i] = anything
		if o := l.loop.Operands[i]; o.Base == nil {
			l.operands[i] = exactly(float64(s.b.Eval(o.Size)))
		} else if w := l.wide[i]; w >= 0 {
			l.operands[i] = s.facts[w]
		}
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		arg := func(k int) fact { return l.values[in.Args[k]] }
		f := anything
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
				s.facts[w] = arg(0)
			}
		case rowprog.OpReduce:
			if !isNeutral(in.Reduction, arg(0)) {
				return false
			}
		default:
			f = factOf(in, arg)
		}
		l.values[i] = f
	}
	return true
}

// isNeutral reports whether a reduction is the same without elements of which something is known.
func isNeutral(r rowprog.Reduction, f fact) bool {
	switch r {
	case rowprog.Sum:
		return f.is(0)
	case rowprog.Prod:
		return f.is(1)
	case rowprog.Max, rowprog.MaxNumber:
		return f.masked()
	case rowprog.Min:
		return f.is(math.Inf(1))
	}
	return false
}

// factOf returns what is known of the result of an instruction.
func factOf(in *rowprog.Inst, arg func(int) fact) fact {
	switch in.Op {
	case rowprog.OpConst:
		return exactly(numberOf(in.Type, in.Bits))
	case rowprog.OpConvert:
		return exact(in.Type, arg(0))
	case rowprog.OpSelect:
		switch c := arg(0); {
		case c.is(1):
			return arg(1)
		case c.is(0):
			return arg(2)
		}
		return fact{min(arg(1).lo, arg(2).lo), max(arg(1).hi, arg(2).hi)}
	case rowprog.OpExp, rowprog.OpExpOrZero, rowprog.OpSigmoid:
		if arg(0).masked() {
			return exactly(0)
		}
	case rowprog.OpNot:
		if in.Type == rowprog.Bool {
			return fact{1 - arg(0).hi, 1 - arg(0).lo}
		}
	case rowprog.OpNeg:
		return fact{-arg(0).hi, -arg(0).lo}
	case rowprog.OpMax:
		return fact{max(arg(0).lo, arg(1).lo), max(arg(0).hi, arg(1).hi)}
	case rowprog.OpMin:
		return fact{min(arg(0).lo, arg(1).lo), min(arg(0).hi, arg(1).hi)}
	case rowprog.OpAnd, rowprog.OpOr:
		if in.Type == rowprog.Bool {
			return logical(in.Op, arg(0), arg(1))
		}
	case rowprog.OpAdd, rowprog.OpSub, rowprog.OpMul, rowprog.OpDiv:
		return arithmetic(in, arg(0), arg(1))
	case rowprog.OpLt, rowprog.OpLe, rowprog.OpGt, rowprog.OpGe:
		return comparison(in.Op, arg(0), arg(1))
	}
	if in.Type == rowprog.Bool {
		return fact{0, 1}
	}
	return anything
}
