package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// drawnNumbers is how many numbers the moments of a distribution are taken of.
const drawnNumbers = 40000

// distributions are draws with the mean and the variance that they have by theory, and bounds.
var distributions = map[string]struct {
	draw                        func(seed node, t graph.DType) node
	mean, variance, least, most float64
}{
	"exponential": {of(ops.Exponential), 1, 1, 0, math.Inf(1)},
	"gumbel":      {of(ops.Gumbel), 0.5772156649, math.Pi * math.Pi / 6, math.Inf(-1), math.Inf(1)},
	"laplace":     {of(ops.Laplace), 0, 2, math.Inf(-1), math.Inf(1)},
	"log of lognormal": {func(s node, t graph.DType) node { return ops.Log(ops.LogNormal(s, t, drawnNumbers)) }, 0, 1,
		math.Inf(-1), math.Inf(1)},
	"arctan of cauchy": {func(s node, t graph.DType) node { return ops.Atan(ops.Cauchy(s, t, drawnNumbers)) }, 0,
		math.Pi * math.Pi / 12, -2, 2},
	// The density of a normal number at 1 and -1 is 0.2419707, and 0.6826895 of them lie between.
	"truncated": {func(s node, t graph.DType) node { return ops.TruncatedNormal(s, t, -1, 1, drawnNumbers) }, 0,
		1 - 2*0.2419707245/0.6826894921, -1, 1},
	"truncated far": {func(s node, t graph.DType) node { return ops.TruncatedNormal(s, t, 6, 100, drawnNumbers) },
		6.158483, 0.02450, 6, 100},
	"half normal": {of(ops.HalfNormal), math.Sqrt(2 / math.Pi), 1 - 2/math.Pi, 0, math.Inf(1)},
	"arctan of half cauchy": {func(s node, t graph.DType) node {
		return ops.Atan(ops.HalfCauchy(s, t, drawnNumbers))
	}, math.Pi / 4, math.Pi * math.Pi / 48, 0, 2},
	"logistic":             {of(ops.Logistic), 0, math.Pi * math.Pi / 3, math.Inf(-1), math.Inf(1)},
	"rademacher":           {of(ops.Rademacher), 0, 1, -1, 1},
	"weibull":              {withParameter(2, ops.Weibull), math.Sqrt(math.Pi) / 2, 1 - math.Pi/4, 0, math.Inf(1)},
	"maxwell":              {of(ops.Maxwell), 2 * math.Sqrt(2/math.Pi), 3 - 8/math.Pi, 0, math.Inf(1)},
	"double-sided maxwell": {of(ops.DoubleSidedMaxwell), 0, 3, math.Inf(-1), math.Inf(1)},
	"rayleigh":             {of(ops.Rayleigh), math.Sqrt(math.Pi / 2), 2 - math.Pi/2, 0, math.Inf(1)},
	"triangular":           {withParameter(0.3, ops.Triangular), 1.3 / 3, 0.79 / 18, 0, 1},
	"wald":                 {withParameter(0.5, ops.Wald), 0.5, 0.125, 0, math.Inf(1)},
	"kumaraswamy":          {withParameters(2, 3, ops.Kumaraswamy), 16.0 / 35, 0.25 - 256.0/1225, 0, 1},
	"generalized normal 1": {withParameter(1, ops.GeneralizedNormal), 0, 2, math.Inf(-1), math.Inf(1)},
	"generalized normal 4": {withParameter(4, ops.GeneralizedNormal), 0, 0.337989, math.Inf(-1), math.Inf(1)},
	// The mean of the cosine is I1(2)/I0(2).
	"cosine of von mises": {func(s node, t graph.DType) node {
		return ops.Cos(ops.VonMises(s, ops.Full(s.Graph(), t, 2, drawnNumbers)))
	}, 0.697774658, 0.164223198, -1, 1},
	"log of pareto": {func(s node, t graph.DType) node {
		return ops.Log(ops.Pareto(s, ops.Full(s.Graph(), t, 6, drawnNumbers)))
	}, 1.0 / 6, 1.0 / 36, 0, math.Inf(1)},
	"chi square":    {withParameter(3, ops.ChiSquare), 3, 6, 0, math.Inf(1)},
	"student t":     {withParameter(12, ops.StudentT), 0, 1.2, math.Inf(-1), math.Inf(1)},
	"inverse gamma": {withParameter(20, ops.InverseGamma), 1.0 / 19, 1.0 / (361 * 18), 0, math.Inf(1)},
	"geometric":     {withParameter(0.3, ops.Geometric), 1 / 0.3, 0.7 / 0.09, 1, math.Inf(1)},
	"geometric 1":   {withParameter(1, ops.Geometric), 1, 0, 1, 1},
	"fisher f":      {withParameters(6, 30, ops.FisherF), 30.0 / 28, 2 * 900 * 34 / (6 * 784 * 26.0), 0, math.Inf(1)},
	"failures":      {withParameters(4, 0.4, ops.NegativeBinomial), 8.0 / 3, 40.0 / 9, 0, math.Inf(1)},
	"binomial few":  {withParameters(10, 0.25, ops.Binomial), 2.5, 1.875, 0, 10},
	"binomial many": {withParameters(100, 0.7, ops.Binomial), 70, 21, 0, 100},
	"binomial rare": {withParameters(1000, 0.02, ops.Binomial), 20, 19.6, 0, 1000},
	"binomial all":  {withParameters(7, 1, ops.Binomial), 7, 0, 7, 7},
	"binomial none": {withParameters(7, 0, ops.Binomial), 0, 0, 0, 0},
	"normal vector": {func(s node, t graph.DType) node {
		g := s.Graph()
		scale := ops.Cast(graph.Constant(g, []float64{1, 0, 2, 3}, 2, 2), t)
		return ops.Select(ops.MultivariateNormal(s, ops.Full(g, t, 5, drawnNumbers, 2), scale), 1, 1)
	}, 5, 13, math.Inf(-1), math.Inf(1)},
	"one hot": {category(func(s, logits node) node { return ops.OneHotCategorical(s, logits) }),
		0.6, 0.24, 0, 1},
	"one hot with a gradient": {category(func(s, logits node) node {
		return ops.OneHotCategoricalStraightThrough(s, logits)
	}), 0.6, 0.24, -1e-6, 1 + 1e-6},
	"greatest of relaxed one hot": {category(greatestOfRelaxed), 0.6, 0.24, 0, 1},
	"low rank": {func(s node, t graph.DType) node {
		g := s.Graph()
		factor, variances := ops.Cast(graph.Constant(g, []float64{1, 3}, 2, 1), t),
			ops.Cast(graph.Constant(g, []float64{1, 4}, 2), t)
		return ops.Select(ops.LowRankMultivariateNormal(s, ops.Full(g, t, 5, drawnNumbers, 2), factor, variances), 1, 1)
	}, 5, 13, math.Inf(-1), math.Inf(1)},
	"mixture": {func(s node, t graph.DType) node {
		g := s.Graph()
		logits := ops.Log(ops.Expand(ops.Cast(graph.Constant(g, []float64{0.25, 0.75}, 2), t), drawnNumbers, 2))
		z := ops.Normal(s, t, drawnNumbers)
		return ops.MixtureSameFamily(s, logits, ops.Stack(1, z, ops.Add(ops.Mul(z, graph.Num(2)), graph.Num(4))))
	}, 3, 6.25, math.Inf(-1), math.Inf(1)},
	"continuous bernoulli 0.3": {withParameter(0.3, ops.ContinuousBernoulli), -0.75 + 0.5/math.Atanh(0.4),
		-0.21/0.16 + 0.25/(math.Atanh(0.4)*math.Atanh(0.4)), 0, 1},
	"continuous bernoulli 0.9": {withParameter(0.9, ops.ContinuousBernoulli), 1.125 - 0.5/math.Atanh(0.8),
		-0.09/0.64 + 0.25/(math.Atanh(0.8)*math.Atanh(0.8)), 0, 1},
	"continuous bernoulli 0.5": {withParameter(0.5, ops.ContinuousBernoulli), 0.5, 1.0 / 12, 0, 1},
	// The first share is the sigmoid of a normal number less log 3.
	"logit of logistic normal": {func(s node, t graph.DType) node {
		y := ops.LogisticNormal(s, ops.Full(s.Graph(), t, 1, drawnNumbers, 3), s.Graph().Scalar(t, 0.5))
		return ops.Add(ops.Logit(ops.Select(y, 1, 0)), graph.Num(math.Log(3)))
	}, 1, 0.25, math.Inf(-1), math.Inf(1)},
	// The variance of element i, j is the degrees of freedom times c[i,j]² + c[i,i]·c[j,j] with the covariances c.
	"diagonal of wishart": {wishart(1, 1), 65, 5 * 2 * 169, 0, math.Inf(1)},
	"wishart":             {wishart(0, 1), 10, 5 * (4 + 13), math.Inf(-1), math.Inf(1)},
	// A correlation is 2b - 1 of a number b of the beta distribution with two parameters of concentration - 1 + n/2.
	"lkj": {lkj(2, 1), 0, 1.0 / 6, -1, 1}, "lkj of the first": {lkj(2, 0), 0, 1.0 / 6, -1, 1},
	"bernoulli":             {withParameter(0.3, ops.Bernoulli), 0.3, 0.21, 0, 1},
	"gamma 0.2":             {withParameter(0.2, ops.RandomGamma), 0.2, 0.2, 0, math.Inf(1)},
	"gamma 3.5":             {withParameter(3.5, ops.RandomGamma), 3.5, 3.5, 0, math.Inf(1)},
	"noncentral chi-square": {withParameters(2.5, 3, ops.NoncentralChiSquare), 5.5, 17, 0, math.Inf(1)},
	"noncentral f": {func(s node, t graph.DType) node {
		return ops.NoncentralF(s, ops.Full(s.Graph(), t, 5, drawnNumbers), s.Graph().Scalar(t, 30),
			s.Graph().Scalar(t, 2))
	}, 1.5, 1.06319, 0, math.Inf(1)},
	"log series":                       {withParameter(0.6, ops.LogSeries), 1.637035, 1.412704, 1, math.Inf(1)},
	"log series 0.99":                  {withParameter(0.99, ops.LogSeries), 21.4976, 1687.61, 1, math.Inf(1)},
	"zipf of 1":                        {share(withParameter(2, ops.Zipf), 1), 0.6079271, 0.2383517, 0, 1},
	"zipf up to 3":                     {share(withParameter(3, ops.Zipf), 3), 0.9667065, 0.0321850, 0, 1},
	"hypergeometric of many":           {hypergeometric(30, 20, 12), 7.2, 2.233469, 0, 12},
	"hypergeometric of few":            {hypergeometric(3, 7, 4), 1.2, 0.56, 0, 3},
	"hypergeometric of nearly all":     {hypergeometric(10, 5, 13), 8.666667, 0.412698, 8, 10},
	"hypergeometric of more than half": {hypergeometric(40, 160, 150), 30, 6.030151, 0, 40},
	"poisson 0":                        {withParameter(0, ops.Poisson), 0, 0, 0, 0},
	"poisson 2.5":                      {withParameter(2.5, ops.Poisson), 2.5, 2.5, 0, math.Inf(1)},
	"poisson 40":                       {withParameter(40, ops.Poisson), 40, 40, 0, math.Inf(1)},
	"beta 2 3": {func(s node, t graph.DType) node {
		return ops.RandomBeta(s, ops.Full(s.Graph(), t, 2, drawnNumbers), s.Graph().Scalar(t, 3))
	}, 0.4, 0.04, 0, 1},
	"beta 0.5 2.5": {withParameters(0.5, 2.5, ops.RandomBeta), 1.0 / 6, 1.25 / 36, 0, 1},
	"dirichlet": {func(s node, t graph.DType) node {
		a := ops.Concat(1, ops.Full(s.Graph(), t, 2, drawnNumbers, 1), ops.Full(s.Graph(), t, 1, drawnNumbers, 3))
		return ops.Select(ops.Dirichlet(s, a), 1, 0)
	}, 0.4, 0.04, 0, 1},
}

