package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Values that meet others along an axis of the same size, as in published programs.
var _ = add(
	optimalTransport, eigenvectorsScaled, mutualNeighbours, localScaling, threeBodies, confusionOfClasses,
	kernelCentred, correlationOfCovariance,
	matrixNMS, gramSchmidt, userBiases, graphAttentionTerms, whitening, kalman, jacobians, gaussianProcess,
	covariancePooling, bilinearPooling, sylvester,
	rotations, boxLoss, detectionMatch, spectralNorm,
)

// Transport by Sinkhorn's scaling, of square and of other costs.
func optimalTransport(g *graph.Graph) {
	for _, name := range []string{"square", "other"} {
		n, m := graph.Dim(16), graph.Dim(16)
		if name == "other" {
			n, m = g.Dim("n"), g.Dim("m")
		}
		cost, a, b := g.Input(name+"cost", graph.Float32, n, m), g.Input(name+"a", graph.Float32, n),
			g.Input(name+"b", graph.Float32, m)
		k := ops.Exp(ops.Neg(ops.Mul(cost, graph.Num(10))))
		u, v := ops.Div(ops.OnesLike(a), graph.Num(16)), ops.OnesLike(b)
		for range 3 {
			u = ops.Div(a, ops.MatMul(k, v))
			v = ops.Div(b, ops.MatMul(ops.Transpose(k, 0, 1), u))
		}
		plan := ops.Mul(ops.Mul(ops.Unsqueeze(u, 1), k), v)
		ops.Sum(ops.Mul(plan, cost))
		f, h := ops.ZerosLike(a), ops.ZerosLike(b)
		for range 3 {
			f = ops.Mul(graph.Num(-0.1), ops.LogSumExp(ops.Div(ops.Sub(h, cost), graph.Num(0.1)), 1))
			h = ops.Mul(graph.Num(-0.1), ops.LogSumExp(ops.Div(ops.Sub(ops.Unsqueeze(f, 1), cost), graph.Num(0.1)), 0))
		}
		ops.Exp(ops.Div(ops.Sub(ops.Add(ops.Unsqueeze(f, 1), h), cost), graph.Num(0.1)))
	}
}

func eigenvectorsScaled(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	w, v := ops.Eigh(a)
	ops.MatMul(ops.Mul(v, ops.Sqrt(w)), ops.Transpose(v, 0, 1))
	u, s, vh := ops.SVD(a)
	ops.MatMul(ops.Mul(u, s), vh)
	ops.MatMul(ops.Div(ops.Transpose(vh, 0, 1), s), ops.Transpose(u, 0, 1))
	d := ops.Diagonal(a, 0, 0, 1)
	ops.Div(a, d)
}

// Each of two is among the nearest of the other.
func mutualNeighbours(g *graph.Graph) {
	d := g.Input("d", graph.Float32, 64, 64)
	near, _ := ops.KthValue(d, 5, 1)
	ops.And(ops.LessEqual(d, ops.Unsqueeze(near, 1)), ops.LessEqual(d, near))
	ops.Maximum(ops.Maximum(d, near), ops.Unsqueeze(near, 1))
	similar := g.Input("similar", graph.Float32, 32, 32)
	ops.Sub(ops.Sub(ops.Mul(graph.Num(2), similar), ops.Unsqueeze(ops.Mean(similar, 1), 1)), ops.Mean(similar, 0))
}

func localScaling(g *graph.Graph) {
	d := g.Input("d", graph.Float32, 64, 64)
	sigma, _ := ops.KthValue(d, 7, 1)
	ops.Exp(ops.Neg(ops.Div(ops.Square(d), ops.Mul(ops.Unsqueeze(sigma, 1), sigma))))
	ops.Exp(ops.Neg(ops.Div(ops.Div(ops.Square(d), ops.Unsqueeze(sigma, 1)), sigma)))
}

