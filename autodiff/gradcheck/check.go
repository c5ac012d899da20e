package gradcheck

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Option changes a check; nil has no effect.
type Option func(*settings)

type settings struct {
	second          bool
	step, tolerance float64
	seed            uint64
}

// SecondOrder also compares the gradients of the gradients.
func SecondOrder() Option { return func(s *settings) { s.second = true } }

// Step sets the distance by which a number is moved to both sides, relative to the greater of 1 and its magnitude.
// The default 1e-5 gives an error of about 1e-10 each from rounding and from the third derivative.
func Step(h float64) Option { return func(s *settings) { s.step = h } }

// Tolerance sets the allowed error of a gradient, relative to the greatest entry of its value, or to 1 if that is
// less. The default is 1e-6.
func Tolerance(t float64) Option { return func(s *settings) { s.tolerance = t } }

// Check compares the gradients of y with central differences, for each element of the inputs wrt, at the point given
// by the feed. It checks the sum of y times random weights, which are the same in each run. y and wrt are Float64: a
// difference in Float32 has no digits left. The feed holds wrt as exec.Array with a []float64. At kinks, such as 0
// for Relu, differences are meaningless: choose other points.
//
// The error is an [Error] if a gradient differs; otherwise it says why the check could not be made. The nodes of the
// gradients are added to y's graph. It takes two runs for each element, and each checks ctx.
func Check(ctx context.Context, y *graph.Node, feed exec.Feed, wrt []*graph.Node, options ...Option) error {
	s := settings{step: 1e-5, tolerance: 1e-6, seed: 1}
	for _, o := range options {
		if o != nil {
			o(&s)
		}
	}
	if err := s.wrong(y, feed, wrt); err != nil {
		return err
	}
	feed = maps.Clone(feed)
	loss, err := s.weighed(ctx, y, feed)
	if err != nil {
		return err
	}
	grads := autodiff.Grad(loss, wrt, autodiff.ZeroForUnused())
	if err := s.compare(ctx, "gradient", loss, grads, wrt, feed); err != nil || !s.second {
		return err
	}
	total := y.Graph().Scalar(graph.Float64, 0)
	for _, dx := range grads {
		each, err := s.weighed(ctx, dx, feed)
		if err != nil {
			return err
		}
		total = ops.Add(total, each)
	}
	return s.compare(ctx, "gradient of the gradient", total, autodiff.Grad(total, wrt, autodiff.ZeroForUnused()), wrt,
		feed)
}

// wrong says what cannot be checked.
func (s *settings) wrong(y *graph.Node, feed exec.Feed, wrt []*graph.Node) error {
	switch {
	case y == nil || y.Graph() == nil:
		return fmt.Errorf("gradcheck: the value to check is not a node of a graph")
	case y.Graph().Err() != nil:
		return y.Graph().Err()
	case y.DType() != graph.Float64:
		return fmt.Errorf("gradcheck: %s has dtype %s: differences need float64, so build the model with graph.Float64",
			y.Called(), y.DType())
	case len(wrt) == 0:
		return fmt.Errorf("gradcheck: no value was given with respect to which to check %s", y.Called())
	case !(s.step > 0) || !(s.tolerance > 0):
		return fmt.Errorf("gradcheck: step %v and tolerance %v: both must be above 0", s.step, s.tolerance)
	}
	for i, x := range wrt {
		switch {
		case x == nil || !x.IsInput() || x.Graph() != y.Graph():
			return fmt.Errorf("gradcheck: value %d is not an input of the graph of %s: declare it with Graph.Input", i,
				y.Called())
		case x.DType() != graph.Float64:
			return fmt.Errorf("gradcheck: %s has dtype %s: differences need float64", x.Called(), x.DType())
		}
		a, isArray := feed[x].(exec.Array)
		if _, isFloats := a.Data.([]float64); !isArray || !isFloats {
			return fmt.Errorf("gradcheck: %s is fed %T: feed an exec.Array with a []float64", x.Called(), feed[x])
		}
	}
	return nil
}

// weighed is the sum of x's elements times random numbers, which are fed.
func (s *settings) weighed(ctx context.Context, x *graph.Node, feed exec.Feed) (*graph.Node, error) {
	out, err := run(ctx, []*graph.Node{x}, feed)
	if err != nil {
		return nil, err
	}
	s.seed++
	rng := rand.New(rand.NewPCG(s.seed, 0))
	data := make([]float64, len(out[0].Data.([]float64)))
	for i := range data {
		data[i] = rng.Float64() + 0.5
	}
	w := x.Graph().Input(fmt.Sprintf("gradcheck%d", len(x.Graph().Nodes())), graph.Float64, x.Shape()...)
	feed[w] = exec.Array{Shape: out[0].Shape, Data: data}
	return ops.Sum(ops.Mul(x, w)), nil
}

func run(ctx context.Context, nodes []*graph.Node, feed exec.Feed) ([]exec.Array, error) {
	session, err := compile(nodes)
	if err != nil {
		return nil, err
	}
	return runSession(ctx, session, nodes, feed)
}

func compile(nodes []*graph.Node) (*exec.Session, error) {
	prog, err := exec.Compile(nodes[0].Graph(), exec.Outputs(nodes...), exec.OnWarning(nil))
	if err != nil {
		return nil, err
	}
	return prog.NewSession(exec.GuardOperands()), nil
}

// runSession feeds what the program reads, and copies its results.
func runSession(ctx context.Context, session *exec.Session, nodes []*graph.Node, feed exec.Feed) ([]exec.Array, error) {
	out, err := session.Run(ctx, feed)
	if err != nil {
		return nil, err
	}
	arrays := make([]exec.Array, len(nodes))
	for i, n := range nodes {
		if arrays[i], err = out.Array(n); err != nil {
			return nil, err
		}
		arrays[i] = arrays[i].Clone()
	}
	return arrays, nil
}

// compare moves each element of each value in both directions.
func (s *settings) compare(ctx context.Context, what string, loss *graph.Node, grads, wrt []*graph.Node,
	feed exec.Feed) error {
	got, err := run(ctx, grads, feed)
	if err != nil {
		return err
	}
	session, err := compile([]*graph.Node{loss})
	if err != nil {
		return err
	}
	for i, x := range wrt {
		analytic := got[i].Data.([]float64)
		given := feed[x].(exec.Array)
		moved := exec.Array{Shape: given.Shape, Data: slices.Clone(given.Data.([]float64))}
		feed[x] = moved
		numeric := make([]float64, len(analytic))
		for k := range numeric {
			if numeric[k], err = s.difference(ctx, session, loss, feed, moved.Data.([]float64), k); err != nil {
				return err
			}
		}
		feed[x] = given
		if e := s.differing(what, x, given.Shape, analytic, numeric); e != nil {
			return e
		}
	}
	return nil
}

// difference is the central difference of the loss for one element.
func (s *settings) difference(ctx context.Context, session *exec.Session, loss *graph.Node, feed exec.Feed,
	data []float64, k int) (float64, error) {
	at := data[k]
	defer func() { data[k] = at }()
	h := s.step * max(1, math.Abs(at))
	var side [2]float64
	for i, v := range []float64{at - h, at + h} {
		data[k] = v
		out, err := runSession(ctx, session, []*graph.Node{loss}, feed)
		if err != nil {
			return 0, err
		}
		side[i] = out[0].Data.([]float64)[0]
	}
	return (side[1] - side[0]) / ((at + h) - (at - h)), nil
}
