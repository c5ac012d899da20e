package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Vmap computes f for all examples of a batch at once. The values of over have the examples along their first axis,
// which has the same size in all; use [MoveAxis] to move another axis there. f is called once, to build the graph of
// one example: it gets the values' slices without that axis. It may use any outside value, which is then the same for
// all examples. Vmap returns the results for all examples, along a new first axis.
//
// The results are those of f for each example alone, up to rounding: sums and products over a whole batch may be
// computed in another order. Vmap builds f's nodes again with one more axis: a product of a vector and a matrix
// becomes one of matrices. Functions without a batched form, loops with a condition, and branches process the
// examples one by one. Random numbers differ between examples, as between the steps of a loop.
//
// f may compute gradients. They are per-example gradients; the gradient of a loss over the batch would sum them:
//
//	perExample := ops.Vmap([]*graph.Node{x, t}, func(e []*graph.Node) []*graph.Node {
//		return autodiff.Grad(ops.MSE(model(e[0]), e[1]), params)
//	})
//
// It is jax.vmap and torch.vmap. Mistakes are recorded in the graph.
func Vmap(over []*graph.Node, f func(x []*graph.Node) []*graph.Node) []*graph.Node {
	b := newLoop("Vmap", graph.LoopSpec{Length: graph.UnknownDim, Example: true}, nil, over)
	if len(over) == 0 && b.wrong == nil {
		b.refuse("over is empty: pass values whose first axis is that of the examples")
	}
	if len(b.over) > 0 && b.over[0] != nil && b.over[0].Judged() && b.over[0].Rank() > 0 {
		b.spec.Length = b.over[0].Shape()[0]
	}
	b.refuseStrangers(b.over, "value %d of over")
	b.matchExamples(over)
	if f == nil {
		b.refuse("the function is nil")
		f = func(x []*graph.Node) []*graph.Node { return x }
	}
	if b.g == nil {
		_, outs := b.withoutGraph(func(_, x []node) (next, out []node) { return nil, f(x) })
		return outs
	}
	return b.batched(f)
}

// batched builds one example, and from it all of them.
func (b *loopBuilder) batched(f func(x []node) []node) []node {
	region, end := b.g.OpenRegion(b.spec)
	defer end()
	b.region = region
	first := len(b.g.Nodes())
	parts := make([]node, len(b.over))
	for i, x := range b.over {
		parts[i] = b.element(x).Named(fmt.Sprintf("x[%d]", i))
	}
	outs := slices.Clone(f(slices.Clone(parts)))
	b.refuseNil(outs, "the function returns nil as result %d")
	b.refuseStrangers(outs, "result %d")
	isWrong := func(part node) bool { return part.Err() != nil } // its mistake is told
	if b.wrong != nil || slices.ContainsFunc(parts, isWrong) {
		_, refused := b.refused(0, len(outs))
		return refused
	}
	v := newVectorizer(b.g, region, first)
	for i, x := range parts {
		v.made[x] = batchedValue{b.over[i], true}
	}
	for i, x := range outs {
		outs[i] = asNode(b.g, x)
	}
	return v.vectorize(outs)
}

// matchExamples refuses values that cannot have one size along their first axis.
func (b *loopBuilder) matchExamples(over []node) {
	for i, x := range b.over {
		if _, isNumber := x.Literal(); isNumber {
			b.over[i] = b.standIn(
				"value %d of over is the number %s, which has no axis of examples: use the number inside the function",
				i, x.Called())
			continue
		}
		if b.cannotMatch(x) {
			b.over[i] = b.standIn(
				"%s has shape %s, and %s has shape %s: the sizes of their first axes, those of the examples, are %s and %s, but must be equal; use ops.Slice to shorten one",
				over[0].Called(), over[0].Shape(), over[i].Called(), over[i].Shape(), b.spec.Length, x.Shape()[0])
		}
	}
}

// refuseStrangers refuses values of other graphs.
func (b *loopBuilder) refuseStrangers(list []node, format string) {
	for i, x := range list {
		if x != nil && x.Graph() != nil && b.g != nil && x.Graph() != b.g {
			b.refuse(
				format+", %s, belongs to graph %q, but others belong to %q: build all nodes of a program in one graph",
				i, x.Called(), x.Graph().Name(), b.g.Name())
		}
	}
}

func init() {
	composed("Vmap", "a function of one example, for all examples of a batch.",
		shownAs("Vmap(x, f)", named("numpy.vectorize", "torch.vmap, torch.func.vmap", "jax.vmap", "", "",
			func(e *graph.Example) node {
				return Vmap([]node{e.Of("x", "n", "k")}, func(x []node) []node { return []node{Softmax(x[0], 0)} })[0]
			})))
}
