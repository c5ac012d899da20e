package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// exampleGradients are the gradients of an operation that stands in a batch as it is expanded. Its own rule says them of one example: what it is
// expanded to may have another gradient, as where the user has said it, or none.
type exampleGradients struct {
	op     *graph.Op
	attrs  any
	mapped []bool // of its operands, which are those of the examples

	// Of the gradient dy that has arrived last at y: one example, with what is asked of it for the one operand after the other.
	y, dy node
	one   *vectorizer
	n, e  node // the operation, and the gradient that arrives at it
}

// withOwnGradient gives what an operation is expanded to, for all examples, the gradient that the operation has.
func (v *vectorizer) withOwnGradient(n, y node) node {
	in, mapped := v.operands(n)
	if n.Op().Grad == nil || !n.DType().IsFloat() || !y.Judged() || !slices.ContainsFunc(in, func(x node) bool { return x.DType().IsFloat() }) {
		return y
	}
	of := &exampleGradients{op: n.Op(), attrs: n.Attrs(), mapped: mapped}
	op := &graph.Op{Name: "with_gradient", Func: n.Op().Func, Doc: "a value for a batch with the gradient of one for an example", Class: graph.Composite, MinIn: 1, MaxIn: -1,
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

// gradient is the gradient for an operand: of those that are the same for all examples the sum.
func (of *exampleGradients) gradient(y, dy node, i int) node {
	if of.y != y || of.dy != dy || !stands(of.e, y.Graph()) {
		of.begin(y, dy)
	}
	x := of.n.In(i)
	var dx node
	y.Graph().Reopened(of.one.body, func() {
		if dx = of.op.Grad(of.n, of.e, i); dx != nil && dx.Judged() && dx.Graph() == y.Graph() && !dx.Shape().Equal(x.Shape()) {
			dx = SumTo(dx, x.Shape(), rules.Rules{Names: x.Graph().Policy().Names, Bounds: x.Graph().Bounds}.Stretch(x.Shape(), dx.Shape()))
		}
	})
	if dx == nil || !dx.Judged() || dx.Graph() != y.Graph() {
		return dx
	}
	of.one.write(of.one.leadingTo([]node{dx}, of.one.first))
	of.one.like(dx, func() {
		if all := of.one.whole(dx); of.mapped[i] {
			dx = all
		} else {
			dx = Sum(all, 0)
		}
	})
	return dx
}

// begin builds one example. Its body, and those of loops over all examples, stay open: more may be asked of it.
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
