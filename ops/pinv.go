package ops

import (
	"fmt"

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
		inFloat64(func(a *graph.Arrays, y []float64) error {
			n, m := a.In[0].Shape[0], a.In[0].Shape[1]
			least, share := a.Attrs.(RankAttrs).Tolerances(max(n, m), a.In[0].DType)
			return dense.PseudoInverse(a, y, numbersOf[float64](a, 0), n, m, least, share)
		}), pinvGrad)
	opPInv.Ref = named("numpy.linalg.pinv", "torch.linalg.pinv, torch.pinverse", "jax.numpy.linalg.pinv", "", "",
		func(e *graph.Example) node { return PInv(e.Of("a", "n", "k")) })
	opPInv.Ref.Cost = "some 4·n·k·min(n, k) operations for each matrix whose rank is certainly full, and else a singular value decomposition"
	composed("Lstsq", "the X of the least length among those for which the squares of A·X - B add up to the least.",
		named("numpy.linalg.lstsq", "torch.linalg.lstsq, torch.lstsq", "jax.numpy.linalg.lstsq", "", "",
			func(e *graph.Example) node { return Lstsq(e.Of("a", "n", "k"), e.Of("b", "n", "m")) }))
	composed("LstsqReport",
		"the solution of least squares, the sums of squares that are left, the rank and the singular values.",
		named("numpy.linalg.lstsq", "torch.linalg.lstsq", "jax.numpy.linalg.lstsq", "", "",
			func(e *graph.Example) node { return e.Several(LstsqReport(e.Of("a", "5", "3"), e.Of("b", "5", "m"))) }))
	composed("MatrixRank", "the number of singular values of each matrix that are not 0 but for rounding.",
		flat(flatBetweenJumps, "numpy.linalg.matrix_rank", "torch.linalg.matrix_rank, torch.matrix_rank",
			"jax.numpy.linalg.matrix_rank", "", "",
			func(e *graph.Example) node { return MatrixRank(e.Of("a", "n", "k")) }))
}

// pinvGrad is Golub and Pereyra's rule, The differentiation of pseudo-inverses and nonlinear least squares problems,
// 1973, which holds where the rank does not change.
func pinvGrad(p, dy node, _ int) node {
	a, pt, dyt := p.In(0), transposed(p), transposed(dy)
	k := MatMul(dyt, p)
	kpt := MatMul(k, pt)
	sum := Sub(kpt, transposed(MatMul(p, k)))
	sum = Sub(sum, MatMul(MatMul(a, p), kpt))
	return Add(sum, MatMul(MatMul(pt, p), Sub(dyt, MatMul(k, a))))
}

// PInv returns the Moore-Penrose inverse of each matrix of a batch, [..., n, m] of [..., m, n], Float32 or Float64.
// Singular values up to the greatest one times max(m, n) times the machine epsilon count as 0; [Tolerance] sets
// another bound. It uses the singular values, or [QR] if its factors prove that none counts as 0. It is
// torch.linalg.pinv.
func PInv(a *graph.Node, opts ...RankOption) *graph.Node { return Apply(opPInv, rankOf(opts), a) }

// RankAttrs are the fixed arguments of PInv: the bound up to which singular values count as 0.
type RankAttrs struct {
	Absolute, Relative float64
	IsGiven            bool // whether a tolerance is given
}

// Args writes the options.
func (a RankAttrs) Args(operands []string) []string {
	if !a.IsGiven {
		return operands
	}
	return append(operands, fmt.Sprintf("Tolerance(%g, %g)", a.Absolute, a.Relative))
}

// Tolerances returns the least singular value that does not count as 0, and the least fraction of the greatest one,
// for a matrix whose greater size is given.
func (a RankAttrs) Tolerances(size int, t graph.DType) (least, share float64) {
	if a.IsGiven {
		return a.Absolute, a.Relative
	}
	return 0, float64(size) * t.Epsilon()
}

// A RankOption changes which singular values count as 0 in [PInv], [MatrixRank] and [Lstsq].
type RankOption func(*RankAttrs)

// Tolerance says that singular values up to least, or up to relative times the greatest one, count as 0. It is
// PyTorch's atol and rtol.
func Tolerance(least, relative float64) RankOption {
	return func(a *RankAttrs) { *a = RankAttrs{least, relative, true} }
}

func rankOf(opts []RankOption) (a RankAttrs) {
	for _, set := range opts {
		if set != nil {
			set(&a)
		}
	}
	return a
}

// Lstsq returns the least-squares solution X of A·X = B for each matrix of a batch: [..., n, k] of A, [..., m, n],
// and B, [..., m, k] or one vector, [m]. Of several solutions it is the one of least norm. A may have any rank, since
// it uses [PInv]. The option is that of PInv: PyTorch's rcond is Tolerance(0, rcond). It is torch.linalg.lstsq.
func Lstsq(a, b *graph.Node, opts ...RankOption) *graph.Node {
	defer graph.BeginCall("Lstsq", rankOf(opts), a, b)()
	defer inFloat32(&a, &b)()
	if bad := notMatrices(refused("Lstsq", a, b), "linalg.lstsq"); bad != nil {
		return bad
	}
	return MatMul(PInv(a, opts...), b)
}

// LstsqReport is [Lstsq] with the other results of numpy.linalg.lstsq and torch.linalg.lstsq. residuals are the sums
// of squares of the columns of A·X - B, [..., k], or for one vector a number for each matrix. rank is that of
// [MatrixRank], Int64 [...], and singular the singular values in descending order. The residuals are computed for any
// rank, as in jax.numpy.linalg.lstsq with numpy_resid=False.
func LstsqReport(a, b *graph.Node, opts ...RankOption) (x, residuals, rank, singular *graph.Node) {
	defer graph.BeginCall("LstsqReport", rankOf(opts), a, b)()
	defer inFloat32(&a, &b)()
	x = Lstsq(a, b, opts...)
	if x.Err() != nil || !x.Judged() {
		return x, x, x, x
	}
	left, axis := Sub(MatMul(a, x), b), Axis(-2)
	if b.Rank() == 1 {
		axis = -1
	}
	return x, Sum(Square(left), axis), MatrixRank(a, opts...), SingularValues(a)
}

// MatrixRank returns the number of singular values, Int64, of each matrix of a batch that do not count as 0. The
// bound is that of [PInv], or of [Tolerance].
func MatrixRank(a *graph.Node, opts ...RankOption) *graph.Node {
	of := rankOf(opts)
	defer graph.BeginCall("MatrixRank", of, a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("MatrixRank", a), "linalg.matrix_rank"); bad != nil {
		return bad
	}
	shape, values := a.Shape(), SingularValues(a)
	g, last := a.Graph(), len(a.Shape())-1
	greatest := Max(Pad(values, -1, 1, 0, 0), -1, KeepDims()) // there may be none
	if of.IsGiven {
		return Sum(Greater(values, Maximum(Mul(greatest, num(of.Relative)), num(of.Absolute))), -1)
	}
	size := Maximum(Size(g, a.DType(), shape[last]), Size(g, a.DType(), shape[last-1]))
	return Sum(Greater(values, Mul(greatest, Mul(size, num(a.DType().Epsilon())))), -1)
}
