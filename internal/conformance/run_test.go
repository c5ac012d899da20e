package conformance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// feeds are the values of inputs and parameters.
type feeds map[*graph.Node]reference.Value

// computed is a value by both evaluators.
type computed struct{ oracle, program reference.Value }

// compute evaluates nodes of one graph by the reference evaluator and by the compiled
// program.
func compute(g *graph.Graph, outputs []*graph.Node, fed feeds, opts ...exec.Option) ([]computed, error) {
	values, err := reference.Eval(outputs, fed)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	prog, err := exec.Compile(g, append(opts, exec.Outputs(outputs...), exec.OnWarning(nil))...)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	s := prog.NewSession()
	feed := exec.Feed{}
	for n, v := range fed {
		a := exec.Array{Shape: v.Shape, Data: v.Data}
		if n.IsParam() {
			if err := s.SetParam(n, a); err != nil {
				return nil, err
			}
			continue
		}
		feed[n] = a
	}
	out, err := s.Run(context.Background(), feed)
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	list := make([]computed, len(outputs))
	for i, n := range outputs {
		a, err := out.Array(n)
		if err != nil {
			return nil, err
		}
		list[i] = computed{values[i], reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}}
	}
	return list, nil
}

// tolerance is how far a value may be from the expected one: either bound suffices.
type tolerance struct{ relative, absolute float64 }

// want requires that both evaluators give the expected elements.
func (c computed) want(what string, shape []int, data []float64, tol tolerance) error {
	for _, v := range []struct {
		by string
		reference.Value
	}{{"oracle", c.oracle}, {"program", c.program}} {
		if !slices.Equal(v.Shape, shape) {
			return fmt.Errorf("%s by the %s: want shape %v, got %v", what, v.by, shape, v.Shape)
		}
		have := v.Floats()
		if len(have) != len(data) {
			return fmt.Errorf("%s by the %s: want %d elements, got %d", what, v.by, len(data), len(have))
		}
		for i := range data {
			if !tol.allows(have[i], data[i]) {
				return fmt.Errorf("%s by the %s, element %d: want %v, got %v\n    want %v\n    got  %v",
					what, v.by, i, data[i], have[i], data, have)
			}
		}
	}
	return nil
}

// allows reports whether a value is near enough to the wanted one. NaN is NaN and an
// infinity itself.
func (t tolerance) allows(have, want float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(have)
	case math.IsInf(want, 0):
		return have == want
	}
	return math.Abs(have-want) <= max(t.absolute, t.relative*math.Abs(want))
}
