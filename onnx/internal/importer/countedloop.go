package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// growing is a loop of at most so many steps, of which values grow along an axis in each step, or each step returns a
// part of a result. Its first steps are computed in values that are as long as all steps make them.
type growing struct {
	*call
	body  *wire.Graph
	carry []*value
	most  graph.Dim
	grown []growth // of the carried values
	parts []kind   // of the results of each step
}

// growth is along which axis a carried value grows in each step, and by how much; axis is -1 of those that do not.
type growth struct {
	axis       int
	first, per graph.Dim
}

// maxGrown is how many steps a loop has at most for which memory is set aside.
const maxGrown = 1 << 20

// growingLoop builds a loop whose values grow, or returns nil where that is not why it could not be built.
func (c *call) growingLoop(body *wire.Graph, most graph.Dim, carry []*value,
	more func(next, before node) node) []*value {
	if hasSequence(carry) || len(body.Outputs) < len(carry)+1 {
		return nil
	}
	var out []kind
	var sizes []graph.Shape
	c.tried(func() {
		c.whileSteps(most, c.nodesOf(carry), more, func(step node, carried []node) []node {
			list := c.attempt(body, append([]*value{ofNode(step), c.truthValue(true)}, ofNodes(carried)...))
			out, sizes = c.kindsOf(list), nil
			for _, v := range list {
				sizes = append(sizes, c.shapeOf(v))
			}
			c.problem("only the shapes are asked for")
			return nil
		})
	})
	g := &growing{call: c, body: body, carry: carry, most: most}
	if len(out) != len(body.Outputs) || !g.findGrowth(out, sizes) {
		return nil
	}
	if n, isNumber := most.Int(); isNumber && n > maxGrown {
		refuse("its values grow in each step, and how many steps it takes at most is not known: %s", selectBefore)
	}
	return g.build(more)
}

// stepsOfCounter is how many steps a loop takes at most of which the body counts its own steps, as PyTorch writes loops
// with a break: its condition is that a carried number, to which each step adds 1, is less than a limit.
func (c *call) stepsOfCounter(body *wire.Graph, carry []*value) graph.Dim {
	made := producers(body.Nodes)
	for pending := []string{body.Outputs[0].Name}; len(pending) > 0; pending = pending[1:] {
		n := made[pending[0]]
		switch {
		case n == nil:
		case n.Op == "And":
			pending = append(pending, n.Inputs...)
		case n.Op == "Less" && len(n.Inputs) == 2:
			for i, v := range carry {
				limit, isLimit := c.sizeIn(body, n.Inputs[1])
				first, isKnown := c.sizesOf(v)
				if !isLimit || !isKnown || len(first.dims) != 1 || body.Outputs[1+i].Name != n.Inputs[0] ||
					!c.addsOne(body, made[n.Inputs[0]], body.Inputs[2+i].Name) {
					continue
				}
				steps, _ := greatest(c, limit.Minus(first.dims[0]), 1) // the condition is that of the next step
				return steps
			}
		}
	}
	return most
}

// addsOne reports whether a node of a body adds 1 to a value.
func (c *call) addsOne(body *wire.Graph, n *wire.Node, name string) bool {
	if n == nil || n.Op != "Add" || len(n.Inputs) != 2 || n.Inputs[0] != name {
		return false
	}
	d, ok := c.sizeIn(body, n.Inputs[1])
	return ok && d == 1
}

// sizeIn is the one element of a value that a body uses, if it is a size that is known outside of its steps.
func (c *call) sizeIn(body *wire.Graph, name string) (graph.Dim, bool) {
	s := c.scope.inner()
	c.constants(body, s)
	v, _ := s.find(name)
	if n := producers(body.Nodes)[name]; n != nil && n.Op == "Constant" {
		inner := *c
		inner.from = n
		v = inner.constant()
	}
	if !v.isTensor() || v.node == nil && v.make == nil || v.counted != nil {
		return 0, false
	}
	list, ok := c.sizesOf(v)
	if !ok || len(list.dims) != 1 || list.by != 1 || c.isOpen(list.dims[0]) {
		return 0, false
	}
	return list.dims[0], true
}

