package ops

import "github.com/broadloom/broadloom/graph"

// VarMean returns [Var] and [Mean] over the given axes, or over all.
func VarMean(x *graph.Node, correction float64, axes ...Axis) (variance, mean *graph.Node) {
	a := reduceList(axes)
	defer graph.BeginCall("VarMean", VarianceAttrs{a.Axes, a.KeepDims, correction}, x)()
	return Var(x, correction, axes...), Mean(x, axes...)
}

// StdMean returns [Std] and [Mean] over the given axes, or over all.
func StdMean(x *graph.Node, correction float64, axes ...Axis) (deviation, mean *graph.Node) {
	a := reduceList(axes)
	defer graph.BeginCall("StdMean", VarianceAttrs{a.Axes, a.KeepDims, correction}, x)()
	return Std(x, correction, axes...), Mean(x, axes...)
}

// MinMax returns [Min] and [Max] over the given axes, or over all.
func MinMax(x *graph.Node, axes ...Axis) (least, greatest *graph.Node) {
	defer graph.BeginCall("MinMax", reduceList(axes), x)()
	return Min(x, axes...), Max(x, axes...)
}

// PeakToPeak returns the greatest minus the least element over the given axes, or over all.
func PeakToPeak(x *graph.Node, axes ...Axis) *graph.Node {
	defer graph.BeginCall("PeakToPeak", reduceList(axes), x)()
	return Sub(Max(x, axes...), Min(x, axes...))
}

// Average returns the weighted mean over the given axes, or over all: the sum of x times weights, divided by the sum
// of the weights. The weights broadcast to the shape of x.
func Average(x, weights *graph.Node, axes ...Axis) *graph.Node {
	defer graph.BeginCall("Average", reduceList(axes), x, weights)()
	if bad := notTensors(refused("Average", x, weights)); bad != nil {
		return bad
	}
	weights = Expand(weights, x.Shape()...)
	return Div(Sum(Mul(x, weights), axes...), Sum(weights, axes...))
}

// Cov returns the covariance matrix [n, n] of the rows of x, [n, k]: n variables with k observations each. For one
// variable, [k], [] or [1, k], it is a scalar. The sums of products are divided by the number of observations minus
// the correction; the correction 1 gives the unbiased estimate from a sample. frequencies, integers [k] or nil, say
// how often each observation was made. weights, [k] or nil and not negative, say how much each counts. It is
// torch.cov.
func Cov(x *graph.Node, correction float64, frequencies, weights *graph.Node) *graph.Node {
	defer building("Cov", withWeights(weights, withWeights(frequencies, x, correction)...)...)()
	call := refused("Cov", x).with(correction)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case x.Rank() > 2:
		return call.wrong(graph.CodeRank,
			"cov(): expected input to have two or fewer dimensions but got an input with %d dimensions", x.Rank())
	case x.DType() == graph.Bool:
		return call.wrongDType(oneFloat(x), "cov(): bool dtype is not supported for input")
	}
	if x.Rank() < 2 {
		x = Reshape(x, 1, x.Shape().NumElements())
	}
	x = asFloat(x)
	counts, bad := observationWeights(call, x, frequencies, weights)
	if bad != nil {
		return bad
	}
	total := Size(x.Graph(), x.DType(), x.Shape()[1])
	weighted := func(v node) node { return v }
	if counts != nil {
		total = Sum(counts)
		weighted = func(v node) node { return Mul(v, counts) }
	}
	left := Sub(x, Div(Sum(weighted(x), 1, KeepDims()), total))
	less := num(correction)
	if weights != nil && correction != 0 {
		less = Mul(less, Div(Sum(Mul(counts, Cast(weights, x.DType()))), total))
	}
	c := Div(MatMul(left, transposed(weighted(left))), ClampMin(Sub(total, less), 0))
	if x.Shape()[0] == 1 {
		return Reshape(c)
	}
	return c
}

