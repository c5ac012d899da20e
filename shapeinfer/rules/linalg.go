package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// FullPrecision refuses all dtypes except Float32 and Float64 with PyTorch's sentence; word is PyTorch's name of the
// operation.
func FullPrecision(c *graph.Call, word string) {
	switch t := c.DType(0); {
	case !t.IsFloat():
		refuseFor(c, 0, graph.Float32, fmt.Sprintf("%s: Expected a floating point or complex tensor as input. Got %s",
			word, t.TorchName()))
	case t != graph.Float32 && t != graph.Float64:
		refuseFor(c, 0, graph.Float32, fmt.Sprintf("%s: Low precision dtypes not supported. Got %s", word,
			t.TorchName()))
	}
}

// MatrixBatch is the shape rule of a function of floating-point matrices, the last two axes of operand 0. It reports
// whether there are two.
func MatrixBatch(c *graph.Call, word string) (graph.Shape, bool) {
	FullPrecision(c, word)
	s := c.Shape(0)
	if len(s) < 2 {
		c.Fail(operandMistake(c, graph.CodeRank, "%s: The input tensor A must have at least 2 dimensions.", word))
		return s, false
	}
	return s, true
}

// SquareMatrices is the shape rule of a function of square matrices, like [MatrixBatch].
func SquareMatrices(c *graph.Call, word string) (graph.Shape, bool) {
	s, ok := MatrixBatch(c, word)
	if !ok {
		return s, false
	}
	rows, cols := len(s)-2, len(s)-1
	return s, CallRules(c).requireSame(c, s[rows], s[cols], rows, "a square matrix", func() *graph.Mistake {
		m := operandMistake(c, graph.CodeRank,
			"%s: A must be batches of square matrices, but they are %s by %s matrices", word, s[rows], s[cols])
		m.Operands[0].Bad = []int{rows, cols}
		return m
	})
}

// LinearSystem is the shape rule of the solution X of A·X = B for square matrices A and matrices B, operands 0 and 1,
// whose batch axes broadcast. A has as many rows as B. If vector, B and X are vectors, the last axis of operand 1,
// which then has the batch axes of A.
func LinearSystem(c *graph.Call, word string, vector bool) graph.Shape {
	a, ok := SquareMatrices(c, word)
	b := c.Shape(1)
	if t, u := c.DType(0), c.DType(1); t != u {
		RefuseDType(
			c,
			fmt.Sprintf("%s: Expected A and B to have the same dtype, but found A of type %s and B of type %s instead",
				word, t.TorchName(), u.TorchName()))
	}
	if !ok {
		return b
	}
	core := 2
	if vector {
		core = 1
	}
	if len(b) < core {
		c.Fail(operandMistake(c, graph.CodeRank, "%s: The input tensor B must have at least 2 dimensions.", word))
		return b
	}
	rows := len(b) - core
	if !CallRules(c).requireSame(c, a[len(a)-2], b[rows], rows, "the rows of a linear system", func() *graph.Mistake {
		m := operandMistake(c, graph.CodeMatMul,
			"%s: Incompatible shapes of A and B for the equation AX = B (%s and %s)", word, a, b)
		m.Operands[0].Bad, m.Operands[1].Bad = []int{len(a) - 2}, []int{rows}
		return m
	}) {
		return b
	}
	return slices.Concat(batchesOf(c, a[:len(a)-2], b[:rows], core), graph.Shape{a[len(a)-1]}, b[rows+1:])
}

// batchesOf broadcasts the batch axes of two operands, of which the second has core axes behind them.
func batchesOf(c *graph.Call, a, b graph.Shape, core int) graph.Shape {
	batch := CallRules(c).BroadcastShapes(a, b)
	if len(batch.Clashes) > 0 {
		m := &graph.Mistake{Code: graph.CodeBroadcast, Summary: batch.Summary(),
			Detail: []string{"the leading axes of batches of matrices must broadcast"}}
		behind := [2]int{2, core}
		for i := range behind {
			note := graph.OperandNote{Node: c.In(i)}
			for _, clash := range batch.Clashes {
				note.Bad = append(note.Bad, len(c.Shape(i))-behind[i]-clash.FromRight)
			}
			m.Operands = append(m.Operands, note)
		}
		if first := batch.Clashes[0]; first.Names {
			m.Code, m.Sizes = graph.CodeNames, addNames(nil, first.A, first.B)
		}
		c.Fail(m)
	}
	for _, need := range batch.Needs {
		need.Why = "the batch axes of a linear system"
		c.Require(need)
	}
	return batch.Shape
}
