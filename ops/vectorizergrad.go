package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// exampleGradients are the gradients of an operation that was vectorized through its expansion. They follow the
// operation's own rule, for one example: the expansion may have another gradient, if the rule is a custom one, or none.
type exampleGradients struct {
	op     *graph.Op
	attrs  any
	mapped []bool // which of its operands are

	// For the last gradient dy of y: one example, for which the rule is called operand by operand.
	y, dy node
	one   *vectorizer
	n, e  node // the operation for one example, and its gradient
}

// withOwnGradient gives the vectorized expansion of an operation the gradient of the operation itself.
func (v *vectorizer) withOwnGradient(n, y node) node {
	in, mapped := v.operands(n)
	if n.Op().Grad == nil || !n.DType().IsFloat() || !y.Judged() ||
		!slices.ContainsFunc(in, func(x node) bool { return x.DType().IsFloat() }) {
		return y
	}
	of := &exampleGradients{op: n.Op(), attrs: n.Attrs(), mapped: mapped}
	op := &graph.Op{Name: "with_gradient", Func: n.Op().Func,
		Doc: "a value for a batch with the gradient of one for an example", Class: graph.Composite, MinIn: 1, MaxIn: -1,
		Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Expand: func(_ *graph.Node, in []*graph.Node) *graph.Node { return in[0] },
		Grad: func(y, dy node, i int) node {
			if i == 0 {
				return nil
			}
			return of.gradient(y, dy, i-1)
		},
	}
	return graph.Apply(op, nil, append([]node{y}, in...)...)
}

// gradient returns the gradient for an operand. For one that is the same for all examples it is summed over them.
func (of *exampleGradients) gradient(y, dy node, i int) node {
	if of.y != y || of.dy != dy || !stands(of.e, y.Graph()) {
		of.begin(y, dy)
	}
	x := of.n.In(i)
	var dx node
	y.Graph().Reopened(of.one.body, func() {
		if dx = of.op.Grad(of.n, of.e, i); dx != nil && dx.Judged() && dx.Graph() == y.Graph() &&
			!dx.Shape().Equal(x.Shape()) {
			dx = SumTo(dx, x.Shape(), rules.Rules{
				Names: x.Graph().Policy().Names, Bounds: x.Graph().Bounds}.Stretch(x.Shape(), dx.Shape()))
		}
	})
	if dx == nil || !dx.Judged() || dx.Graph() != y.Graph() {
		return dx
	}
	of.one.visitAll(of.one.ancestors([]node{dx}, of.one.first))
	of.one.inPlaceOf(dx, func() {
		if all := of.one.batched(dx); of.mapped[i] {
			dx = all
		} else {
			dx = Sum(all, 0)
		}
	})
	return dx
}

// begin builds one example. Its body, and those of loops over all examples, can be reopened for further operands.
func (of *exampleGradients) begin(y, dy node) {
	g, in := y.Graph(), y.Operands()[1:]
	region, end := g.OpenRegion(graph.LoopSpec{Length: y.Shape()[0]})
	defer end()
	of.y, of.dy, of.one = y, dy, newVectorizer(g, region, len(g.Nodes()))
	part := func(all node) node {
		x := loopop.Element(region, all)
		of.one.made[x] = batchedValue{all, true}
		return x
	}
	own := slices.Clone(in)
	for i, x := range in {
		if of.mapped[i] {
			own[i] = part(x)
		}
	}
	of.n, of.e = graph.Apply(of.op, of.attrs, own...), part(dy)
	of.one.made[of.n] = batchedValue{y, true}
}
