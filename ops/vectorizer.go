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

// vectorizer writes what was built for one example, in a body, for all of them.
type vectorizer struct {
	g     *graph.Graph
	body  *graph.Region
	size  graph.Dim // the examples
	first int       // the number of the body's first node
	made  map[node]batchedValue
	// bodies are, by bodies of loops within, those of the same loop over all examples. What is open in them is closed by ends.
	bodies map[*graph.Region]*graph.Region
	ends   []func()
	// written has the values whose memory the body writes: it must be their own.
	written map[node]bool
	// alone has the loops that each example goes through by itself.
	alone map[*graph.Region]bool
}

// batchedValue is what stands for a value of one example: one of all examples, along a first axis, where it is mapped, and else one that is
// the same for all.
type batchedValue struct {
	node   node
	mapped bool
}

func newVectorizer(g *graph.Graph, body *graph.Region, first int) *vectorizer {
	return &vectorizer{g: g, body: body, size: body.Length(), first: first, made: map[node]batchedValue{},
		bodies: map[*graph.Region]*graph.Region{body: body.Parent()}, written: map[node]bool{}, alone: map[*graph.Region]bool{}}
}

// all returns the values of all examples.
func (v *vectorizer) all(outs []node) []node {
	v.write(v.leadingTo(outs, v.first))
	results := make([]node, len(outs))
	for i, x := range outs {
		v.like(x, func() { results[i] = v.whole(x) })
	}
	for _, end := range v.ends {
		end()
	}
	return results
}

// isInside reports whether a value is one of the body, or of a loop in it.
func (v *vectorizer) isInside(x node) bool { return x.Region() != nil && v.body.Holds(x.Region()) }

