package viz

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// findUses marks what nothing reads as an output, and the forward values that gradients
// read.
func (b *graphModel) findUses() {
	users := b.m.countUsers()
	forwardUsed := make([]bool, len(b.values))
	for _, v := range b.values {
		for _, x := range v.in {
			if x.from == nil {
				continue
			}
			if v.part == forward {
				forwardUsed[x.from.id] = true
			}
			if v.part == gradient && x.from.part == forward && !x.from.role.isSource() {
				x.from.kept = true
			}
		}
	}
	for i, v := range b.values {
		// A loss is an output although its own gradient may read it.
		read := users[i] > 0 && (v.part != forward || forwardUsed[i] || !v.kept)
		n := b.g.Nodes()[i]
		v.output = !read && !v.doubt && v.fault == nil && !v.role.isSource() && v.role != roleUpdate
		leftOver := v.part == gradient && n.GradientOf() == nil && v.name == "" // from a rule
		if v.output && (leftOver || n.IsInternalToLoop()) {                     // nobody asked for it, or can
			v.output, v.unused = false, true
			v.notes = append(v.notes, "unused")
		}
	}
	b.markSeeds(forwardUsed)
}

// moveToUpdates moves what only updates read, such as the decay of an optimiser's state and its rate, to them.
func (b *graphModel) moveToUpdates() {
	first := make([]part, len(b.values)) // one more than the first part that reads a value
	for _, v := range slices.Backward(b.values) {
		if v.part == forward && !v.role.isSource() && first[v.id] == update+1 {
			v.part = update
		}
		for _, x := range v.in {
			if x.from != nil && (first[x.from.id] == 0 || v.part < first[x.from.id]-1) {
				first[x.from.id] = v.part + 1
			}
		}
	}
}

// moveSources returns sources that only gradients read, such as the gradient that arrives
// from outside, to the gradient; and those that only updates read to the updates.
func (b *graphModel) moveSources() {
	first := make([]part, len(b.values))
	for i := range first {
		first[i] = partCount
	}
	for _, v := range b.values {
		for _, x := range v.in {
			if x.from != nil {
				first[x.from.id] = min(first[x.from.id], v.part)
			}
		}
	}
	for i, v := range b.values {
		if v.role.isSource() && first[i] != partCount {
			v.part = first[i]
		}
	}
}

// markSeeds finds the values that gradients start from: made without operands for a
// forward value of the same type that no forward value reads.
func (b *graphModel) markSeeds(forwardUsed []bool) {
	seen := map[*graph.Node]bool{}
	for i, n := range b.g.Nodes() {
		o, v := n.Origin(), b.values[i]
		if o == nil || seen[o] {
			continue
		}
		seen[o] = true
		y := b.valueOf(o)
		if y == nil || len(n.Operands()) > 0 ||
			y.part != forward || forwardUsed[y.id] || n.DType() != o.DType() || !n.Shape().Equal(o.Shape()) {
			continue
		}
		v.role, y.output = roleSeed, true
		if v.name == "" {
			v.name = gradientName(y)
		}
		v.label, v.gradientOf = gradientName(y), y
		v.notes = append(v.notes, "seed")
		v.attrs = nil
	}
}

const partial = "∂"

func gradientName(x *value) string {
	if x.name != "" {
		return partial + x.name
	}
	return partial + x.label
}

// nameGradients names the gradients that were asked for after what they belong to.
func (b *graphModel) nameGradients() {
	for i, n := range b.g.Nodes() {
		v, of := b.values[i], n.GradientOf()
		if of == nil || v.role == roleSeed || v.role.isSource() || !v.judged {
			continue
		}
		x := b.valueOf(of)
		if x == nil || x == v {
			continue
		}
		v.gradientOf = x
		if v.name == "" {
			v.name = gradientName(x)
			v.label = v.name
		}
	}
}

// valueOf returns the value of a node, or of a source of that name where the node belongs
// to the graph from which this one was compiled.
func (b *graphModel) valueOf(n *graph.Node) *value {
	if n.Graph() == b.g {
		return b.values[n.ID()]
	}
	if own := b.g.ByName(n.Name()); own != nil {
		return b.values[own.ID()]
	}
	return nil
}
