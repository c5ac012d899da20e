package engine

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// chainLoop is a row program of a chain.
type chainLoop struct {
	task    *LoopTask
	wide    []int // of each operand: its wide matrix, or -1
	isWide  bool  // whether it has a wide matrix
	args    *launch.Args
	steps   [][]int // strides of each operand over the iteration space
	axisOf  []int   // the program's axis for each of these axes, or -1
	perRow  int     // indices per row along the program's axis of rows
	indexed bool    // whether the program uses positions
	united  bool    // in a chain that combines rows by index: rows may have several axes, and are never split
	adds    bool    // whether it sums rows over the batch
}

// inChain makes a row program a member of a chain.
func (k *LoopTask) inChain(b *Specialization, c *chainTask, member int) chainMember {
	m := &c.Members[member]
	l := &chainLoop{task: k, wide: m.Wide, isWide: slices.ContainsFunc(m.Wide, func(i int) bool { return i >= 0 }),
		args: b.argsOf(k.Loop), axisOf: axesOf(k.Loop), perRow: 1, indexed: asksForPositions(k.Loop.Program),
		adds: m.Adds, united: c.UnitesByIndex()}
	rank := len(c.batch)
	for axis := rank + 1; axis < len(l.axisOf); axis++ {
		if l.axisOf[axis] == l.axisOf[rank] { // batch axes may be merged as well; they do not count
			l.perRow *= b.Eval(k.Loop.Space[axis])
		}
	}
	for i, o := range k.Loop.Operands {
		steps := make([]int, len(k.Loop.Space))
		if o.Base != nil {
			steps = b.strides(o)
		}
		l.steps = append(l.steps, steps)
		if m.Wide[i] >= 0 && !l.united {
			rows := l.axisOf[len(c.batch)]
			clear(l.args.Stride[i])
			l.args.Stride[i][rows] = c.pitch
			l.args.Stride[i][len(l.args.Outer)] = 1
		}
	}
	c.cost += k.cost
	if c.skipper != nil && c.skipper.loops[member] != nil {
		c.skipper.loops[member].task = k
	}
	return l
}

// axesOf returns the program's axis for each axis of the iteration space, or -1.
func axesOf(p *lower.Loop) []int {
	axisOf := slices.Repeat([]int{-1}, len(p.Space))
	for at, axes := range p.Axes {
		for _, axis := range axes {
			axisOf[axis] = at
		}
	}
	return axisOf
}

func asksForPositions(p *rowprog.Program) bool {
	return slices.ContainsFunc(p.Insts, func(in rowprog.Inst) bool { return in.Op == rowprog.OpIota })
}

func (l *chainLoop) newState(*chainTask) any {
	a := l.args.Clone()
	if a.Origin = nil; l.indexed || l.isWide && !l.united {
		a.Origin = make([]int, len(a.Outer)+1)
	}
	return a
}

func (l *chainLoop) begin(*chainTask, *chainThread, any) {}

func (l *chainLoop) run(c *chainTask, th *chainThread, state any, block int) {
	at := c.blocks[block]
	l.runRows(c, th, state.(*launch.Args), at, at.lo)
}

// runRows computes some rows of a block, whose first row is first.
func (l *chainLoop) runRows(c *chainTask, th *chainThread, a *launch.Args, at rowBlock, first int) {
	rank := len(c.batch)
	rows, last := l.axisOf[rank], len(a.Outer)
	left := 0
	if !l.united {
		for axis := range a.Outer {
			a.Outer[axis] = 1
		}
		if l.isWide {
			left = at.left
			a.N = at.right - at.left
		}
	}
	if rows == last { // rows are merged with columns
		a.N = (at.hi - at.lo) * l.perRow
	} else {
		a.Outer[rows] = (at.hi - at.lo) * l.perRow
	}
	for i, o := range l.task.Loop.Program.Operands {
		if l.wide[i] >= 0 {
			a.Ptr[i] = unsafe.Add(c.wideMemory(th, l.wide[i]), ((at.lo-first)*c.pitch+left)*o.Type.Size())
			continue
		}
		offset, index := at.lo*l.steps[i][rank]+left*l.steps[i][rank+1], th.slice
		for axis := rank - 1; axis >= 0; axis-- {
			offset += index % c.batch[axis] * l.steps[i][axis]
			index /= c.batch[axis]
		}
		a.Ptr[i] = unsafe.Add(l.task.Args.Ptr[i], offset*o.Type.Size())
	}
	if a.Origin != nil {
		l.setOrigin(c, a, th.slice, at.lo, left)
	}
	if fault, ok := l.compute(a, th); !ok {
		if l.united {
			fault.Position += at.lo * c.cols
		} else if rows == last {
			fault.Position += (th.slice*c.rows + at.lo) * l.perRow
		} else { // whole rows
			fault.Position = (th.slice*c.rows+at.lo+fault.Position/a.N)*l.args.N + left + fault.Position%a.N
		}
		l.task.faults.note(fault)
	}
}

// setOrigin sets the position at which a block begins.
func (l *chainLoop) setOrigin(c *chainTask, a *launch.Args, slice, row, left int) {
	rank := len(c.batch)
	clear(a.Origin)
	for axis := rank - 1; axis >= 0; axis-- {
		if at := l.axisOf[axis]; at >= 0 && l.indexed {
			a.Origin[at] = slice % c.batch[axis]
		}
		slice /= c.batch[axis]
	}
	if at := l.axisOf[rank]; at < len(a.Outer) {
		a.Origin[at] = row
	}
	a.Origin[len(a.Outer)] = left
}

// fitChain reports whether the layouts of operands allow the loops of a chain to run on blocks. If a program merges
// rows with columns, the rows of wide matrices must be contiguous, too.
func (b *Specialization) fitChain(t *chainTask) bool {
	rank := len(t.batch)
	for _, m := range t.Members {
		k, ok := m.Kernel.(*lower.Fused)
		if !ok {
			continue
		}
		p := k.Parts[0]
		axisOf := axesOf(p)
		isWide := slices.ContainsFunc(m.Wide, func(i int) bool { return i >= 0 })
		if axisOf[rank] < 0 || isWide && axisOf[rank+1] < 0 {
			return false
		}
		if axisOf[rank] == axisOf[rank+1] && isWide {
			t.pitch = t.cols
		}
		for i, o := range p.Operands {
			if isWide && p.Program.Operands[i].Domain == rowprog.Vec && o.Base != nil && t.cols > 1 &&
				b.Eval(o.Layout.Strides[rank+1]) != 1 {
				return false
			}
		}
	}
	return true
}
