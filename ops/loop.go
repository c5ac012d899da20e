package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/prove"
)

// Loop describes the steps of a loop.
type Loop struct {
	// Carry are the values passed to the first step. Each step returns as many values, of the same dtypes and shapes,
	// for the next step.
	Carry []*graph.Node
	// Over are values that the loop slices along Axis: step t gets their slices at t, without that axis. They all
	// have the same size along it, which is the number of steps.
	Over []*graph.Node
	Axis int // of Over, and of the outputs of all steps; negative from the end
	// Length is the number of steps if Over is empty. If it is a number, it must not be 0; if a symbolic size is
	// negative, the run fails. With Over it may be left out.
	Length graph.Dim
	// Reverse starts at the last position.
	Reverse bool
}

// Scan computes body for each step of a loop. body is called once, to build a graph: it gets the carried values and
// the slices of l.Over, and returns the next carried values and the outputs of the step. It may use any outside
// value, which is then the same in each step. Scan returns the carried values after the last step, and the outputs of
// all steps, stacked along a new axis l.Axis. A loop without steps returns l.Carry and empty outputs.
//
// This is a cumulative sum that restarts where reset is true:
//
//	_, sums := ops.Scan(ops.Loop{Carry: []*graph.Node{zero}, Over: []*graph.Node{x, reset}},
//		func(carry, x []*graph.Node) (next, out []*graph.Node) {
//			sum := ops.Where(x[1], x[0], ops.Add(carry[0], x[0]))
//			return []*graph.Node{sum}, []*graph.Node{sum}
//		})
func Scan(l Loop, body func(carry, x []*graph.Node) (next, out []*graph.Node)) (final, outs []*graph.Node) {
	b := newLoop("Scan", graph.LoopSpec{Length: l.Length, Reverse: l.Reverse}, l.Carry, l.Over)
	b.takeAlong(l.Axis)
	if len(b.over) > 0 {
		b.spec.Length = graph.UnknownDim
		if x := b.over[0]; x != nil && x.Judged() && x.Rank() > 0 {
			b.spec.Length = x.Shape()[0]
		}
		b.matchLengths(l)
	}
	b.refuseCount(l.Length, "Length")
	n, isNumber := b.spec.Length.Int()
	switch {
	case len(b.over) > 0, !isNumber, n > 0:
	case n == 0:
		b.refuse(
			"Over is empty, and Length is 0 or not set: set Over, or a Length of at least 1; a Length that may be 0 must be a symbolic size, such as g.Dim(\"steps\", graph.AtLeast(0))")
	default:
		b.refuse(
			"the Length of a Scan is %d, but the outputs of all steps need an axis of that size: set a Length of at least 1",
			n)
	}
	final, outs = b.build(func(carry, x []*graph.Node) (next, out []*graph.Node) {
		if body == nil {
			b.refuse("the body is nil")
			return carry, nil
		}
		next, out = body(carry, x)
		for i, y := range out {
			if y != nil && y.Judged() && (l.Axis > y.Rank() || l.Axis < -1-y.Rank()) {
				b.refuse(
					"output %d of a step has shape %s, so that the outputs of all steps cannot be stacked along axis %d: loop along axis 0 of MoveAxis(x, %d, 0), or return an output with more axes",
					i, y.Shape(), l.Axis, l.Axis)
			}
		}
		return next, out
	})
	if b.end != nil && b.end.Judged() {
		if l.Length != 0 && len(b.over) > 0 {
			requireSizes(b.end, graph.Requirement{
				Kind: graph.MustEqual, A: l.Length, B: b.spec.Length,
				Why: "the Length of a Scan must be the size of Over along Axis"},
				fmt.Sprintf(
					"Length is %s, but the values in Over have %s elements along axis %d: leave Length out, or apply ops.Slice to the values",
					l.Length, b.spec.Length, l.Axis))
		}
		requireSizes(b.end, graph.Requirement{Kind: graph.MustBeAtLeast, A: b.spec.Length, Why: "the Length of a Scan"},
			fmt.Sprintf(
				"the Length of a Scan is %s, which is negative: the outputs of all steps need an axis of that size",
				b.spec.Length))
	}
	for i, x := range outs {
		if l.Axis != 0 && x.Judged() {
			outs[i] = MoveAxis(x, 0, l.Axis)
		}
	}
	return final, outs
}

// Fori computes body for i from 0 to n-1, and returns the carried values after the last step. i is an Int64 scalar.
// As in a for statement, there are no steps if n is 0 or negative, even if n is a symbolic size such as T-5: then
// carry is returned. A gradient keeps the inputs of each step, and requires that such an n is not negative. See
// [Scan] for the body.
func Fori(n graph.Dim, carry []*graph.Node,
	body func(i *graph.Node, carry []*graph.Node) (next []*graph.Node)) (final []*graph.Node) {
	b := newLoop("Fori", graph.LoopSpec{Length: stepCount(n)}, carry, nil)
	b.refuseCount(n, "n")
	final, _ = b.build(func(carry, _ []*graph.Node) (next, out []*graph.Node) {
		if body == nil {
			b.refuse("the body is nil")
			return carry, nil
		}
		return body(b.step(), carry), nil
	})
	return final
}

