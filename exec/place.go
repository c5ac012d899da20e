package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// joining is a movement that puts each operand at a place of its own in the result: a
// concatenation, a padding, or what the join pass has made.
type joining struct {
	node *graph.Node
	// places is where the operands lie in the result; one without a shape is none of the
	// joining's business.
	places []graph.Layout
	// gaps says that there is more in the result than the operands: this value.
	gaps  bool
	value float64
	sums  bool // operands that meet are added up
}

// joiningOf describes a movement; nil if it is of another kind.
func joiningOf(n *graph.Node) *joining {
	if n.Op().Assemble == nil {
		return nil
	}
	a := n.Op().Assemble(n)
	j := &joining{node: n, value: a.Value}
	count := graph.Dim(0)
	for i, x := range n.Operands() {
		if a.Start[i] == nil {
			j.places = append(j.places, graph.Layout{})
			continue
		}
		j.put(x, a.Start[i], a.Step[i])
		count = count.Plus(x.Shape().NumElements())
	}
	own, _ := n.Attrs().(joinAttrs)
	j.sums = own.Sum
	j.gaps = j.sums || count != n.Shape().NumElements()
	return j
}

// put adds the place of an operand.
func (j *joining) put(x *graph.Node, start, step graph.Shape) {
	to := graph.RowMajor(j.node.Shape())
	to.Shape = x.Shape()
	for axis, s := range to.Strides {
		to.Offset = to.Offset.Plus(start[axis].Times(s))
		to.Strides[axis] = s.Times(step[axis])
	}
	j.places = append(j.places, to)
}

// placePass lets kernels leave what they compute for a joined value at its place there,
// so that it need not be moved. What no kernel can leave at its place is copied by the
// kernel of the joining; one that has nothing left to copy is dropped.
func placePass(groups []*group) (kept []*group) {
	if !slices.ContainsFunc(groups, func(k *group) bool { return k.class == graph.Movement }) {
		return groups
	}
	at := map[*graph.Node]int{} // the kernel that has a value in registers
	for i, k := range groups {
		for n := range k.registers {
			at[n] = i
		}
	}
	for _, k := range groups {
		if k.class != graph.Movement {
			kept = append(kept, k)
			continue
		}
		k.joining = joiningOf(k.nodes[0])
		if k.joining == nil || k.joining.sums || !leavePieces(groups, k.joining, at) {
			kept = append(kept, k)
		}
	}
	return kept
}

// leavePieces has kernels leave operands of a joining at their places, and reports
// whether all are left so.
func leavePieces(groups []*group, j *joining, at map[*graph.Node]int) (all bool) {
	first, last, all := len(groups), -1, true
	for i, x := range j.node.Operands() {
		place := j.places[i]
		if place.Shape == nil {
			continue
		}
		maker, computed := at[x]
		if !computed || !groups[maker].canLeave(x, place) {
			all = false
			continue
		}
		groups[maker].leave(x, operand{base: j.node, layout: place, write: true})
		j.places[i] = graph.Layout{}
		first, last = min(first, maker), max(last, maker)
	}
	if last < 0 {
		return false
	}
	if j.gaps {
		groups[first].fills = append(groups[first].fills, &joining{node: j.node, gaps: true, value: j.value})
		j.gaps = false
	}
	if all {
		groups[last].joins = append(groups[last].joins, j.node)
	}
	return all
}

// canLeave reports whether the kernel can store a value at a place, element by element.
func (k *group) canLeave(x *graph.Node, place graph.Layout) bool {
	return x.Op().Class == graph.Elementwise && k.registers[x] == perElement && (k.row < 0 || k.isEven(place, k.row))
}

// leave notes a place in another value's memory for a value that the kernel computes.
func (k *group) leave(x *graph.Node, at operand) {
	if k.seats == nil {
		k.seats = map[*graph.Node][]operand{}
	}
	k.seats[x] = append(k.seats[x], at)
}

// isLeftFor reports whether the kernel leaves a value in the memory of the node that
// reads it.
func (k *group) isLeftFor(x *graph.Node, r reader) bool {
	if r.node.In(r.operand) != x {
		return false
	}
	for _, o := range k.seats[x] {
		if o.base == r.node {
			return true
		}
	}
	return false
}

// members lists what the kernel computes, and the joined values that it completes.
func (k *group) members() []*graph.Node {
	return append(k.nodes[:len(k.nodes):len(k.nodes)], k.joins...)
}
