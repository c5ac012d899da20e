package launch

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// shortRow is the length below which a row is too short to be processed by itself.
const shortRow = 16

// Coalesce rewrites arguments so that a call has fewer and longer rows, with the same results. It drops axes of size 1
// and merges adjacent axes if the strides of all operands allow it; the row takes part if the program is elementwise.
// If the row is then still short, a much longer outer axis may take its place. Operands keep their order and their
// pointers, so that a caller can patch the pointers of the result. Freed axes have size 1 and come first.
func Coalesce(p *rowprog.Program, a *Args) *Args { return coalesce(p, a, true) }

// Merge is Coalesce for a back end that processes short rows in its own way: the row stays the last axis.
func Merge(p *rowprog.Program, a *Args) *Args { return coalesce(p, a, false) }

// Turn is Merge for a back end that transposes operands in blocks of rows and columns. It makes the last outer axis the
// one along which the most operands are contiguous whose row elements are apart. It returns nil if no such axis has the
// requested number of rows, or the row that of columns, or if the program depends on the order of its axes.
func Turn(p *rowprog.Program, a *Args, rows, columns int) *Args {
	if !p.Elementwise() || guards(p) || !outerAxesAreFree(p) {
		return nil
	}
	a = Merge(p, a)
	inner, best, most := len(a.Outer), -1, 0
	for axis, n := range a.Outer {
		count := 0
		for i, st := range a.Stride {
			if p.Operands[i].Domain == rowprog.Vec && st[inner] > 1 && st[axis] == 1 {
				count++
			}
		}
		if n >= rows && a.N >= columns && count >= max(most, 1) {
			best, most = axis, count
		}
	}
	if best < 0 {
		return nil
	}
	move := func(list []int) { copy(list[best:inner], append(slices.Clone(list[best+1:inner]), list[best])) }
	move(a.Outer)
	for _, st := range a.Stride {
		move(st)
	}
	return a
}

func coalesce(p *rowprog.Program, a *Args, lengthen bool) *Args {
	if !outerAxesAreFree(p) || slices.Contains(a.Outer, 0) {
		return a.Clone()
	}
	c := coalescer{p, nil}
	for k := range a.Outer {
		c.push(a.axis(k))
	}
	row := a.axis(len(a.Outer))
	if !p.Elementwise() || guards(p) && p.Stages > 1 { // which guard fails first depends on the rows
		c.axes = append(c.axes, row)
		return c.args(a)
	}
	c.push(row)
	if n := len(c.axes); n == 0 || !c.canBeRow(c.axes[n-1]) {
		c.axes = append(c.axes, axis{1, make([]int, len(p.Operands))})
	}
	if lengthen && !guards(p) {
		c.lengthenRow()
	}
	return c.args(a)
}

// axis is an axis of the iteration space with each operand's step.
type axis struct {
	size   int
	stride []int
}

func (a *Args) axis(k int) axis {
	x := axis{a.Size(k), make([]int, len(a.Stride))}
	for i, s := range a.Stride {
		x.stride[i] = s[k]
	}
	return x
}

// coalescer holds the axes found so far, outermost first.
type coalescer struct {
	p    *rowprog.Program
	axes []axis
}

// push appends an axis, and merges it with the one before it if possible.
func (c *coalescer) push(x axis) {
	if x.size == 1 {
		return
	}
	if n := len(c.axes); n > 0 && c.axes[n-1].continues(x) {
		c.axes[n-1] = axis{c.axes[n-1].size * x.size, x.stride}
		return
	}
	c.axes = append(c.axes, x)
}

// continues reports whether a step along x equals as many steps along inner as it has.
func (x axis) continues(inner axis) bool {
	for i, s := range x.stride {
		if s != inner.stride[i]*inner.size {
			return false
		}
	}
	return true
}

// canBeRow reports whether all operands with one element per row have step 0 along x.
func (c *coalescer) canBeRow(x axis) bool {
	for i, s := range x.stride {
		if s != 0 && c.p.Operands[i].Domain != rowprog.Vec {
			return false
		}
	}
	return true
}

// denseRow is the length below which a row is too short even if its elements are contiguous in all operands. Along a
// longer axis they are apart; from this length on, copying them costs more than calls for short rows.
const denseRow = 4

// lengthenRow exchanges a short row for an axis that is worth it: of those that are long enough, the one whose elements
// are nearest, or else the longest.
func (c *coalescer) lengthenRow() {
	last := len(c.axes) - 1
	if c.axes[last].size >= shortRow || c.axes[last].size >= denseRow && c.isDense(c.axes[last]) {
		return
	}
	best := last
	for k, x := range c.axes[:last] {
		if !c.canBeRow(x) || x.size <= 4*c.axes[last].size {
			continue
		}
		if row := c.axes[best]; min(x.size, shortRow) > min(row.size, shortRow) ||
			x.size >= shortRow && x.reach() < row.reach() {
			best = k
		}
	}
	row := c.axes[best]
	c.axes = append(slices.Delete(c.axes, best, best+1), row)
}

// reach is the sum over all operands of the distance between neighbours along an axis.
func (x axis) reach() (sum int) {
	for _, s := range x.stride {
		sum += max(s, -s)
	}
	return sum
}

// isDense reports whether, in all operands, the elements of an axis are contiguous or all the same.
func (c *coalescer) isDense(x axis) bool {
	return !slices.ContainsFunc(x.stride, func(s int) bool { return s != 0 && s != 1 })
}

// args makes arguments of the axes.
func (c *coalescer) args(a *Args) *Args {
	r := New(c.p)
	copy(r.Ptr, a.Ptr)
	free := len(a.Outer) + 1 - len(c.axes)
	for k := range free {
		r.Outer[k] = 1
	}
	for k, x := range c.axes {
		if k += free; k < len(r.Outer) {
			r.Outer[k] = x.size
		} else {
			r.N = x.size
		}
		for i, s := range x.stride {
			r.Stride[i][k] = s
		}
	}
	return r
}

// outerAxesAreFree reports whether no instruction depends on the outer axes.
func outerAxesAreFree(p *rowprog.Program) bool {
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == rowprog.OpAccumulate || in.Op == rowprog.OpIota && in.Axis < p.Outer {
			return false
		}
	}
	return true
}

func guards(p *rowprog.Program) bool {
	return slices.ContainsFunc(p.Insts, func(in rowprog.Inst) bool { return in.Op == rowprog.OpGuard })
}
