package ops

import (
	"errors"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opLDL, opSolveLDL *graph.Op

func init() {
	// In the last row of the [n+1, n] of each matrix are the pivots, as those of opLU.
	opLDL = matrixFunction("ldl_factor", "ldlFactor",
		"the factors of symmetric matrices by Bunch and Kaufman's pivots.", []int{2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.SquareMatrices(c, "linalg.ldl_factor")
			last := len(s) - 1
			return c.DType(0), append(s[:last-1:last-1], s[last].Plus(1), s[last])
		},
		matrixKernel{factorLDL[float32], factorLDL[float64]}, nil)
	opSolveLDL = matrixFunction("ldl_solve", "ldlSolve", "the solution of a system whose symmetric matrix is factored.",
		[]int{2, 1, 2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(2), c.Shape(2) },
		matrixKernel{solveLDL[float32], solveLDL[float64]},
		func(n, dy node, i int) node { // the matrix is symmetric
			if i != 2 {
				return nil
			}
			return Apply(opSolveLDL, nil, n.In(0), n.In(1), dy)
		})
	composed("LDLFactor", "the factors of symmetric matrices in one, P·L·D·Lᵀ·Pᵀ = A, and the exchanges of rows.",
		flat("PyTorch has none either", "", "torch.linalg.ldl_factor, torch.linalg.ldl_factor_ex", "", "", "",
			func(e *graph.Example) node { return e.Several(LDLFactor(e.Of("a", "n", "n"))) }))
	composed("LDLSolve", "the solution of a system whose symmetric matrix is factored.",
		shownAs("LDLSolve(ld, pivots, b)", named("", "torch.linalg.ldl_solve", "", "", "",
			func(e *graph.Example) node {
				ld, pivots := LDLFactor(e.Of("a", "n", "n"))
				return LDLSolve(ld, pivots, e.Of("b", "n", "k"))
			})))
}

func factorLDL[T triangular.Number](a *graph.Arrays, y []T) error {
	n := a.Out.Shape[1]
	pivots := a.Ints(n)
	copyNumbers(y, a, 0)
	triangular.LDL(a, y[:n*n], n, pivots)
	for i, p := range pivots {
		y[n*n+i] = T(p)
	}
	return nil
}

func solveLDL[T triangular.Number](a *graph.Arrays, y []T) error {
	n := a.Out.Shape[0]
	pivots := a.Ints(n)
	for i, p := range numbersOf[T](a, 1) {
		pivots[i] = int(p)
	}
	if !arePivots(pivots) {
		return errors.New("the pivots are not those of LDLFactor")
	}
	copyNumbers(y, a, 2)
	triangular.SolveLDL(a, numbersOf[T](a, 0), n, pivots, y, a.Out.Shape[1])
	return nil
}

// arePivots reports whether each pivot is a row, or the negative of one at two rows.
func arePivots(pivots []int) bool {
	for i := 0; i < len(pivots); i++ {
		p := pivots[i]
		switch {
		case p == 0 || p > len(pivots) || -p > len(pivots):
			return false
		case p < 0 && (i+1 == len(pivots) || pivots[i+1] != p):
			return false
		case p < 0:
			i++
		}
	}
	return true
}

// LDLFactor returns the LDL factors of each symmetric matrix of a batch, [..., n, n], Float32 or Float64, in LAPACK's
// layout. ld has D on the diagonal, in blocks of one or two rows, and L below it. pivots, Int32 [..., n], count from
// 1 and are negative for blocks of two. Only the lower triangle is read. Gradients are not supported. It is
// torch.linalg.ldl_factor.
func LDLFactor(a *graph.Node) (ld, pivots *graph.Node) {
	defer building("LDLFactor", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("LDLFactor", a), "linalg.ldl_factor"); bad != nil {
		return bad, bad
	}
	all, size := Apply(opLDL, nil, a), lastSize(a)
	if all.Err() != nil {
		return all, all
	}
	return Tril(Slice(all, -2, 0, size, 1), 0), Cast(Select(all, -2, size), graph.Int32)
}

// LDLSolve returns the solution X of A·X = B from the results of [LDLFactor] for A: ld, [..., n, n], and pivots,
// [..., n]. B is [..., n, k], and leading axes broadcast. Only B has a gradient. A singular matrix gives infinities
// or NaN. It is torch.linalg.ldl_solve.
func LDLSolve(ld, pivots, b *graph.Node) *graph.Node {
	defer building("LDLSolve", ld, pivots, b)()
	defer inFloat32(&ld, &b)()
	call := refused("LDLSolve", ld, pivots, b)
	if bad := notMatrices(call, "linalg.ldl_solve"); bad != nil {
		return bad
	}
	if !pivots.DType().IsInt() || pivots.Rank() != ld.Rank()-1 || b.Rank() < 2 || b.DType() != ld.DType() {
		return call.wrong(graph.CodeRank,
			"linalg.ldl_solve: pivots are integers, one for each row of a matrix, and B matrices of the same dtype; they have the dtypes and shapes %s%s and %s%s",
			pivots.DType(), pivots.Shape(), b.DType(), b.Shape())
	}
	all := MatMul(ld, b) // in whose shape the batches meet
	if all.Err() != nil || !all.Judged() {
		return all
	}
	p := Cast(pivots, ld.DType())
	batch := all.Shape()[:all.Rank()-2]
	return Apply(opSolveLDL, nil, inBatches(ld, 2, batch), inBatches(p, 1, batch), inBatches(b, 2, batch))
}
