package optim

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Muon steps along the momentum of a matrix with all its singular values brought near 1 (Jordan and others, 2024). It
// is torch.optim.Muon:
//
//	v = mu·v + (1-mu)·grad
//	u = orthogonal(mu·v + (1-mu)·grad)
//	w -= rate·√max(1, rows/columns) · u
//
// orthogonal divides the matrix by its norm and then applies the polynomial a·x + b·x³ + c·x⁵ to all singular values
// several times (Newton-Schulz). It is computed in Float32 or wider; PyTorch computes it in bfloat16. All parameters
// must be matrices. Train the others, such as biases, and usually also embeddings and the last layer, with another
// optimiser in the same program:
//
//	step := append(optim.Muon(0.02).Minimize(loss, hidden...), optim.AdamW(3e-4).Minimize(loss, others...)...)
//
// State: momentum_buffer (v). Options: Momentum (0.95), WeightDecay (0.1, of the parameter itself), Epsilon (the
// least norm, 1e-7), NewtonSchulz (5 times), MatchRMS.
func Muon[R Rate](rate R, opts ...Option) Optimizer { return build(muon, rate, opts) }

// newtonSchulz are the coefficients of the polynomial: it is steep at 0, so that small singular values grow fast, and
// then stays near 1.
var newtonSchulz = [3]float64{3.4445, -4.7750, 2.0315}

var muon = &rule{name: "Muon", defaults: settings{momentum: 0.95, decay: 0.1, epsilon: 1e-7, rounds: 5},
	decoupled: true, matrices: true,
	options: "Momentum Epsilon NewtonSchulz MatchRMS",
	step: func(u *update, grad *graph.Node) *graph.Node {
		fresh := graph.Num(1 - u.momentum)
		toward := func(from *graph.Node) *graph.Node { return ops.Add(from, ops.Mul(ops.Sub(grad, from), fresh)) }
		v := u.keep("momentum_buffer", toward)
		step := ops.Mul(u.orthogonal(toward(v)), graph.Num(u.matrixScale()))
		return ops.Mul(ops.Cast(step, u.t), u.rateOf())
	}}

// sides are the numbers of rows and columns of the parameter, a matrix.
func (u *update) sides() (rows, columns float64) {
	side := func(axis int) float64 {
		n, _ := u.g.Known(u.w.Shape()[axis]) // a parameter's sizes are numbers, or names of such
		return float64(n)
	}
	return side(0), side(1)
}

// matrixScale is by what the rate of a matrix is multiplied.
func (u *update) matrixScale() float64 {
	rows, columns := u.sides()
	if u.matchRMS {
		return 0.2 * math.Sqrt(max(rows, columns))
	}
	return math.Sqrt(max(1, rows/columns))
}

// orthogonal returns the matrix with its singular values near 1. The products are of the shorter side.
func (u *update) orthogonal(x *graph.Node) *graph.Node {
	x = wideEnough(x)
	rows, columns := u.sides()
	if rows > columns {
		x = ops.Transpose(x, 0, 1)
	}
	norm := ops.Sqrt(ops.Sum(ops.Square(x), ops.AllAxes()))
	x = ops.Div(x, ops.ClampMin(norm, u.epsilon))
	a, b, c := graph.Num(newtonSchulz[0]), graph.Num(newtonSchulz[1]), graph.Num(newtonSchulz[2])
	for range u.rounds {
		gram := ops.MatMul(x, ops.Transpose(x, 0, 1))
		both := ops.Add(ops.Mul(gram, b), ops.Mul(ops.MatMul(gram, gram), c))
		x = ops.Add(ops.Mul(x, a), ops.MatMul(both, x))
	}
	if rows > columns {
		x = ops.Transpose(x, 0, 1)
	}
	return x
}

// matrixTrouble says which parameter is no matrix, or "".
func matrixTrouble(o string, params []*graph.Node) string {
	for _, w := range params {
		if w.Rank() != 2 {
			return fmt.Sprintf(
				"%s needs matrices, but %s has shape %s: train parameters of other ranks with another optimiser, such as optim.AdamW",
				o, w.Called(), w.Shape())
		}
	}
	return ""
}
