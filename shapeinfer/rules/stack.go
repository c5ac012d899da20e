package rules

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Stack is the shape rule of operands of one shape joined along a new axis.
func Stack(c *graph.Call, axis int) graph.Shape {
	first := slices.Clone(c.Shape(0))
	at := Axis(c, axis, len(first)+1)
	if at < 0 {
		return unknown(len(first) + 1)
	}
	r := CallRules(c)
	for i := 1; i < c.NumIn(); i++ {
		s := c.Shape(i)
		refuse := func() *graph.Mistake {
			return operandMistake(c, graph.CodeConcat,
				"stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %d",
				c.Shape(0), s, i)
		}
		if len(s) != len(first) {
			c.Fail(refuse())
			break
		}
		for a, d := range s {
			if !r.requireSame(c, first[a], d, a, "the sizes of stacked operands", refuse) {
				first[a] = graph.UnknownDim
			}
		}
	}
	return slices.Insert(first, at, graph.Dim(c.NumIn()))
}

// Matrices is the shape rule of an operation on each matrix of a batch; word is PyTorch's name of the operation.
func Matrices(c *graph.Call, word string) graph.Shape {
	if len(c.Shape(0)) < 2 {
		c.Fail(operandMistake(c, graph.CodeRank, "%s: input tensor must have at least 2 dimensions", word))
	}
	return c.Shape(0)
}
