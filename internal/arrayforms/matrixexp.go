package arrayforms

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// padé13 are the coefficients of the approximant of degree 13 of the exponential, and reach13 is the norm up to which
// it is exact: Higham, The scaling and squaring method for the matrix exponential revisited, 2005.
var padé13 = [14]float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
	10559470521600,
	670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}

const reach13 = 5.371920351148152

// maxHalvings is the exponent of the greatest number.
const maxHalvings = 1024

// matrixExp is the exponential of square matrices. They are halved until the approximant is exact, and the result is
// squared as often. A matrix with numbers that are not finite gives NaN.
func matrixExp(_ *graph.Node, in []node) node {
	size, _ := sizes(in[0])
	g := in[0].Graph()
	finite := ops.All(ops.IsFinite(in[0]), -2, -1, ops.KeepDims())
	a := ops.Where(finite, in[0], num(0))
	norm := ops.Max(ops.Sum(ops.Abs(a), -2, ops.KeepDims()), -1, ops.KeepDims())
	ratio := ops.Div(norm, num(reach13))
	_, exponent := ops.Frexp(ratio)
	halvings := ops.Where(ops.Greater(ratio, num(1)), ops.Cast(exponent, graph.Int64), g.Scalar(graph.Int64, 0))
	a = ops.Ldexp(a, ops.Neg(halvings))
	a2 := ops.MatMul(a, a)
	a4 := ops.MatMul(a2, a2)
	a6 := ops.MatMul(a4, a2)
	terms := func(b []float64) node {
		sum := func(x6, x4, x2 float64) node {
			return ops.Add(ops.Add(ops.Mul(a6, num(x6)), ops.Mul(a4, num(x4))), ops.Mul(a2, num(x2)))
		}
		low := ops.Add(sum(b[6], b[4], b[2]), ops.Mul(ops.Eye(g, graph.Float64, size, size), num(b[0])))
		return ops.Add(ops.MatMul(a6, sum(b[12], b[10], b[8])), low)
	}
	even, odd := terms(padé13[:]), ops.MatMul(a, terms(padé13[1:]))
	y := ops.Solve(ops.Sub(even, odd), ops.Add(even, odd))
	squared, _ := ops.While(maxHalvings, []node{y, halvings}, func(c []node) node {
		return ops.Any(ops.Greater(c[1], g.Scalar(graph.Int64, 0)))
	}, func(_ node, c []node) []node {
		return []node{ops.Where(ops.Greater(c[1], g.Scalar(graph.Int64, 0)), ops.MatMul(c[0], c[0]), c[0]),
			ops.Sub(c[1], g.Scalar(graph.Int64, 1))}
	})
	return ops.Where(finite, squared[0], num(math.NaN()))
}
