package ops_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// logProbs are the calls of testdata/logprobs.json.
var logProbs = map[string]func(in []node) node{
	"Normal":             func(in []node) node { return ops.NormalLogProb(in[0], in[1], in[2]) },
	"LogNormal":          func(in []node) node { return ops.LogNormalLogProb(in[0], in[1], in[2]) },
	"Laplace":            func(in []node) node { return ops.LaplaceLogProb(in[0], in[1], in[2]) },
	"Cauchy":             func(in []node) node { return ops.CauchyLogProb(in[0], in[1], in[2]) },
	"Logistic":           func(in []node) node { return ops.LogisticLogProb(in[0], in[1], in[2]) },
	"Gumbel":             func(in []node) node { return ops.GumbelLogProb(in[0], in[1], in[2]) },
	"StudentT":           func(in []node) node { return ops.StudentTLogProb(in[0], in[1], in[2], in[3]) },
	"Exponential":        func(in []node) node { return ops.ExponentialLogProb(in[0], in[1]) },
	"Gamma":              func(in []node) node { return ops.GammaLogProb(in[0], in[1], in[2]) },
	"Beta":               func(in []node) node { return ops.BetaLogProb(in[0], in[1], in[2]) },
	"VonMises":           func(in []node) node { return ops.VonMisesLogProb(in[0], in[1], in[2]) },
	"Bernoulli":          func(in []node) node { return ops.BernoulliLogProb(in[0], in[1]) },
	"Binomial":           func(in []node) node { return ops.BinomialLogProb(in[0], in[1], in[2]) },
	"Poisson":            func(in []node) node { return ops.PoissonLogProb(in[0], in[1]) },
	"NegativeBinomial":   func(in []node) node { return ops.NegativeBinomialLogProb(in[0], in[1], in[2]) },
	"Categorical":        func(in []node) node { return ops.CategoricalLogProb(in[0], in[1]) },
	"Dirichlet":          func(in []node) node { return ops.DirichletLogProb(in[0], in[1]) },
	"MultivariateNormal": func(in []node) node { return ops.MultivariateNormalLogProb(in[0], in[1], in[2]) },
	"Mixture": func(in []node) node {
		return ops.MixtureLogProb(in[0], ops.NormalLogProb(ops.Unsqueeze(in[3], -1), in[1], in[2]))
	},
}

// TestLogProbsAsPyTorch compares values and gradients with PyTorch's, for sizes that are known and for those that are
// bound.
func TestLogProbsAsPyTorch(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "logprobs.json"))
	require.NoError(t, err)
	var rows []torchLoss
	require.NoError(t, json.Unmarshal(text, &rows))
	require.Len(t, rows, len(logProbs))
	for _, r := range rows {
		for _, symbolic := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/named=%v", r.Name, symbolic), func(t *testing.T) {
				t.Parallel()
				r.compare(t, symbolic, logProbs[r.Name])
			})
		}
	}
}

// Where a distribution has no values, the logarithm is -Inf, and gradients are 0 and no NaN.
func TestLogProbsOutside(t *testing.T) {
	for name, f := range map[string]func(x, p node) node{
		"LogNormal":   func(x, p node) node { return ops.LogNormalLogProb(x, p, p) },
		"Exponential": ops.ExponentialLogProb,
		"Gamma":       func(x, p node) node { return ops.GammaLogProb(x, p, p) },
		"Beta":        func(x, p node) node { return ops.BetaLogProb(x, p, p) },
	} {
		g := graph.New("outside")
		x, p := g.Input("x", graph.Float64, 2), g.Input("p", graph.Float64)
		y := f(x, p)
		grads := autodiff.Grad(y, []node{x, p}, autodiff.Upstream(ops.OnesLike(y)))
		values := evaluate(t, feeds{x: reference.Of([]float64{-0.5, -2}, 2), p: reference.Of([]float64{1.5})}, y,
			grads[0], grads[1])
		require.Equal(t, []float64{math.Inf(-1), math.Inf(-1)}, values[0].Floats(), name)
		require.Equal(t, []float64{0, 0}, values[1].Floats(), name)
		require.Equal(t, []float64{0}, values[2].Floats(), name)
	}
}

// Parameters are numbers where they are known, and of 16 bits the whole is computed in Float32.
func TestLogProbsOfNumbersAndOf16Bits(t *testing.T) {
	g := graph.New("numbers")
	x := g.Input("x", graph.Float16, 2)
	wide := ops.Cast(x, graph.Float32)
	y, want := ops.StudentTLogProb(x, graph.Num(3), graph.Num(0), graph.Num(2.0)),
		ops.Cast(ops.StudentTLogProb(wide, graph.Num(3), graph.Num(0), graph.Num(2.0)), graph.Float16)
	require.NoError(t, g.Err())
	require.Equal(t, graph.Float16, y.DType())
	values := evaluate(t, feeds{x: reference.FromFloats(graph.Float16, []float64{0.5, -3}, 2)}, y, want)
	require.Equal(t, values[1].Floats(), values[0].Floats())
}
