package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// The functions here compute with all pairs of vectors.

// CDist returns the norm of order p of the difference between each row of x, [..., P, M], and each row of y, [..., R,
// M]: [..., P, R]. The leading axes broadcast. With an infinite p, equal greatest differences get the whole gradient
// each, as in PyTorch. It is PyTorch's cdist; for p = 2 that uses a matrix product, which loses digits, and this
// squares the differences.
func CDist(x, y *graph.Node, p float64) *graph.Node {
	defer building("CDist", x, y, boundWord(p))()
	defer inFloat32(&x, &y)()
	call := refused("CDist", x, y).with(boundWord(p))
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case !x.DType().IsFloat() || x.DType() != y.DType():
		return refusal(call, &graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x, y),
			Summary: fmt.Sprintf(
				"cdist only supports the same floating-point dtype for both operands, but got %s and %s", x.DType(),
				y.DType())})
	case x.Rank() < 2 || y.Rank() < 2:
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("cdist only supports at least 2D tensors, but the shapes are %s and %s", x.Shape(),
				y.Shape())})
	case !(p >= 0): // NaN too
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("cdist only supports non-negative p values, but it is %v", p)})
	}
	if x.Shape()[x.Rank()-1] == 0 {
		p = 1 // nothing differs
	}
	width := sameSize{a: x, i: x.Rank() - 1, b: y, j: y.Rank() - 1, of: "columns"}
	a, b := width.sizes()
	width.says = fmt.Sprintf("X1 and X2 must have the same number of columns. X1: %s X2: %s", a, b)
	if bad := call.unequal(graph.CodeSlice, width); bad != nil {
		return bad
	}
	difference := Sub(Unsqueeze(x, -2), Unsqueeze(y, -3)).Silence(graph.CodeMutualExpand)
	distance := difference
	switch {
	case math.IsInf(p, 1) && difference.Judged():
		distance = greatestDifference(difference)
	case p == 2 && difference.Judged() && difference.Err() == nil && gradientsAreProducts(x, y):
		distance = euclidean(x, y)
	default:
		distance = Norm(difference, p, -1)
	}
	requireEqual(distance, width)
	return distance
}

// leastProductWidth is from how many numbers of a vector on the gradients of distances are products of matrices.
const leastProductWidth = 16

// gradientsAreProducts reports whether those of distances pay as products: vectors are not known to be short, and no
// batch of them is repeated.
func gradientsAreProducts(x, y node) bool {
	width, known := lastSize(x).Int()
	return (!known || width >= leastProductWidth) && x.Rank() == y.Rank() &&
		x.Shape()[:x.Rank()-2].Equal(y.Shape()[:y.Rank()-2])
}

// euclidean are the distances of rows, whose gradients are products of matrices: with w the gradient of each distance
// over the distance, that of x is the sum of w·(x - y), Σw·x - w·y. Differences from the mean of y, instead of x and y,
// keep it exact far from the origin. A distance of 0 has no gradient.
func euclidean(x, y node) node {
	return WithGradient("CDist", []node{x, y},
		func(in []node) node {
			return Norm(Sub(Unsqueeze(in[0], -2), Unsqueeze(in[1], -3)).Silence(graph.CodeMutualExpand), 2, -1)
		},
		func(d, dy node, in []node) []node {
			w, middle := divided(dy, d), StopGradient(Mean(in[1], -2, KeepDims()))
			x, y := Sub(in[0], middle), Sub(in[1], middle)
			return []node{
				Sub(Mul(Unsqueeze(Sum(w, -1), -1), x), MatMul(w, y)),
				Sub(Mul(Unsqueeze(Sum(w, -2), -1), y), MatMul(transposed(w), x)),
			}
		})
}

// greatestDifference is the infinite norm along the last axis, of which each of the greatest elements has the gradient.
func greatestDifference(d node) node {
	return WithGradient("CDist", []node{d},
		func(in []node) node { return Max(Abs(in[0]), -1) },
		func(y, dy node, in []node) []node {
			isGreatest := Equal(Abs(in[0]), Unsqueeze(y, -1))
			return []node{Where(isGreatest, Mul(Unsqueeze(dy, -1), Sign(in[0])), num(0))}
		})
}