// category draws among three categories with the probabilities 0.1, 0.6 and 0.3, and looks at the second.
func category(draw func(seed, logits node) node) func(node, graph.DType) node {
	return func(s node, t graph.DType) node {
		logits := ops.Log(ops.Expand(ops.Cast(graph.Constant(s.Graph(), []float64{0.1, 0.6, 0.3}, 3), t),
			drawnNumbers, 3))
		return ops.Select(draw(s, logits), 1, 1)
	}
}

func greatestOfRelaxed(s, logits node) node {
	return ops.OneHot(ops.ArgMax(ops.RelaxedOneHotCategorical(s, logits, 0.7), 1), 3, logits.DType())
}

// wishart looks at one element of matrices with 5 degrees of freedom and the covariances 1, 2 and 13.
func wishart(i, j int) func(node, graph.DType) node {
	return func(s node, t graph.DType) node {
		scale := ops.Cast(graph.Constant(s.Graph(), []float64{1, 0, 2, 3}, 2, 2), t)
		w := ops.Wishart(s, ops.Full(s.Graph(), t, 5, drawnNumbers), scale)
		return ops.Select(ops.Select(w, 1, graph.Dim(i)), 1, graph.Dim(j))
	}
}

// lkj looks at the correlation of two of three variables, of a concentration of 2.
func lkj(i, j int) func(node, graph.DType) node {
	return func(s node, t graph.DType) node {
		l := ops.LKJCholesky(s, 3, ops.Full(s.Graph(), t, 2, drawnNumbers))
		return ops.Select(ops.Select(ops.MatMul(l, ops.Transpose(l, -1, -2)), 1, graph.Dim(i)), 1, graph.Dim(j))
	}
}

