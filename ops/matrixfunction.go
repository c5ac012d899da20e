package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// The functions of whole matrices compute in float64, also those of float32, which they round once. Where these have
// many rows and columns they compute in float32, as LAPACK does, in half the time: what they are off by is the rounding
// of that many sums either way.

// leastSingle is the number of rows and columns from which on matrices of float32 are computed with in float32.
const leastSingle = 32

// matrixKernel is what a function of whole matrices computes, from its operands to the numbers of its result. of32 is
// nil where it computes in float64 alone.
type matrixKernel struct {
	of32 func(a *graph.Arrays, y []float32) error
	of64 func(a *graph.Arrays, y []float64) error
}

// inFloat64 is a function that computes in float64 alone.
func inFloat64(f func(a *graph.Arrays, y []float64) error) matrixKernel { return matrixKernel{of64: f} }

// matrixFunction is the entry of a Go function of the last axes of its operands. core is how many these are, of each
// operand and, last, of the result.
func matrixFunction(name, fn, doc string, core []int, infer func(*graph.Call) (graph.DType, graph.Shape),
	compute matrixKernel, grad func(n, dy node, i int) node) *graph.Op {
	operands := len(core) - 1
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Function, MinIn: operands, MaxIn: operands, Infer: infer,
		Grad: grad, Autocast: graph.AutocastWidens,
		Core: func(*graph.Node) ([]int, int) { return core[:operands], core[operands] },
		Function: func(a *graph.Arrays) error {
			if compute.of32 != nil && isSingle(a) {
				return computeIn(a, compute.of32)
			}
			return computeIn(a, compute.of64)
		},
	})
}

// isSingle reports whether a function computes in float32: with a great matrix, its first operand, of float32, or the
// factors of one for numbers of float32.
func isSingle(a *graph.Arrays) bool {
	s := a.In[0].Shape
	return min(s[0], s[1]) >= leastSingle && (a.Out.DType == graph.Float32 || a.In[0].DType == graph.Float32)
}

// numbersOf returns the numbers of an operand. They must not be changed.
func numbersOf[T triangular.Number](a *graph.Arrays, i int) []T {
	if t, _ := graph.DTypeOfSlice([]T(nil)); a.In[i].DType == t {
		return graph.Elements[T](a.In[i])
	}
	room := triangular.Room[T](a, a.In[i].NumElements())
	copyNumbers(room, a, i)
	return room
}

// copyNumbers copies the numbers of an operand to memory that may be changed.
func copyNumbers[T triangular.Number](to []T, a *graph.Arrays, i int) {
	if a.In[i].DType == graph.Float64 {
		convert(to, graph.Elements[float64](a.In[i]))
		return
	}
	convert(to, graph.Elements[float32](a.In[i]))
}

func convert[T, S triangular.Number](to []T, x []S) {
	if same, is := any(x).([]T); is {
		copy(to, same)
		return
	}
	to = to[:len(x)]
	for k, v := range x {
		to[k] = T(v)
	}
}

// computeIn lets a function compute the result, in memory of its own where that has another dtype.
func computeIn[T triangular.Number](a *graph.Arrays, compute func(*graph.Arrays, []T) error) error {
	if t, _ := graph.DTypeOfSlice([]T(nil)); a.Out.DType == t {
		return compute(a, graph.Elements[T](a.Out))
	}
	y := triangular.Room[T](a, a.Out.NumElements())
	if err := compute(a, y); err != nil {
		return err
	}
	if a.Out.DType == graph.Float64 {
		convert(graph.Elements[float64](a.Out), y)
	} else {
		convert(graph.Elements[float32](a.Out), y)
	}
	return nil
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

// notMatrices is the refusal of a call of several nodes whose first operand is not a batch of floating-point matrices;
// nil where it is. word is PyTorch's name of the function.
func notMatrices(call refusedCall, word string) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if x := call.in[0]; x.Rank() >= 2 && (x.DType() == graph.Float32 || x.DType() == graph.Float64) {
		return nil
	}
	return refusedBy(call, func(c *graph.Call) { rules.MatrixBatch(c, word) })
}
