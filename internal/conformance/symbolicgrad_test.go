package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// runGradients requires that a program of nothing but the gradients of the result accepts the
// sizes that the result accepts, and gives the gradients of the reference evaluator.
func (row *symbolicRow) runGradients() error {
	p, err := row.build(graph.Numpy)
	if err != nil {
		return err
	}
	y := p.last
	if y.Judged() && y.Rank() > 0 { // each element with a weight of its own, so that y itself is not needed
		y = ops.Mul(y, ops.Cast(ops.Iota(p.g, y.Rank()-1, y.Shape()...), y.DType()))
	}
	grads := autodiff.Grad(ops.Sum(y), p.inputs, autodiff.ZeroForUnused())
	if shapeinfer.Check(p.g).Err() != nil {
		return nil // it writes an input: that has no gradient
	}
	prog, err := exec.Compile(p.g, exec.Outputs(grads...), exec.OnWarning(nil))
	if err != nil {
		return fmt.Errorf("compile the gradients: %w", err)
	}
	session := prog.NewSession()
	for _, sample := range row.Samples {
		_, fed, err := p.feed(sample.Dims)
		if err != nil || len(p.undetermined(sample.Dims)) > 0 {
			continue
		}
		feed := exec.Feed{}
		for n, v := range fed {
			feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
		}
		out, err := session.Run(context.Background(), feed)
		if err != nil && strings.Contains(err.Error(), byHand) {
			continue
		}
		if sample.OK != (err == nil) {
			return fmt.Errorf("with %v: want ok %v (%s), the program of gradients says %v", sample.Dims, sample.OK,
				sample.Error, err)
		}
		if err != nil {
			continue
		}
		want, err := reference.Eval(grads, fed)
		if err != nil {
			return fmt.Errorf("with %v: oracle: %w", sample.Dims, err)
		}
		for i, dx := range grads {
			a, err := out.Array(dx)
			if err != nil {
				return err
			}
			c := computed{want[i], reference.Value{DType: dx.DType(), Shape: a.Shape, Data: a.Data}}
			what := fmt.Sprintf("with %v: the gradient of input %d", sample.Dims, i)
			if err := c.want(what, want[i].Shape, want[i].Floats(), tolerance{relative: 1e-12, absolute: 1e-12}); err !=
				nil {
				return err
			}
		}
	}
	return nil
}