// share is how many numbers are at most one.
func share(draw func(node, graph.DType) node, most float64) func(node, graph.DType) node {
	return func(s node, t graph.DType) node { return ops.Cast(ops.LessEqual(draw(s, t), graph.Num(most)), t) }
}

func hypergeometric(good, bad, sample float64) func(node, graph.DType) node {
	return func(s node, t graph.DType) node {
		return ops.Hypergeometric(s, ops.Full(s.Graph(), t, good, drawnNumbers), s.Graph().Scalar(t, bad),
			s.Graph().Scalar(t, sample))
	}
}

func of(draw func(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node) func(node, graph.DType) node {
	return func(seed node, t graph.DType) node { return draw(seed, t, drawnNumbers) }
}

func withParameters(a, b float64, draw func(seed, a, b *graph.Node) *graph.Node) func(node, graph.DType) node {
	return func(seed node, t graph.DType) node {
		return draw(seed, ops.Full(seed.Graph(), t, a, drawnNumbers), seed.Graph().Scalar(t, b))
	}
}

func withParameter(p float64, draw func(seed, p *graph.Node) *graph.Node) func(node, graph.DType) node {
	return func(seed node, t graph.DType) node { return draw(seed, ops.Full(seed.Graph(), t, p, drawnNumbers)) }
}

// TestDistributions compares mean and variance with theory, within five times their deviation.
func TestDistributions(t *testing.T) {
	for name, d := range distributions {
		for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
			t.Run(fmt.Sprintf("%s/%s", name, dt), func(t *testing.T) {
				t.Parallel()
				g := graph.New("random")
				seed := g.Input("seed", graph.Int64)
				got := drawWith(t, 11, d.draw(seed, dt))
				mean, variance, least, most := moments(got)
				require.InDelta(t, d.mean, mean, 5*math.Sqrt(d.variance/drawnNumbers)+1e-9)
				require.InDelta(t, d.variance, variance, 0.08*d.variance+1e-9)
				require.GreaterOrEqual(t, least, d.least)
				require.LessOrEqual(t, most, d.most)
			})
		}
	}
}

