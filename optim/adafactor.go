package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Adafactor keeps, for a matrix, only the mean squares of its gradient's rows and columns, whose product approximates
// those of the elements (Shazeer and Stern, 2018). It is torch.optim.Adafactor. With RMS the root mean square of a
// tensor's elements, β = t^decay and ρ = min(rate, 1/√t):
//
//	r = r + β·(mean of grad² over columns - r), and c likewise over rows
//	v = r·c / max(mean of r, ε1)
//	u = grad / √max(v, ε1²)
//	w -= max(ε2, RMS(w))·ρ · u / max(1, RMS(u)/d)
//
// Vectors and scalars have a running mean of squares, variance, instead of row_var and col_var. ε1 is the machine
// epsilon of the dtype. Weight decay shrinks the parameter itself. RMS needs the whole tensor: an update takes more
// than one kernel. Options: Beta2Decay (-0.8), LeastScale (ε2, 0.001), Threshold (d, 1).
func Adafactor[R Rate](rate R, opts ...Option) Optimizer { return build(adafactor, rate, opts) }

var adafactor = &rule{name: "Adafactor", defaults: settings{beta2Decay: -0.8, leastScale: 1e-3, threshold: 1},
	options: "Beta2Decay LeastScale Threshold", decoupled: true, step: func(u *update, grad *graph.Node) *graph.Node {
		epsilon := u.t.Epsilon()
		v := ops.Maximum(u.factoredSquares(grad, epsilon), graph.Num(epsilon*epsilon))
		along := ops.Mul(ops.Rsqrt(v), grad)
		rate := u.scalar("relative rate", func() *graph.Node {
			return ops.Minimum(u.learningRate(), ops.Rsqrt(u.steps()))
		})
		scale := ops.Maximum(rms(u.w), graph.Num(u.leastScale))
		excess := ops.Maximum(ops.Div(rms(along), graph.Num(u.threshold)), graph.Num(1.0))
		return ops.Mul(along, ops.Div(ops.Mul(scale, rate), excess))
	}}

// factoredSquares keeps Adafactor's means of squares and returns those of the elements.
func (u *update) factoredSquares(grad *graph.Node, epsilon float64) *graph.Node {
	share := u.scalar("share", func() *graph.Node { return ops.Pow(u.steps(), graph.Num(u.beta2Decay)) })
	keep := func(kind string, shape graph.Shape, now *graph.Node) *graph.Node {
		return u.keepFrom(0, kind, shape, func(old *graph.Node) *graph.Node {
			return ops.Add(old, ops.Mul(ops.Sub(now, old), share))
		})
	}
	squares, rank := ops.Square(grad), u.w.Rank()
	if rank < 2 {
		return keep("variance", u.w.Shape(), squares)
	}
	over := func(axis int) *graph.Node {
		shape := append(graph.Shape{}, u.w.Shape()...)
		shape[axis] = 1
		return keep(map[int]string{rank - 1: "row_var", rank - 2: "col_var"}[axis], shape,
			ops.Mean(squares, ops.Axis(axis), ops.KeepDims()))
	}
	rows, columns := over(rank-1), over(rank-2)
	mean := ops.Maximum(ops.Mean(rows, ops.Axis(rank-2), ops.KeepDims()), graph.Num(epsilon))
	return ops.Div(ops.Mul(rows, columns), mean)
}

// rms returns the root of the mean square of all elements.
func rms(x *graph.Node) *graph.Node {
	return ops.Sqrt(ops.Mean(ops.Square(wideEnough(x)), ops.AllAxes()))
}
