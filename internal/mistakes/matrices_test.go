package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Linear algebra: a matrix that is not square, a right side that was turned, and programs that look like it.
var _ = add(
	leastSquares, leastSquaresOfTheWrongMatrix, gaussianDensity, turnedRightSide, wholeNumberMatrix,
	spectrum, spectrumOfThePlainNumbers,
)

// Normal equations.
func leastSquares(g *graph.Graph) {
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float64, n, 5), g.Input("y", graph.Float64, n)
	xt := ops.Transpose(x, 0, 1)
	ops.Solve(ops.MatMul(xt, x), ops.MatMul(xt, y))
}

// The matrix of the examples is not square.
func leastSquaresOfTheWrongMatrix(g *graph.Graph) {
	x, y := g.Input("x", graph.Float64, 20, 5), g.Input("y", graph.Float64, 20)
	ops.Solve(x, y) // want error BL103 "A must be batches of square matrices, but they are 20 by 5 matrices"
}

// The logarithm of a Gaussian density by a Cholesky factor.
func gaussianDensity(g *graph.Graph) {
	b, d := g.Dim("batch"), g.Dim("d")
	x, mean, covariance := g.Input("x", graph.Float32, b, d), g.Input("mean", graph.Float32, d),
		g.Input("covariance", graph.Float32, d, d)
	l := ops.Cholesky(covariance)
	white := ops.SolveTriangular(l, ops.Transpose(ops.Sub(x, mean), 0, 1))
	ops.Add(ops.Mul(graph.Num(-0.5), ops.Sum(ops.Square(white), 0)),
		ops.Neg(ops.Sum(ops.Log(ops.Diagonal(l, 0, 0, 1)))))
}

// The right side has one row for each example.
func turnedRightSide(g *graph.Graph) {
	l, x := g.Input("l", graph.Float32, 3, 3), g.Input("x", graph.Float32, 8, 3)
	ops.SolveTriangular(l, x) // want error BL110 "Incompatible shapes of A and B for the equation AX = B ([3, 3] and [8, 3])"
}

func wholeNumberMatrix(g *graph.Graph) {
	ops.Det(g.Input("counts", graph.Int64, 4, 4)) // want error BL340 "Expected a floating point or complex tensor as input. Got Long"
}

// The power of each frequency.
func spectrum(g *graph.Graph) {
	b, n := g.Dim("batch"), g.Dim("n")
	x := g.Input("x", graph.Float32, b, n)
	ops.Sum(ops.Square(ops.RFFT(x)), -1)
}

// Real numbers are given to the transform of complex ones.
func spectrumOfThePlainNumbers(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 512)
	ops.FFT(x) // want error BL103 "complex numbers must be pairs of real and imaginary parts on a last axis of size 2"
}