// drawWith runs a compiled program with a seed, on one thread and on three, whose numbers are the same.
func drawWith(t *testing.T, seed int64, y node) []float64 {
	t.Helper()
	require.NoError(t, y.Graph().Err())
	prog, err := exec.Compile(y.Graph(), exec.Outputs(y), exec.OnWarning(nil))
	require.NoError(t, err)
	var runs [2][]float64
	for i, threads := range []int{1, 3} {
		out, err := prog.NewSession(exec.Threads(threads)).Run(t.Context(), exec.Feed{y.Graph().ByName("seed"): seed})
		require.NoError(t, err)
		a, err := out.Array(y)
		require.NoError(t, err)
		runs[i] = asFloats(a.Data)
	}
	require.Equal(t, runs[0], runs[1], "any number of threads")
	return runs[0]
}

func asFloats(data any) (list []float64) {
	switch data := data.(type) {
	case []float64:
		return slices.Clone(data)
	case []float32:
		for _, v := range data {
			list = append(list, float64(v))
		}
	case []int64:
		for _, v := range data {
			list = append(list, float64(v))
		}
	case []int32:
		for _, v := range data {
			list = append(list, float64(v))
		}
	}
	return list
}

func TestRandomIntegers(t *testing.T) {
	g := graph.New("random")
	seed := g.Input("seed", graph.Int64)
	got := drawWith(t, 5, ops.RandInt(seed, graph.Int32, -3, 4, drawnNumbers))
	counts := map[float64]int{}
	for _, v := range got {
		counts[v]++
	}
	require.Len(t, counts, 7)
	for v, n := range counts {
		require.InDelta(t, drawnNumbers/7, n, 400, "%v", v)
	}
	requireMistake(t, ops.RandInt(seed, graph.Int32, 4, 4, 3),
		"from 4 up to 4: low must be less than high, by at most 2^50")
}