// stepCount is a number of steps as a size; a negative number means none.
func stepCount(n graph.Dim) graph.Dim {
	if count, isNumber := n.Int(); isNumber && count < 0 {
		return 0
	}
	return n
}

// takeAlong brings the axis of the loop to the front of what it goes over.
func (b *loopBuilder) takeAlong(axis int) {
	for i, x := range b.over {
		switch {
		case axis == 0 || x == nil || !x.Judged() || x.Rank() == 0:
		case axis < -x.Rank() || axis >= x.Rank():
			b.over[i] = b.standIn("Axis is %d, and Over[%d], %s, has shape %s", axis, i, x.Called(), x.Shape())
		default:
			b.over[i] = MoveAxis(x, axis, 0)
		}
	}
}

// matchLengths refuses values that cannot have one size along the axis of the loop.
func (b *loopBuilder) matchLengths(l Loop) {
	for i, x := range b.over {
		if b.cannotMatch(x) {
			b.over[i] = b.standIn(
				"Over[0], %s, has shape %s, and Over[%d], %s, has shape %s: their sizes along axis %d, that of the steps, are %s and %s, but must be equal; use ops.Slice to shorten one",
				l.Over[0].Called(), l.Over[0].Shape(), i, l.Over[i].Called(), l.Over[i].Shape(), l.Axis, b.spec.Length,
				x.Shape()[0])
		}
	}
}

// cannotMatch reports whether a value cannot have as many parts as the loop has steps.
func (b *loopBuilder) cannotMatch(x node) bool {
	if b.g == nil || x == nil || !x.Judged() || x.Rank() == 0 || b.spec.Length.IsUnknown() {
		return false
	}
	return prove.NewProver(b.g.Bounds).Judge(
		graph.Requirement{Kind: graph.MustEqual, A: x.Shape()[0], B: b.spec.Length}) == prove.Refused
}

// loopBuilder is a loop that is being built.
type loopBuilder struct {
	fn          string
	spec        graph.LoopSpec
	g           *graph.Graph
	region      *graph.Region
	carry, over []node
	given       []node // of both, what is not nil
	limit       loopop.Limit
	end         node // once it is built
	wrong       *graph.Mistake
}

// newLoop begins a loop.
func newLoop(fn string, spec graph.LoopSpec, carry, over []node) *loopBuilder {
	b := &loopBuilder{fn: fn, spec: spec, carry: slices.Clone(carry), over: slices.Clone(over)}
	for _, x := range slices.Concat(carry, over) {
		if x == nil {
			continue
		}
		if b.given = append(b.given, x); b.g == nil {
			b.g = x.Graph()
		}
	}
	if b.g == nil {
		return b
	}
	for i, x := range carry {
		if x == nil {
			b.carry[i] = b.standIn("carried value %d is nil", i)
		} else {
			b.carry[i] = asNode(b.g, x)
		}
	}
	for i, x := range b.g.ValuesOf(over) {
		if b.over[i] = x; x == nil {
			b.over[i] = b.standIn("Over[%d] is nil", i)
		}
	}
	return b
}

// standIn refuses the loop, and makes a node in place of the mistake while the body is built, so that nothing that
// follows from it is reported.
func (b *loopBuilder) standIn(format string, args ...any) node {
	b.refuse(format, args...)
	return refusal(refused(b.fn, b.given...), nil)
}

// asNode returns the value that an operation would read for x: a constant for a number, the value for a parameter that
// is replaced.
func asNode(g *graph.Graph, x node) node {
	if a, isNumber := x.Literal(); isNumber {
		return g.Number(a, x.DType())
	}
	return g.ValuesOf([]node{x})[0]
}

// refuse notes the first thing that is wrong with the loop.
func (b *loopBuilder) refuse(format string, args ...any) {
	if b.wrong == nil {
		b.wrong = &graph.Mistake{Code: graph.CodeLoop, Summary: fmt.Sprintf(format, args...)}
	}
}

// show adds a value to what the refusal shows, with its line.
func (b *loopBuilder) show(x node, text string) {
	b.wrong.Operands = append(b.wrong.Operands, graph.OperandNote{Node: x, DType: x.DType(), Text: text})
}

// refuseCount refuses a number of steps that is not known, unless a mistake that was told before made it so, and one
// that was computed from a named size with Go's operators.
func (b *loopBuilder) refuseCount(n graph.Dim, word string) {
	switch {
	case n.IsMisused():
		b.refuse(
			"%s, the number of steps, was computed from a named size with Go's operators, or is too large: use its methods, such as steps.Minus(1) and steps.FloorDiv(2)",
			word)
	case n.IsUnknown() && (b.g == nil || len(b.g.Mistakes()) == 0):
		b.refuse(noCount, word)
	}
}