// leadingTo lists the values of the body from a number on of which others are computed, in order. With them stand the writes and
// the ordered operations, which nothing may read.
func (v *vectorizer) leadingTo(outs []node, first int) []node {
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

// write makes what stands for the values of a list.
func (v *vectorizer) write(list []node) {
	v.findAlone(list)
	for _, n := range list {
		if _, done := v.made[n]; done || v.isAlone(n.Region()) {
			continue
		}
		switch a, isLoop := n.Loop(); {
		case !n.Judged() || n.Err() != nil: // its own mistake was reported
			v.made[n] = batchedValue{refusal(refused("Vmap", n), nil), true}
		case isLoop && a.Body == v.body: // the number of the example, which random numbers read
			v.like(n, func() { v.made[n] = batchedValue{Iota(v.g, 0, v.size), true} })
		case isLoop && v.alone[a.Body]:
			v.loopAlone(list, a.Body)
		case isLoop:
			v.like(n, func() { v.made[n] = v.loop(n, a) })
		case n.Op().Ordered:
			v.oneByOne([]node{n}, []node{n})
		default:
			v.batch(n)
		}
	}
}

// like builds nodes in the place of n, in the body that stands for n's.
func (v *vectorizer) like(n node, build func()) {
	v.g.Like(n, func() { v.g.Within(v.bodyOf(n.Region()), build) })
}

// bodyOf returns the body over all examples that stands for one of a single example.
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

// value is what stands for a value.
func (v *vectorizer) value(x node) batchedValue {
	if made, known := v.made[x]; known {
		return made
	}
	return batchedValue{x, false}
}

// whole is a value for all examples: what is the same for all is repeated.
func (v *vectorizer) whole(x node) node {
	is := v.value(x)
	if is.mapped || !is.node.Judged() {
		return is.node
	}
	return Expand(is.node, v.shape(x)...)
}

// shape is the shape of a value of all examples.
func (v *vectorizer) shape(x node) graph.Shape { return inBatch(v.size, x.Shape()) }

// operands are what stands for the operands of n, and which of them are mapped.
func (v *vectorizer) operands(n node) (in []node, mapped []bool) {
	for _, x := range n.Operands() {
		is := v.value(x)
		in, mapped = append(in, is.node), append(mapped, is.mapped)
	}
	return in, mapped
}

// batch makes what stands for the result of an operation.
func (v *vectorizer) batch(n node) {
	in, mapped := v.operands(n)
	if !slices.Contains(mapped, true) {
		if !n.Op().EachStep {
			v.like(n, func() { v.made[n] = batchedValue{v.same(n, in), false} })
			return
		}
		v.like(n, func() { in[0] = v.whole(n.In(0)) })
		mapped[0] = true
	}
	var y node
	v.like(n, func() { y = v.apply(n, in, mapped) })
	switch {
	case y != nil:
		v.made[n] = batchedValue{y, true}
	case n.Op().Class == graph.Composite && n.Op().Expand != nil:
		v.expand(n)
	default:
		v.oneByOne([]node{n}, []node{n})
	}
	if v.written[n] && !n.Op().EachStep {
		v.like(n, func() { v.made[n] = batchedValue{Copy(v.whole(n)), true} })
	}
}

// same builds an operation once more for all examples.
func (v *vectorizer) same(n node, in []node) node {
	if len(in) == 0 {
		return graph.ApplyIn(v.g, n.Op(), n.Attrs())
	}
	return graph.Apply(n.Op(), n.Attrs(), in...)
}

// apply applies the operation to all examples; nil where it has no form for that.
func (v *vectorizer) apply(n node, in []node, mapped []bool) (y node) {
	op := n.Op()
	defer func() {
		if p := recover(); p != nil {
			y = doesWrong(n, "Batch "+panicked.Text(p))
		}
	}()
	switch attrs, hasAxes := n.Attrs().(batchAttrs); {
	case op.Batch != nil:
		y = op.Batch(n, slices.Clone(in), slices.Clone(mapped))
	case hasAxes && (n.In(0).Rank() > 0 || op.Class == graph.Reduce) && op.Class != graph.Function:
		y = graph.Apply(op, attrs.withBatchAxis(n, v.size), v.wholes(n)...)
	case op.Class == graph.Elementwise || op.Class == graph.Update && !op.Indexed:
		y = graph.Apply(op, n.Attrs(), aligned(n, in, mapped)...)
	case op.Class == graph.Version:
		y = graph.Apply(op, n.Attrs(), in...)
	case op.Class == graph.Function:
		y = v.function(n)
	}
	return v.checked(n, y)
}

// checked is the result of a rule, of the shape that it must have.
func (v *vectorizer) checked(n, y node) node {
	if y == nil || !y.Judged() {
		return y
	}
	want, why := v.shape(n), ""
	switch {
	case y.Graph() != v.g:
		why = "gives no node of its graph"
	case y.DType() != n.DType():
		why = fmt.Sprintf("gives dtype %s, and Infer says %s", y.DType(), n.DType())
	case y.Rank() != len(want) || prove.NewProver(v.g.Bounds).Differ(y.Shape(), want):
		why = fmt.Sprintf("gives shape %s for %s examples, and Infer says %s for each", y.Shape(), v.size, n.Shape())
	case !y.Shape().Equal(want):
		return Reshape(y, want...)
	default:
		return y
	}
	return doesWrong(n, "Batch "+why)
}

// doesWrong refuses an operation one of whose functions does wrong.
func doesWrong(n node, why string) node {
	return graph.Refused(n.Op().Func, nil, n.Op().NotWhole(why), n.Operands()...)
}

// wholes are the operands of n for all examples.
func (v *vectorizer) wholes(n node) []node {
	in := make([]node, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = v.whole(x)
	}
	return in
}

// aligned are operands that broadcast: the axis of the examples is before all others of the result.
func aligned(n node, in []node, mapped []bool) []node {
	for i := range in {
		if mapped[i] {
			in[i] = afterBatch(in[i], n.Rank())
		}
	}
	return in
}

// afterBatch gives a value with a first axis of a batch so many axes behind it: those that are missing stand before the others.
func afterBatch(x node, rank int) node {
	missing := rank + 1 - x.Rank()
	if missing <= 0 {
		return x
	}
	return Reshape(x, slices.Insert(slices.Clone(x.Shape()), 1, slices.Repeat(graph.Shape{1}, missing)...)...)
}

// function applies a function of whole arrays, whose examples have so many of the last axes: nil where one has all axes.
func (v *vectorizer) function(n node) node {
	core, result := n.Op().Core(n)
	in := v.wholes(n)
	own := n.Shape()[:n.Rank()-result] // the axes of its own batch
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

// expand writes a composite operation for one example, and that for all.
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
				y = doesWrong(n, "Expand "+wrong)
			}
		})
	})
	if y == nil || !y.Judged() || y.Graph() != v.g {
		v.oneByOne([]node{n}, []node{n})
		return
	}
	v.write(v.leadingTo([]node{y}, from))
	is := v.value(y)
	if !is.mapped {
		v.like(n, func() { is = batchedValue{v.whole(y), true} })
	}
	v.like(n, func() { v.made[n] = batchedValue{v.withOwnGradient(n, v.checked(n, is.node)), true} })
}
