package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Resize is the shape rule of images [N, C, …] that are resized to one to three spatial sizes. word is the name of
// the operation.
func Resize(c *graph.Call, word string, sizes []graph.Dim) graph.Shape {
	x := slices.Clone(c.Shape(0))
	switch {
	case len(x) < 3 || len(x) > 5:
		c.Fail(operandMistake(c, graph.CodeRank,
			"%s needs [N, C, …] with 1 to 3 spatial axes, but the operand has shape %s", word, x))
		return x
	case len(sizes) != len(x)-2:
		c.Fail(
			windowMistake(c, -1,
				"Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of %s and output size of %s",
				x[2:], graph.Shape(sizes)))
		return unknownFrom(x, 2)
	}
	p := prove.NewProver(c.Bounds)
	for i, size := range sizes {
		axis := 2 + i
		for _, d := range []graph.Dim{x[axis], size} {
			need := graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: axis,
				Why: "images must have elements before and after they are resized"}
			if d.IsUnknown() {
				continue
			}
			switch p.Judge(need) {
			case prove.Refused:
				c.Fail(
					windowMistake(c, axis,
						"Input and output sizes should be greater than 0, but got input %s output %s",
						c.Shape(0)[2:], graph.Shape(sizes)))
				return unknownFrom(x, 2)
			case prove.Deferred:
				c.Require(need)
			}
		}
		x[axis] = size
	}
	return x
}

// GridSample is the shape rule of images [N, C, H, W], or volumes [N, C, D, H, W], sampled at a grid [N, …, 2], or
// [N, …, 3], of the same rank.
func GridSample(c *graph.Call) graph.Shape {
	x, grid := c.Shape(0), c.Shape(1)
	rank := len(x)
	if rank != 4 && rank != 5 || len(grid) != rank {
		c.Fail(operandMistake(c, graph.CodeRank,
			"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes %s and grid with sizes %s",
			x, grid))
		return unknown(rank)
	}
	out := append(slices.Clone(x[:2]), grid[1:rank-1]...)
	if MustBeSize(c, grid[rank-1], graph.Dim(rank-2), rank-1, "the coordinates of a grid", func() *graph.Mistake {
		return gridMistake(c, -1, rank-1, fmt.Sprintf(
			"grid_sampler(): expected grid to have size %d in last dimension, but got grid with sizes %s", rank-2,
			grid))
	}) {
		MustBeSize(c, grid[0], x[0], 0, "images and grids must have the same batch size", func() *graph.Mistake {
			return gridMistake(c, 0, 0, fmt.Sprintf(
				"grid_sampler(): expected grid and input to have same batch size, but got input with sizes %s and grid with sizes %s",
				x, grid))
		})
	}
	p := prove.NewProver(c.Bounds)
	for axis, d := range x[2:] {
		if need := (graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: axis + 2,
			Why: "sampled images must have elements"}); !d.IsUnknown() {
			switch p.Judge(need) {
			case prove.Refused:
				c.Fail(
					gridMistake(c, axis+2, -1, fmt.Sprintf(
						"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes %s with dimension %d being empty",
						x, axis+2)))
			case prove.Deferred:
				c.Require(need)
			}
		}
	}
	return out
}

// gridMistake underlines an axis of the image and one of the grid; -1 is none.
func gridMistake(c *graph.Call, image, grid int, summary string) *graph.Mistake {
	m := operandMistake(c, graph.CodeWindow, "%s", summary)
	for i, axis := range []int{image, grid} {
		if axis >= 0 {
			m.Operands[i].Bad = []int{axis}
		}
	}
	return m
}
