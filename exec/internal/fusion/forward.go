package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Assembly is a movement that puts each operand at a separate position in the result: a concatenation, a padding, or
// inserted slices (see rewrite.InsertSlices).
type Assembly struct {
	Node *graph.Node
	// Places are the layouts of the operands in the result. One without a shape is not the assembly's task.
	Places []graph.Layout
	// HasBackground says that the result has elements besides the operands: they have this value.
	HasBackground bool
	Value         float64
	Sums          bool // overlapping operands are added
}

// assemblyOf describes a movement; nil if it is of another kind.
func assemblyOf(n *graph.Node) *Assembly {
	if n.Op().Assemble == nil {
		return nil
	}
	a := n.Op().Assemble(n)
	j := &Assembly{Node: n, Value: a.Value}
	for i, x := range n.Operands() {
		if a.Start[i] == nil {
			j.Places = append(j.Places, graph.Layout{})
			continue
		}
		j.put(x, a.Start[i], a.Step[i])
	}
	own, _ := n.Attrs().(rewrite.InsertAttrs)
	j.Sums = own.Sum
	j.HasBackground = j.Sums || rewrite.HasBackground(n)
	return j
}

// put adds the layout of an operand.
func (j *Assembly) put(x *graph.Node, start, step graph.Shape) {
	to := graph.RowMajor(j.Node.Shape())
	to.Shape = x.Shape()
	for axis, s := range to.Strides {
		to.Offset = to.Offset.Plus(start[axis].Times(s))
		to.Strides[axis] = s.Times(step[axis])
	}
	j.Places = append(j.Places, to)
}

// ForwardStores lets kernels store what they compute for an assembled value in place, so that it need not be copied.
// The kernel of the assembly copies the remaining operands, and is dropped if there are none.
func ForwardStores(groups []*Group) (kept []*Group) {
	if !slices.ContainsFunc(groups, func(k *Group) bool { return k.Class == graph.Movement }) {
		return groups
	}
	at := map[*graph.Node]int{} // the kernel that has a value in registers
	for i, k := range groups {
		for _, n := range k.Nodes {
			if _, computed := k.Registers[n]; computed {
				at[n] = i
			}
		}
	}
	for _, k := range groups {
		if k.Class != graph.Movement {
			kept = append(kept, k)
			continue
		}
		k.Assembly = assemblyOf(k.Nodes[0])
		if k.Assembly == nil || k.Assembly.Sums || !forwardOperands(groups, k.Assembly, at) {
			kept = append(kept, k)
		}
	}
	return kept
}

// forwardOperands makes kernels store operands of an assembly in place, and reports whether that works for all.
func forwardOperands(groups []*Group, j *Assembly, at map[*graph.Node]int) (all bool) {
	first, last, all := len(groups), -1, true
	for i, x := range j.Node.Operands() {
		place := j.Places[i]
		if place.Shape == nil {
			continue
		}
		x, place, ok := shownAt(x, place)
		maker, computed := at[x]
		if !ok || !computed || !groups[maker].canForward(x, place) {
			all = false
			continue
		}
		groups[maker].forward(x, Operand{Base: j.Node, Layout: place, Write: true}, Reader{Node: j.Node, Operand: i})
		j.Places[i] = graph.Layout{}
		first, last = min(first, maker), max(last, maker)
	}
	if last < 0 {
		return false
	}
	if j.HasBackground {
		groups[first].Backgrounds = append(groups[first].Backgrounds,
			&Assembly{Node: j.Node, HasBackground: true, Value: j.Value})
		j.HasBackground = false
	}
	if all {
		groups[last].Completes = append(groups[last].Completes, j.Node)
	}
	return all
}

// shownAt returns the value that a view shows whole, with its axes in order, and that value's layout if the view has
// the given one. It returns any other value unchanged.
func shownAt(x *graph.Node, place graph.Layout) (*graph.Node, graph.Layout, bool) {
	for alias.IsView(x) {
		axes, ok := analysis.ExchangedAxes(x)
		if !ok {
			return nil, place, false
		}
		of := x.In(0)
		own, last := graph.Layout{Shape: of.Shape(), Strides: make([]graph.Dim, of.Rank()), Offset: place.Offset}, -1
		for axis, from := range axes {
			if from < 0 {
				continue // of size 1
			}
			if from < last {
				return nil, place, false
			}
			own.Strides[from], last = place.Strides[axis], from
		}
		x, place = of, own
	}
	return x, place, true
}

// canForward reports whether the kernel can store a value in some layout, element by element.
func (k *Group) canForward(x *graph.Node, place graph.Layout) bool {
	return x.Op().Class == graph.Elementwise && k.Registers[x] == PerElement && (k.Row < 0 || k.isUniform(place, k.Row))
}

// forward records where the kernel stores a value in another value's memory, for a reader to find it.
func (k *Group) forward(x *graph.Node, at Operand, to Reader) {
	k.forwardedTo = append(k.forwardedTo, to)
	if k.Forwarded == nil {
		k.Forwarded = map[*graph.Node][]Operand{}
	}
	k.Forwarded[x] = append(k.Forwarded[x], at)
}

// isForwardedTo reports whether the kernel stores a value in the memory of its reader.
func (k *Group) isForwardedTo(r Reader) bool {
	return slices.ContainsFunc(k.forwardedTo, func(to Reader) bool {
		return to.Node == r.Node && to.Operand == r.Operand
	})
}

// Members lists the nodes that the kernel computes, and the assembled values that it completes.
func (k *Group) Members() []*graph.Node {
	return append(k.Nodes[:len(k.Nodes):len(k.Nodes)], k.Completes...)
}