// Three bodies in three dimensions.
func threeBodies(g *graph.Graph) {
	x, m := g.Input("x", graph.Float32, 3, 3), g.Input("m", graph.Float32, 3)
	apart := ops.Sub(ops.Unsqueeze(x, 0), ops.Unsqueeze(x, 1))
	cubed := ops.Pow(ops.Add(ops.Sum(ops.Square(apart), -1), graph.Num(1e-3)), graph.Num(-1.5))
	ops.Sum(ops.Mul(ops.Mul(apart, ops.Unsqueeze(cubed, -1)), ops.Unsqueeze(m, -1)), 1)
	ops.Sum(ops.Mul(ops.Unsqueeze(ops.Mul(cubed, m), -1), apart), 1)
	ops.Sub(x, ops.Div(ops.Sum(ops.Mul(ops.Unsqueeze(m, 1), x), 0), ops.Sum(m)))
}

func confusionOfClasses(g *graph.Graph) {
	c := g.Input("c", graph.Float32, 10, 10)
	right, rows, columns := ops.Diagonal(c, 0, 0, 1), ops.Sum(c, 1), ops.Sum(c, 0)
	ops.Div(right, ops.Sub(ops.Add(rows, columns), right))
	ops.Div(c, ops.Sum(c, 1, ops.KeepDims()))
	ops.Div(c, columns)
	chance := ops.Div(ops.Mul(ops.Unsqueeze(rows, 1), columns), ops.Sum(c))
	ops.Sum(ops.Mul(chance, c))
}

func kernelCentred(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 6)
	k := ops.MatMul(x, ops.Transpose(x, 0, 1))
	rows, columns := ops.Mean(k, 1, ops.KeepDims()), ops.Mean(k, 0, ops.KeepDims())
	ops.Add(ops.Sub(ops.Sub(k, rows), columns), ops.Mean(k))
	given := g.Input("given", graph.Float32, 20, 20)
	ops.Add(ops.Sub(ops.Sub(given, ops.Mean(given, 0)), ops.Mean(given, 1, ops.KeepDims())), ops.Mean(given))
}

func correlationOfCovariance(g *graph.Graph) {
	cov := g.Input("cov", graph.Float32, 16, 16)
	d := ops.Sqrt(ops.Diagonal(cov, 0, 0, 1))
	ops.Div(ops.Div(cov, d), ops.Unsqueeze(d, 1))
	ops.Div(cov, ops.Outer(d, d))
	precision := ops.Inv(cov)
	p := ops.Rsqrt(ops.Diagonal(precision, 0, 0, 1))
	ops.Neg(ops.Mul(ops.Mul(precision, p), ops.Unsqueeze(p, -1)))
}

func matrixNMS(g *graph.Graph) {
	iou, scores := ops.Triu(g.Input("iou", graph.Float32, 20, 20), 1), g.Input("scores", graph.Float32, 20)
	most := ops.Max(iou, 0)
	compensated := ops.Transpose(ops.Expand(most, 20, 20), 0, 1)
	decay := ops.Min(ops.Exp(ops.Sub(ops.Square(compensated), ops.Square(iou))), 0)
	ops.Mul(scores, decay)
}

func gramSchmidt(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 6, 6)
	for i := range 3 {
		v := ops.Select(a, 1, graph.Dim(i))
		q := ops.Div(v, ops.Norm(v, 2))
		a = ops.Sub(a, ops.Mul(ops.Unsqueeze(q, 1), ops.Sum(ops.Mul(ops.Unsqueeze(q, 1), a), 0)))
	}
	v := ops.Select(g.Input("h", graph.Float32, 6, 6), 1, 0)
	ops.Sub(a, ops.Mul(graph.Num(2), ops.Mul(ops.Unsqueeze(v, 1), ops.MatMul(v, a))))
}

