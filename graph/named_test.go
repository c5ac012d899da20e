package graph_test

import (
	"testing"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// A name is within the scope where the user gives it: what a layer or a gradient returned is not named after the
// layer's scope.
func TestNamesOfResultsOfLayers(t *testing.T) {
	g := graph.New("names")
	x := g.Input("x", graph.Float32, 2, 3)
	head := nn.NewLinear(g, "head", 3, 4)
	logits := head.Apply(nn.Evaluation(g), x).Named("logits")
	slope := autodiff.Grad(ops.Sum(logits), []*graph.Node{x})[0].Named("slope")
	var inner, outer *graph.Node
	g.Scope("block", func() {
		inner = ops.Relu(logits).Named("inner")
		outer = head.Apply(nn.Evaluation(g), x)
	})
	outer.Named("outer")
	for _, c := range []struct {
		n          *graph.Node
		name, base string
	}{
		{logits, "logits", "logits"}, {slope, "slope", "slope"},
		{inner, "block.inner", "inner"}, {outer, "outer", "outer"},
		{head.Weight, "head.weight", "weight"}, {x, "x", "x"},
	} {
		if c.n.Name() != c.name || c.n.BaseName() != c.base {
			t.Errorf("%s, within its scope %s; want %s, %s", c.n.Name(), c.n.BaseName(), c.name, c.base)
		}
	}
	if logits.Scope() != "head" {
		t.Errorf("the scope of logits is %q", logits.Scope())
	}
	if unnamed := logits.Named(""); unnamed.Name() != "" {
		t.Errorf("a removed name stays: %q", unnamed.Name())
	}
}
