package arrayforms

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// householder are the packed factors Q and R of matrices with at least as many rows as columns. Column by column, a
// reflection zeroes the elements below the diagonal; its sign is LAPACK's: Golub and Van Loan, Matrix Computations,
// 2013, section 5.2.
func householder(_ *graph.Node, in []node) node {
	q, r := factorsQR(in[0])
	return packed(in[0].Rank()-2, q, r)
}

func factorsQR(a node) (q, r node) {
	size, width := sizes(a)
	g, batch := a.Graph(), a.Shape()[:a.Rank()-2]
	rows, cols := rowsOf(g, size), colsOf(g, width)
	scales := ops.Zeros(g, graph.Float64, append(batch[:len(batch):len(batch)], 1, width)...)
	done := ops.Fori(width, []node{a, ops.ZerosLike(a), scales}, func(k node, c []node) []node {
		here := ops.Equal(cols, k)
		column := ops.Where(ops.GreaterEqual(rows, k), chosen(here, c[0], -1), num(0))
		first := chosen(ops.Equal(rows, k), column, -2)
		rest := ops.Where(ops.Greater(rows, k), column, num(0))
		isDone := ops.All(ops.Equal(rest, num(0)), -2, ops.KeepDims())
		length := lengthOf(column, -2)
		beta := ops.Where(isDone, num(1), ops.Where(ops.Less(first, num(0)), length, ops.Neg(length)))
		scale := ops.Where(isDone, num(0), ops.Div(ops.Sub(beta, first), beta))
		divisor := ops.Where(isDone, num(1), ops.Sub(first, beta))
		v := ops.Where(ops.Equal(rows, k), num(1), ops.Div(rest, divisor))
		return []node{reflected(c[0], v, scale), ops.Where(here, v, c[1]), ops.Where(here, scale, c[2])}
	})
	identity := ops.Expand(ops.Eye(g, graph.Float64, size, width), a.Shape()...)
	q = ops.Fori(width, []node{identity}, func(i node, c []node) []node {
		here := ops.Equal(cols, ops.Sub(ops.Size(g, graph.Int64, width.Plus(-1)), i))
		return []node{reflected(c[0], chosen(here, done[1], -1), chosen(here, done[2], -1))}
	})[0]
	return q, ops.Triu(ops.Slice(done[0], -2, 0, width, 1), 0)
}

// lengthOf is the Euclidean norm along an axis, which is kept, without overflow.
func lengthOf(x node, axis ops.Axis) node {
	most := ops.Max(ops.Abs(x), axis, ops.KeepDims())
	unit := ops.Where(ops.Greater(most, num(0)), most, num(1))
	return ops.Mul(unit, ops.Sqrt(ops.Sum(ops.Square(ops.Div(x, unit)), axis, ops.KeepDims())))
}

// reflected is x - scale·v·(vᵀ·x) for columns v.
func reflected(x, v, scale node) node {
	along := ops.Sum(ops.Mul(v, x), -2, ops.KeepDims())
	return ops.Sub(x, ops.Mul(scale, ops.Mul(v, along)))
}

// maxSweeps bounds the sweeps of Jacobi's methods, which converge in some ten.
const maxSweeps = 60

// Jacobi's methods rotate pairs of columns, half of all columns each round with the other half: column i of the left
// half with column i of the right one. Between rounds all columns but the first move on, like players of a round-robin
// tournament, so that each meets each other once in a sweep: Brent and Luk, The solution of singular-value and
// symmetric eigenvalue problems on multiprocessor arrays, 1985. An odd number of columns gets one more column of zeros.

// halves splits an axis of even size into halves.
func halves(x node, axis int) (left, right node) {
	size := x.Shape()[x.Rank()+axis]
	middle := size.FloorDiv(2)
	return ops.Slice(x, axis, 0, middle, 1), ops.Slice(x, axis, middle, size, 1)
}

