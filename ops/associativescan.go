package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Elements along an axis are combined in three steps: within blocks, all blocks at once; then the last results of the
// blocks, in the same way; then each block with the result before it. Axes shorter than two blocks are combined one
// element at a time. An axis of symbolic size is divided into blocks at most scanLevels times.
const (
	scanBlock  = 32
	scanLevels = 2
)

// scanWide is the number of elements per position from which on one position at a time is faster: each step is a vector
// operation already. Measured with 4096 positions on two threads of an AMD EPYC (Zen 4), in blocks and one at a time:
// pairs of 1, 8 and 16 elements take 41, 50 and 145 µs, and 40 to 222, 70 and 72 µs; matrices of 2×2, 4×4 and 8×8 take
// 120, 280 and 710 µs, and 282, 190 and 183 µs.
const scanWide = 17

// AssociativeScan returns the running results of combine along l.Axis: result 0 is element 0, and result t is
// combine(result t-1, element t). With l.Reverse it starts at the end of the axis. l.Over has the values; an element is
// one position of each, without the axis. combine returns as many values, of the same dtypes and shapes. It must be
// associative, combine(combine(a, b), c) = combine(a, combine(b, c)), because elements are combined in another order
// than in [Scan]: blocks of 32 positions at once. n positions take about 32·log(n)/log(32) steps instead of n, and
// twice the arithmetic. If a position has more than 16 elements, one position at a time is faster, and is used. combine
// is called several times to build graphs, and [Vmap] applies it to all blocks. l.Carry and l.Length must not be set.
//
// For example, a diagonal state space model, h[t] = a[t]*h[t-1] + x[t] ([LinearRecurrence] is the same in one call):
//
//	states := ops.AssociativeScan(ops.Loop{Over: []*graph.Node{a, x}}, func(l, r []*graph.Node) []*graph.Node {
//		return []*graph.Node{ops.Mul(l[0], r[0]), ops.Add(ops.Mul(r[0], l[1]), r[1])}
//	})[1]
//
// It is jax.lax.associative_scan with a function of single elements. It is differentiable. Mistakes are recorded in the
// graph.
func AssociativeScan(l Loop, combine func(a, b []*graph.Node) []*graph.Node) []*graph.Node {
	defer building("AssociativeScan", nodeArgs(l.Over)...)()
	b := newLoop("AssociativeScan", graph.LoopSpec{Length: graph.UnknownDim}, nil, l.Over)
	b.refuseStrangers(b.over, "Over[%d]")
	b.takeAlong(l.Axis)
	switch {
	case len(l.Over) == 0:
		b.refuse("there is nothing to combine: give values in Over")
	case len(l.Carry) > 0 || l.Length != 0:
		b.refuse(
			"Carry and Length must not be set: the first element is the first result, and Over has as many elements as there are steps")
	case combine == nil:
		b.refuse("there is no function that combines two elements")
	}
	for i, x := range b.over {
		if x != nil && x.Judged() && x.Rank() == 0 {
			b.over[i] = b.standIn("Over[%d], %s, has no axis", i, x.Called())
		}
	}
	isBad := func(x node) bool { return x == nil || !x.Judged() || x.Err() != nil }
	if b.wrong != nil || b.g == nil || slices.ContainsFunc(b.over, isBad) {
		_, outs := b.refused(0, max(len(l.Over), 1))
		return outs
	}
	b.spec.Length = b.over[0].Shape()[0]
	b.matchLengths(l)
	c := &combiner{loopBuilder: b, combine: combine}
	if b.wrong == nil && b.spec.Length == 0 {
		return b.withAxis(b.over, l.Axis)
	}
	x := b.over
	if l.Reverse {
		x = eachOf(x, func(x node) node { return Flip(x, 0) })
	}
	if b.wrong == nil {
		x = c.scan(x, scanLevels)
	}
	if b.wrong != nil {
		_, outs := b.refused(0, len(x))
		return outs
	}
	if l.Reverse {
		x = eachOf(x, func(x node) node { return Flip(x, 0) })
	}
	return b.withAxis(x, l.Axis)
}

// withAxis moves the axis of the loop back from the front.
func (b *loopBuilder) withAxis(xs []node, axis int) []node {
	return eachOf(xs, func(x node) node {
		if axis == 0 {
			return x
		}
		return MoveAxis(x, 0, axis)
	})
}

// nodeArgs returns values as arguments of building.
func nodeArgs(xs []node) (args []any) {
	for _, x := range xs {
		args = append(args, x)
	}
	return args
}

// eachOf applies f to each value.
func eachOf(xs []node, f func(node) node) []node {
	ys := make([]node, len(xs))
	for i, x := range xs {
		ys[i] = f(x)
	}
	return ys
}

// combiner combines elements along the first axis.
type combiner struct {
	*loopBuilder
	combine func(a, b []node) []node
}