func TestCategoriesAreDrawnByTheirProbabilities(t *testing.T) {
	g := graph.New("random")
	seed := g.Input("seed", graph.Int64)
	weights := []float64{0.1, 0.6, 0, 0.3}
	logits := ops.Log(ops.Expand(graph.Constant(g, weights, 4), drawnNumbers, 4))
	requireShares(t, weights, drawWith(t, 6, ops.Categorical(seed, logits, 1)))
	g = graph.New("random")
	seed = g.Input("seed", graph.Int64)
	requireShares(t, weights, drawWith(t, 7, ops.Multinomial(seed, graph.Constant(g, weights, 4), drawnNumbers, true)))
}

func requireShares(t *testing.T, shares, places []float64) {
	t.Helper()
	counts := make([]float64, len(shares))
	for _, p := range places {
		counts[int(p)] += 1.0 / float64(len(places))
	}
	for i, s := range shares {
		require.InDelta(t, s, counts[i], 5*math.Sqrt(s*(1-s)/float64(len(places))), "place %d", i)
	}
}

func TestPlacesAreDrawnOnceWithoutReplacement(t *testing.T) {
	g := graph.New("random")
	seed := g.Input("seed", graph.Int64)
	const rows = 8000
	weights := ops.Expand(graph.Constant(g, []float64{0.2, 0.5, 0.3}, 3), rows, 3)
	got := drawWith(t, 8, ops.Multinomial(seed, weights, 3, false))
	var firsts, seconds []float64
	for i := 0; i < len(got); i += 3 {
		require.ElementsMatch(t, []float64{0, 1, 2}, got[i:i+3])
		firsts, seconds = append(firsts, got[i]), append(seconds, got[i+1])
	}
	requireShares(t, []float64{0.2, 0.5, 0.3}, firsts)
	// The second is place 0 after 1 or 2: 0.5 * 0.2/0.5 + 0.3 * 0.2/0.7, and so on.
	requireShares(t, []float64{0.2857, 0.3393, 0.375}, seconds)
}

func TestPermutations(t *testing.T) {
	g := graph.New("random")
	seed, n := g.Input("seed", graph.Int64), 200
	got := drawWith(t, 9, ops.Permutation(seed, graph.Dim(n)))
	require.False(t, slices.IsSorted(got))
	slices.Sort(got)
	for i, v := range got {
		require.Equal(t, float64(i), v)
	}
}

// TestKeysAreIndependent expects no correlation between what is drawn with keys split from one, with a key
// split from one of these, and with numbers folded in, and the same numbers again from the same key.
func TestKeysAreIndependent(t *testing.T) {
	g := graph.New("keys")
	seed := g.Input("seed", graph.Int64)
	keys := ops.SplitKey(seed, 3)
	keys = append(keys, ops.SplitKey(keys[0], 2)...)
	keys = append(keys, ops.FoldIn(seed, graph.Num(0)), ops.FoldIn(seed, g.Scalar(graph.Int32, 1)),
		ops.FoldIn(keys[1], graph.Num(0)))
	streams := make([]node, len(keys))
	for i, k := range keys {
		streams[i] = ops.Normal(k, graph.Float64, drawnNumbers/4)
	}
	all := drawWith(t, 10, ops.Stack(0, streams...))
	size := drawnNumbers / 4
	for i := range keys {
		for k := range i {
			product := 0.0
			for j := range size {
				product += all[i*size+j] * all[k*size+j]
			}
			require.InDelta(t, 0, product/float64(size), 5/math.Sqrt(float64(size)), "keys %d and %d", i, k)
		}
	}
	require.NotEqual(t, drawWith(t, 1, ops.FoldIn(seed, graph.Num(3))), drawWith(t, 2, ops.FoldIn(seed, graph.Num(3))))
	requireMistake(t, ops.SplitKey(seed, 0)[0], "a key can be split into 1 to 1024 keys, not into 0")
}

