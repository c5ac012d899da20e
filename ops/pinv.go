package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/dense"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opPInv *graph.Op

func init() {
	opPInv = matrixFunction("pinv", "PInv", "the Moore-Penrose inverse of each matrix.", []int{2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, ok := rules.MatrixBatch(c, "linalg.pinv")
			if !ok {
				return c.DType(0), s
			}
			last := len(s) - 1
			return c.DType(0), append(s[:last-1:last-1], s[last], s[last-1])
		},
		func(a *graph.Arrays, y []float64) error {
			n, m := a.In[0].Shape[0], a.In[0].Shape[1]
			return dense.PseudoInverse(a, y, numbersOf(a, 0), n, m, float64(max(n, m))*spacing(a.In[0].DType))
		}, pinvGrad)
	opPInv.Ref = named("numpy.linalg.pinv", "torch.linalg.pinv, torch.pinverse", "jax.numpy.linalg.pinv", "", "",
		func(e *graph.Example) node { return PInv(e.Of("a", "n", "k")) })
	opPInv.Ref.Cost = "a singular value decomposition of each matrix"
	composed("Lstsq", "the X of the least length among those for which the squares of A·X - B add up to the least.",
		named("numpy.linalg.lstsq", "torch.linalg.lstsq, torch.lstsq", "jax.numpy.linalg.lstsq", "", "",
			func(e *graph.Example) node { return Lstsq(e.Of("a", "n", "k"), e.Of("b", "n", "m")) }))
	composed("MatrixRank", "the number of singular values of each matrix that are not 0 but for rounding.",
		flat(flatBetweenJumps, "numpy.linalg.matrix_rank", "torch.linalg.matrix_rank, torch.matrix_rank", "jax.numpy.linalg.matrix_rank", "", "",
			func(e *graph.Example) node { return MatrixRank(e.Of("a", "n", "k")) }))
}

// spacing is the distance from 1 to the next number of a dtype.
func spacing(t graph.DType) float64 {
	if t == graph.Float32 {
		return 0x1p-23
	}
	return 0x1p-52
}

// pinvGrad is Golub and Pereyra's rule, The differentiation of pseudo-inverses and nonlinear least squares problems, 1973, which holds
// where the rank does not change.
func pinvGrad(p, dy node, _ int) node {
	a, pt, dyt := p.In(0), transposed(p), transposed(dy)
	k := MatMul(dyt, p)
	kpt := MatMul(k, pt)
	sum := Sub(kpt, transposed(MatMul(p, k)))
	sum = Sub(sum, MatMul(MatMul(a, p), kpt))
	return Add(sum, MatMul(MatMul(pt, p), Sub(dyt, MatMul(k, a))))
}

// PInv returns the Moore-Penrose inverse of each matrix of a batch, [..., n, m] of [..., m, n], by singular values, as torch.linalg.pinv.
// Values up to the greatest times max(m, n) times the spacing of numbers at 1 count as 0. Float32 or Float64.
func PInv(a *graph.Node) *graph.Node { return Apply(opPInv, nil, a) }

// Lstsq returns the solution X of the least squares of A·X - B for each matrix of a batch, [..., n, k] of A, [..., m, n], and B,
// [..., m, k] or one vector, [m]: of several, that of least length. It is that of torch.linalg.lstsq, by [PInv], so that the rank of A may be less
// than m and n.
func Lstsq(a, b *graph.Node) *graph.Node {
	defer building("Lstsq", a, b)()
	if bad := notMatrices(refused("Lstsq", a, b), "linalg.lstsq"); bad != nil {
		return bad
	}
	return MatMul(PInv(a), b)
}

// MatrixRank returns the number of singular values of each matrix of a batch, as Int64, that are greater than the greatest times
// max(m, n) times the spacing of numbers at 1.
func MatrixRank(a *graph.Node) *graph.Node {
	defer building("MatrixRank", a)()
	if bad := notMatrices(refused("MatrixRank", a), "linalg.matrix_rank"); bad != nil {
		return bad
	}
	shape, values := a.Shape(), SingularValues(a)
	g, last := a.Graph(), len(a.Shape())-1
	size := Maximum(Size(g, a.DType(), shape[last]), Size(g, a.DType(), shape[last-1]))
	greatest := Max(Pad(values, -1, 1, 0, 0), -1, KeepDims()) // there may be none
	return Sum(Greater(values, Mul(greatest, Mul(size, num(spacing(a.DType()))))), -1)
}
