package axislint

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// origins lists the sources that an axis of a value is whole, and reports whether it also comes from weights.
func (l *lint) origins(n *graph.Node, axis int) (sources []int, weights bool) {
	return originsIn(l.flow(), n, axis)
}

func originsIn(f *axisflow.Flow, n *graph.Node, axis int) (sources []int, weights bool) {
	for _, d := range f.Value(n) {
		if d.Source == f.Weights() {
			weights = d.On(axis)
			continue
		}
		if slices.ContainsFunc(d.Terms, func(t axisflow.Term) bool {
			return t.Axis == axis && t.Inner == 1 && t.Size == n.Shape()[axis]
		}) {
			sources = append(sources, d.Source)
		}
	}
	return sources, weights
}

func share(a, b []int) bool {
	return slices.ContainsFunc(a, func(s int) bool { return slices.Contains(b, s) })
}

// areInputs reports whether all sources are axes of inputs.
func (l *lint) areInputs(sources []int) bool {
	return len(sources) > 0 && !slices.ContainsFunc(sources, func(s int) bool { return !l.flow().IsInput(s) })
}

// meets returns the axis of a broadcasting node that an operand's axis meets.
func meets(n, x *graph.Node, axis int) int { return axis + n.Rank() - x.Rank() }