const noCount = "%s, the number of steps, is not known when the loop is built: give a number, or a named size such as g.Dim(\"steps\")"

const noGraph = "no carried value and no value in Over belongs to a graph"

// build makes the nodes of the loop, and gives what comes out of it.
func (b *loopBuilder) build(body func(carry, x []node) (next, out []node)) (final, outs []node) {
	if b.g == nil {
		return b.withoutGraph(body)
	}
	carried, next, outs := b.open(body)
	if len(next) != len(carried) {
		b.refuse("there are %d carried values, but the body returns %d", len(carried), len(next))
	}
	if b.wrong != nil {
		return b.refused(len(carried), len(outs))
	}
	b.end = loopop.End(b.g, b.region, carried, next, b.limit).MarkLike(b.over...)
	for i := range carried {
		final = append(final, loopop.Final(b.region, b.end, i))
	}
	for i, x := range outs {
		outs[i] = loopop.Stack(b.region, b.end, x)
	}
	return final, outs
}

// withoutGraph refuses a loop that is given nothing of a graph. Its mistake is one of the graph to which belongs what
// the body makes.
func (b *loopBuilder) withoutGraph(body func(carry, x []node) (next, out []node)) (final, outs []node) {
	why := noGraph
	if len(b.given) == 0 {
		why = "Carry and Over are empty, so that all steps would be the same: set Carry to what each step passes on, or Over to what differs, " +
			"such as ops.Iota(g, 0, 3), the numbers of 3 steps"
	}
	b.refuse("%s", why)
	next, out := body(b.carry, b.over)
	for _, x := range slices.Concat(out, next) {
		if x != nil && x.Graph() != nil {
			bad := graph.RefusedIn(x.Graph(), b.fn, b.wrong)
			return slices.Repeat([]node{bad}, len(next)), slices.Repeat([]node{bad}, len(out))
		}
	}
	return b.refused(len(next), len(out))
}

// open builds the nodes of the body.
func (b *loopBuilder) open(body func(carry, x []node) (next, out []node)) (carried, next, outs []node) {
	region, end := b.g.OpenRegion(b.spec)
	defer end()
	b.region = region
	for i, x := range b.carry {
		carried = append(carried, loopop.Carried(region, i, x).Named(fmt.Sprintf("carry[%d]", i)))
	}
	parts := make([]node, len(b.over))
	for i, x := range b.over {
		parts[i] = b.element(x).Named(fmt.Sprintf("x[%d]", i))
	}
	next, out := body(carried[:len(carried):len(carried)], parts)
	b.refuseNil(next, "the body returns nil as carried value %d")
	b.refuseNil(out, "the body returns nil as output %d")
	next = b.typed(next, carried)
	for _, x := range out {
		outs = append(outs, asNode(b.g, x))
	}
	return carried, next, outs
}

// element takes a value apart. What is wrong with it is the call's mistake.
func (b *loopBuilder) element(x node) node {
	defer graph.BeginCall(b.fn, nil, b.given...)()
	return loopop.Element(b.region, x)
}

// step is the number of the step, which a body is given.
func (b *loopBuilder) step() node { return loopop.Step(b.g, b.region).Named("step") }

// refuseNil refuses a list that has a nil in it.
func (b *loopBuilder) refuseNil(list []node, format string) {
	if i := slices.Index(list, nil); i >= 0 {
		b.refuse(format, i)
	}
}

// typed makes constants of numbers, of the dtypes of other values.
func (b *loopBuilder) typed(xs, like []node) []node {
	for i, x := range xs {
		if a, isNumber := x.Literal(); isNumber && i < len(like) {
			xs[i] = b.g.Number(a, like[i].DType())
		}
	}
	return xs
}

// refused returns one node for all results of a loop that could not be built.
func (b *loopBuilder) refused(finals, outs int) (final, out []node) {
	bad := refusal(refused(b.fn, b.given...), b.wrong)
	return slices.Repeat([]node{bad}, finals), slices.Repeat([]node{bad}, outs)
}

func init() {
	composed("Fori", "values handed from step to step of a counted loop.",
		shownAs("Fori(n, carry, body)", named("", "", "jax.lax.fori_loop", "Loop", "",
			func(e *graph.Example) node {
				doubled := func(_ node, carry []node) []node { return []node{Add(carry[0], carry[0])} }
				return Fori(e.Shape("n")[0], []node{e.Of("x", "k")}, doubled)[0]
			})))
	composed("Scan", "values carried from step to step of a loop, and the results of each step.",
		shownAs("Scan(Loop{Carry: carry, Over: x}, body)", named("", "", "jax.lax.scan", "Scan", "",
			func(e *graph.Example) node {
				over := Loop{Carry: []node{e.Of("carry", "k")}, Over: []node{e.Of("x", "n", "k")}}
				final, _ := Scan(over, func(carry, x []node) ([]node, []node) {
					return []node{Add(carry[0], x[0])}, nil
				})
				return final[0]
			})))
}
