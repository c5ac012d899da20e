package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/ops/internal/dense"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opCholesky, opSolveTriangular, opTriangular *graph.Op

// TriangularAttrs are the fixed arguments of SolveTriangular.
type TriangularAttrs struct{ Upper, Transposed, Unit bool }

// Triangle returns which triangle is read and how.
func (a TriangularAttrs) Triangle() (upper, transposed, unit bool) {
	return a.Upper, a.Transposed, a.Unit
}

// A TriangularOption says which triangle [SolveTriangular] and functions of symmetric matrices read, and how.
type TriangularOption func(*TriangularAttrs)

// UpperTriangle reads the upper triangle of the matrix. The default is the lower one.
func UpperTriangle() TriangularOption { return func(a *TriangularAttrs) { a.Upper = true } }

// TransposedSystem solves the transposed system, Aᵀ·X = B.
func TransposedSystem() TriangularOption { return func(a *TriangularAttrs) { a.Transposed = true } }

// UnitDiagonal treats the diagonal of the matrix as ones, without reading it.
func UnitDiagonal() TriangularOption { return func(a *TriangularAttrs) { a.Unit = true } }

// Args writes the options.
func (a TriangularAttrs) Args(operands []string) []string {
	for _, o := range []struct {
		word string
		is   bool
	}{{"UpperTriangle()", a.Upper}, {"TransposedSystem()", a.Transposed}, {"UnitDiagonal()", a.Unit}} {
		if o.is {
			operands = append(operands, o.word)
		}
	}
	return operands
}

func init() {
	opCholesky = matrixFunction("cholesky", "Cholesky",
		"the lower triangle L with L·Lᵀ = A, of each symmetric positive-definite matrix A.",
		[]int{2, 2}, squareMatrix("linalg.cholesky"),
		matrixKernel{factorCholesky[float32], factorCholesky[float64]}, choleskyGrad)
	opTriangular = matrixFunction("triangular", "triangular",
		"the solution of a system with a triangular matrix, of operands with the same batch axes.",
		[]int{2, 2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(1), c.Shape(1) },
		matrixKernel{solveTriangle[float32], solveTriangle[float64]}, nil)
	opSolveTriangular = define(graph.Op{
		Name: "solve_triangular", Func: "SolveTriangular", Doc: "the solution X of A·X = B for triangular matrices A; leading axes are batches and broadcast.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2, Autocast: graph.AutocastWidens,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.LinearSystem(c, "linalg.solve_triangular", false)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			batch := n.Shape()[:n.Rank()-2]
			return graph.Apply(opTriangular, n.Attrs(), inBatches(in[0], 2, batch), inBatches(in[1], 2, batch))
		},
		Faster: asColumns,
		Grad:   triangularGrad,
	})
	opCholesky.Ref = named("numpy.linalg.cholesky", "torch.linalg.cholesky, torch.cholesky, torch.linalg.cholesky_ex",
		"jax.numpy.linalg.cholesky, jax.scipy.linalg.cholesky, jax.scipy.linalg.cho_factor", "", "",
		func(e *graph.Example) node { return Cholesky(e.Of("a", "n", "n")) })
	opSolveTriangular.Ref = named("", "torch.linalg.solve_triangular, torch.triangular_solve",
		"jax.scipy.linalg.solve_triangular", "", "",
		func(e *graph.Example) node { return SolveTriangular(e.Of("a", "n", "n"), e.Of("b", "n", "k")) })
	opCholesky.Ref.Cost = "n³/3 multiplications and additions for each matrix"
	opSolveTriangular.Ref.Cost = "n²·k multiplications and additions for each matrix"
}

func factorCholesky[T triangular.Number](a *graph.Arrays, y []T) error {
	copyNumbers(y, a, 0)
	return dense.Cholesky(a, y, a.Out.Shape[0])
}

func solveTriangle[T triangular.Number](a *graph.Arrays, y []T) error {
	copyNumbers(y, a, 1)
	triangular.Solve(a, numbersOf[T](a, 0), a.Out.Shape[0], triangular.Form(a.Attrs.(TriangularAttrs)), y,
		a.Out.Shape[1])
	return nil
}

// fewColumns are less than the loops solve for at a time.
const fewColumns = 8

