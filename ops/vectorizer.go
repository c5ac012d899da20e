package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/composite"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// vectorizer builds for all examples what was built for one, in a body.
type vectorizer struct {
	g     *graph.Graph
	body  *graph.Region
	size  graph.Dim // the number of examples
	first int       // the ID of the body's first node
	made  map[node]batchedValue
	// bodies are the bodies of loops over all examples, by those of the same loop for one. ends closes the open ones.
	bodies map[*graph.Region]*graph.Region
	ends   []func()
	// written has the values whose memory the body writes: they must not share it.
	written map[node]bool
	// sequential has the loops that run for one example after the other.
	sequential map[*graph.Region]bool
}

// batchedValue replaces a value of one example. A mapped one has the values of all examples along its first axis;
// another one is the same for all.
type batchedValue struct {
	node   node
	mapped bool
}

func newVectorizer(g *graph.Graph, body *graph.Region, first int) *vectorizer {
	return &vectorizer{g: g, body: body, size: body.Length(), first: first, made: map[node]batchedValue{},
		bodies: map[*graph.Region]*graph.Region{body: body.Parent()}, written: map[node]bool{},
		sequential: map[*graph.Region]bool{}}
}

// vectorize returns the values for all examples.
func (v *vectorizer) vectorize(outs []node) []node {
	v.visitAll(v.ancestors(outs, v.first))
	results := make([]node, len(outs))
	for i, x := range outs {
		v.inPlaceOf(x, func() { results[i] = v.batched(x) })
	}
	for _, end := range v.ends {
		end()
	}
	return results
}

// isInside reports whether a value belongs to the body, or to a loop in it.
func (v *vectorizer) isInside(x node) bool { return x.Region() != nil && v.body.Holds(x.Region()) }

