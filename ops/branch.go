package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/prove"
)

// While computes body as long as cond is true, but at most max times. It returns the carried values for which cond
// was first false, or those after max steps, and the number of steps, an Int64 scalar. If max is 0 or negative there
// are no steps. Both functions are called to build a graph. cond, which is called twice, returns one Bool. body also
// gets the number of the step, and returns the next carried values. A gradient keeps the carried values of each of
// max steps, and requires that a symbolic max is not negative.
//
//	root, steps := ops.While(50, []*graph.Node{x}, func(c []*graph.Node) *graph.Node {
//		return ops.Greater(ops.Abs(ops.Sub(ops.Square(c[0]), x)), graph.Num(1e-6))
//	}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
//		return []*graph.Node{ops.Mul(ops.Add(c[0], ops.Div(x, c[0])), graph.Num(0.5))}
//	})
func While(max graph.Dim, carry []*graph.Node, cond func(carry []*graph.Node) *graph.Node,
	body func(step *graph.Node, carry []*graph.Node) (next []*graph.Node)) (final []*graph.Node, steps *graph.Node) {
	b := newLoop("While", graph.LoopSpec{Length: stepCount(max)}, carry, nil)
	n := len(b.carry)
	switch {
	case b.g == nil:
		b.refuse(noGraph)
	case cond == nil:
		b.refuse("the condition function is nil")
	case body == nil:
		b.refuse("the body is nil")
	}
	b.refuseCount(max, "max")
	if b.wrong != nil {
		final, _ = b.refused(n+1, 0)
		return final[:n], final[n]
	}
	b.limit.Stops = true
	b.carry = append(b.carry, b.decides(cond(b.carry[:n:n])))
	final, _ = b.build(func(carry, _ []node) (next, out []node) {
		next = b.typed(body(b.step(), carry[:n:n]), carry)
		b.refuseNil(next, "the body returns nil as carried value %d")
		if len(next) != n {
			b.refuse("there are %d carried values, but the body returns %d", n, len(next))
		}
		if b.wrong != nil {
			return carry, nil
		}
		return append(next[:n:n], b.decides(cond(next[:n:n]))), nil
	})
	if steps = b.end; steps == nil {
		steps = final[n] // the refusal
	}
	return final[:n], steps
}

// decides requires that a value is a condition.
func (b *loopBuilder) decides(is node) node {
	switch {
	case is == nil:
		b.refuse("the condition is nil")
		return b.g.Scalar(graph.Bool, 0)
	case is.Judged() && (is.DType() != graph.Bool || is.Rank() != 0):
		b.refuse("the condition is %s%s, but must be one Bool: %s", is.DType(), is.Shape(), decided(is))
		b.show(is, "the condition")
	}
	return asNode(b.g, is)
}

// decided says how a value is made a condition.
func decided(is node) string {
	switch {
	case is.DType() == graph.Bool:
		return "use ops.Any or ops.All to reduce it to one"
	case is.Rank() == 0:
		return "compare it, such as ops.Greater(" + is.Called() + ", graph.Num(0)) does"
	}
	return "compare it, and use ops.Any or ops.All to reduce it to one"
}

// Cond returns the results of then if condition, one Bool, is true, and those of otherwise if it is false. Both are
// called once, to build a graph, and return as many values, of the same dtypes and shapes. Only the selected branch
// is computed: checks in the other one do not stop the run.
func Cond(condition *graph.Node, then, otherwise func() []*graph.Node) (results []*graph.Node) {
	b := newLoop("Cond", graph.LoopSpec{Length: 1, Whole: true}, nil, []node{condition})
	switch {
	case b.g == nil:
		b.refuse("the condition belongs to no graph")
	case then == nil || otherwise == nil:
		b.refuse("a branch is nil")
	default:
		b.decides(condition)
	}
	if b.wrong != nil {
		bad, _ := b.refused(1, 0)
		return bad
	}
	inThen, region := b.branch(then)
	inElse, other := b.branch(otherwise)
	b.match(inThen, inElse)
	if b.wrong != nil {
		bad, _ := b.refused(max(len(inThen), 1), 0)
		return bad
	}
	begin := make([]node, len(inElse))
	for i, x := range inElse {
		begin[i] = Zeros(b.g, x.DType(), x.Shape()...)
	}
	return b.close(region, condition, b.close(other, Not(condition), begin, inElse), inThen)
}

// branch builds what is computed in one case.
func (b *loopBuilder) branch(build func() []*graph.Node) ([]node, *graph.Region) {
	region, end := b.g.OpenRegion(b.spec)
	defer end()
	return append([]node{}, build()...), region
}

// match requires that two branches give values that can take each other's place.
func (b *loopBuilder) match(then, otherwise []node) {
	if len(then) != len(otherwise) {
		b.refuse("then returns %d values, but otherwise returns %d", len(then), len(otherwise))
		return
	}
	for i := range then {
		if then[i] == nil || otherwise[i] == nil {
			branch := "then"
			if then[i] != nil {
				branch = "otherwise"
			}
			b.refuse("%s returns nil as value %d", branch, i)
			return
		}
		b.typed(then[i:i+1], otherwise[i:i+1])
		b.typed(otherwise[i:i+1], then[i:i+1])
		x, y := then[i], otherwise[i]
		if x.Judged() && y.Judged() && (x.DType() != y.DType() || !b.canBeEqual(x.Shape(), y.Shape())) {
			b.refuse("value %d is %s%s in one branch and %s%s in the other", i, x.DType(), x.Shape(), y.DType(),
				y.Shape())
			b.show(x, fmt.Sprintf("value %d of then", i))
			b.show(y, fmt.Sprintf("value %d of otherwise", i))
			return
		}
	}
}

// canBeEqual reports whether shapes can be the same.
func (b *loopBuilder) canBeEqual(s, t graph.Shape) bool {
	if len(s) != len(t) {
		return false
	}
	prover := prove.NewProver(b.g.Bounds)
	for axis := range s {
		if prover.NotEqual(s[axis], t[axis]) {
			return false
		}
	}
	return true
}

// close ends a branch that is computed where a condition is true: what comes out is next then, and
// begin where it is not.
func (b *loopBuilder) close(region *graph.Region, condition node, begin, next []node) (results []node) {
	carried := make([]node, len(begin))
	for i, x := range begin {
		carried[i] = loopop.Carried(region, i, x)
	}
	end := loopop.End(b.g, region, carried, next, loopop.Limit{Steps: Cast(condition, graph.Int64)})
	for i := range begin {
		results = append(results, loopop.Final(region, end, i))
	}
	return results
}

func init() {
	composed("Cond", "the results of one of two bodies.",
		shownAs("Cond(condition, then, otherwise)", named("", "", "jax.lax.cond", "If", "",
			func(e *graph.Example) node {
				x, y := e.Of("x", "n"), e.Of("y", "n")
				return Cond(e.As(graph.Bool, "condition"), func() []node { return []node{x} },
					func() []node { return []node{y} })[0]
			})))
	composed("While", "values handed from step to step while a condition holds.",
		shownAs("While(n, carry, cond, body)",
			named("", "", "jax.lax.while_loop", "Loop", "", func(e *graph.Example) node {
				small := func(carry []node) node { return Less(carry[0], num(100)) }
				doubled := func(_ node, carry []node) []node { return []node{Add(carry[0], carry[0])} }
				values, _ := While(e.Shape("n")[0], []node{e.Of("x")}, small, doubled)
				return values[0]
			})))
}