// goAround joins two halves, and moves all elements of an axis but the first on by one.
func goAround(left, right node, axis int) node {
	size := left.Shape()[left.Rank()+axis]
	part := func(x node, from, to graph.Dim) node { return ops.Slice(x, axis, from, to, 1) }
	if size == 1 {
		return ops.Concat(axis, left, right)
	}
	return ops.Concat(axis, part(left, 0, 1), part(right, 0, 1), part(left, 1, size.Plus(-1)), part(right, 1, size),
		part(left, size.Plus(-1), size))
}

// turned rotates the halves of an axis by angles, and moves them on.
func turned(x node, axis int, cos, sin node) node {
	left, right := halves(x, axis)
	return goAround(ops.Sub(ops.Mul(cos, left), ops.Mul(sin, right)), ops.Add(ops.Mul(sin, left), ops.Mul(cos, right)),
		axis)
}

// rotation returns the cosine and the sine of the rotation that zeroes the product of a pair whose squares are given:
// Golub and Van Loan, section 8.5.
func rotation(first, second, product node) (cos, sin node) {
	isDone := ops.Equal(product, num(0))
	zeta := ops.Div(ops.Sub(second, first), ops.Mul(num(2), ops.Where(isDone, num(1), product)))
	size := ops.Add(ops.Abs(zeta), ops.Sqrt(ops.Add(num(1), ops.Square(zeta))))
	tangent := ops.Where(
		isDone, num(0), ops.Where(ops.Less(zeta, num(0)), ops.Div(num(-1), size), ops.Div(num(1), size)))
	cos = ops.Rsqrt(ops.Add(num(1), ops.Square(tangent)))
	return cos, ops.Mul(tangent, cos)
}

const notFinite = "the algorithm failed to converge because the input matrix contained non-finite values"

// sweeps repeats rounds until isOpen says that a sweep has nothing left to do.
func sweeps(size graph.Dim, begin []node, isOpen func([]node) node, round func([]node) []node) []node {
	rounds := max(size-1, 1)
	done, _ := ops.While(maxSweeps, begin, isOpen, func(_ node, c []node) []node {
		return ops.Fori(rounds, c, func(_ node, c []node) []node { return round(c) })
	})
	return done
}

// even is a size rounded up to an even number.
func even(size graph.Dim) graph.Dim { return size.Plus(1).FloorDiv(2).Times(2) }

// eigen are the eigenvalues of symmetric matrices, in ascending order, and their eigenvectors, as columns.
func eigen(a node) (values, vectors node) {
	size, _ := sizes(a)
	g, n := a.Graph(), even(size)
	a = ops.Add(ops.Tril(a, 0), ops.Transpose(ops.Tril(a, -1), -1, -2))
	a = ops.Assert(a, ops.IsFinite(a), notFinite)
	more := n.Plus(-size)
	a = ops.Pad(ops.Pad(a, -1, 0, more, 0), -2, 0, more, 0)
	onDiagonal := ops.Equal(rowsOf(g, n), colsOf(g, n))
	all := ops.Sum(ops.Square(a), -2, -1)
	identity := ops.Expand(ops.Eye(g, graph.Float64, n, n), a.Shape()...)
	done := sweeps(n, []node{a, identity}, func(c []node) node {
		off := ops.Sum(ops.Square(ops.Where(onDiagonal, num(0), c[0])), -2, -1)
		return ops.Any(ops.Greater(off, ops.Mul(all, num(1e-31*float64(n)))))
	}, func(c []node) []node {
		top, bottom := halves(c[0], -2)
		first, across := halves(top, -1)
		_, second := halves(bottom, -1)
		diagonal := func(x node) node { return ops.Diagonal(x, 0, -2, -1) }
		cos, sin := rotation(diagonal(first), diagonal(second), diagonal(across))
		rowCos, rowSin, cos, sin := ops.Unsqueeze(cos, -1), ops.Unsqueeze(sin, -1), ops.Unsqueeze(cos, -2),
			ops.Unsqueeze(sin, -2)
		return []node{turned(turned(c[0], -2, rowCos, rowSin), -1, cos, sin), turned(c[1], -1, cos, sin)}
	})
	values = ops.Slice(ops.Diagonal(done[0], 0, -2, -1), -1, 0, size, 1)
	vectors = ops.Slice(ops.Slice(done[1], -2, 0, size, 1), -1, 0, size, 1)
	values, order := ops.Sort(values, -1, false)
	return values, ops.Gather(vectors, -1, ops.Expand(ops.Unsqueeze(order, -2), vectors.Shape()...))
}

