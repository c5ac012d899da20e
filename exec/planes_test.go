package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// What is computed for all pairs of points x and y, with a short last axis, from values that are repeated, and what
// reads it. w is a vector of this axis, and m a value for each pair.
var pairsOfPoints = map[string]func(x, y, w, m *graph.Node) []*graph.Node{
	"forces and their gradients": func(x, y, w, m *graph.Node) []*graph.Node {
		d := difference(x, y)
		square := ops.Add(ops.Sum(ops.Square(d), -1), graph.Num(0.5))
		f := ops.Sum(ops.Div(d, ops.Unsqueeze(ops.Mul(square, ops.Sqrt(square)), -1)), 1)
		return append(autodiff.Grad(ops.Sum(ops.Sin(f)), []*graph.Node{x, y}), f, square)
	},
	"folds over some axes": func(x, y, w, m *graph.Node) []*graph.Node {
		d := ops.Tanh(ops.Mul(difference(x, y), w))
		bigger := ops.Greater(d, ops.Unsqueeze(m, -1))
		return []*graph.Node{ops.Sum(d), ops.Sum(d, 0), ops.Sum(d, 1, ops.KeepDims()), ops.Sum(d, 2), ops.Sum(d, 0, 2),
			ops.Sum(d, 1, 2), ops.Prod(d, 0, 1),
			ops.Mean(d, 0, -1, ops.KeepDims()), ops.Cast(ops.Any(bigger, 0), graph.Int32),
			ops.Cast(ops.All(bigger, -1), graph.Int32), ops.Sum(ops.Cast(bigger, graph.Int32), 1)}
	},
	"vectors of values for each pair": func(x, y, w, m *graph.Node) []*graph.Node {
		u := ops.Mul(ops.Unsqueeze(m, -1), w)
		return append(autodiff.Grad(ops.Sum(ops.Cos(u)), []*graph.Node{w, m}), ops.Sum(u, 0), ops.Sum(ops.Exp(u), -1))
	},
	"views with the axis elsewhere": func(x, y, w, m *graph.Node) []*graph.Node {
		e := ops.Exp(ops.Tanh(difference(x, y)))
		weights := ops.Div(e, ops.Sum(e, 1, ops.KeepDims()))
		heads := ops.MatMul(ops.Permute(weights, 2, 0, 1), y)
		return []*graph.Node{heads, ops.Mul(ops.Transpose(weights, 0, -1), graph.Num(2)),
			ops.Permute(ops.Mul(weights, w), 1, -1, 0)}
	},
	"planes": func(x, y, w, m *graph.Node) []*graph.Node {
		lap := ops.Relu(ops.Sub(ops.Minimum(ops.Unsqueeze(x, 1), y), w))
		return append(autodiff.Grad(ops.Sum(ops.Mul(ops.Select(lap, -1, 0), ops.Select(lap, 2, -1))),
			[]*graph.Node{x, y, w}), ops.Select(ops.Exp(lap), -1, 0))
	},
	"all planes": func(x, y, w, m *graph.Node) []*graph.Node {
		z := m
		for _, plane := range ops.Unbind(ops.Tanh(ops.Mul(difference(x, y), w)), -1) {
			z = ops.Add(ops.Mul(z, graph.Num(0.5)), ops.Exp(plane))
		}
		return append(autodiff.Grad(ops.Sum(ops.Mul(z, m)), []*graph.Node{x, y, w}), z)
	},
	"stacks of planes": func(x, y, w, m *graph.Node) []*graph.Node {
		u := ops.Mul(ops.Stack(-1, ops.Sin(m), ops.Cos(m), m), graph.Num(2))
		return append(autodiff.Grad(ops.Sum(ops.Sqrt(ops.Add(ops.Sum(ops.Square(u), -1), graph.Num(1)))),
			[]*graph.Node{m}), ops.Sum(u, 0), ops.Sum(u, 1, 2))
	},
	"cross products": func(x, y, w, m *graph.Node) []*graph.Node {
		with := func(v *graph.Node) *graph.Node {
			return ops.Stack(-1, ops.Sum(v, -1), ops.Mean(v, -1), ops.Select(v, -1, 0))
		} // three numbers of each vector
		points, vector := with(x), with(ops.Unsqueeze(w, 0))
		one := ops.Reshape(vector, graph.MakeShape(3)...)
		c := ops.Cross(points, one, 1) // the axis counts in the result
		return append(autodiff.Grad(ops.Sum(ops.Sin(c)), []*graph.Node{x, w}), c,
			ops.Sub(c, ops.Cross(points, vector, -1)), ops.Sum(ops.Cross(ops.Unsqueeze(points, 1), with(y), -1), 1))
	},
	"whole values": func(x, y, w, m *graph.Node) []*graph.Node {
		d := difference(x, y)
		e := ops.Mul(d, w)
		return []*graph.Node{d, ops.Sum(ops.Square(d), 1), ops.Permute(e, 1, 0, 2), ops.ArgMax(e, -1), ops.Sum(e, 0),
			ops.Reshape(ops.Add(d, w), x.Shape()[0], y.Shape()[0].Times(x.Shape()[1]))}
	},
	"values of fewer axes": func(x, y, w, m *graph.Node) []*graph.Node {
		z := ops.Mul(ops.Unsqueeze(ops.Sum(x, 1), 1), w) // for each point
		d := ops.Sub(ops.Unsqueeze(z, 1), y)
		return []*graph.Node{z, ops.Sum(z, 0), ops.Sum(d, 1), ops.Sum(ops.Abs(d), 2),
			ops.Max(ops.Concat(1, ops.Sum(d, 2), ops.Zeros(x.Graph(), x.DType(), x.Shape()[0], 1)), 1)}
	},
	"steps": func(x, y, w, m *graph.Node) []*graph.Node {
		last := ops.Fori(3, []*graph.Node{x, y}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			d := ops.Mul(difference(c[0], c[1]), ops.Add(w, graph.Num(2)))
			near := ops.Exp(ops.Neg(ops.Sum(ops.Square(d), -1, ops.KeepDims())))
			return []*graph.Node{ops.Sub(c[0], ops.Sum(ops.Mul(d, near), 1)),
				ops.Add(c[1], ops.Sum(ops.Mul(d, near), 0))}
		})
		return append(autodiff.Grad(ops.Sum(ops.Mul(last[0], x)), []*graph.Node{x, y, w}), last...)
	},
	"operands of values of several ranks": func(x, y, w, m *graph.Node) []*graph.Node {
		d := ops.Mul(difference(x, y), w)
		both := ops.Mul(ops.Sub(ops.Unsqueeze(ops.Stack(0, x, ops.Sin(x)), 2), y), w)
		return []*graph.Node{ops.Sum(d, 0), ops.Sum(both, 0, 1),
			ops.Sum(ops.Mul(ops.Exp(ops.Sum(x, 1, ops.KeepDims())), w), 0)}
	},
	"pairs of a batch": func(x, y, w, m *graph.Node) []*graph.Node {
		both := ops.Stack(0, x, ops.Sin(x))
		d := ops.Sub(ops.Unsqueeze(both, 2), y)
		return append(autodiff.Grad(ops.Sum(ops.Sqrt(ops.Add(ops.Sum(ops.Square(d), -1), graph.Num(0.1)))),
			[]*graph.Node{x, y}), ops.Sum(d, 0, 2), ops.Sum(ops.Sigmoid(d), 1))
	},
}

