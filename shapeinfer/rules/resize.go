package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Resize is the shape rule of images [N, C, …] that get other sizes behind the channels: one to
// three of them. word is the name of the operation.
func Resize(c *graph.Call, word string, sizes []graph.Dim) graph.Shape {
	x := slices.Clone(c.Shape(0))
	switch {
	case len(x) < 3 || len(x) > 5:
		c.Fail(operandMistake(c, graph.CodeRank, fmt.Sprintf("%s: it takes [N, C, …] with 1 to 3 axes behind the channels, and the operand has shape %s", word, x)))
		return x
	case len(sizes) != len(x)-2:
		c.Fail(windowMistake(c, -1, fmt.Sprintf("Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of %s and output size of %s",
			x[2:], graph.Shape(sizes))))
		return unknownFrom(x, 2)
	}
	p := prove.NewProver(c.Bounds)
	for i, size := range sizes {
		axis := 2 + i
		for _, d := range []graph.Dim{x[axis], size} {
			need := graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: axis, Why: "images have elements before and after they are resized"}
			if d.IsUnknown() {
				continue
			}
			switch p.Judge(need) {
			case prove.Refused:
				c.Fail(windowMistake(c, axis, fmt.Sprintf("Input and output sizes should be greater than 0, but got input %s output %s", c.Shape(0)[2:], graph.Shape(sizes))))
				return unknownFrom(x, 2)
			case prove.Deferred:
				c.Require(need)
			}
		}
		x[axis] = size
	}
	return x
}
