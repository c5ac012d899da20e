package rewrite

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
)

// JoinAssemblies flattens nested assemblies, such as a concatenation of concatenations or of paddings, if nothing else
// reads the inner ones. So parts are stored, or copied, only once.
func JoinAssemblies(u *Program) error {
	inner := innerAssemblies(u)
	if len(inner) == 0 {
		return nil
	}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if inner[n] || !slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return inner[x] }) {
			return nil
		}
		value := 0.0
		list := partsOf(n, in, inner, &value)
		return insertSlices(n, value, false, list)
	})
	return nil
}

// innerAssemblies finds assembled values whose only user is an assembly that can include their parts.
func innerAssemblies(u *Program) map[*graph.Node]bool {
	inner := map[*graph.Node]bool{}
	if !slices.ContainsFunc(u.Graph.Nodes(), isAssembly) {
		return inner
	}
	uses, written := u.usesOf(), analysis.WrittenMemory(u.Graph)
	number := map[*graph.Node]float64{} // the background, of those that have one
	for _, n := range u.Graph.Nodes() {
		if !isAssembly(n) {
			continue
		}
		value, hasRoom := n.Op().Assemble(n).Value, HasBackground(n)
		for _, x := range n.Operands() {
			if !isAssembly(x) || uses[x.ID()] != 1 || written[x] || written[n] || x.Region() != n.Region() {
				continue
			}
			own, has := number[x]
			if has && hasRoom && math.Float64bits(own) != math.Float64bits(value) {
				continue
			}
			if inner[x] = true; has {
				value, hasRoom = own, true
			}
		}
		if hasRoom {
			number[n] = value
		}
	}
	return inner
}

// isAssembly reports whether a movement puts each operand at a separate position.
func isAssembly(n *graph.Node) bool {
	if n.Op().Assemble == nil {
		return false
	}
	own, _ := n.Attrs().(InsertAttrs)
	return !own.Sum && !slices.ContainsFunc(n.Op().Assemble(n).Start, func(s graph.Shape) bool { return s == nil })
}

// HasBackground reports whether an assembled value has elements besides its operands.
func HasBackground(n *graph.Node) bool {
	count := graph.Dim(0)
	for _, x := range n.Operands() {
		count = count.Plus(x.Shape().NumElements())
	}
	return count != n.Shape().NumElements()
}

// partsOf lists the parts of an assembled value, including those of inner assemblies, and sets value to their
// background. in are the operands of n in the graph after the pass.
func partsOf(n *graph.Node, in []*graph.Node, inner map[*graph.Node]bool, value *float64) (list []slice) {
	a := n.Op().Assemble(n)
	if HasBackground(n) {
		*value = a.Value
	}
	for i, x := range n.Operands() {
		if !inner[x] {
			list = append(list, slice{x: in[i], start: a.Start[i], step: a.Step[i]})
			continue
		}
		for _, p := range partsOf(x, in[i].Operands(), inner, value) {
			start, step := make(graph.Shape, len(p.start)), make(graph.Shape, len(p.step))
			for axis := range start {
				start[axis] = a.Start[i][axis].Plus(a.Step[i][axis].Times(p.start[axis]))
				step[axis] = a.Step[i][axis].Times(p.step[axis])
			}
			list = append(list, slice{x: p.x, start: start, step: step})
		}
	}
	return list
}