// of calls the user's function with two elements, and records its mistakes.
func (c *combiner) of(a, b []node) []node {
	y := slices.Clone(c.combine(slices.Clone(a), slices.Clone(b)))
	if len(y) != len(b) {
		c.refuse("an element has %d values, and the function returns %d", len(b), len(y))
		return b
	}
	c.refuseNil(y, "the function returns nil as value %d")
	c.refuseStrangers(y, "value %d")
	if c.wrong != nil {
		return b
	}
	y = c.typed(y, b)
	p := prove.NewProver(c.g.Bounds)
	for i, x := range y {
		if x.Judged() && (x.DType() != b[i].DType() || x.Rank() != b[i].Rank() || p.Differ(x.Shape(), b[i].Shape())) {
			c.refuse(
				"value %d of the elements is %s%s, and the function returns %s%s: they must have the same dtype and shape",
				i,
				b[i].DType(), b[i].Shape(), x.DType(), x.Shape())
			return b
		}
	}
	return y
}

// all combines pairs along the first axis.
func (c *combiner) all(a, b []node) []node {
	return Vmap(slices.Concat(a, b), func(x []node) []node { return c.of(x[:len(a)], x[len(a):]) })
}

// inOrder combines first with the elements of x one after the other, and returns all results.
func (c *combiner) inOrder(first, x []node, combine func(a, b []node) []node) []node {
	_, outs := Scan(Loop{Carry: first, Over: x}, func(carry, x []node) (next, out []node) {
		next = combine(carry, x)
		return next, next
	})
	return outs
}

// scan returns the running results along the first axis, which may be empty. It divides it into blocks at most levels
// times.
func (c *combiner) scan(x []node, levels int) []node {
	n := x[0].Shape()[0]
	one := lesserSize(c.g, n, 1) // 0 of an axis without elements
	part := func(from, to graph.Dim) []node {
		return eachOf(x, func(x node) node { return Slice(x, 0, from, to, 1) })
	}
	lead := part(0, one)
	first := eachOf(lead, func(x node) node { return Select(Pad(x, 0, 0, graph.Dim(1).Minus(one), 0), 0, 0) })
	if levels == 0 && !n.IsConst() || c.isShort(n) || c.isWide(x) {
		return joinedFirst(lead, c.inOrder(first, part(one, n), c.of))
	}
	blocks := n.Minus(one).FloorDiv(scanBlock)
	end := one.Plus(blocks.Times(scanBlock))
	inside := c.insideBlocks(eachOf(part(one, end), func(x node) node {
		return MoveAxis(Reshape(x, slices.Concat(graph.Shape{blocks, scanBlock}, x.Shape()[1:])...), 1, 0)
	}))
	totals := eachOf(inside, func(x node) node { return Select(x, 0, scanBlock-1) })
	before := c.scan(joinedFirst(eachOf(first, func(x node) node { return Unsqueeze(x, 0) }), totals), levels-1)
	of := eachOf(before, func(x node) node { return Slice(x, 0, 0, blocks, 1) })
	whole := Vmap(inside, func(x []node) []node { return c.all(of, x) })
	whole = eachOf(whole, func(x node) node {
		return Reshape(MoveAxis(x, 0, 1), slices.Concat(graph.Shape{blocks.Times(scanBlock)}, x.Shape()[2:])...)
	})
	last := eachOf(before, func(x node) node { return Select(x, 0, blocks) })
	return joinedFirst(lead, whole, c.inOrder(last, part(end, n), c.of))
}

// isWide reports whether a position may have as many elements as [scanWide] says.
func (c *combiner) isWide(x []node) bool {
	total := int64(0)
	for _, x := range x {
		count, known := x.Shape()[1:].NumElements().Int()
		if total += count; !known || total >= scanWide {
			return true
		}
	}
	return false
}

// isShort reports whether an axis has fewer than two blocks, whatever its size is bound to.
func (c *combiner) isShort(n graph.Dim) bool {
	return prove.NewProver(c.g.Bounds).Judge(graph.Requirement{Kind: graph.MustBeAtLeast, A: 2 * scanBlock, B: n}) ==
		prove.Proved
}

// insideBlocks returns the running results within blocks, of [elements, blocks, …].
func (c *combiner) insideBlocks(x []node) []node {
	first := eachOf(x, func(x node) node { return Slice(x, 0, 0, 1, 1) })
	others := eachOf(x, func(x node) node { return Slice(x, 0, 1, scanBlock, 1) })
	return joinedFirst(first, c.inOrder(eachOf(first, func(x node) node { return Squeeze(x, 0) }), others, c.all))
}

// joinedFirst concatenates values along the first axis.
func joinedFirst(parts ...[]node) []node {
	y := make([]node, len(parts[0]))
	for i := range y {
		all := make([]node, len(parts))
		for k, p := range parts {
			if i >= len(p) {
				return parts[0] // a refusal
			}
			all[k] = p[i]
		}
		y[i] = Concat(0, all...)
	}
	return y
}

func init() {
	composed("AssociativeScan",
		"the running results of an associative function along an axis, in blocks.",
		shownAs("AssociativeScan(Loop{Over: x}, combine)",
			named("", "", "jax.lax.associative_scan", "", "", func(e *graph.Example) node {
				multiplied := func(a, b []node) []node { return []node{Mul(a[0], b[0])} }
				return AssociativeScan(Loop{Over: []node{e.Of("x", "n", "k")}}, multiplied)[0]
			})))
}
