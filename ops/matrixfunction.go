package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// The functions of whole matrices compute in float64, also those of float32, which they round once.

// matrixFunction is the entry of a Go function of the last axes of its operands. core is how many these are, of each
// operand and, last, of the result.
func matrixFunction(name, fn, doc string, core []int, infer func(*graph.Call) (graph.DType, graph.Shape),
	compute func(a *graph.Arrays, y []float64) error, grad func(n, dy node, i int) node) *graph.Op {
	operands := len(core) - 1
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Function, MinIn: operands, MaxIn: operands, Infer: infer, Grad: grad,
		Core: func(*graph.Node) ([]int, int) { return core[:operands], core[operands] },
		Function: func(a *graph.Arrays) error {
			y := resultRoom(a)
			if err := compute(a, y); err != nil {
				return err
			}
			round(a, y)
			return nil
		},
	})
}

// numbersOf returns the numbers of an operand as float64. They must not be changed.
func numbersOf(a *graph.Arrays, i int) []float64 {
	if a.In[i].DType == graph.Float64 {
		return graph.Elements[float64](a.In[i])
	}
	wide := a.Floats(a.In[i].NumElements())
	copyNumbers(wide, a, i)
	return wide
}

// copyNumbers copies the numbers of an operand to memory that may be changed.
func copyNumbers(to []float64, a *graph.Arrays, i int) {
	if a.In[i].DType == graph.Float64 {
		copy(to, graph.Elements[float64](a.In[i]))
		return
	}
	x := graph.Elements[float32](a.In[i])
	to = to[:len(x)]
	for k, v := range x {
		to[k] = float64(v)
	}
}

// resultRoom returns room for the numbers of the result, which [round] then stores.
func resultRoom(a *graph.Arrays) []float64 {
	if a.Out.DType == graph.Float64 {
		return graph.Elements[float64](a.Out)
	}
	return a.Floats(a.Out.NumElements())
}

// round stores what was computed in the room that [resultRoom] gave.
func round(a *graph.Arrays, y []float64) {
	if a.Out.DType == graph.Float64 {
		return
	}
	out := graph.Elements[float32](a.Out)
	for i, v := range y {
		out[i] = float32(v)
	}
}

// squareMatrix is the rule of a function of square matrices that gives such.
func squareMatrix(word string) func(*graph.Call) (graph.DType, graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		s, _ := rules.SquareMatrices(c, word)
		return c.DType(0), s
	}
}

// perMatrix is the rule of a function of square matrices that gives a number for each.
func perMatrix(word string) func(*graph.Call) (graph.DType, graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		s, _ := rules.SquareMatrices(c, word)
		return c.DType(0), s[:max(len(s)-2, 0)]
	}
}

// transposed exchanges the rows and the columns of matrices.
func transposed(x node) node { return Transpose(x, -1, -2) }

// symmetric is the mean of a matrix and its transpose.
func symmetric(x node) node { return Mul(num(0.5), Add(x, transposed(x))) }

// eachMatrix gives each number of a batch two axes of size 1.
func eachMatrix(x node) node { return Unsqueeze(Unsqueeze(x, -1), -1) }

// inBatches repeats x, which has core axes behind those of its batch, along the batch axes of a shape with which these
// broadcast.
func inBatches(x node, core int, batch graph.Shape) node {
	own := x.Shape()[:x.Rank()-core]
	if own.Equal(batch) {
		return x
	}
	shape := append(graph.Shape{}, batch...)
	for range core {
		shape = append(shape, 1)
	}
	return Add(x, Full(x.Graph(), x.DType(), math.Copysign(0, -1), shape...)) // -0 changes no number
}

// notMatrices is the refusal of a call of several nodes whose first operand is not a batch of floating-point matrices; nil
// where it is. word is PyTorch's name of the function.
func notMatrices(call refusedCall, word string) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if x := call.in[0]; x.Rank() >= 2 && (x.DType() == graph.Float32 || x.DType() == graph.Float64) {
		return nil
	}
	return refusedBy(call, func(c *graph.Call) { rules.MatrixBatch(c, word) })
}