func difference(x, y *graph.Node) *graph.Node { return ops.Sub(ops.Unsqueeze(x, 1), y) }

func TestPairsOfPoints(t *testing.T) {
	for name, of := range pairsOfPoints {
		for _, size := range [][3]int{{9, 17, 3}, {16, 8, 2}, {33, 40, 8}, {5, 7, 3}, {8, 1, 2}, {0, 9, 3}, {9, 0, 2},
			{1, 8, 4}, {9, 17, 9}, {30, 30, 1}, {5, 40, 12}, {0, 20, 12}, {20, 0, 12}, {33, 1, 10}} {
			for _, named := range []bool{false, true} {
				t.Run(fmt.Sprint(name, size, named), func(t *testing.T) {
					g := graph.New("pairs")
					rng := rand.New(rand.NewPCG(1, 2))
					n, m, k := graph.Dim(size[0]), graph.Dim(size[1]), graph.Dim(size[2])
					if named {
						n, m = g.Dim("n", graph.AtLeast(0)), g.Dim("m", graph.AtLeast(0))
					}
					in := newReferenceInputs(g, rng)
					outputs := of(in.input("x", graph.Shape{n, k}, size[0], size[2]),
						in.input("y", graph.Shape{m, k}, size[1], size[2]),
						in.input("w", graph.Shape{k}, size[2]), in.input("m", graph.Shape{n, m}, size[0], size[1]))
					requireReference(t, outputs, in.values, 1e-9)
				})
			}
		}
	}
}

