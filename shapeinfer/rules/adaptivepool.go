package rules

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// AdaptivePool is the shape rule of PyTorch's adaptive pooling to the given spatial sizes, for [N, C, …] or [C, …];
// word is the name of the operation.
func AdaptivePool(c *graph.Call, word string, sizes []int) graph.Shape {
	x := slices.Clone(c.Shape(0))
	axes := len(sizes)
	switch {
	case axes < 1:
		c.Fail(windowMistake(c, -1, "%s: no sizes are given", word))
		return x
	case slices.Min(sizes) < 1 || slices.Max(sizes) > math.MaxInt32:
		c.Fail(
			windowMistake(c, -1,
				"%s: elements of output_size must be from 1 to %d, and are %v", word, math.MaxInt32, sizes))
		return unknown(len(x))
	case len(x) != axes+1 && len(x) != axes+2:
		c.Fail(operandMistake(c, graph.CodeRank,
			"%s: Expected %dD or %dD tensor, but got: %s", word, axes+1, axes+2, x))
		return unknown(axes + 2)
	}
	first, p := len(x)-axes, prove.NewProver(c.Bounds)
	for i, size := range sizes {
		d := x[first+i]
		x[first+i] = graph.Dim(size)
		if d.IsUnknown() {
			continue
		}
		switch p.AtLeast(d, 1) {
		case prove.Refused:
			c.Fail(
				windowMistake(c, first+i,
					"%s: Expected input to have non-zero size for non-batch dimensions, but input has sizes %s with dimension %d being empty",
					word, c.Shape(0), first+i))
		case prove.Deferred:
			requireAtLeast(c, p, d, 1, first+i, "pooling needs axes with elements")
		}
	}
	return x
}