// singular are the singular value decompositions of matrices. One-sided rotations make the columns of A·V orthogonal. A
// QR factorization normalizes them to give U; it also makes columns for those of length 0.
func singular(a node) (u, s, vh node) {
	size, width := sizes(a)
	if size < width {
		v, s, uh := singular(ops.Transpose(a, -1, -2))
		return ops.Transpose(uh, -1, -2), s, ops.Transpose(v, -1, -2)
	}
	g, n := a.Graph(), even(width)
	a = ops.Assert(a, ops.IsFinite(a), notFinite)
	w := ops.Pad(a, -1, 0, n.Plus(-width), 0)
	batch := a.Shape()[:a.Rank()-2]
	identity := ops.Expand(ops.Eye(g, graph.Float64, n, n), append(batch[:len(batch):len(batch)], n, n)...)
	onDiagonal := ops.Equal(rowsOf(g, n), colsOf(g, n))
	done := sweeps(n, []node{w, identity}, func(c []node) node {
		products := ops.MatMul(ops.Transpose(c[0], -1, -2), c[0])
		lengths := ops.Sqrt(ops.Diagonal(products, 0, -2, -1))
		most := ops.Mul(ops.Mul(ops.Unsqueeze(lengths, -1), ops.Unsqueeze(lengths, -2)),
			num(1e-15*math.Sqrt(float64(size))))
		return ops.Any(ops.And(ops.Greater(ops.Abs(products), most), ops.Not(onDiagonal)))
	}, func(c []node) []node {
		left, right := halves(c[0], -1)
		dot := func(x, y node) node { return ops.Sum(ops.Mul(x, y), -2, ops.KeepDims()) }
		cos, sin := rotation(dot(left, left), dot(right, right), dot(left, right))
		return []node{turned(c[0], -1, cos, sin), turned(c[1], -1, cos, sin)}
	})
	w, v := ops.Slice(done[0], -1, 0, width, 1), ops.Slice(ops.Slice(done[1], -2, 0, width, 1), -1, 0, width, 1)
	s, order := ops.Sort(ops.Squeeze(lengthOf(w, -2), -2), -1, true)
	inOrder := func(x node) node { return ops.Gather(x, -1, ops.Expand(ops.Unsqueeze(order, -2), x.Shape()...)) }
	q, r := factorsQR(inOrder(w))
	signs := ops.Where(ops.Less(ops.Diagonal(r, 0, -2, -1), num(0)), num(-1), num(1))
	return ops.Mul(q, ops.Unsqueeze(signs, -2)), s, ops.Transpose(inOrder(v), -1, -2)
}

// pseudoInverse divides by the singular values that are not 0 up to rounding.
func pseudoInverse(n *graph.Node, in []node) node {
	rows, cols := sizes(in[0])
	least, share := n.Attrs().(interface {
		Tolerances(size int, t graph.DType) (least, share float64)
	}).Tolerances(int(max(rows, cols)), n.DType())
	u, s, vh := singular(in[0])
	counts := ops.Greater(s, ops.Maximum(ops.Mul(ops.Max(s, -1, ops.KeepDims()), num(share)), num(least)))
	inverse := ops.Where(counts, ops.Div(num(1), ops.Where(counts, s, num(1))), num(0))
	return ops.MatMul(ops.Mul(ops.Transpose(vh, -1, -2), ops.Unsqueeze(inverse, -2)), ops.Transpose(u, -1, -2))
}
