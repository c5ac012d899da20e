package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/dense"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSchur, opHessenberg *graph.Op

// notUnique is why the factors of these have no gradient.
const notUnique = "its factors are not unique, and other libraries have no gradient either"

// twoSquares is the entry of two square factors of square matrices, packed.
func twoSquares(name, word, doc string, compute func(m dense.Memory, a, other []float64, n int) error) *graph.Op {
	return matrixFunction(name, name, doc, []int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.SquareMatrices(c, word)
			return c.DType(0), packedShape(s[:len(s)-2], s[len(s)-2:], s[len(s)-2:])
		},
		inFloat64(func(a *graph.Arrays, y []float64) error {
			n := a.In[0].Shape[0]
			copyNumbers(y, a, 0)
			return compute(a, y[:n*n], y[n*n:], n)
		}), nil)
}

func init() {
	opSchur = twoSquares("schur", "linalg.schur", "the real Schur form of square matrices and its vectors, packed.",
		dense.Schur)
	opHessenberg = twoSquares("hessenberg", "linalg.hessenberg",
		"the Hessenberg form of square matrices and its vectors, packed.",
		func(m dense.Memory, a, q []float64, n int) error {
			dense.Hessenberg(m, a, q, n)
			return nil
		})
	composed(
		"Schur",
		"the factors Z·T·Zᵀ of each square matrix: T a triangle, but for blocks of two rows that have complex eigenvalues.",
		flat(notUnique, "scipy.linalg.schur", "", "jax.scipy.linalg.schur, jax.lax.linalg.schur", "", "",
			func(e *graph.Example) node { return e.Several(Schur(e.Of("a", "n", "n"))) }))
	composed("Hessenberg", "the factors Q·H·Qᵀ of each square matrix: H a triangle with one diagonal below it.",
		flat(notUnique, "scipy.linalg.hessenberg", "", "jax.scipy.linalg.hessenberg, jax.lax.linalg.hessenberg", "", "",
			func(e *graph.Example) node { return e.Several(Hessenberg(e.Of("a", "n", "n"))) }))
}

// squaresOf takes apart what an entry of [twoSquares] gives.
func squaresOf(op *graph.Op, fn, word string, a node) (first, second node) {
	defer inFloat32(&a)()
	if bad := notMatrices(refused(fn, a), word); bad != nil {
		return bad, bad
	}
	s := a.Shape()[a.Rank()-2:]
	parts := unpacked(Apply(op, nil, a), s, s)
	return parts[0], parts[1]
}

// Schur returns the real Schur form A = Z·T·Zᵀ of each square matrix A of a batch, [..., n, n], Float32 or Float64. t
// is 0 below its diagonal except in 2×2 blocks with complex eigenvalues, and z has orthonormal columns. A matrix with
// numbers that are not finite stops the run. Gradients are not supported. It is scipy.linalg.schur.
func Schur(a *graph.Node) (t, z *graph.Node) {
	defer building("Schur", a)()
	return squaresOf(opSchur, "Schur", "linalg.schur", a)
}

// Hessenberg returns the factors A = Q·H·Qᵀ of each square matrix A of a batch, [..., n, n], Float32 or Float64. h is
// 0 below its first subdiagonal, and q has orthonormal columns. Gradients are not supported. It is
// scipy.linalg.hessenberg.
func Hessenberg(a *graph.Node) (h, q *graph.Node) {
	defer building("Hessenberg", a)()
	return squaresOf(opHessenberg, "Hessenberg", "linalg.hessenberg", a)
}