// A recommender: biases of users and of items.
func userBiases(g *graph.Graph) {
	u, i := g.Param("u", graph.Float32, 50, 8), g.Param("i", graph.Float32, 50, 8)
	bu, bi := g.Param("bu", graph.Float32, 50), g.Param("bi", graph.Float32, 50)
	r, seen := g.Input("r", graph.Float32, 50, 50), g.Input("seen", graph.Float32, 50, 50)
	pred := ops.Add(ops.Add(ops.MatMul(u, ops.Transpose(i, 0, 1)), ops.Unsqueeze(bu, 1)), bi)
	ops.Sum(ops.Mul(seen, ops.Square(ops.Sub(r, pred))))
	ops.Sub(ops.Sub(r, bi), ops.Unsqueeze(bu, 1))
}

// GAT: a term of the source and a term of the target.
func graphAttentionTerms(g *graph.Graph) {
	n := g.Dim("nodes")
	h, near := g.Input("h", graph.Float32, n, 16), g.Input("near", graph.Bool, n, n)
	source, target := testmodel.Linear(g, "s", h, 1), ops.MatMul(h, g.Param("t", graph.Float32, 16))
	e := ops.LeakyRelu(ops.Add(source, target), 0.2)
	w := ops.Softmax(ops.MaskedFill(e, ops.Not(near), graph.Num(-1e9)), -1)
	ops.MatMul(w, h)
	e = ops.LeakyRelu(ops.Add(ops.Unsqueeze(ops.MatMul(h, g.Param("u", graph.Float32, 16)), 1), target), 0.2)
	ops.MatMul(ops.Softmax(e, 1), h)
	e = ops.Add(testmodel.Linear(g, "a", h, 1), ops.Transpose(testmodel.Linear(g, "b", h, 1), 0, 1))
	ops.Softmax(e, 1)
}

func whitening(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(2))
	x := g.Input("x", graph.Float32, n, 32)
	z := ops.Sub(x, ops.Mean(x, 0, ops.KeepDims()))
	w, v := ops.Eigh(ops.MatMul(ops.Transpose(z, 0, 1), z))
	ops.MatMul(z, ops.MatMul(ops.Mul(v, ops.Rsqrt(w)), ops.Transpose(v, 0, 1)))
	ops.MatMul(ops.MatMul(z, v), ops.DiagEmbed(ops.Rsqrt(w), 0))
	ops.Div(ops.MatMul(z, v), ops.Sqrt(w))
}

func kalman(g *graph.Graph) {
	b := g.Dim("batch")
	x, p, z := g.Input("x", graph.Float32, b, 4), g.Input("p", graph.Float32, b, 4, 4),
		g.Input("z", graph.Float32, b, 2)
	f, h := g.Param("f", graph.Float32, 4, 4), g.Param("h", graph.Float32, 2, 4)
	x = ops.MatMul(x, ops.Transpose(f, 0, 1))
	p = ops.Add(ops.MatMul(ops.MatMul(f, p), ops.Transpose(f, 0, 1)), ops.Eye(g, graph.Float32, 4, 4))
	s := ops.Add(ops.MatMul(ops.MatMul(h, p), ops.Transpose(h, 0, 1)), ops.Eye(g, graph.Float32, 2, 2))
	k := ops.MatMul(ops.MatMul(p, ops.Transpose(h, 0, 1)), ops.Inv(s))
	y := ops.Sub(z, ops.MatMul(x, ops.Transpose(h, 0, 1)))
	ops.Add(x, ops.Squeeze(ops.MatMul(k, ops.Unsqueeze(y, -1)), -1))
	ops.MatMul(ops.Sub(ops.Eye(g, graph.Float32, 4, 4), ops.MatMul(k, h)), p)
}

func jacobians(g *graph.Graph) {
	b := g.Dim("batch")
	j, v := g.Input("j", graph.Float32, b, 6, 6), g.Input("v", graph.Float32, b, 6)
	ops.Sum(ops.Mul(j, ops.Unsqueeze(v, 1)), -1)
	ops.Sum(ops.Mul(ops.Unsqueeze(v, -1), j), 1)
	metric := ops.MatMul(ops.Transpose(j, 1, 2), j)
	ops.Sqrt(ops.Det(metric))
	ops.Mul(metric, ops.Eye(g, graph.Float32, 6, 6))
}

