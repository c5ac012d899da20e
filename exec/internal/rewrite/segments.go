package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
)

// unitedWithItself rewrites a maximum or minimum by index over a concatenation whose first part is a value with the
// indices 0, 1, 2, …: a scatter into a value whose own elements count. It computes the maximum of that value and of
// the rest by index: the value is neither copied into the concatenation nor combined element by element.
func unitedWithItself(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if n.Op().Fold != graph.FoldMax && n.Op().Fold != graph.FoldMin {
		return nil
	}
	axis := n.Op().Axes(n)[0]
	x, others, ok := twoParts(in[0], axis)
	if !ok || !x.Shape().Equal(n.Shape()) {
		return nil
	}
	places, index, ok := twoParts(in[1], 0)
	if !ok || in[1].Rank() != 1 || !countsPlaces(viewOf(places), n.Shape()[axis]) {
		return nil
	}
	return analysis.Combiner(n.Op().Fold)(x, graph.Apply(n.Op(), n.Attrs(), others, index))
}

// twoParts returns the two operands of a concatenation along an axis.
func twoParts(x *graph.Node, axis int) (first, second *graph.Node, ok bool) {
	if !isAssembly(x) || HasBackground(x) || len(x.Operands()) != 2 {
		return nil, nil, false
	}
	first, second = x.In(0), x.In(1)
	at := x.Op().Assemble(x)
	one := slices.Repeat([]graph.Dim{1}, x.Rank())
	start := slices.Repeat([]graph.Dim{0}, x.Rank())
	if !slices.Equal(at.Start[0], start) || !slices.Equal(at.Step[0], one) || !slices.Equal(at.Step[1], one) {
		return nil, nil, false
	}
	start[axis] = first.Shape()[axis]
	return first, second, slices.Equal(at.Start[1], start)
}

// countsPlaces reports whether a vector holds 0, 1, 2, … up to a size.
func countsPlaces(x *graph.Node, size graph.Dim) bool {
	axis, is := analysis.IndexOf(x)
	return is && axis == 0 && x.Rank() == 1 && x.Shape()[0] == size
}
