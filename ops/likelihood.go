package ops

import "github.com/broadloom/broadloom/graph"

var opXLogY, opBCE *graph.Op

const (
	// leastLog is what a logarithm counts as at least in a loss, as in PyTorch.
	leastLog = -100
	// leastVariance is what p(1-p) counts as at least in the gradient of BCE.
	leastVariance = 1e-12
)

func init() {
	opXLogY = floatPair("xlogy", "XLogY", "x log(y), or 0 where x is 0.", "xlogy_cpu",
		func(m arith, x, y graph.Value) graph.Value {
			isNumber := m.Prim(graph.PrimEq, y, y)
			nothing := m.Prim(graph.PrimAnd, m.Prim(graph.PrimEq, x, m.num(0)), isNumber)
			return m.pick(nothing, m.num(0), m.mul(x, m.log(y)))
		},
		each(
			func(n, dy node) node {
				nothing := And(Equal(n.In(0), num(0)), LessEqual(n.In(1), num(0)))
				return Where(nothing, num(0), XLogY(dy, n.In(1))) // as PyTorch: 0 times log(0) is 0 here too
			},
			func(n, dy node) node { return Mul(dy, Div(n.In(0), n.In(1))) }))
	opXLogY.Promote = ToCommonFloat
	opBCE = floatPair("binary_cross_entropy", "BCE",
		"-(y log(x) + (1-y) log(1-x)), with logarithms of at least -100; x outside 0..1 stops the run.",
		"binary_cross_entropy",
		func(m arith, x, y graph.Value) graph.Value {
			inside := m.Prim(graph.PrimAnd, m.Prim(graph.PrimGe, x, m.num(0)), m.Prim(graph.PrimLe, x, m.num(1)))
			m.Check(inside, graph.Claim{Message: "all elements of input should be between 0 and 1"})
			yes := m.Prim(graph.PrimMax, m.log(x), m.num(leastLog))
			no := m.Prim(graph.PrimMax, m.log1p(m.Prim(graph.PrimNeg, x)), m.num(leastLog))
			return m.sub(m.mul(m.sub(y, m.num(1)), no), m.mul(y, yes))
		},
		each(
			func(n, dy node) node {
				x, y := n.In(0), n.In(1)
				return Mul(dy, Div(Sub(x, y), ClampMin(Mul(Sub(num(1), x), x), leastVariance)))
			},
			func(n, dy node) node {
				yes, no := ClampMin(Log(n.In(0)), leastLog), ClampMin(Log1p(Neg(n.In(0))), leastLog)
				return Mul(dy, Sub(no, yes))
			}))
	opBCE.Ref = named("", "torch.nn.functional.binary_cross_entropy", "", "", "BinaryXent",
		func(e *graph.Example) node { return BCE(e.Of("x", "n"), e.Of("target", "n")) })
	opXLogY.Ref = named("scipy.special.xlogy", "torch.special.xlogy, torch.xlogy", "jax.scipy.special.xlogy", "", "")
	composed("KLDiv", "mean(target * (log(target) - x)).",
		named("", "torch.nn.functional.kl_div", "", "", "",
			func(e *graph.Example) node { return KLDiv(e.Of("x", "n"), e.Of("target", "n")) }))
}

// XLogY returns x log(y). It is 0 where x is 0, unless y is NaN.
func XLogY(x, y *graph.Node) *graph.Node { return Apply(opXLogY, nil, x, y) }

// BCE returns the binary cross-entropy, the mean of -(t log x + (1-t) log(1-x)), for probabilities x and targets t.
// Logarithms are at least -100. If x comes from a sigmoid, [BCEWithLogits] is more accurate. The target must have x's
// shape or be a number.
func BCE(x, target *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("BCE", x, target)()
	defer inFloat32(&x, &target)()
	if bad := refusedTarget(refused("BCE", x, target),
		"Using a target size (torch.Size(%s)) that is different to the input size "+
			"(torch.Size(%s)) is deprecated. Please ensure they have the same size."); bad != nil {
		return bad
	}
	return reduceLoss(opts, Apply(opBCE, nil, x, target))
}

// KLDiv returns the mean of t (log t - x), the Kullback-Leibler divergence of log-probabilities x from the target t,
// where 0 log 0 is 0. [LogTarget] says that the target holds log-probabilities too. [BatchMean] returns the sum
// divided by the number of examples.
func KLDiv(x, target *graph.Node, opts ...LossOption) *graph.Node {
	l := lossOf(opts)
	defer l.building("KLDiv", x, target)()
	defer inFloat32(&x, &target)()
	var each node
	withScalars(nil, opMul, &x, &target)
	x = logarithms.checks(refused("KLDiv", x, target), x)
	if l.logTarget {
		each = Mul(Exp(target), Neg(difference(refused("KLDiv", x, target))))
	} else {
		cross := compared(refused("KLDiv", x, target), opMul)
		if cross == nil {
			cross = Mul(target, x)
		}
		each = Sub(XLogY(target, target), cross)
	}
	if !l.batchMean || !each.Judged() {
		return reduceLoss(opts, each)
	}
	l.Reduction = "sum"
	if x.Rank() == 0 {
		return l.reduce(each)
	}
	return Div(l.reduce(each), Size(x.Graph(), each.DType(), x.Shape()[0]))
}
