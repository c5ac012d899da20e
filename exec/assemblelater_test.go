package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Values of neighbours, halves and borders: x and y have the same shape, w is a row of it.
var assembled = map[string]func(x, y, w *graph.Node) []*graph.Node{
	"a heat equation on a torus": func(x, y, w *graph.Node) []*graph.Node {
		last := ops.Fori(3, []*graph.Node{x}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Add(c[0], ops.Mul(ops.Mul(laplacian(c[0]), y), graph.Num(0.1)))}
		})[0]
		return append(autodiff.Grad(ops.Sum(ops.Square(last)), []*graph.Node{x, y}), last)
	},
	"halves that are exchanged": func(x, y, w *graph.Node) []*graph.Node {
		half := x.Shape()[1].FloorDiv(2)
		turned := ops.Concat(1, ops.Neg(ops.Slice(x, 1, half, x.Shape()[1], 1)), ops.Slice(x, 1, 0, half, 1))
		z := ops.Add(ops.Mul(x, w), ops.Mul(turned, y))
		return append(autodiff.Grad(ops.Sum(ops.Sin(z)), []*graph.Node{x, y, w}), z)
	},
	"sums of padded values that overlap": func(x, y, w *graph.Node) []*graph.Node {
		down := ops.Sub(ops.Slice(x, 0, 1, x.Shape()[0], 1), ops.Slice(x, 0, 0, x.Shape()[0].Minus(1), 1))
		right := ops.Mul(ops.Slice(y, 1, 2, y.Shape()[1], 1), ops.Slice(x, 1, 0, x.Shape()[1].Minus(2), 1))
		loss := ops.Add(ops.Sum(ops.Abs(down)), ops.Sum(ops.Square(right)))
		return append(autodiff.Grad(loss, []*graph.Node{x, y}), loss)
	},
	"a border of another number": func(x, y, w *graph.Node) []*graph.Node {
		z := ops.Pad(ops.Pad(ops.Exp(x), 0, 1, 2, -1), 1, 3, 0, -1)
		r := ops.Pad(ops.Pad(y, 1, 0, 3, 0.5), 0, 2, 1, 2)
		s := ops.Tanh(ops.Add(ops.Mul(z, r), ops.Pad(w, 0, 1, 2, 0)))
		return append(autodiff.Grad(ops.Sum(ops.Cos(s)), []*graph.Node{x, y, w}), s)
	},
	"what is reduced, read whole and read by elements": func(x, y, w *graph.Node) []*graph.Node {
		z := ops.Mul(ops.Roll(x, 0, 1), ops.Concat(0, ops.Slice(y, 0, 1, y.Shape()[0], 1), ops.Slice(x, 0, 0, 1, 1)))
		s := ops.Softmax(ops.Add(z, ops.Roll(z, 0, -1)), -1)
		return []*graph.Node{ops.MatMul(z, ops.Transpose(s, 0, 1)), ops.Sum(z, 0),
			ops.Max(ops.Sub(ops.Roll(x, 0, 1), y), -1), ops.Mul(z, s)}
	},
	"positions, masks and whole numbers": func(x, y, w *graph.Node) []*graph.Node {
		column := ops.Cast(ops.Iota(x.Graph(), 1, x.Shape()...), x.DType())
		near := ops.Greater(ops.Roll(ops.Mul(x, column), 1, 1), ops.Mul(column, graph.Num(0.25)))
		count := ops.Add(ops.Cast(near, graph.Int64), ops.Cast(ops.Roll(ops.Greater(y, w), 0, -1), graph.Int64))
		return []*graph.Node{ops.Cast(count, graph.Float64), ops.Where(near, ops.Roll(y, 1, 2), ops.Mul(column, x))}
	},
	"parts in place": func(x, y, w *graph.Node) []*graph.Node {
		z := ops.Roll(ops.Sigmoid(x), 0, 1)
		u := ops.Mul(ops.Roll(y, 1, 1), z)
		v := ops.AddInPlace(ops.Copy(u), ops.Roll(u, 0, -1))
		return []*graph.Node{u, v, ops.Mul(v, ops.Roll(x, 1, 1))}
	},
	"parts from outside of a loop": func(x, y, w *graph.Node) []*graph.Node {
		rows := x.Shape()[0]
		last := ops.Sin(ops.Slice(y, 0, 0, rows.Minus(1), 1))
		steps := ops.Fori(3, []*graph.Node{x}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{
				ops.Mul(ops.Roll(ops.Tanh(c[0]), 0, 1), ops.Concat(0, ops.Neg(ops.Slice(c[0], 0, 0, 1, 1)), last))}
		})
		return append(autodiff.Grad(ops.Sum(steps[0]), []*graph.Node{x, y}), steps[0])
	},
	"nothing is known of some sizes": func(x, y, w *graph.Node) []*graph.Node {
		z := ops.Concat(0, x, y)
		s := ops.Mul(z, ops.Concat(0, y, ops.Sin(x)))
		return append(autodiff.Grad(ops.Sum(ops.Square(s)), []*graph.Node{x, y}), s)
	},
}

