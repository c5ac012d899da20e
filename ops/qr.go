package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/ops/internal/dense"
)

var opQR *graph.Op

func init() {
	// Of a matrix with at least as many rows as columns. QR brings others to it.
	opQR = matrixFunction("qr", "qr", "the factors Q and R of matrices with at least as many rows as columns, packed.",
		[]int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s := c.Shape(0)
			return c.DType(0), packedShape(s[:len(s)-2], qrParts(s)...)
		},
		matrixKernel{factorQR[float32], factorQR[float64]}, qrGrad)
	composed("QR", "the factors of each matrix: Q with orthonormal columns, and R, an upper triangle.",
		named("numpy.linalg.qr", "torch.linalg.qr, torch.qr", "jax.numpy.linalg.qr, jax.scipy.linalg.qr", "", "",
			func(e *graph.Example) node { q, r := QR(e.Of("a", "n", "n")); e.Several(q, r); return r }))
}

func factorQR[T triangular.Number](a *graph.Arrays, y []T) error {
	rows, cols := a.In[0].Shape[0], a.In[0].Shape[1]
	copyNumbers(y, a, 0)
	dense.QR(a, y[:rows*cols], y[rows*cols:], rows, cols)
	return nil
}

// qrParts are the shapes of Q and R of matrices of shape s with at least as many rows as columns.
func qrParts(s graph.Shape) []graph.Shape {
	cols := s[len(s)-1]
	return []graph.Shape{{s[len(s)-2], cols}, {cols, cols}}
}

// qrGrad is (dQ + Q·M)·R⁻ᵀ, where M is the upper triangle of dR·Rᵀ - Qᵀ·dQ without its diagonal, mirrored, and the
// diagonal: Walter, Lehmann and Lamour, On evaluating higher-order derivatives of the QR decomposition, 2012.
func qrGrad(n, dy node, _ int) node {
	parts := qrParts(n.In(0).Shape())
	x, d := unpacked(n, parts...), unpacked(dy, parts...)
	q, r, dq, dr := x[0], x[1], d[0], d[1]
	upper := Sub(MatMul(dr, transposed(r)), MatMul(transposed(q), dq))
	mirrored := Add(Triu(upper, 0), transposed(Triu(upper, 1)))
	return transposed(SolveTriangular(r, transposed(Add(dq, MatMul(q, mirrored))), UpperTriangle()))
}

// QR returns the factors Q·R of each matrix of a batch, [..., m, n], Float32 or Float64. Q, [..., m, k], has
// orthonormal columns, and R, [..., k, n], is upper triangular, where k is the lesser of m and n. The gradient needs
// independent first k columns. It is torch.linalg.qr in its reduced mode.
func QR(a *graph.Node) (q, r *graph.Node) {
	defer building("QR", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("QR", a), "linalg.qr"); bad != nil {
		return bad, bad
	}
	rows, cols := a.Shape()[a.Rank()-2], a.Shape()[a.Rank()-1]
	k := graph.MinDim(rows, cols)
	square := a
	if k != cols {
		square = Slice(a, -1, 0, k, 1) // the columns behind are Qᵀ times those of A
	}
	parts := unpacked(Apply(opQR, nil, square), qrParts(square.Shape())...)
	q, r = parts[0], parts[1]
	if k != cols {
		r = Concat(-1, r, MatMul(transposed(q), Slice(a, -1, k, cols, 1)))
	}
	return q, r
}