func gaussianProcess(g *graph.Graph) {
	n, m := g.Dim("n"), g.Dim("m")
	x, y, at := g.Input("x", graph.Float32, n, 3), g.Input("y", graph.Float32, n), g.Input("at", graph.Float32, m, 3)
	k := func(a, b *graph.Node) *graph.Node {
		return ops.Exp(ops.Mul(graph.Num(-0.5), ops.Square(ops.CDist(a, b, 2))))
	}
	l := ops.Cholesky(ops.Add(k(x, x), ops.Mul(ops.Eye(g, graph.Float32, n, n), graph.Num(1e-3))))
	alpha := ops.CholeskySolve(l, ops.Unsqueeze(y, 1))
	ops.MatMul(k(at, x), alpha)
	v := ops.SolveTriangular(l, k(x, at))
	ops.Sub(k(at, at), ops.MatMul(ops.Transpose(v, 0, 1), v))
	ops.Sub(ops.Diagonal(k(at, at), 0, 0, 1), ops.Sum(ops.Square(v), 0))
	ops.Add(ops.MatMul(y, alpha), ops.Sum(ops.Log(ops.Diagonal(l, 0, 0, 1))))
	period := ops.Sin(ops.Sub(ops.Unsqueeze(ops.Select(x, 1, 0), 1), ops.Select(at, 1, 0)))
	ops.Exp(ops.Neg(ops.Square(period)))
}

func covariancePooling(g *graph.Graph) {
	b := g.Dim("b")
	x := ops.Reshape(g.Input("x", graph.Float32, b, 16, 4, 4), b, 16, 16)
	centred := ops.Sub(x, ops.Mean(x, 2, ops.KeepDims()))
	c := ops.Div(ops.MatMul(centred, ops.Transpose(centred, 1, 2)), graph.Num(16))
	norm := ops.Reshape(ops.Sum(ops.Diagonal(c, 0, 1, 2), 1), b, 1, 1)
	y := ops.Div(c, norm)
	half := ops.Mul(graph.Num(0.5), ops.Sub(ops.Mul(graph.Num(3), ops.Eye(g, graph.Float32, 16, 16)), y))
	ops.Mul(ops.MatMul(y, half), ops.Sqrt(norm))
}

func bilinearPooling(g *graph.Graph) {
	b := g.Dim("b")
	x, y := g.Input("x", graph.Float32, b, 32, 49), g.Input("y", graph.Float32, b, 32, 49)
	z := ops.Flatten(ops.Div(ops.MatMul(x, ops.Transpose(y, 1, 2)), graph.Num(49)), 1, 2)
	ops.Normalize(ops.Mul(ops.Sign(z), ops.Sqrt(ops.Abs(z))), 2, 1, 1e-6)
	u, v := g.Input("u", graph.Float32, b, 16), g.Input("v", graph.Float32, b, 16)
	joint := ops.Mul(testmodel.Linear(g, "u", u, 80), testmodel.Linear(g, "v", v, 80))
	ops.Sum(ops.Reshape(joint, b, 16, 5), 2)
	ops.Mul(ops.Unsqueeze(u, 2), ops.Unsqueeze(v, 1))
}

func sylvester(g *graph.Graph) {
	a, c := g.Input("a", graph.Float32, 8, 8), g.Input("c", graph.Float32, 8, 8)
	w, v := ops.Eigh(a)
	turned := ops.MatMul(ops.MatMul(ops.Transpose(v, 0, 1), c), v)
	ops.MatMul(ops.MatMul(v, ops.Div(turned, ops.Add(ops.Unsqueeze(w, 1), w))), ops.Transpose(v, 0, 1))
	d, _ := ops.LUFactor(a)
	ops.Mul(ops.Diagonal(d, 0, 0, 1), ops.Sum(a, 1))
}

