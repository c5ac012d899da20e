package lbfgs

import (
	"context"
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// vectors moves parameters and gradients between a session and one vector.
type vectors struct {
	session *exec.Session
	loss    *graph.Node
	nodes   []*graph.Node
	grads   []*graph.Node
}

// New returns a minimizer with PyTorch's default settings. The outputs of the session's program must include the
// loss, a scalar, and grads[i], the gradient of params[i]. The program must not write params itself.
func New(session *exec.Session, loss *graph.Node, params, grads []*graph.Node) (*Minimizer, error) {
	switch {
	case session == nil || loss == nil:
		return nil, fmt.Errorf("lbfgs: the session or the loss is nil")
	case len(params) == 0:
		return nil, fmt.Errorf("lbfgs: there are no parameters to minimize over")
	case len(params) != len(grads):
		return nil, fmt.Errorf("lbfgs: there are %d parameters and %d gradients", len(params), len(grads))
	case session.Program() == nil:
		return nil, fmt.Errorf("lbfgs: the session has no program: Compile returned an error")
	}
	outputs, written := session.Program().Outputs(), session.Program().Written()
	if !slices.Contains(outputs, loss) {
		return nil, noOutput("the loss", loss)
	}
	for i, w := range params {
		grad := grads[i]
		switch {
		case w == nil || !w.IsParam() || !w.DType().IsFloat() || slices.Contains(params[:i], w):
			return nil, fmt.Errorf("lbfgs: parameter %d, %s, is not a floating-point parameter, or is listed twice", i,
				w.Called())
		case slices.Contains(written, w):
			return nil, fmt.Errorf(
				"lbfgs: the session's program writes %s (%s) in each run, but a line search has many runs: compile a program that does not update it",
				w, w.Pos())
		case !slices.Contains(outputs, grad):
			return nil, noOutput(fmt.Sprintf("gradient %d", i), grad)
		case !grad.Shape().Equal(w.Shape()):
			return nil, fmt.Errorf("lbfgs: gradient %d is %s, but parameter %d is %s (%s): pass them in the same order",
				i, grad, i, w, w.Pos())
		}
	}
	return &Minimizer{Rate: 1, Iterations: 20, Evaluations: 25, History: 100, LeastGradient: 1e-7, LeastChange: 1e-9,
		LineEvaluations: 25, vectors: vectors{session, loss, slices.Clone(params), slices.Clone(grads)}}, nil
}

// noOutput tells that a program does not give what the method reads.
func noOutput(what string, n *graph.Node) error {
	if n == nil {
		return fmt.Errorf("lbfgs: %s is nil", what)
	}
	return fmt.Errorf("lbfgs: %s, %s (%s), is not an output of the session's program: pass it to exec.Outputs", what,
		n.Called(), n.Pos())
}

// params returns the parameters' values.
func (v *vectors) params() (x []float64, err error) {
	for _, w := range v.nodes {
		a, err := v.session.Param(w)
		if err != nil {
			return nil, fmt.Errorf("lbfgs: %w", err)
		}
		x = appendArray(x, a)
	}
	return x, nil
}

// setParams gives the parameters their values in x.
func (v *vectors) setParams(x []float64) error {
	for _, w := range v.nodes {
		a, err := v.session.Param(w)
		if err != nil {
			return fmt.Errorf("lbfgs: %w", err)
		}
		a = a.Clone()
		switch data := a.Data.(type) {
		case []float64:
			x = x[copy(data, x):]
		case []float32:
			for i := range data {
				data[i] = float32(x[i])
			}
			x = x[len(data):]
		default:
			_, count := graph.DTypeOfSlice(data)
			for i, v := range x[:count] {
				graph.SetNumberAt(data, i, v, 0)
			}
			x = x[count:]
		}
		if err := v.session.SetParam(w, a); err != nil {
			return fmt.Errorf("lbfgs: %w", err)
		}
	}
	return nil
}

// evaluate runs the program at x.
func (v *vectors) evaluate(ctx context.Context, feed exec.Feed, x []float64) (loss float64, grad []float64, err error) {
	if err = v.setParams(x); err != nil {
		return 0, nil, err
	}
	r, err := v.session.Run(ctx, feed)
	if err != nil {
		return 0, nil, fmt.Errorf("lbfgs: %w", err)
	}
	if loss, err = r.Scalar(v.loss); err != nil {
		return 0, nil, fmt.Errorf("lbfgs: %w", err)
	}
	for _, n := range v.grads {
		a, err := r.Array(n)
		if err != nil {
			return 0, nil, fmt.Errorf("lbfgs: %w", err)
		}
		grad = appendArray(grad, a)
	}
	if len(grad) != len(x) {
		return 0, nil, fmt.Errorf("lbfgs: the parameters have %d elements, but the gradients %d", len(x), len(grad))
	}
	return loss, grad, nil
}

func appendArray(list []float64, a exec.Array) []float64 {
	switch data := a.Widened().Data.(type) {
	case []float64:
		return append(list, data...)
	case []float32:
		for _, v := range data {
			list = append(list, float64(v))
		}
	}
	return list
}
