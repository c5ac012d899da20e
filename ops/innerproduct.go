package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// VecDot returns the sum of x * y along an axis of the product. x and y broadcast.
func VecDot(x, y *graph.Node, axis int) *graph.Node {
	defer building("VecDot", x, y, axis)()
	defer lowering(&x, &y)()
	return Sum(Mul(x, y), Axis(axis))
}

// Inner returns the sum of products over the last axes of x and y, which have the same size. The result has the other
// axes of x, followed by those of y. If one of them is a scalar, it returns x * y.
func Inner(x, y *graph.Node) *graph.Node {
	defer building("Inner", x, y)()
	if bad := notTensors(refused("Inner", x, y)); bad != nil {
		return bad
	}
	if x.Rank() == 0 || y.Rank() == 0 {
		return Mul(x, y)
	}
	return Tensordot(x, y, []int{-1}, []int{-1})
}

// AddMatMul returns beta·x + alpha·(a·b), where x broadcasts to the product of [MatMul]. If beta is 0, x is ignored,
// even if it is NaN.
func AddMatMul(x, a, b *graph.Node, beta, alpha float64) *graph.Node {
	defer building("AddMatMul", x, a, b, beta, alpha)()
	defer lowering(&x, &a, &b)()
	if bad := notTensors(refused("AddMatMul", x, a, b).with(beta, alpha)); bad != nil {
		return bad
	}
	product := times(MatMul(a, b), alpha)
	if !product.Judged() {
		return product
	}
	x = Expand(x, product.Shape()...)
	if beta == 0 {
		return product
	}
	return Add(times(x, beta), product)
}

// times is x times a number, which leaves integers what they are where it is whole.
func times(x node, v float64) node {
	switch {
	case v == 1:
		return x
	case isWhole(v) && !x.DType().IsFloat():
		return Mul(x, num64(int64(v)))
	}
	return Mul(x, num(v))
}

// MultiDot returns the product of two or more matrices, multiplied in the order that needs the fewest operations; an
// unknown size counts as 1000. The first may be a vector, which counts as a row, and so may the last, as a column. It
// is torch.linalg.multi_dot.
func MultiDot(xs ...*graph.Node) *graph.Node {
	args := make([]any, len(xs))
	for i, x := range xs {
		args[i] = x
	}
	defer building("MultiDot", args...)()
	call := refused("MultiDot", xs...)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if len(xs) < 2 {
		return call.wrong(graph.CodeOperand, "multi_dot(): expected at least 2 tensors but got %d", len(xs))
	}
	xs = slices.Clone(xs)
	last := len(xs) - 1
	for i, x := range xs {
		if x.Rank() != 2 && (x.Rank() != 1 || i > 0 && i < last) {
			return call.wrong(graph.CodeRank, "multi_dot(): tensor %d must be 2D but got %dD", i, x.Rank())
		}
	}
	isRow, isColumn := xs[0].Rank() == 1, xs[last].Rank() == 1
	if isRow {
		xs[0] = Unsqueeze(xs[0], 0)
	}
	if isColumn {
		xs[last] = Unsqueeze(xs[last], 1)
	}
	y := chained(xs)
	switch {
	case isRow && isColumn:
		return Reshape(y)
	case isRow:
		return Squeeze(y, 0)
	case isColumn:
		return Squeeze(y, 1)
	}
	return y
}

// unknownSize is what a size counts as that is not known.
const unknownSize = 1000

// chained multiplies matrices in the order that needs the fewest multiplications, by dynamic programming.
func chained(xs []node) node {
	sizes := make([]float64, 0, len(xs)+1)
	for i, x := range xs {
		for _, d := range x.Shape()[min(i, 1):] {
			n, known := d.Int()
			if !known {
				n = unknownSize
			}
			sizes = append(sizes, float64(n))
		}
	}
	n := len(xs)
	cost, cut := make([][]float64, n), make([][]int, n)
	for i := range n {
		cost[i], cut[i] = make([]float64, n), make([]int, n)
	}
	for width := 1; width < n; width++ {
		for i := 0; i+width < n; i++ {
			j := i + width
			cost[i][j] = inf
			for k := i; k < j; k++ {
				if c := cost[i][k] + cost[k+1][j] + sizes[i]*sizes[k+1]*sizes[j+1]; c < cost[i][j] {
					cost[i][j], cut[i][j] = c, k
				}
			}
		}
	}
	var product func(i, j int) node
	product = func(i, j int) node {
		if i == j {
			return xs[i]
		}
		return MatMul(product(i, cut[i][j]), product(cut[i][j]+1, j))
	}
	return product(0, n-1)
}

func init() {
	composed("VecDot", "the sums of products along an axis.",
		named("numpy.vecdot, numpy.linalg.vecdot, numpy.vdot", "torch.linalg.vecdot, torch.dot, torch.vdot",
			"jax.numpy.vecdot, jax.numpy.linalg.vecdot, jax.numpy.vdot", "", "",
			func(e *graph.Example) node { return VecDot(e.Of("x", "n", "k"), e.Of("y", "n", "k"), -1) }))
	composed("Inner", "the sums of products over the last axes.",
		named("numpy.inner", "torch.inner", "jax.numpy.inner", "", "", func(e *graph.Example) node {
			return Inner(e.Of("x", "n", "k"), e.Of("y", "m", "k"))
		}))
	composed("AddMatMul", "beta·x + alpha·(a·b).",
		named("", "torch.addmm, torch.addmv, torch.baddbmm", "", "Gemm", "",
			func(e *graph.Example) node {
				return AddMatMul(e.Of("x", "m"), e.Of("a", "n", "k"), e.Of("b", "k", "m"), 1, 2)
			}))
	composed("MultiDot", "the product of several matrices.",
		named("numpy.linalg.multi_dot", "torch.linalg.multi_dot, torch.chain_matmul", "jax.numpy.linalg.multi_dot",
			"", "",
			func(e *graph.Example) node { return MultiDot(e.Of("x", "n", "k"), e.Of("y", "k", "m"), e.Of("z", "m")) }))
}