// ancestors lists the nodes of the body, from an ID on, from which others are computed, in order. It includes the
// writes and the ordered operations, which may have no readers.
func (v *vectorizer) ancestors(outs []node, first int) []node {
	seen := map[node]bool{}
	var list []node
	visit := func(x node) {
		if !seen[x] && x.ID() >= first && x.Graph() == v.g && v.isInside(x) {
			seen[x] = true
			list = append(list, x)
		}
	}
	for _, x := range outs {
		visit(x)
	}
	for _, x := range v.g.Nodes()[first:] {
		if x.Op().Class == graph.Update {
			v.written[alias.Storage(x)] = true
		}
		if x.Op().Class == graph.Update || x.Op().Ordered {
			visit(x)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, x := range list[i].Operands() {
			visit(x)
		}
	}
	slices.SortFunc(list, func(a, b node) int { return a.ID() - b.ID() })
	return list
}

// visitAll builds the batched values of a list of nodes.
func (v *vectorizer) visitAll(list []node) {
	v.findSequential(list)
	for _, n := range list {
		if _, done := v.made[n]; done || v.isSequential(n.Region()) {
			continue
		}
		switch a, isLoop := n.Loop(); {
		case !n.Judged() || n.Err() != nil: // its own mistake was reported
			v.made[n] = batchedValue{refusal(refused("Vmap", n), nil), true}
		case isLoop && a.Body == v.body: // the number of the example, which random numbers read
			v.inPlaceOf(n, func() { v.made[n] = batchedValue{Iota(v.g, 0, v.size), true} })
		case isLoop && v.sequential[a.Body]:
			v.sequentialLoop(list, a.Body)
		case isLoop:
			v.inPlaceOf(n, func() { v.made[n] = v.loop(n, a) })
		case n.Op().Ordered:
			v.sequentially([]node{n}, []node{n})
		default:
			v.visit(n)
		}
	}
}

// inPlaceOf builds nodes that replace n, in the body that replaces n's.
func (v *vectorizer) inPlaceOf(n node, build func()) {
	v.g.Like(n, func() { v.g.Within(v.bodyOf(n.Region()), build) })
}

// bodyOf returns the body for all examples that replaces a body for one.
func (v *vectorizer) bodyOf(r *graph.Region) *graph.Region {
	if made, known := v.bodies[r]; known {
		return made
	}
	if r == nil || !v.body.Holds(r) {
		return r
	}
	made, end := v.g.OpenCopy(r, v.bodyOf(r.Parent()))
	v.bodies[r], v.ends = made, append(v.ends, end)
	return made
}

// value returns the replacement of a value, which may be the value itself.
func (v *vectorizer) value(x node) batchedValue {
	if made, known := v.made[x]; known {
		return made
	}
	return batchedValue{x, false}
}

// batched returns the mapped form of a value: one that is the same for all examples is repeated.
func (v *vectorizer) batched(x node) node {
	is := v.value(x)
	if is.mapped || !is.node.Judged() {
		return is.node
	}
	return Expand(is.node, v.shape(x)...)
}

// shape is the shape of a value of all examples.
func (v *vectorizer) shape(x node) graph.Shape { return inBatch(v.size, x.Shape()) }

// operands returns the replacements of n's operands, and which of them are mapped.
func (v *vectorizer) operands(n node) (in []node, mapped []bool) {
	for _, x := range n.Operands() {
		is := v.value(x)
		in, mapped = append(in, is.node), append(mapped, is.mapped)
	}
	return in, mapped
}

// visit builds the batched value of a node.
func (v *vectorizer) visit(n node) {
	in, mapped := v.operands(n)
	if !slices.Contains(mapped, true) {
		if !n.Op().EachStep {
			v.inPlaceOf(n, func() { v.made[n] = batchedValue{v.unmapped(n, in), false} })
			return
		}
		v.inPlaceOf(n, func() { in[0] = v.batched(n.In(0)) })
		mapped[0] = true
	}
	var y node
	v.inPlaceOf(n, func() { y = v.apply(n, in, mapped) })
	switch {
	case y != nil:
		v.made[n] = batchedValue{y, true}
	case n.Op().Class == graph.Composite && n.Op().Expand != nil:
		v.expand(n)
	default:
		v.sequentially([]node{n}, []node{n})
	}
	if v.written[n] && !n.Op().EachStep {
		v.inPlaceOf(n, func() { v.made[n] = batchedValue{Copy(v.batched(n)), true} })
	}
}

// unmapped builds an operation whose result is the same for all examples.
func (v *vectorizer) unmapped(n node, in []node) node {
	if len(in) == 0 {
		return graph.ApplyIn(v.g, n.Op(), n.Attrs())
	}
	return graph.Apply(n.Op(), n.Attrs(), in...)
}

// apply applies the operation to all examples; it returns nil if there is no rule for that.
func (v *vectorizer) apply(n node, in []node, mapped []bool) (y node) {
	op := n.Op()
	defer func() {
		if p := recover(); p != nil {
			y = refuseRule(n, "Batch "+panicked.Text(p))
		}
	}()
	switch attrs, hasAxes := n.Attrs().(batchAttrs); {
	case op.Batch != nil:
		y = op.Batch(n, slices.Clone(in), slices.Clone(mapped))
	case hasAxes && (n.In(0).Rank() > 0 || op.Class == graph.Reduce) && op.Class != graph.Function:
		y = graph.Apply(op, attrs.withBatchAxis(n, v.size), v.batchedOperands(n)...)
	case op.Class == graph.Elementwise || op.Class == graph.Update && !op.Indexed:
		y = graph.Apply(op, n.Attrs(), aligned(n, in, mapped)...)
	case op.Class == graph.Version:
		y = graph.Apply(op, n.Attrs(), in...)
	case op.Class == graph.Function:
		y = v.function(n)
	}
	return v.checked(n, y)
}

// checked returns the result of a batching rule in the shape that it must have, or a refusal.
func (v *vectorizer) checked(n, y node) node {
	if y == nil || !y.Judged() {
		return y
	}
	want, why := v.shape(n), ""
	switch {
	case y.Graph() != v.g:
		why = "returns no node of its graph"
	case y.DType() != n.DType():
		why = fmt.Sprintf("returns dtype %s, but Infer says %s", y.DType(), n.DType())
	case y.Rank() != len(want) || prove.NewProver(v.g.Bounds).Differ(y.Shape(), want):
		why = fmt.Sprintf("returns shape %s for %s examples, but Infer says %s for each", y.Shape(), v.size, n.Shape())
	case !y.Shape().Equal(want):
		return Reshape(y, want...)
	default:
		return y
	}
	return refuseRule(n, "Batch "+why)
}

// refuseRule reports that a function of an operation is wrong.
func refuseRule(n node, why string) node {
	return graph.Refused(n.Op().Func, nil, n.Op().NotWhole(why), n.Operands()...)
}

// batchedOperands returns the mapped forms of n's operands.
func (v *vectorizer) batchedOperands(n node) []node {
	in := make([]node, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = v.batched(x)
	}
	return in
}

// aligned returns operands that broadcast with the axis of the examples before all others of the result.
func aligned(n node, in []node, mapped []bool) []node {
	for i := range in {
		if mapped[i] {
			in[i] = afterBatch(in[i], n.Rank())
		}
	}
	return in
}

// afterBatch returns a mapped value with the given number of axes after that of the examples: missing ones are inserted
// right after it.
func afterBatch(x node, rank int) node {
	missing := rank + 1 - x.Rank()
	if missing <= 0 {
		return x
	}
	return Reshape(x, slices.Insert(slices.Clone(x.Shape()), 1, slices.Repeat(graph.Shape{1}, missing)...)...)
}

// function applies a function of whole arrays, whose own batch axes precede the axes of one call. It returns nil if one
// call takes all axes.
func (v *vectorizer) function(n node) node {
	core, result := n.Op().Core(n)
	in := v.batchedOperands(n)
	own := n.Shape()[:n.Rank()-result] // its own batch axes
	for i, x := range n.Operands() {
		if len(own) > 0 && x.Rank() == core[i] { // whole in each of these
			in[i] = Expand(afterBatch(in[i], len(own)+x.Rank()), inBatch(v.size, slices.Concat(own, x.Shape()))...)
		}
	}
	y := graph.Apply(n.Op(), n.Attrs(), in...)
	if !y.Judged() {
		return y
	}
	if coreNow, resultNow := n.Op().Core(y); resultNow != result || !slices.Equal(coreNow, core) {
		return nil
	}
	return y
}

// expand expands a composite for one example, and vectorizes the expansion.
func (v *vectorizer) expand(n node) {
	from := len(v.g.Nodes())
	var y node
	v.g.Like(n, func() {
		v.g.Reopened(n.Region(), func() {
			var wrong string
			if y, wrong = composite.Write(n.Op().Expand, n); wrong == "" && y != nil && y.Graph() == v.g {
				wrong = composite.Mismatch(y, n)
			}
			if wrong != "" {
				y = refuseRule(n, "Expand "+wrong)
			}
		})
	})
	if y == nil || !y.Judged() || y.Graph() != v.g {
		v.sequentially([]node{n}, []node{n})
		return
	}
	v.visitAll(v.ancestors([]node{y}, from))
	is := v.value(y)
	if !is.mapped {
		v.inPlaceOf(n, func() { is = batchedValue{v.batched(y), true} })
	}
	v.inPlaceOf(n, func() { v.made[n] = batchedValue{v.withOwnGradient(n, v.checked(n, is.node)), true} })
}
