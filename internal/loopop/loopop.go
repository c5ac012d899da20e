package loopop

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// The operations.
var (
	carried = op("carried", "Carried", "what a step is given by the one before; x in the first.", 1, inferCarried)
	element = op("element", "Element", "x[t], in the step at position t.", 1, inferElement)
	step    = op("step", "Step", "the position of the step.", 0, inferCount)
	end     = op("end", "Loop", "the number of steps of a loop.", -1, inferEnd)
	final   = op("final", "Final", "what the last step hands on.", 1, inferFinal)
	stack   = op("stack_steps", "Steps", "x of all steps, along a new first axis.", 2, inferStack)
)

func op(name, fn, doc string, operands int, infer func(*graph.Call) (graph.DType, graph.Shape)) *graph.Op {
	return &graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Loop, MinIn: max(operands, 0), MaxIn: operands,
		Infer: infer}
}

// orderedEnd is the end of a loop with ordered operations in its body.
var orderedEnd = func() *graph.Op {
	op := *end
	op.Ordered = true
	return &op
}()

// Entries lists the operations.
func Entries() []*graph.Op { return []*graph.Op{carried, element, step, end, final, stack} }

// Carried makes carried value i of a body; its initial value is init.
func Carried(r *graph.Region, i int, init *graph.Node) *graph.Node {
	return graph.Apply(carried, graph.LoopAttrs{Body: r, Role: graph.LoopCarried, Index: i}, init)
}

// Element makes the part of x at the position of the step on its first axis.
func Element(r *graph.Region, x *graph.Node) *graph.Node {
	return graph.Apply(element, graph.LoopAttrs{Body: r, Role: graph.LoopElement}, x)
}

// Step makes the position of the step.
func Step(g *graph.Graph, r *graph.Region) *graph.Node {
	return graph.ApplyIn(g, step, graph.LoopAttrs{Body: r, Role: graph.LoopStep})
}

// Limit says what else than its length ends a loop.
type Limit struct {
	Steps *graph.Node // the number of steps if less than the length, an Int64; nil for none
	Stops bool        // before a step that is given false as the last carried value
}

// End closes the body. next are the results of its steps, one for each of carried.
func End(g *graph.Graph, r *graph.Region, carried, next []*graph.Node, l Limit) *graph.Node {
	in := slices.Concat(carried, next)
	if l.Steps != nil {
		in = append(in, l.Steps)
	}
	a := graph.LoopAttrs{Body: r, Role: graph.LoopEnd, Carried: len(carried), Limited: l.Steps != nil, Stops: l.Stops}
	op := end
	if r.Ordered() {
		op = orderedEnd
	}
	var made *graph.Node
	if len(in) == 0 {
		made = graph.ApplyIn(g, op, a)
	} else {
		made = graph.Apply(op, a, in...)
	}
	r.End(made)
	return made
}

// Final makes carried value i after the last step.
func Final(r *graph.Region, end *graph.Node, i int) *graph.Node {
	return graph.Apply(final, graph.LoopAttrs{Body: r, Role: graph.LoopFinal, Index: i}, end)
}

// Stack makes the stacked values of all steps.
func Stack(r *graph.Region, end, x *graph.Node) *graph.Node {
	return graph.Apply(stack, graph.LoopAttrs{Body: r, Role: graph.LoopStack}, end, x)
}

// CarriedOf returns the carried values of a loop, the results of its steps, and the node that limits their number, or
// nil.
func CarriedOf(end *graph.Node) (carried, next []*graph.Node, limit *graph.Node) {
	a, _ := end.Loop()
	in := end.Operands()
	if a.Limited {
		limit = in[2*a.Carried]
	}
	return in[:a.Carried], in[a.Carried : 2*a.Carried], limit
}

// StacksOf lists the stacked values that roots need, by the end of their loop.
func StacksOf(g *graph.Graph, roots []*graph.Node) map[*graph.Node][]*graph.Node {
	stacks := map[*graph.Node][]*graph.Node{}
	for _, n := range ancestors.Of(g, roots...) {
		if a, ok := n.Loop(); ok && a.Role == graph.LoopStack {
			stacks[n.In(0)] = append(stacks[n.In(0)], n)
		}
	}
	return stacks
}