// observationWeights is the product of frequencies and weights, in x's dtype; nil if there are none.
func observationWeights(call refusedCall, x, frequencies, weights node) (product, bad node) {
	for i, w := range []node{frequencies, weights} {
		if w == nil {
			continue
		}
		word, isRight := "fweights", w.DType().IsInt()
		if i == 1 {
			word, isRight = "aweights", w.DType().IsFloat()
		}
		call.in = append(call.in, w)
		switch bad := notTensors(call); {
		case bad != nil:
			return nil, bad
		case !isRight:
			return nil, call.wrong(graph.CodeDType, "cov(): expected %s to have %s dtype but got %s with %s dtype",
				word, []string{"integral", "floating point"}[i], word, w.DType().TorchName())
		case w.Rank() > 1:
			return nil, call.wrong(graph.CodeRank,
				"cov(): expected %s to have one or fewer dimensions but got %s with %d dimensions", word, word,
				w.Rank())
		}
		w = Expand(Cast(w, x.DType()), x.Shape()[1])
		if product == nil {
			product = w
		} else {
			product = Mul(product, w)
		}
	}
	return product, nil
}

// CorrCoef returns the matrix [n, n] of Pearson's correlation coefficients, between -1 and 1, of the rows of x, [n,
// k]. For one variable, [k] or [1, k], it is a scalar. It is torch.corrcoef.
func CorrCoef(x *graph.Node) *graph.Node {
	defer building("CorrCoef", x)()
	if bad := notTensors(refused("CorrCoef", x)); bad != nil {
		return bad
	}
	if x.Rank() > 2 {
		return refused("CorrCoef", x).wrong(graph.CodeRank,
			"corrcoef(): expected input to have two or fewer dimensions but got an input with %d dimensions", x.Rank())
	}
	c := Cov(x, 1, nil, nil)
	if !c.Judged() {
		return c
	}
	if c.Rank() == 0 {
		return Div(c, c)
	}
	deviation := Sqrt(Diagonal(c, 0, 0, 1))
	return Clamp(Div(Div(c, Unsqueeze(deviation, 1)), Unsqueeze(deviation, 0)), -1, 1)
}

func init() {
	composed("VarMean", "the variance and the mean over axes.",
		named("", "torch.var_mean", "", "", "", func(e *graph.Example) node {
			return e.Several(VarMean(e.Of("x", "n", "k"), 1, 1))
		}))
	composed("StdMean", "the square root of the variance, and the mean over axes.",
		named("", "torch.std_mean", "", "", "", func(e *graph.Example) node {
			return e.Several(StdMean(e.Of("x", "n", "k"), 1, 1))
		}))
	composed("MinMax", "the least and the greatest element over axes.",
		named("", "torch.aminmax", "", "", "", func(e *graph.Example) node {
			return e.Several(MinMax(e.Of("x", "n", "8"), 1))
		}))
	composed("PeakToPeak", "the greatest element less the least one over axes.",
		named("numpy.ptp", "", "jax.numpy.ptp", "", "", func(e *graph.Example) node {
			return PeakToPeak(e.Of("x", "n", "8"), 1)
		}))
	composed("Average", "sum(x * weights) / sum(weights) over axes.",
		named("numpy.average", "", "jax.numpy.average", "", "", func(e *graph.Example) node {
			return Average(e.Of("x", "n", "k"), e.Of("weights", "k"), 1)
		}))
	composed("Cov", "the covariances of rows.",
		named("numpy.cov", "torch.cov", "jax.numpy.cov", "", "", func(e *graph.Example) node {
			return Cov(e.Of("x", "n", "k"), 1, nil, nil)
		}))
	composed("CorrCoef", "the correlation coefficients of rows.",
		named("numpy.corrcoef", "torch.corrcoef", "jax.numpy.corrcoef", "", "", func(e *graph.Example) node {
			return CorrCoef(e.Of("x", "n", "k"))
		}))
}