// TestDrawsHaveGradientsOfTheirParameters compares those that are functions of evenly distributed numbers with
// differences.
func TestDrawsHaveGradientsOfTheirParameters(t *testing.T) {
	g := graph.New("draws")
	seed := g.Input("seed", graph.Int64)
	a, l := g.Input("a", graph.Float64, 3), g.Input("l", graph.Float64, 3, 3)
	in := feeds{seed: reference.FromFloats(graph.Int64, []float64{3}), a: reference.Of([]float64{0.7, 1.5, 4}, 3),
		l: random(rand.New(rand.NewPCG(1, 2)), 3, 3)}
	requireGradients(t, in, ops.Log(ops.Weibull(seed, a)), a)
	requireGradients(t, in, ops.Log(ops.Pareto(seed, a)), a)
	requireGradients(t, in, ops.RelaxedBernoulli(seed, a, 0.7), a)
	requireGradients(t, in, ops.Kumaraswamy(seed, a, ops.Add(a, graph.Num(0.5))), a)
	requireGradients(t, in, ops.Triangular(seed, ops.Sigmoid(a)), a)
	requireGradients(t, in, ops.MultivariateNormal(seed, a, l), a, l)
	requireGradients(t, in, ops.RelaxedOneHotCategorical(seed, a, 0.7), a)
	requireGradients(t, in, ops.LowRankMultivariateNormal(seed, a, l, a), a, l)
	requireGradients(t, in, ops.MixtureSameFamily(seed, a, l), l)
	requireGradients(t, in, ops.LogisticNormal(seed, a, a), a)
	requireGradients(t, in, ops.Wishart(seed, g.Scalar(graph.Float64, 4.5), l), l)
	requireGradients(t, in, ops.ContinuousBernoulli(seed, ops.Sigmoid(ops.Sub(a, graph.Num(1)))), a)
}

// TestMatricesThatAreDrawn expects factors of correlations to have rows of length 1, shares of 1 to have that sum, and
// no gradient to be lost where a probability is one half.
func TestMatricesThatAreDrawn(t *testing.T) {
	g := graph.New("draws")
	seed, p := g.Input("seed", graph.Int64), g.Input("p", graph.Float64, 3)
	in := feeds{seed: reference.FromFloats(graph.Int64, []float64{3}),
		p: reference.Of([]float64{0.5, 0.5 + 1e-9, 0.50001}, 3)}
	l := ops.LKJCholesky(seed, 4, ops.Full(g, graph.Float64, 0.5, 7))
	shares := ops.LogisticNormal(seed, ops.Zeros(g, graph.Float64, 6), g.Scalar(graph.Float64, 1))
	slope := autodiff.Grad(ops.Sum(ops.ContinuousBernoulli(seed, p)), []node{p})[0]
	got := evaluate(t, in, ops.Sum(ops.Square(l), -1), ops.Sum(shares), ops.Tril(l, 0), l, slope)
	for _, v := range append(got[0].Floats(), got[1].Floats()...) {
		require.InDelta(t, 1, v, 1e-12)
	}
	require.Equal(t, got[2].Data, got[3].Data)
	for _, v := range got[4].Floats() { // u(1-u)/2 times the slope 4 of logit(p)
		require.Greater(t, v, 1e-3)
		require.LessOrEqual(t, v, 0.5001)
	}
	requireMistake(t, ops.LKJCholesky(seed, 1, p), "a correlation matrix must have at least two rows, but has 1")
	requireMistake(t, ops.RelaxedOneHotCategorical(seed, p, 0), "the temperature must be above 0, but it is 0")
	requireMistake(t, ops.Wishart(seed, p, p), "scales must be square matrices, but p has shape [3]")
	requireMistake(t, ops.OneHotCategorical(seed, g.Scalar(graph.Float64, 1)),
		"scores must have a last axis of categories, but 1 is a scalar")
}

func TestGradientsOfDraws(t *testing.T) {
	g := graph.New("random")
	seed, scale := g.Input("seed", graph.Int64), g.Input("scale", graph.Float64)
	y := ops.Sum(ops.Mul(ops.Laplace(seed, graph.Float64, 5), scale))
	require.NoError(t, autodiff.Grad(y, []node{scale})[0].Err(), "a scale has a gradient")
}