// laplacian is the difference of a value on a torus and the sum of its four neighbours.
func laplacian(x *graph.Node) *graph.Node {
	rows := ops.Add(ops.Roll(x, 0, 1), ops.Roll(x, 0, -1))
	columns := ops.Add(ops.Roll(x, 1, 1), ops.Roll(x, 1, -1))
	return ops.Sub(ops.Add(rows, columns), ops.Mul(x, graph.Num(4)))
}

func TestAssembledLater(t *testing.T) {
	for name, of := range assembled {
		for _, size := range [][2]int{{9, 32}, {40, 40}, {3, 8}, {2, 4}, {100, 4}, {5, 300}} {
			for _, named := range []bool{false, true} {
				t.Run(fmt.Sprint(name, size, named), func(t *testing.T) {
					g, rng := graph.New("assembled"), rand.New(rand.NewPCG(1, 2))
					n, m := graph.Dim(size[0]), graph.Dim(size[1])
					if named {
						n = g.Dim("n", graph.AtLeast(2))
					}
					in := newReferenceInputs(g, rng)
					outputs := of(in.input("x", graph.Shape{n, m}, size[:]...),
						in.input("y", graph.Shape{n, m}, size[:]...), in.input("w", graph.Shape{m}, size[1]))
					requireReference(t, outputs, in.values, 1e-9)
				})
			}
		}
	}
}

// Elements are computed of the parts: nothing is put together that only elements read.
func TestElementsReadParts(t *testing.T) {
	for _, name := range []string{"a heat equation on a torus", "halves that are exchanged",
		"sums of padded values that overlap", "nothing is known of some sizes"} {
		g := graph.New("assembled")
		x, y := g.Input("x", graph.Float32, 64, 128), g.Input("y", graph.Float32, 64, 128)
		outputs := assembled[name](x, y, g.Input("w", graph.Float32, 128))
		p, err := exec.Compile(g, exec.Outputs(outputs...))
		require.NoError(t, err)
		elements, others := map[*graph.Node]bool{}, map[*graph.Node]bool{} // what elements read, and what others do
		for _, n := range nodesBehind(t, p, "dce") {
			for _, x := range n.Operands() {
				if n.Op().Class == graph.Elementwise {
					elements[x] = true
				} else {
					others[x] = true
				}
			}
		}
		for x := range elements {
			require.False(t, x.Op().Assemble != nil && !others[x] &&
				!slices.Contains(outputs, x.Source()), "%s: %s", name, graph.Describe(x))
		}
	}
}

// What is stacked along a new axis, and its gradient, is computed in its place: nothing is moved.
func TestStacksAreComputedInPlace(t *testing.T) {
	g := graph.New("rotary positions")
	x, cos, sin := g.Input("x", graph.Float32, 40, 16, 2), g.Input("cos", graph.Float32, 16),
		g.Input("sin", graph.Float32, 16)
	a, b := ops.Select(x, -1, 0), ops.Select(x, -1, 1)
	y := ops.Stack(-1, ops.Sub(ops.Mul(a, cos), ops.Mul(b, sin)), ops.Add(ops.Mul(a, sin), ops.Mul(b, cos)))
	p, err := exec.Compile(g, exec.Outputs(append(autodiff.Grad(ops.Sum(ops.Sin(y)), []*graph.Node{x}), y)...))
	require.NoError(t, err)
	require.NotContains(t, p.String(), "movement", "%s", p)
}
