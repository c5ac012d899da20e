package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opGeQRF, opReflect, opReflected *graph.Op

func init() {
	opGeQRF = matrixFunction("geqrf", "geqrf", "the reflections that make matrices triangles, packed.", []int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.MatrixBatch(c, "geqrf")
			return c.DType(0), packedShape(s[:len(s)-2], reflectionParts(s)...)
		},
		matrixKernel{reflecting[float32], reflecting[float64]}, nil)
	opReflect = matrixFunction("reflect", "reflect", "matrices times a product of reflections.", []int{2, 1, 2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			rules.MatrixBatch(c, "ormqr")
			return c.DType(2), c.Shape(2)
		},
		matrixKernel{multiplyReflections[float32], multiplyReflections[float64]}, nil)
	opReflected = define(graph.Op{
		Name: "reflected", Func: "reflected",
		Doc:   "matrices times a product of reflections, of operands with the same batch axes.",
		Class: graph.Composite, MinIn: 3, MaxIn: 3,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(2), c.Shape(2) },
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			return reflectionsOf(in[0], in[1]).times(in[2], n.Attrs().(SolveAttrs).Transposed)
		},
		Faster: func(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
			return graph.Apply(opReflect, n.Attrs(), in...)
		},
	})
	composed("GeQRF", "the reflections that make each matrix a triangle, and that triangle, in one, and their factors.",
		flat("PyTorch has none either", "", "torch.geqrf", "", "", "", func(e *graph.Example) node {
			return e.Several(GeQRF(e.Of("a", "n", "n")))
		}))
	composed("QRComplete",
		"the factors of each matrix: a square Q with orthonormal columns, and R, of the shape of the matrix.",
		named("", "torch.linalg.qr", "", "", "", func(e *graph.Example) node {
			q, r := QRComplete(e.Of("a", "n", "n"))
			e.Several(q, r)
			return r
		}))
	composed("OrmQR", "a matrix times a product of reflections, which is not computed.",
		named("", "torch.ormqr", "jax.lax.linalg.ormqr", "", "",
			func(e *graph.Example) node { return OrmQR(e.Of("a", "n", "n"), e.Of("tau", "n"), e.Of("c", "n", "k")) }))
}

func reflecting[T triangular.Number](a *graph.Arrays, y []T) error {
	rows, cols := a.In[0].Shape[0], a.In[0].Shape[1]
	copyNumbers(y, a, 0)
	triangular.QR(a, y[:rows*cols], y[rows*cols:], rows, cols)
	return nil
}

func multiplyReflections[T triangular.Number](a *graph.Arrays, y []T) error {
	v, tau := a.In[0].Shape, numbersOf[T](a, 1)
	copyNumbers(y, a, 2)
	if a.Attrs.(SolveAttrs).Transposed {
		triangular.ReflectBack(a, y, numbersOf[T](a, 0), tau, v[0], v[1], a.Out.Shape[1])
	} else {
		triangular.Reflect(a, y, numbersOf[T](a, 0), tau, v[0], v[1], a.Out.Shape[1])
	}
	return nil
}

// timesReflections is the product of the reflections, or the transposed product, with x.
func timesReflections(a, tau, x node, isTransposed bool) node {
	all := reflectionsOf(a, tau).times(x, isTransposed) // which tells of shapes that do not meet
	if all.Err() != nil || !all.Judged() {
		return all
	}
	batch := a.Shape()[:a.Rank()-2]
	if x.Rank() == 2 && len(batch) > 0 {
		x = inBatches(x, 2, batch)
	}
	if !x.Shape()[:x.Rank()-2].Equal(batch) || !tau.Shape()[:tau.Rank()-1].Equal(batch) {
		return all
	}
	return Apply(opReflected, SolveAttrs{Transposed: isTransposed}, a, tau, x)
}

// reflectionParts are the shapes of the reflections of matrices of shape s and of their factors.
func reflectionParts(s graph.Shape) []graph.Shape {
	rows, cols := s[len(s)-2], s[len(s)-1]
	return []graph.Shape{{rows, cols}, {graph.MinDim(rows, cols)}}
}

// reflections are the product 1 - V·T·Vᵀ of reflections 1 - t·v·vᵀ for the columns v of V, [..., m, k], with T = (1 +
// D·S)⁻¹·D, where D has the numbers t on its diagonal and S is the triangle of Vᵀ·V above its diagonal: Schreiber and
// Van Loan, A Storage-Efficient WY Representation, 1989.
type reflections struct{ v, scale, s node }