// PDist returns the norms of order p of the differences between all pairs of rows of x, [N, M]: [N*(N-1)/2], starting
// with row 0 and rows 1, 2, …. It is PyTorch's pdist.
func PDist(x *graph.Node, p float64) *graph.Node {
	defer building("PDist", x, boundWord(p))()
	if bad := notTensors(refused("PDist", x).with(boundWord(p))); bad != nil {
		return bad
	}
	if x.Rank() != 2 {
		return refusal(refused("PDist", x).with(boundWord(p)), &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("pdist only supports 2D tensors, got: %dD", x.Rank())})
	}
	all := CDist(x, x, p)
	if !all.Judged() || all.Err() != nil {
		return all
	}
	n := x.Shape()[0]
	return WithGradient("PDist", []node{all},
		func(in []node) node { return Take(Reshape(in[0], n.Times(n)), 0, placesAbove(x.Graph(), n)) },
		func(_, dy node, _ []node) []node { // each has at most one to pick
			behind := Concat(0, dy, Zeros(dy.Graph(), dy.DType(), 1))
			return []node{Take(behind, 0, pairsAbove(x.Graph(), n))}
		})
}

// pairsAbove is the other way round: the pair of each element of a matrix of n rows and columns that is above the
// diagonal, and the number of pairs elsewhere.
func pairsAbove(g *graph.Graph, n graph.Dim) node {
	row, column := Iota(g, 0, n, 1), Iota(g, 1, 1, n)
	begin := FloorDiv(Mul(row, Sub(Size(g, graph.Int64, n.Times(2).Minus(1)), row)), num64(2))
	pair := Add(begin, Sub(Sub(column, row), num64(1)).Silence(graph.CodeMutualExpand))
	return Where(Greater(column, row).Silence(graph.CodeMutualExpand), pair,
		Size(g, graph.Int64, n.Times(n.Minus(1)).FloorDiv(2)))
}

// placesAbove has the places, in row-major order, of the elements above the diagonal of a matrix of n rows and columns,
// one behind the other. Row i begins at pair i*(2n-1-i)/2, of which the row of a pair is the root, rounded down: exact
// in Float64.
func placesAbove(g *graph.Graph, n graph.Dim) node {
	pair, twice := Cast(Iota(g, 0, n.Times(n.Minus(1)).FloorDiv(2)), graph.Float64),
		Size(g, graph.Float64, n.Times(2).Minus(1))
	row := Floor(Mul(num(0.5), Sub(twice, Sqrt(Sub(Square(twice), Mul(num(8), pair))))))
	column := Add(Sub(pair, Mul(num(0.5), Mul(row, Sub(twice, row)))), Add(row, num(1)))
	return Cast(Add(Mul(row, Size(g, graph.Float64, n)), column), graph.Int64)
}

// Bilinear returns the sum over i and j of x[i]*weight[o, i, j]*y[j], plus bias[o]: [..., O]. x is [..., I], y [...,
// J] with the same leading axes, weight [O, I, J], and bias [O] or nil. It is PyTorch's bilinear.
func Bilinear(x, y, weight, bias *graph.Node) *graph.Node {
	defer building("Bilinear", x, y, weight, bias)()
	defer joining(&x, &y, &weight, &bias)()
	call := refused("Bilinear", given(x, y, weight, bias)...)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if y == nil || weight == nil || x.Rank() != y.Rank() || x.Rank() == 0 || weight.Rank() != 3 {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeRank,
				Summary: "bilinear() needs operands [..., I] and [..., J] with the same leading axes, and a weight [O, I, J]"})
	}
	var same []sameSize
	for axis, d := range x.Shape()[:x.Rank()-1] {
		same = append(same, sameSize{a: x, i: axis, b: y, j: axis, of: "pairs", says: fmt.Sprintf(
			"bilinear(): input batch dimensions do not match at dim %d: got %s and %s", axis, d, y.Shape()[axis])})
	}
	if bad := call.unequal(graph.CodeSlice, same...); bad != nil {
		return bad
	}
	out := Einsum("...i,oij,...j->...o", x, weight, y)
	if bias != nil {
		out = Add(out, bias)
	}
	requireEqual(out, same...)
	return out
}

func init() {
	composed("CDist", "the distance of each row of x from each row of y.",
		named("scipy.spatial.distance.cdist", "torch.cdist", "", "", "", func(e *graph.Example) node {
			return CDist(e.Of("x", "n", "k"), e.Of("y", "m", "k"), 2)
		}))
	composed("PDist", "the distances of all pairs of rows.",
		named("scipy.spatial.distance.pdist", "torch.nn.functional.pdist, torch.pdist", "", "", "",
			func(e *graph.Example) node { return PDist(e.Of("x", "n", "k"), 2) }))
	composed("Bilinear", "sum over i and j of x[i] * weight[o, i, j] * y[j], plus bias[o].",
		named("", "torch.nn.functional.bilinear, torch.nn.Bilinear", "", "", "", func(e *graph.Example) node {
			return Bilinear(e.Of("x", "n", "i"), e.Of("y", "n", "j"), e.Of("weight", "o", "i", "j"), e.Of("bias", "o"))
		}))
}
