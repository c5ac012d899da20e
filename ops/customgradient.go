package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
)

// WithGradient returns forward(in) with a custom gradient. backward gets the result y, its gradient dy and in. It
// returns one gradient for each of in, of its shape, or nil if none flows. name is shown in messages and pictures.
// This rounds, and passes gradients through unchanged:
//
//	y := ops.WithGradient("RoundThrough", []*graph.Node{x},
//		func(in []*graph.Node) *graph.Node { return ops.Round(in[0]) },
//		func(y, dy *graph.Node, in []*graph.Node) []*graph.Node { return []*graph.Node{dy} })
//
// backward is called when a gradient is requested, and builds nodes: they are differentiated themselves for gradients
// of gradients. in must contain everything that forward reads. Other values would lose their gradients: reading a
// parameter or a floating-point input that is not in in is an error, unless [StopGradient] says that it has none. It
// is jax.custom_vjp with one result.
//
// y is computed from in: if backward differentiates, it must do so with respect to copies of in, so that
// autodiff.Grad does not reach y and request its gradient again. For a fixed point y = f(y, in[0]):
//
//	backward := func(y, dy *graph.Node, in []*graph.Node) []*graph.Node {
//		a := ops.Copy(in[0])
//		next := f(y, a)
//		sum := solve(func(u *graph.Node) *graph.Node { // u = dy + u·∂f/∂y
//			return ops.Add(dy, autodiff.Grad(next, []*graph.Node{y}, autodiff.Upstream(u))[0])
//		})
//		return autodiff.Grad(next, []*graph.Node{a}, autodiff.Upstream(sum))
//	}
func WithGradient(name string, in []*graph.Node, forward func(in []*graph.Node) *graph.Node,
	backward func(y, dy *graph.Node, in []*graph.Node) []*graph.Node) *graph.Node {
	in = slices.Clone(in)
	refuse := func(format string, args ...any) node {
		return refusal(refused("WithGradient", in...),
			&graph.Mistake{Code: graph.CodeOperand, Summary: fmt.Sprintf(format, args...)})
	}
	switch {
	case forward == nil || backward == nil:
		return refuse("a function of %s is nil", name)
	case slices.Contains(in, nil):
		return refuse("an operand of %s is nil", name)
	}
	for i, x := range in {
		in[i] = x.Graph().ValuesOf(in[i : i+1])[0]
	}
	first, panics := called(forward, slices.Clone(in))
	switch {
	case panics != "":
		return refuse("the forward function of %s %s", name, panics)
	case first == nil:
		return refuse("the forward function of %s returns nil", name)
	case !first.Judged():
		return first // its own mistake
	}
	if lost := readBeside(first, in); lost != nil {
		return refusal(refused("WithGradient", in...), &graph.Mistake{Code: graph.CodeGradient,
			Summary: fmt.Sprintf("%s reads %s, which is not among its operands: no gradient would reach it", name,
				lost.Called()),
			Help: []string{
				"pass it as an operand, with a gradient from the backward function; or read ops.StopGradient of it"}})
	}
	return graph.Apply(customGradient(name, backward), nil, append([]node{first}, in...)...)
}

// called is what a function of the user's gives, and where it panics.
func called(forward func(in []*graph.Node) *graph.Node, in []node) (y node, panics string) {
	defer func() {
		if p := recover(); p != nil {
			panics = panicked.Text(p)
		}
	}()
	return forward(in), ""
}

// customGradient is the operation of a value, its first operand, whose gradient goes to the others.
func customGradient(name string, backward func(y, dy *graph.Node, in []*graph.Node) []*graph.Node) *graph.Op {
	op := &graph.Op{Name: "with_gradient", Func: name, Doc: "a value with a gradient of its own",
		Class: graph.Composite, MinIn: 1, MaxIn: -1,
		Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Expand: func(_ *graph.Node, in []*graph.Node) *graph.Node { return in[0] },
	}
	var asked askedOnce
	op.Grad = func(y, dy node, i int) node {
		if i == 0 {
			return nil
		}
		return ownGradient(&asked, name, backward, y, dy, y.Operands()[1:], i-1)
	}
	return op
}

// ownGradient is the gradient of operand i that a user's function gives.
func ownGradient(asked *askedOnce, name string, backward func(y, dy *graph.Node, in []*graph.Node) []*graph.Node, y,
	dy node, in []node, i int) node {
	return oneOf(name, asked.grads(y, dy, func() []node { return backward(y, dy, slices.Clone(in)) }), in, i)
}

// readBeside returns a value of the user's that has gradients and from which y is computed other than through the given
// operands; nil if there is none.
func readBeside(y node, in []node) node {
	seen := map[node]bool{}
	for _, x := range in {
		seen[x] = true
	}
	var visit func(x node) node
	visit = func(x node) node {
		if x == nil || seen[x] || StopsGradient(x) {
			return nil
		}
		seen[x] = true
		if (x.IsInput() || x.IsParam()) && x.DType().IsFloat() {
			return x
		}
		for _, of := range x.Operands() {
			if lost := visit(of); lost != nil {
				return lost
			}
		}
		return nil
	}
	return visit(y)
}

func init() {
	composed("WithGradient", "a function of values whose gradient another function says.",
		shownAs("WithGradient(name, []*graph.Node{x}, forward, backward)",
			named("", "torch.autograd.Function", "jax.custom_vjp", "", "",
				func(e *graph.Example) node {
					return WithGradient("RoundThrough", []node{e.Of("x", "n")},
						func(in []node) node { return Round(in[0]) },
						func(_, dy node, _ []node) []node { return []node{dy} })
				})))
}