func attrsOf(c *graph.Call) graph.LoopAttrs { return c.Attrs().(graph.LoopAttrs) }

func inferCarried(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) }

func inferCount(*graph.Call) (graph.DType, graph.Shape) { return graph.Int64, graph.Shape{} }

func inferElement(c *graph.Call) (graph.DType, graph.Shape) {
	x := c.In(0)
	if x.Rank() == 0 {
		c.Fail(&graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("a loop takes %s apart along an axis, and it is a scalar", x.Called()),
			Help:    []string{"use it in the body as it is: values of outside are the same in each step"}})
		return c.DType(0), graph.Shape{}
	}
	length := attrsOf(c).Body.Length()
	rules.MustBeSize(c, c.Shape(0)[0], length, 0, "all that a loop takes apart has as many parts",
		func() *graph.Mistake {
			return &graph.Mistake{Code: graph.CodeLoop,
				Summary: fmt.Sprintf("the loop has %s steps, and %s has %s elements along the axis of the loop", length,
					x.Called(), c.Shape(0)[0])}
		})
	return c.DType(0), c.Shape(0)[1:]
}

// inferEnd checks the results of steps: their dtypes and shapes must be those of the carried values.
func inferEnd(c *graph.Call) (graph.DType, graph.Shape) {
	a := attrsOf(c)
	for i := range a.Carried {
		was, next := c.In(i), c.In(a.Carried+i)
		refuse := func() *graph.Mistake {
			return &graph.Mistake{Code: graph.CodeLoop,
				Summary: fmt.Sprintf(
					"carried value %d goes into a step as %s%s, and comes out as %s%s: its dtype and shape must stay",
					i, was.DType(), was.Shape(), next.DType(), next.Shape()),
				Operands: []graph.OperandNote{{Node: was.In(0), Text: "carried in", DType: was.DType()},
					{Node: next, Text: "handed on", DType: next.DType()}},
				Help:  []string{keepShape(was, next)},
				Apart: true}
		}
		switch {
		case was.DType() != next.DType():
			m := refuse()
			m.Help = []string{fmt.Sprintf("begin with %s, or convert what the body hands on: ops.Cast(%s, graph.%s)",
				beginning(was.In(0), next.DType()), next.Called(), was.DType().GoName())}
			c.Fail(m)
		case was.Rank() != next.Rank():
			c.Fail(refuse())
		default:
			for axis, d := range was.Shape() {
				rules.MustBeSize(c, next.Shape()[axis], d, axis, "a carried value keeps its shape", refuse)
			}
		}
	}
	return graph.Int64, graph.Shape{}
}

func inferFinal(c *graph.Call) (graph.DType, graph.Shape) {
	was, _, _ := CarriedOf(c.In(0))
	x := was[attrsOf(c).Index]
	return x.DType(), x.Shape()
}

func inferStack(c *graph.Call) (graph.DType, graph.Shape) {
	return c.DType(1), slices.Concat(graph.Shape{attrsOf(c).Body.Length()}, c.Shape(1))
}

// keepShape says what to do if the result of a step has another shape than the carried value.
func keepShape(was, next *graph.Node) string {
	if was.Rank() < next.Rank() {
		return fmt.Sprintf("begin with a value of shape %s, which ops.Expand can make of %s", next.Shape(),
			was.In(0).Called())
	}
	return "what grows from step to step is no carried value: return each step's part as an output, and all of them come out along a new axis"
}

// beginning suggests an initial value instead of x that has a dtype.
func beginning(x *graph.Node, t graph.DType) string {
	if v, isNumber := x.ScalarValue(); isNumber && x.Rank() == 0 {
		return fmt.Sprintf("g.Scalar(graph.%s, %v)", t.GoName(), v)
	}
	return fmt.Sprintf("a value of dtype %s", t)
}
