package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Trace returns the sum of the main diagonal of each matrix of a batch: [...] of [..., m, n]. It takes the dtypes of
// [Sum].
func Trace(x *graph.Node) *graph.Node {
	defer building("Trace", x)()
	defer inFloat32(&x)()
	return Sum(Diagonal(x, 0, -2, -1), -1)
}

// Kron returns the Kronecker product: each element of x times the whole of y, [n*k, m*l] for [n, m] and [k, l].
// Operands may have any rank; the one of lower rank gets leading axes of size 1.
func Kron(x, y *graph.Node) *graph.Node {
	defer building("Kron", x, y)()
	if bad := notTensors(refused("Kron", x, y)); bad != nil {
		return bad
	}
	rank := max(x.Rank(), y.Rank())
	whole := func(v node) graph.Shape {
		return append(slices.Repeat(graph.Shape{1}, rank-v.Rank()), v.Shape()...)
	}
	a, b := whole(x), whole(y)
	var left, right, shape graph.Shape
	for i := range rank {
		left, right, shape = append(left, a[i], 1), append(right, 1, b[i]), append(shape, a[i].Times(b[i]))
	}
	product := Mul(Reshape(x, left...), Reshape(y, right...)).Silence(graph.CodeMutualExpand) // it is what is meant
	return Reshape(product, shape...)
}

// Tensordot returns the sum of products over pairs of axes, one of xAxes and one of yAxes each. The result has the
// other axes of x, followed by those of y.
func Tensordot(x, y *graph.Node, xAxes, yAxes []int) *graph.Node {
	defer building("Tensordot", x, y, xAxes, yAxes)()
	call := refused("Tensordot", x, y).with(xAxes, yAxes)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	wrong := func(code graph.Code, format string, args ...any) node {
		return refusal(call, &graph.Mistake{Code: code, Summary: fmt.Sprintf("tensordot: "+format, args...)})
	}
	if len(xAxes) != len(yAxes) {
		return wrong(graph.CodeAxis,
			"both dimension lists should have same length: there are %d axes of %s and %d of %s", len(xAxes),
			x.Called(), len(yAxes), y.Called())
	}
	left, summed, bad := apartFrom(x, xAxes)
	right, _, worse := apartFrom(y, yAxes)
	if text := bad + worse; text != "" {
		return wrong(graph.CodeAxis, "%s", text)
	}
	a := Reshape(Permute(x, slices.Concat(left, countedFromZero(xAxes, x.Rank()))...), sizesOf(x, left).NumElements(),
		summed)
	b := Permute(y, slices.Concat(countedFromZero(yAxes, y.Rank()), right)...)
	for i, axis := range countedFromZero(xAxes, x.Rank()) {
		d, e := x.Shape()[axis], b.Shape()[i]
		if d.IsConst() && e.IsConst() && d != e {
			return wrong(graph.CodeMatMul,
				"contracted dimensions need to match, but first has size %s in dim %d and second has size %s in dim %d",
				d, xAxes[i], e, yAxes[i])
		}
	}
	b = Reshape(b, b.Shape()[:len(yAxes)].NumElements(), sizesOf(y, right).NumElements())
	return Reshape(MatMul(a, b), append(sizesOf(x, left), sizesOf(y, right)...)...)
}

// apartFrom returns the axes of x that are not listed, the number of elements of those that are, and what is wrong with
// the list.
func apartFrom(x node, listed []int) (others []int, elements graph.Dim, bad string) {
	axes := countedFromZero(listed, x.Rank())
	elements = 1
	for i, axis := range axes {
		switch {
		case axis < 0 || axis >= x.Rank():
			return nil, 0, fmt.Sprintf("%s has no axis %d", x.Called(), listed[i])
		case slices.Contains(axes[:i], axis):
			return nil, 0, fmt.Sprintf("axis %d of %s is listed twice", listed[i], x.Called())
		}
		elements = elements.Times(x.Shape()[axis])
	}
	for axis := range x.Rank() {
		if !slices.Contains(axes, axis) {
			others = append(others, axis)
		}
	}
	return others, elements, ""
}

func sizesOf(x node, axes []int) graph.Shape {
	s := graph.Shape{}
	for _, axis := range axes {
		s = append(s, x.Shape()[axis])
	}
	return s
}

// Cross returns the cross product of vectors of three elements along an axis of the result. x and y broadcast.
func Cross(x, y *graph.Node, axis int) *graph.Node {
	defer building("Cross", x, y, axis)()
	call := refused("Cross", x, y).with(axis)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	last := axis // counted from the end, as axes broadcast
	if axis >= 0 {
		last -= max(x.Rank(), y.Rank())
	}
	for _, v := range call.in {
		if at := v.Rank() + last; at < 0 || at >= v.Rank() || v.Shape()[at] != 3 {
			m := &graph.Mistake{Code: graph.CodeAxis,
				Summary: fmt.Sprintf("linalg.cross: inputs dimension %d must have length 3, but %s has shape %s", axis,
					v.Called(), v.Shape())}
			return refusal(call, m)
		}
	}
	var parts [3]node
	for i := range parts {
		product := func(i, k int) node { return Mul(Select(x, last, graph.Dim(i%3)), Select(y, last, graph.Dim(k%3))) }
		parts[i] = Sub(product(i+1, i+2), product(i+2, i+1))
	}
	return Stack(last, parts[:]...)
}

func init() {
	composed("Trace", "the sum of the main diagonal of each matrix.",
		named("numpy.trace", "torch.trace", "jax.numpy.trace, jax.numpy.linalg.trace", "", "",
			func(e *graph.Example) node { return Trace(e.Of("x", "n", "n")) }))
	composed("Kron", "each element of x times the whole of y.",
		named("numpy.kron", "torch.kron", "jax.numpy.kron", "", "", func(e *graph.Example) node {
			return Kron(e.Of("x", "n", "m"), e.Of("y", "k", "l"))
		}))
	composed("Tensordot", "the sum of products over pairs of axes.",
		named("numpy.tensordot", "torch.tensordot",
			"jax.numpy.tensordot, jax.numpy.linalg.tensordot, jax.lax.dot_general", "", "",
			func(e *graph.Example) node {
				return Tensordot(e.Of("x", "n", "k", "m"), e.Of("y", "m", "k", "l"), []int{2, 1}, []int{0, 1})
			}))
	composed("Cross", "the cross product of vectors of three elements along an axis.",
		named("numpy.linalg.cross", "torch.linalg.cross, torch.cross", "jax.numpy.linalg.cross, jax.numpy.cross", "",
			"", func(e *graph.Example) node { return Cross(e.Of("x", "n", "3"), e.Of("y", "n", "3"), 1) }))
}