// findGrowth finds which values grow. It is false if a value changes in another way.
func (g *growing) findGrowth(out []kind, sizes []graph.Shape) bool {
	grows := len(out) > 1+len(g.carry)
	for i, v := range g.carry {
		x, y := g.nodeOf(v).Shape(), sizes[1+i]
		k := growth{axis: -1}
		if v.counted != nil || len(x) != len(y) || g.nodeOf(v).DType() != out[1+i].dtype {
			return false
		}
		for axis := range x {
			if x[axis] == y[axis] {
				continue
			}
			per := y[axis].Minus(x[axis])
			if is, known := g.less(per, 0); k.axis >= 0 || !known || is || g.isOpen(per) {
				return false
			}
			k = growth{axis, x[axis], per}
		}
		grows = grows || k.axis >= 0
		g.grown = append(g.grown, k)
	}
	for _, k := range out[1+len(g.carry):] {
		if k.axis >= 0 {
			return false
		}
		g.parts = append(g.parts, k)
	}
	return grows
}

// longest is how long a carried value is after all steps.
func (k growth) longest(most graph.Dim) graph.Dim { return k.first.Plus(most.Times(k.per)) }

func (g *growing) build(more func(next, before node) node) []*value {
	var first []node
	for i, v := range g.carry {
		x := g.nodeOf(v)
		if k := g.grown[i]; k.axis >= 0 {
			x = ops.Pad(x, k.axis, 0, g.most.Times(k.per), 0)
		}
		first = append(first, x)
	}
	for _, p := range g.parts {
		first = append(first, ops.Zeros(g.g, p.dtype, append(graph.Shape{g.most}, p.shape...)...))
	}
	final, steps := g.whileSteps(g.most, first, more, g.step)
	values := ofNodes(final)
	for i, v := range values {
		switch {
		case i >= len(g.grown):
			v.counted = &counted{0, g.newSize(steps, g.most)}
		case g.grown[i].axis >= 0:
			k := g.grown[i]
			v.counted = &counted{k.axis, g.newSize(g.lengthAfter(k, steps), k.longest(g.most))}
		}
	}
	return values
}

// lengthAfter is how long a carried value is after a number of steps.
func (g *growing) lengthAfter(k growth, steps node) node {
	return ops.Add(g.countOf(k.first), ops.Mul(steps, g.countOf(k.per)))
}

// step computes a step of the body: its condition, and the carried values as long as all steps make them.
func (g *growing) step(step node, carried []node) []node {
	args := []*value{ofNode(step), g.truthValue(true)}
	for i, x := range carried[:len(g.carry)] {
		v := ofNode(x)
		if k := g.grown[i]; k.axis >= 0 {
			v.counted = &counted{k.axis, g.newSize(g.lengthAfter(k, step), k.longest(g.most))}
		}
		args = append(args, v)
	}
	list := g.attempt(g.body, args)
	if len(list) != 1+len(g.carry)+len(g.parts) {
		return nil
	}
	next := []node{g.nodeOf(list[0])}
	for i, v := range list[1 : 1+len(g.carry)] {
		k := g.grown[i]
		if k.axis < 0 {
			next = append(next, g.nodesOf([]*value{v})...)
			continue
		}
		wanted := args[2+i].counted.size.Plus(k.per)
		if size := g.shapeOf(v)[k.axis]; size != wanted && size != g.named(wanted) {
			g.problem("the size %s of a value of a loop's body changes from step to step in an unknown way", size)
			return nil
		}
		next = append(next, ops.Narrow(g.nodeOf(v), k.axis, 0, k.longest(g.most)))
	}
	for i, v := range list[1+len(g.carry):] {
		part := ops.Unsqueeze(g.nodeOf(v), 0)
		starts := make([]node, part.Rank())
		for axis := range starts {
			starts[axis] = ops.Zeros(g.g, graph.Int64)
		}
		starts[0] = step
		next = append(next, ops.DynamicUpdateSlice(carried[len(g.carry)+i], part, starts...))
	}
	return next
}
