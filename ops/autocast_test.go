package ops_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// normalizations are those whose parameters may be Float32 beside a value of 16 bits, x [4, 6, 5].
var normalizations = map[string]func(x, gain, bias node) node{
	"LayerNorm": func(x, gain, bias node) node {
		return ops.LayerNorm(ops.Transpose(x, 1, 2), gain, bias, 1e-5)
	},
	"LayerNorm without gain": func(x, _, bias node) node {
		return ops.LayerNorm(ops.Transpose(x, 1, 2), nil, bias, 1e-5)
	},
	"GroupNorm": func(x, gain, bias node) node { return ops.GroupNorm(x, 2, gain, bias, 1e-5) },
	"BatchNorm": func(x, gain, bias node) node {
		y, mean, variance := ops.BatchNorm(x, gain, bias, 1e-5)
		if mean.DType() != graph.Float32 || variance.DType() != graph.Float32 {
			panic("statistics are " + mean.DType().String())
		}
		return y
	},
	"InstanceNorm": func(x, gain, bias node) node {
		y, _, _ := ops.InstanceNorm(x, gain, bias, 1e-5)
		return y
	},
	"BatchNormInference": func(x, gain, bias node) node {
		return ops.BatchNormInference(x, bias, ops.Add(ops.Square(gain), graph.Num(0.5)), gain, nil, 1e-5)
	},
}

// TestNormalizationsOfMixedDTypes expects parameters of Float32 to give the result of Float32, rounded once.
func TestNormalizationsOfMixedDTypes(t *testing.T) {
	for name, f := range normalizations {
		for _, dtype := range []graph.DType{graph.BFloat16, graph.Float16} {
			t.Run(name+" "+dtype.String(), func(t *testing.T) {
				g := graph.New("mixed")
				x := g.Input("x", dtype, 4, 6, 5)
				gain, bias := g.Input("gain", graph.Float32, 6), g.Input("bias", graph.Float32, 6)
				r := rand.New(rand.NewPCG(3, 4))
				in := feeds{x: reference.FromFloats(dtype, random(r, 4, 6, 5).Floats(), 4, 6, 5),
					gain: reference.FromFloats(graph.Float32, random(r, 6).Floats(), 6),
					bias: reference.FromFloats(graph.Float32, random(r, 6).Floats(), 6)}
				y, wide := f(x, gain, bias), f(ops.Cast(x, graph.Float32), gain, bias)
				require.Equal(t, dtype, y.DType())
				require.NoError(t, g.Err())
				require.Equal(t, value(t, in, ops.Cast(wide, dtype)).Floats(), value(t, in, y).Floats())

				of := []node{x, gain, bias}
				for i, dx := range autodiff.Grad(ops.Sum(y), of, autodiff.ZeroForUnused()) {
					require.Equal(t, of[i].DType(), dx.DType())
				}
			})
		}
	}
}

// TestRMSNormPromotes expects the wider dtype of value and gain, as of PyTorch's rms_norm.
func TestRMSNormPromotes(t *testing.T) {
	g := graph.New("rms")
	half, single := g.Input("half", graph.BFloat16, 2, 3), g.Input("single", graph.Float32, 2, 3)
	gain, halfGain := g.Input("gain", graph.Float32, 3), g.Input("half_gain", graph.BFloat16, 3)
	require.Equal(t, graph.Float32, ops.RMSNorm(half, gain, 1e-5).DType())
	require.Equal(t, graph.Float32, ops.RMSNorm(single, halfGain, 1e-5).DType())
	require.NoError(t, g.Err())
	in := feeds{half: reference.FromFloats(graph.BFloat16, []float64{1, 2, 3, -1, 0.5, 4}, 2, 3),
		gain: reference.FromFloats(graph.Float32, []float64{1.001, 0.5, -2}, 3)}
	rounded := func(x node) []float64 {
		return value(t, in, ops.Cast(ops.RMSNorm(x, gain, 1e-5), graph.BFloat16)).Floats()
	}
	require.Equal(t, rounded(ops.Cast(half, graph.Float32)), rounded(half))
}

// TestParametersOfOtherDTypesAreRefused has what PyTorch refuses on CPUs.
func TestParametersOfOtherDTypesAreRefused(t *testing.T) {
	for _, c := range []struct{ x, gain, bias graph.DType }{
		{graph.Float32, graph.BFloat16, graph.BFloat16}, {graph.BFloat16, graph.Float16, graph.Float16},
		{graph.BFloat16, graph.Float32, graph.BFloat16}, {graph.BFloat16, graph.Float64, graph.Float64},
	} {
		g := graph.New("refused")
		ops.LayerNorm(g.Input("x", c.x, 2, 3), g.Input("gain", c.gain, 3), g.Input("bias", c.bias, 3), 1e-5)
		require.ErrorContains(t, g.Err(), "expected scalar type", "%v", c)
	}
}

