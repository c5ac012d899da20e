package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Callback calls a Go function with the values of in and returns its result, of the given dtype and shape. name is
// shown in messages and pictures. The shape may contain named sizes, such as those of in[0].Shape(). This draws a
// picture in each run, and continues with the function's result:
//
//	y := ops.Callback("Draw", []*graph.Node{x}, graph.Float32, graph.Shape{}, func(a *graph.Arrays) error {
//		score, err := draw(graph.Elements[float32](a.In[0]), a.In[0].Shape)
//		graph.Elements[float32](a.Out)[0] = score
//		return err
//	}, nil)
//
// The function gets views of the session's memory, of any dtype, such as float16 or uint8. It must not keep them
// after it returns, write to them (exec.GuardOperands detects this), or build nodes of their graph. It fills a.Out,
// whose initial contents are undefined, or replaces it with its own array of the same dtype and shape, made with
// graph.NewArray. If it returns an error, panics, or leaves the result unfilled, as far as this can be detected, the
// run ends with an error that has the line of this call and wraps the function's error.
//
// It is called once in each run of a program that computes the result, on the goroutine of the run, after the
// Callback and Print calls that were built before it. Calls are never merged or optimised away: it is called even if
// its result turns out not to be needed. In the body of a loop it is called in each step, and in a branch of Cond in
// runs that take the branch. If nothing uses the result, pass it to exec.Updates. Programs that run at the same time
// call it at the same time.
//
// backward returns the gradient, as in [WithGradient]: one for each of in, of its shape, or nil if none flows. If
// backward is nil, a gradient that flows through the result is an error.
func Callback(name string, in []*graph.Node, t graph.DType, shape graph.Shape, call func(a *graph.Arrays) error,
	backward func(y, dy *graph.Node, in []*graph.Node) []*graph.Node) *graph.Node {
	in, shape = slices.Clone(in), slices.Clone(shape)
	if call == nil {
		return refusal(refused("Callback", in...),
			&graph.Mistake{Code: graph.CodeOperand, Summary: "the function of " + name + " is nil"})
	}
	op := &graph.Op{Name: "callback", Func: name, Doc: "the result of a Go function, which is called once in each run.",
		Class: graph.Function, Ordered: true,
		MinIn: 1, MaxIn: -1, Core: wholeOperands,
		Function: call,
		Infer:    func(*graph.Call) (graph.DType, graph.Shape) { return t, slices.Clone(shape) },
	}
	if backward != nil {
		var asked askedOnce
		op.Grad = func(y, dy node, i int) node {
			return ownGradient(&asked, name, backward, y, dy, y.Operands()[:len(in)], i)
		}
	}
	return graph.Apply(op, nil, in...)
}

// wholeOperands says that a Go function is given operands whole.
func wholeOperands(n node) (operands []int, result int) {
	for _, x := range n.Operands() {
		operands = append(operands, x.Rank())
	}
	return operands, n.Rank()
}

func init() {
	composed("CallbackResults", "the results of a Go function that has several, which is called once in each run.",
		shownAs("CallbackResults(name, []*graph.Node{x}, results, call, backward)",
			named("", "", "jax.experimental.io_callback", "", "",
				func(e *graph.Example) node { return twoCopies(e, CallbackResults) })))
	composed("PureCallback",
		"the results of a Go function that does nothing else, which is called where they are needed.",
		shownAs("PureCallback(name, []*graph.Node{x}, results, call, backward)",
			named("", "", "jax.pure_callback", "", "",
				func(e *graph.Example) node { return twoCopies(e, PureCallback) })))
	composed("Callback", "the result of a Go function, which is called once in each run.",
		shownAs("Callback(name, []*graph.Node{x}, graph.Float32, x.Shape(), call, backward)",
			named("", "", "jax.experimental.io_callback", "", "",
				func(e *graph.Example) node {
					x := e.Of("x", "n")
					return Callback("Same", []node{x}, x.DType(), x.Shape(), func(a *graph.Arrays) error {
						copyElements(a.Out, a.In[0])
						return nil
					},
						func(_, dy node, _ []node) []node { return []node{dy} })
				})))
}

// twoCopies is the example of a function of two results, of which the first is x.
func twoCopies(e *graph.Example,
	callback func(string, []node, []CallbackResult, func(*graph.Arrays) error,
		func(y, dy, in []node) []node) []node) node {
	x := e.Of("x", "n")
	return callback("Copies", []node{x}, []CallbackResult{{x.DType(), x.Shape()}, {x.DType(), x.Shape()}},
		func(a *graph.Arrays) error {
			copyElements(a.Outs[0], a.In[0])
			copyElements(a.Outs[1], a.In[0])
			return nil
		}, func(_, dy, _ []node) []node { return []node{Add(dy[0], dy[1])} })[0]
}