// reflectionsOf reads the columns below the diagonals of a, on which ones are meant, and the numbers of tau.
func reflectionsOf(a, tau node) reflections {
	rows, k := a.Shape()[a.Rank()-2], lastSize(tau)
	v := Add(Tril(Slice(a, -1, 0, k, 1), -1), Eye(a.Graph(), a.DType(), rows, k)).Silence(graph.CodeExamplePositions)
	scale := Unsqueeze(tau, -1)
	return reflections{v, scale, Mul(scale, Triu(MatMul(transposed(v), v), 1))}
}

// times is the product with x from the left, or that of the transposed product.
func (r reflections) times(x node, isTransposed bool) node {
	inner := MatMul(transposed(r.v), x)
	if isTransposed {
		inner = Mul(r.scale, SolveTriangular(r.s, inner, UpperTriangle(), UnitDiagonal(), TransposedSystem()))
	} else {
		inner = SolveTriangular(r.s, Mul(r.scale, inner), UpperTriangle(), UnitDiagonal())
	}
	return Sub(x, MatMul(r.v, inner))
}

// GeQRF returns the factors of [QRComplete] for each matrix of a batch, [..., m, n], Float32 or Float64, with Q as
// Householder reflections: these are below the diagonal, and R is on and above it. tau, [..., k], where k is the
// lesser of m and n, has the factors of the reflections. [HouseholderProduct] and [OrmQR] take both. Gradients are
// not supported. It is torch.geqrf.
func GeQRF(a *graph.Node) (reflections, tau *graph.Node) {
	defer building("GeQRF", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("GeQRF", a), "geqrf"); bad != nil {
		return bad, bad
	}
	parts := unpacked(Apply(opGeQRF, nil, a), reflectionParts(a.Shape())...)
	return parts[0], parts[1]
}

// QRComplete is [QR] with a square Q, [..., m, m], and an R of the shape of the matrix, [..., m, n]. The gradient
// needs to know that there are no more rows than columns, and is refused otherwise, as in PyTorch. It is
// torch.linalg.qr in its mode "complete"; its mode "r" is the R of QR.
func QRComplete(a *graph.Node) (q, r *graph.Node) {
	defer building("QRComplete", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("QRComplete", a), "linalg.qr"); bad != nil {
		return bad, bad
	}
	rows, cols := a.Shape()[a.Rank()-2], lastSize(a)
	if graph.MinDim(rows, cols) == rows {
		return QR(a)
	}
	parts := unpacked(Apply(opGeQRF, nil, a), reflectionParts(a.Shape())...)
	return timesReflections(parts[0], parts[1], Eye(a.Graph(), a.DType(), rows, rows), false), Triu(parts[0], 0)
}

// An OrmQROption changes [OrmQR].
type OrmQROption func(*ormQR)

type ormQR struct{ right, transposed bool }

// FromRight multiplies by Q from the right: C·Q.
func FromRight() OrmQROption { return func(o *ormQR) { o.right = true } }

// TransposedQ multiplies by Qᵀ.
func TransposedQ() OrmQROption { return func(o *ormQR) { o.transposed = true } }

// OrmQR returns Q·C, where Q is the product of the reflections that [GeQRF] returns: a, [..., m, n], and tau, [...,
// k] with k at most n and m. Q is square with m rows. C has m rows, or with [FromRight] m columns. The other option
// is [TransposedQ]. It is torch.ormqr.
func OrmQR(a, tau, c *graph.Node, opts ...OrmQROption) *graph.Node {
	defer building("OrmQR", a, tau, c)()
	defer inFloat32(&a, &tau, &c)()
	var o ormQR
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	call := refused("OrmQR", a, tau, c)
	if bad := notReflections(call, "torch.ormqr"); bad != nil {
		return bad
	}
	if c.Rank() < 2 || c.DType() != a.DType() {
		return call.wrong(graph.CodeRank,
			"torch.ormqr: other must have at least 2 dimensions and the dtype of input, %s, but it is %s%s", a.DType(),
			c.DType(), c.Shape())
	}
	if o.right { // C·Q is (Qᵀ·Cᵀ)ᵀ
		return transposed(timesReflections(a, tau, transposed(c), !o.transposed))
	}
	return timesReflections(a, tau, c, o.transposed)
}

// notReflections is the refusal of operands 0 and 1 that are no reflections and their factors.
func notReflections(call refusedCall, word string) node {
	if bad := notMatrices(call, word); bad != nil {
		return bad
	}
	a, tau := call.in[0], call.in[1]
	switch {
	case tau.DType() != a.DType():
		return call.wrong(graph.CodeDType, "%s: tau dtype %s does not match input dtype %s", word, tau.DType(),
			a.DType())
	case tau.Rank() != a.Rank()-1:
		return call.wrong(graph.CodeRank,
			"%s: Expected tau to have one dimension less than input, but got tau.ndim equal to %d and input.ndim is equal to %d",
			word, tau.Rank(), a.Rank())
	}
	return nil
}