// asColumns is the solution of one system for many matrices of few columns each, which are computed as columns of one
// matrix; nil of others.
func asColumns(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
	a, b := in[0], in[1]
	shape := b.Shape()
	if columns, known := shape[b.Rank()-1].Int(); a.Rank() != 2 || b.Rank() == 2 || !known || columns >= fewColumns {
		return nil
	}
	x := graph.Apply(opTriangular, n.Attrs(), a, asOneMatrix(b))
	return MoveAxis(Reshape(x, MoveAxis(b, -2, 0).Shape()...), 0, -2)
}

// asOneMatrix has the columns of all matrices of a batch side by side.
func asOneMatrix(x node) node {
	x = MoveAxis(x, -2, 0)
	return Reshape(x, x.Shape()[0], x.Shape()[1:].NumElements())
}

// Cholesky returns the lower triangular matrix L with L·Lᵀ = A for each symmetric positive-definite matrix A of a
// batch, [..., n, n], Float32 or Float64. Only the lower triangle of A is read. With [UpperTriangle], the only
// option, only the upper triangle is read, and the result is U with Uᵀ·U = A. The gradient is symmetric, as in
// PyTorch. If a matrix is not positive-definite, the run stops with an error that has its position in the batch.
func Cholesky(a *graph.Node, opts ...TriangularOption) *graph.Node {
	if len(opts) == 0 {
		return Apply(opCholesky, nil, a)
	}
	attrs := triangularOf(opts)
	defer graph.BeginCall("Cholesky", attrs, a)()
	defer inFloat32(&a)()
	read, bad := oneTriangle(refused("Cholesky", a), "linalg.cholesky", attrs)
	if bad != nil {
		return bad
	}
	l := Apply(opCholesky, nil, read)
	if attrs.Upper {
		return transposed(l)
	}
	return l
}

// SolveTriangular returns the solution X of A·X = B for lower triangular matrices A, [..., n, n], and B, [..., n, k],
// Float32 or Float64. The leading axes broadcast. The other triangle is not read, and has no gradient. If the
// diagonal contains a 0, X is infinite or NaN, as in PyTorch. Options are [UpperTriangle], [TransposedSystem] and
// [UnitDiagonal].
func SolveTriangular(a, b *graph.Node, opts ...TriangularOption) *graph.Node {
	return Apply(opSolveTriangular, triangularOf(opts), a, b)
}

// oneTriangle is the symmetric matrix of a call as one whose lower triangle is read: itself, or with [UpperTriangle]
// its transpose.
func oneTriangle(call refusedCall, word string, attrs TriangularAttrs) (read, bad node) {
	if attrs.Transposed || attrs.Unit {
		return nil, call.wrong(graph.CodeOperand, "the only option of %s is UpperTriangle", call.fn)
	}
	a := call.in[0]
	if bad := notMatrices(call, word); bad != nil || !attrs.Upper {
		return a, bad
	}
	return transposed(a), nil
}

func triangularOf(opts []TriangularOption) (attrs TriangularAttrs) {
	for _, o := range opts {
		if o != nil {
			o(&attrs)
		}
	}
	return attrs
}

// choleskyGrad is ½ L⁻ᵀ·S·L⁻¹, where S is the lower triangle of Lᵀ·dL, mirrored: Murray, Differentiation of the
// Cholesky decomposition, 2016.
func choleskyGrad(l, dy node, _ int) node {
	m := MatMul(transposed(l), dy)
	mirrored := Add(Tril(m, 0), transposed(Tril(m, -1)))
	half := SolveTriangular(l, mirrored, TransposedSystem())
	return Mul(num(0.5), transposed(SolveTriangular(l, transposed(half), TransposedSystem())))
}

// triangularGrad: of A·X = B, dB = A⁻ᵀ·dX and dA = -dB·Xᵀ, of which the triangle that is read is kept: Giles, Collected
// matrix derivative results, 2008. Where the system is that of Aᵀ, dA is transposed.
func triangularGrad(n, dy node, i int) node {
	a := n.Attrs().(TriangularAttrs)
	back := a
	back.Transposed = !a.Transposed
	db := Apply(opSolveTriangular, back, n.In(0), dy)
	if i == 1 {
		return db
	}
	x := n
	if n.In(0).Rank() == 2 && n.Rank() > 2 { // one system for all matrices: its gradients are summed by the product
		db, x = asOneMatrix(db), asOneMatrix(n)
	}
	da := Neg(MatMul(db, transposed(x)))
	if a.Transposed {
		da = transposed(da)
	}
	diagonal := 0
	if a.Unit {
		diagonal = 1
	}
	if a.Upper {
		return Triu(da, diagonal)
	}
	return Tril(da, -diagonal)
}