func rotations(g *graph.Graph) {
	b := g.Dim("b")
	r, t, x := g.Input("r", graph.Float32, b, 3, 3), g.Input("t", graph.Float32, b, 3),
		g.Input("x", graph.Float32, b, 3, 3)
	ops.Add(ops.MatMul(x, ops.Transpose(r, 1, 2)), ops.Unsqueeze(t, 1))
	centred := ops.Sub(x, ops.Mean(x, 1, ops.KeepDims()))
	u, s, v := ops.SVD(ops.MatMul(ops.Transpose(centred, 1, 2), r))
	sign := ops.Sign(ops.Det(ops.MatMul(u, v)))
	fix := ops.Stack(1, ops.OnesLike(sign), ops.OnesLike(sign), sign)
	ops.MatMul(ops.Mul(u, ops.Unsqueeze(fix, 1)), v)
	ops.Sum(ops.Mul(s, fix), 1)
	ops.Mul(r, g.Param("scale", graph.Float32, 3))
}

func boxLoss(g *graph.Graph) {
	n := g.Dim("n")
	a, b := g.Input("a", graph.Float32, n, 4), g.Input("b", graph.Float32, n, 4)
	low, high := ops.Maximum(ops.Slice(a, 1, 0, 2, 1), ops.Slice(b, 1, 0, 2, 1)),
		ops.Minimum(ops.Slice(a, 1, 2, 4, 1), ops.Slice(b, 1, 2, 4, 1))
	inner := ops.Prod(ops.ClampMin(ops.Sub(high, low), 0), 1)
	area := func(x *graph.Node) *graph.Node {
		return ops.Prod(ops.Sub(ops.Slice(x, 1, 2, 4, 1), ops.Slice(x, 1, 0, 2, 1)), 1)
	}
	ops.Div(inner, ops.Sub(ops.Add(area(a), area(b)), inner))
	// All pairs.
	low = ops.Maximum(ops.Unsqueeze(ops.Slice(a, 1, 0, 2, 1), 1), ops.Slice(b, 1, 0, 2, 1))
	high = ops.Minimum(ops.Unsqueeze(ops.Slice(a, 1, 2, 4, 1), 1), ops.Slice(b, 1, 2, 4, 1))
	inner = ops.Prod(ops.ClampMin(ops.Sub(high, low), 0), 2)
	ops.Div(inner, ops.Sub(ops.Add(ops.Unsqueeze(area(a), 1), area(b)), inner))
}

func detectionMatch(g *graph.Graph) {
	b, q, m := g.Dim("batch"), g.Dim("q"), g.Dim("m")
	logits, boxes := g.Input("logits", graph.Float32, b, q, 91), g.Input("boxes", graph.Float32, b, q, 4)
	labels, target := g.Input("labels", graph.Int64, m), g.Input("target", graph.Float32, m, 4)
	p := ops.Softmax(ops.Flatten(logits, 0, 1), -1)
	cost := ops.Sub(ops.Mul(graph.Num(5), ops.CDist(ops.Flatten(boxes, 0, 1), target, 1)),
		ops.IndexSelect(p, 1, labels))
	ops.Reshape(cost, b, q, m)
}

func spectralNorm(g *graph.Graph) {
	w, u := g.Param("w", graph.Float32, 16, 16), g.Param("u", graph.Float32, 16)
	v := ops.Normalize(ops.MatMul(ops.Transpose(w, 0, 1), u), 2, 0, 1e-6)
	u = ops.Normalize(ops.MatMul(w, v), 2, 0, 1e-6)
	sigma := ops.Sum(ops.Mul(u, ops.MatMul(w, v)))
	ops.Linear(g.Input("x", graph.Float32, g.Dim("b"), 16), ops.Div(w, sigma), nil)
	ops.Sum(ops.Mul(ops.Mul(ops.Unsqueeze(u, 1), w), v))
}
