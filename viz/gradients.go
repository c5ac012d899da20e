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
		v.output = !read && !v.doubt && v.fault == nil && !v.role.isSource() && v.role != roleUpdate
	}
	b.markSeeds(forwardUsed)
}

// moveSources gives sources that only gradients read, such as the gradient that arrives
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
		y := b.values[o.ID()]
		if len(n.Operands()) > 0 || y.part != forward || forwardUsed[y.id] || n.DType() != o.DType() || !n.Shape().Equal(o.Shape()) {
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

// nameGradients names results of gradients after the inputs and parameters that they
// belong to, where that is certain: a gradient is finished while the gradient of its
// value's first user is built, so that the value is an operand of the result's origin.
func (b *graphModel) nameGradients() {
	read := make([]bool, len(b.values))
	for _, v := range b.values {
		for _, x := range v.in {
			if x.from != nil && v.part == gradient {
				read[x.from.id] = true
			}
		}
	}
	results := map[*graph.Node][]*value{}
	for i, n := range b.g.Nodes() {
		if v := b.values[i]; v.part == gradient && v.role != roleSeed && v.judged && !read[i] {
			results[n.Origin()] = append(results[n.Origin()], v)
		}
	}
	for i, n := range b.g.Nodes() {
		if list := results[n]; list != nil {
			b.nameResults(b.values[i], list)
		}
	}
}

// nameResults matches the gradients that one forward value leaves with its operands, in
// order. Where there are not as many of a type as operands of that type, it cannot be
// told which of them were asked for.
func (b *graphModel) nameResults(origin *value, results []*value) {
	operands := map[string][]*value{}
	for _, x := range origin.in {
		if x.from != nil && x.from.judged {
			key := b.typeKey(x.from)
			operands[key] = append(operands[key], x.from)
		}
	}
	byType := map[string][]*value{}
	for _, r := range results {
		byType[b.typeKey(r)] = append(byType[b.typeKey(r)], r)
	}
	for _, r := range results {
		key := b.typeKey(r)
		if len(byType[key]) != len(operands[key]) {
			continue
		}
		x := operands[key][slices.Index(byType[key], r)]
		if r.name != "" || x.name == "" && !x.role.isSource() {
			continue
		}
		r.name, r.gradientOf = gradientName(x), x
		r.label = r.name
	}
}

func (b *graphModel) typeKey(v *value) string {
	n := b.g.Nodes()[v.id]
	return n.DType().Short() + n.Shape().Compact()
}
