package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// cellGroup is values that are computed from each other elementwise, in the same cells.
type cellGroup struct {
	assemblies, members []*graph.Node
	cuts                [][]int64                     // where cells after the first begin, by axes from the last
	cells               map[*graph.Node][]*graph.Node // of members and of their operands, in the new graph
	shown               map[*graph.Node][]shownCell   // of values in the new graph
}

// cell is a part of a value.
type cell struct {
	at                 []int // its index along each axis
	start, step, shape graph.Shape
}

// shownCell is a cell, and a view of it.
type shownCell struct {
	cell
	x *graph.Node
}

// cut finds where cells begin, and reports whether there is more than one, but not too many.
func (g *cellGroup) cut() bool {
	for _, n := range g.assemblies {
		a := n.Op().Assemble(n)
		for i, x := range n.Operands() {
			for axis, size := range n.Shape() {
				from, count := a.Start[i][axis], x.Shape()[axis]
				if from == 0 && count == size {
					continue
				}
				if a.Step[i][axis] != 1 || !g.cutAxis(n.Rank()-1-axis, from, count, size) {
					return false
				}
			}
		}
	}
	for k := range g.cuts {
		slices.Sort(g.cuts[k])
		g.cuts[k] = slices.Compact(g.cuts[k])
	}
	return g.numCells() > 1 && g.numCells() <= maxCells
}

// cutAxis cuts an axis, counted from the last, before and after a range of positions.
func (g *cellGroup) cutAxis(k int, from, count, size graph.Dim) bool {
	first, ok1 := from.Int()
	length, ok2 := count.Int()
	end, ok3 := size.Int()
	if !ok1 || !ok2 || !ok3 || first < 0 || first+length > end {
		return false
	}
	for len(g.cuts) <= k {
		g.cuts = append(g.cuts, nil)
	}
	for _, at := range []int64{first, first + length} {
		if at > 0 && at < end {
			g.cuts[k] = append(g.cuts[k], at)
		}
	}
	return true
}

// numCells returns the number of cells of the largest value.
func (g *cellGroup) numCells() int {
	count := 1
	for _, cuts := range g.cuts {
		count *= len(cuts) + 1
	}
	return count
}

// hasLongRows reports whether most elements are in cells with long rows, or rows are not cut.
func (g *cellGroup) hasLongRows() bool {
	if len(g.cuts[0]) == 0 {
		return true
	}
	n := g.assemblies[slices.IndexFunc(g.assemblies, func(n *graph.Node) bool { return n.Shape()[n.Rank()-1] != 1 })]
	size, _ := n.Shape()[n.Rank()-1].Int()
	short, from := int64(0), int64(0)
	for _, to := range append(slices.Clone(g.cuts[0]), size) {
		if to-from < minCellRow {
			short += to - from
		}
		from = to
	}
	return short*minCellRow <= size
}

// count returns the number of cells of a value along an axis.
func (g *cellGroup) count(n *graph.Node, axis int) int {
	if k := n.Rank() - 1 - axis; k < len(g.cuts) && n.Shape()[axis] != 1 {
		return len(g.cuts[k]) + 1
	}
	return 1
}

// grid lists the cells of a value in row-major order.
func (g *cellGroup) grid(n *graph.Node) []cell {
	list := []cell{{}}
	for axis, size := range n.Shape() {
		var more []cell
		for _, c := range list {
			for i := range g.count(n, axis) {
				from, to := graph.Dim(0), size
				if i > 0 {
					from = graph.Dim(g.cuts[n.Rank()-1-axis][i-1])
				}
				if i+1 < g.count(n, axis) {
					to = graph.Dim(g.cuts[n.Rank()-1-axis][i])
				}
				more = append(more, cell{append(slices.Clone(c.at), i), append(slices.Clone(c.start), from),
					append(slices.Clone(c.step), 1), append(slices.Clone(c.shape), to.Minus(from))})
			}
		}
		list = more
	}
	return list
}

// number returns the index of the cell of operand x that belongs to cell c of a result of some rank.
func (g *cellGroup) number(x *graph.Node, c cell, rank int) (number int) {
	for axis := range x.Shape() {
		if count := g.count(x, axis); count > 1 {
			number = number*count + c.at[axis+rank-x.Rank()]
		}
	}
	return number
}

// operand lists the cells of an operand; made is its counterpart in the new graph.
func (l *laterAssembler) operand(g *cellGroup, x, made *graph.Node) []*graph.Node {
	if list := g.cells[x]; list != nil {
		return list
	}
	var list []*graph.Node
	for _, c := range g.grid(x) {
		if l.groups[x.ID()] == g && isAssembly(x) {
			list = append(list, l.ofAssembly(g, x, made, c))
		} else {
			list = append(list, g.show(made, c))
		}
	}
	g.cells[x] = list
	return list
}

// show returns a view of a cell. A cell of a value that is computed from positions is computed directly.
func (g *cellGroup) show(x *graph.Node, c cell) *graph.Node {
	for _, s := range g.shown[x] {
		if s.start.Equal(c.start) && s.shape.Equal(c.shape) {
			return s.x
		}
	}
	y := x
	for axis, count := range c.shape {
		if count == y.Shape()[axis] {
			continue
		}
		if p := (&part{axis, c.start[axis], 1, count}); isGenerated(y) {
			y = p.generated(y.Graph(), y, y)
		} else {
			y = p.slice(y)
		}
	}
	g.shown[x] = append(g.shown[x], shownCell{c, y})
	return y
}

// ofAssembly returns a cell of the part that contains it. A cell outside of all parts is a number.
func (l *laterAssembler) ofAssembly(g *cellGroup, n, made *graph.Node, c cell) *graph.Node {
	a := n.Op().Assemble(n)
	for i, x := range n.Operands() {
		own := cell{shape: c.shape}
		for axis, at := range c.start {
			own.start = append(own.start, at.Minus(a.Start[i][axis]))
		}
		if own.isWithin(x) {
			return l.ofPart(g, n.Region(), x, made.In(i), own)
		}
	}
	return ops.Expand(made.Graph().Scalar(n.DType(), a.Value), c.shape...)
}

// ofPart computes a cell of a part, if the part is in the region and has no other user. Otherwise it returns a view of
// the cell.
func (l *laterAssembler) ofPart(g *cellGroup, region *graph.Region, x, made *graph.Node, c cell) *graph.Node {
	if c.shape.Equal(x.Shape()) || x.Region() != region || !l.isCellwise(x) || l.groups[x.ID()] != nil ||
		l.fixed[x.ID()] || len(l.users[x.ID()]) != 1 {
		return g.show(made, c)
	}
	args := make([]*graph.Node, len(x.Operands()))
	for i, y := range x.Operands() {
		own := cell{}
		for axis, size := range y.Shape() {
			at := axis + x.Rank() - y.Rank()
			if size == 1 {
				own.start, own.shape = append(own.start, 0), append(own.shape, 1)
			} else {
				own.start, own.shape = append(own.start, c.start[at]), append(own.shape, c.shape[at])
			}
		}
		args[i] = l.ofPart(g, region, y, made.In(i), own)
	}
	return graph.Apply(x.Op(), x.Attrs(), args...)
}

// isWithin reports whether a cell lies within a value.
func (c *cell) isWithin(x *graph.Node) bool {
	for axis, size := range x.Shape() {
		if size == c.shape[axis] && c.start[axis] == 0 {
			continue
		}
		from, _ := c.start[axis].Int()
		to, known := c.start[axis].Plus(c.shape[axis]).Int()
		all, _ := size.Int()
		if !known || from < 0 || to > all {
			return false
		}
	}
	return true
}