// Nothing is computed in rows of a point's coordinates for all pairs of points.
func TestPairsOfPointsHaveLongRows(t *testing.T) {
	for _, name := range []string{"forces and their gradients", "vectors of values for each pair",
		"views with the axis elsewhere", "planes", "all planes", "stacks of planes", "steps", "pairs of a batch"} {
		g := graph.New("pairs")
		x, y := g.Input("x", graph.Float32, 40, 3), g.Input("y", graph.Float32, 50, 3)
		outputs := pairsOfPoints[name](x, y, g.Input("w", graph.Float32, 3), g.Input("m", graph.Float32, 40, 50))
		p, err := exec.Compile(g, exec.Outputs(outputs...))
		require.NoError(t, err)
		for _, n := range nodesBehind(t, p, "dce") {
			elements, _ := n.Shape().NumElements().Int()
			short := elements >= 40*50*3 && n.Shape()[n.Rank()-1] == 3 && n.Op().Class == graph.Elementwise
			require.False(t, short, "%s: %s", name, graph.Describe(n))
		}
	}
}

// What is used plane by plane is computed so, where each plane is used.
func TestPlanesAreComputedWhereTheyAreUsed(t *testing.T) {
	g := graph.New("pairs")
	x, y := g.Input("x", graph.Float32, 40, 3), g.Input("y", graph.Float32, 50, 3)
	outputs := pairsOfPoints["all planes"](x, y, g.Input("w", graph.Float32, 3), g.Input("m", graph.Float32, 40, 50))
	p, err := exec.Compile(g, exec.Outputs(outputs[len(outputs)-1]))
	require.NoError(t, err)
	for _, n := range nodesBehind(t, p, "dce") {
		elements, _ := n.Shape().NumElements().Int()
		require.Less(t, elements, int64(40*50*3), "%s", graph.Describe(n))
	}
}

// Distances of points of many coordinates lay these out anew: in the body of a loop or a branch for what is computed
// there, outside for what is computed there.
func TestDistancesInsideAndOutsideOfBodies(t *testing.T) {
	g := graph.New("distances")
	x, y, flag := g.Input("x", graph.Float64, 30, 24), g.Input("y", graph.Float64, 20, 24), g.Input("flag", graph.Bool)
	distances := func() *graph.Node { return ops.Sum(ops.Square(difference(x, y)), -1) }
	branch := ops.Cond(flag, func() []*graph.Node { return []*graph.Node{distances()} }, func() []*graph.Node {
		return []*graph.Node{ops.Neg(distances())}
	})[0]
	steps := ops.Fori(2, []*graph.Node{g.Scalar(graph.Float64, 1)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(c[0], ops.Sum(ops.Mul(distances(), c[0])))}
	})[0]
	rng := rand.New(rand.NewPCG(1, 2))
	in := map[*graph.Node]reference.Value{
		x: normals(rng, 30, 24), y: normals(rng, 20, 24), flag: reference.Of([]bool{true})}
	requireReference(t, []*graph.Node{branch, steps, distances()}, in, 1e-6)
}