// TestAutocastIsCastsOfOperands builds programs within Autocast, and with the casts that it stands for.
func TestAutocastIsCastsOfOperands(t *testing.T) {
	low := func(x node) node { return ops.Cast(x, graph.BFloat16) }
	wide := func(x node) node { return ops.Cast(x, graph.Float32) }
	keep := func(x node) node { return x }
	programs := map[string]func(x, w node, low, wide func(node) node) node{
		"a linear layer and a loss": func(x, w node, low, wide func(node) node) node {
			return ops.MSE(wide(ops.Linear(low(x), low(w), nil)), wide(ops.Relu(ops.MatMul(low(w), low(w)))))
		},
		"attention": func(x, w node, low, _ func(node) node) node {
			return ops.ScaledDotProductAttention(low(x), low(w), low(w), ops.Causal())
		},
		"a loop": func(x, w node, low, _ func(node) node) node {
			final, _ := ops.Scan(ops.Loop{Carry: []node{x}, Length: 3}, func(carry, _ []node) (next, out []node) {
				return []node{ops.Add(carry[0], ops.Tanh(ops.MatMul(low(carry[0]), low(w))))}, nil
			})
			return final[0]
		},
		"examples": func(x, w node, low, wide func(node) node) node {
			return ops.Vmap([]node{x}, func(x []node) []node {
				return []node{ops.Prod(wide(ops.MatMul(low(w), low(x[0]))))}
			})[0]
		},
		"softmax and cross entropy": func(x, w node, low, wide func(node) node) node {
			g := x.Graph()
			return ops.CrossEntropy(wide(ops.MatMul(low(x), low(w))), ops.Arange(g, graph.Int64, 0, 4, 1))
		},
		"slices by index": func(x, w node, low, wide func(node) node) node {
			g := x.Graph()
			return ops.IndexCopy(x, 0, ops.Arange(g, graph.Int64, 0, 4, 1), wide(ops.MatMul(low(x), low(w))))
		},
		"a transform": func(x, w node, low, wide func(node) node) node {
			return ops.RFFT(wide(ops.MatMul(low(x), low(w))))
		},
		"a solution": func(x, w node, low, wide func(node) node) node {
			return ops.Solve(ops.Add(wide(ops.MatMul(low(w), low(w))), ops.Eye(x.Graph(), graph.Float32, 4, 4)), x)
		},
	}
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			g := graph.New("autocast")
			x, w := g.Input("x", graph.Float32, 4, 4), g.Input("w", graph.Float32, 4, 4)
			r := rand.New(rand.NewPCG(8, 9))
			in := feeds{x: reference.FromFloats(graph.Float32, random(r, 4, 4).Floats(), 4, 4),
				w: reference.FromFloats(graph.Float32, random(r, 4, 4).Floats(), 4, 4)}
			want := program(x, w, low, wide)
			var got node
			var grads []node
			g.Autocast(graph.BFloat16, func() {
				got = program(x, w, keep, keep)
				grads = autodiff.Grad(ops.Sum(got), []node{x, w})
			})
			require.NoError(t, g.Err())
			require.Equal(t, want.DType(), got.DType())
			require.Equal(t, value(t, in, want).Floats(), value(t, in, got).Floats())
			for i, dx := range autodiff.Grad(ops.Sum(want), []node{x, w}) {
				require.Equal(t, graph.Float32, grads[i].DType())
				require.Equal(t, value(t, in, dx).Floats(), value(t, in, grads[i]).Floats())
			}
		})
	}
}

// TestSparsemaxOfManyIn16Bits expects probabilities that add up to 1, of more elements than BFloat16 has whole numbers.
func TestSparsemaxOfManyIn16Bits(t *testing.T) {
	const n = 700
	g := graph.New("sparsemax")
	x := g.Input("x", graph.BFloat16, n)
	in := feeds{x: reference.FromFloats(graph.BFloat16, make([]float64, n), n)}
	for _, v := range value(t, in, ops.Sparsemax(x, 0)).Floats() {
		require.InEpsilon(t, 1.0/n, v, 0.01)
	}
}

// TestLinearAlgebraWithinAutocast expects Float32 of all functions of matrices, also of those that multiply factors.
func TestLinearAlgebraWithinAutocast(t *testing.T) {
	first := func(values ...node) node { return values[0] }
	for name, f := range map[string]func(a node) node{
		"Cholesky of the upper triangle":     func(a node) node { return ops.Cholesky(a, ops.UpperTriangle()) },
		"EigenvaluesH of the upper triangle": func(a node) node { return ops.EigenvaluesH(a, ops.UpperTriangle()) },
		"Eig":                                func(a node) node { return first(ops.Eig(a)) },
		"LDLFactor":                          func(a node) node { return first(ops.LDLFactor(a)) },
		"LDLSolve": func(a node) node {
			ld, pivots := ops.LDLFactor(a)
			return ops.LDLSolve(ld, pivots, a)
		},
		"Polar":            func(a node) node { return second(ops.Polar(a, true)) },
		"Schur":            func(a node) node { return first(ops.Schur(a)) },
		"Hessenberg":       func(a node) node { return first(ops.Hessenberg(a)) },
		"SolveSylvester":   func(a node) node { return ops.SolveSylvester(a, a, a) },
		"MatrixExpFrechet": func(a node) node { return second(ops.MatrixExpFrechet(a, a)) },
		"SlogDet":          func(a node) node { return second(ops.SlogDet(a)) },
	} {
		for _, dtype := range []graph.DType{graph.Float32, graph.BFloat16} {
			g := graph.New(name)
			a := g.Input("a", dtype, 3, 3)
			var got node
			g.Autocast(graph.BFloat16, func() { got = f(a) })
			require.NoError(t, g.Err(), name)
			require.Equal(t, graph.Float32, got.DType(), name)
			for _, n := range g.Nodes() {
				require.False(t, n != a && n.DType() == graph.BFloat16, "%s lowers %s", name, n.Label())
			}
		}
	}
}

func second(_, y node) node { return y }
