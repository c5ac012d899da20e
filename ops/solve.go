package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/ops/internal/dense"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opLU, opSolveLU, opInverseOfLU, opSolve, opInv *graph.Op

// SolveAttrs are the fixed arguments of Solve: whether the system is that of Aᵀ, and whether the right-hand side is a
// vector.
type SolveAttrs struct{ Transposed, Vector bool }

// IsTransposed reports whether the system is that of Aᵀ.
func (a SolveAttrs) IsTransposed() bool { return a.Transposed }

// Args writes only the operands; calls have no other arguments.
func (a SolveAttrs) Args(operands []string) []string { return operands }

func init() {
	// The factors of an [m, n] matrix are [m+1, n]: L and U as LAPACK has them, and in the last row with which row each
	// was exchanged, for the first min(m, n) rows. They are Float64 for operands of Float32 as well, so that what is
	// computed with small ones is rounded once. Values that need the factors of the same matrix, such as a solution and
	// its gradient, share them.
	opLU = matrixFunction("lu_factor", "luFactor", "the triangular factors of matrices, by exchanges of rows.",
		[]int{2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, last := c.Shape(0), len(c.Shape(0))-1
			return graph.Float64, append(s[:last-1:last-1], s[last-1].Plus(1), s[last])
		},
		matrixKernel{factorLU[float32], factorLU[float64]}, nil)
	opSolveLU = matrixFunction("lu_solve", "luSolve", "the solution of a system whose matrix is factored.",
		[]int{2, 2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(1), c.Shape(1) },
		matrixKernel{solveLU[float32], solveLU[float64]}, nil)
	opInverseOfLU = matrixFunction("lu_inverse", "luInverse", "the inverse of matrices that are factored.", []int{2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, last := c.Shape(0), len(c.Shape(0))-1
			return c.Attrs().(inverseAttrs).DType, append(s[:last-1:last-1], s[last], s[last])
		},
		matrixKernel{inverseOfLU[float32], inverseOfLU[float64]}, nil)
	opSolve = define(graph.Op{
		Name: "solve", Func: "Solve", Doc: "the solution X of A·X = B for square matrices A; leading axes are batches and broadcast.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2, Autocast: graph.AutocastWidens,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.LinearSystem(c, "linalg.solve", c.Attrs().(SolveAttrs).Vector)
		},
		Expand: expandSolve,
		Grad:   solveGrad,
	})
	opInv = define(graph.Op{
		Name: "inv", Func: "Inv", Doc: "the inverse of each square matrix.", Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Batch: onLastAxes, Autocast: graph.AutocastWidens,
		Infer: squareMatrix("linalg.inv"),
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			return graph.Apply(opInverseOfLU, inverseAttrs{n.DType()}, factorized(in[0]))
		},
		Grad: func(y, dy node, _ int) node { // -A⁻ᵀ·dy·A⁻ᵀ: Giles, 2008
			return Neg(MatMul(transposed(y), MatMul(dy, transposed(y))))
		},
	})
	opSolve.Ref = named("numpy.linalg.solve", "torch.linalg.solve, torch.linalg.solve_ex",
		"jax.numpy.linalg.solve, jax.scipy.linalg.solve", "", "",
		func(e *graph.Example) node { return Solve(e.Of("a", "n", "n"), e.Of("b", "n", "k")) })
	opInv.Ref = named("numpy.linalg.inv", "torch.linalg.inv, torch.inverse, torch.linalg.inv_ex",
		"jax.numpy.linalg.inv, jax.scipy.linalg.inv", "", "",
		func(e *graph.Example) node { return Inv(e.Of("a", "n", "n")) })
	opSolve.Ref.Cost = "2/3·n³ + 2·n²·k operations for each matrix"
	opInv.Ref.Cost = "8/3·n³ operations for each matrix"
}

func factorLU[T triangular.Number](a *graph.Arrays, y []T) error {
	n, m := a.In[0].Shape[0], a.In[0].Shape[1]
	pivots := a.Ints(min(n, m))
	copyNumbers(y, a, 0)
	clear(y[n*m:])
	triangular.LU(a, y[:n*m], n, m, pivots)
	for i, p := range pivots {
		y[n*m+i] = T(p)
	}
	return nil
}

func solveLU[T triangular.Number](a *graph.Arrays, y []T) error {
	copyNumbers(y, a, 1)
	n := a.Out.Shape[0]
	lu, pivots := factors[T](a, n)
	if err := dense.SolveLU(a, lu, n, pivots, a.Attrs.(SolveAttrs).Transposed, y, a.Out.Shape[1]); err != nil {
		return fmt.Errorf("the solver failed because %w", err)
	}
	return nil
}

func inverseOfLU[T triangular.Number](a *graph.Arrays, y []T) error {
	n := a.Out.Shape[0]
	lu, pivots := factors[T](a, n)
	if err := dense.InverseOfLU(a, y, lu, n, pivots); err != nil {
		return fmt.Errorf("the inversion could not be completed because %w", err)
	}
	return nil
}

// inverseAttrs are the fixed arguments of opInverseOfLU: the dtype of the matrices that were factored.
type inverseAttrs struct{ DType graph.DType }

// factorized returns the factors of matrices.
func factorized(a node) node { return graph.Apply(opLU, nil, a) }

// factors takes apart what opLU gives, operand 0.
func factors[T triangular.Number](a *graph.Arrays, n int) (lu []T, pivots []int) {
	all := numbersOf[T](a, 0)
	pivots = a.Ints(n)
	for i := range pivots {
		pivots[i] = int(all[n*n+i])
	}
	return all[:n*n], pivots
}

func expandSolve(n *graph.Node, in []*graph.Node) *graph.Node {
	a, b, at := in[0], in[1], n.Attrs().(SolveAttrs)
	if at.Vector {
		b = Unsqueeze(b, -1)
	}
	batch := n.Shape()[:n.Rank()-1]
	if !at.Vector {
		batch = batch[:n.Rank()-2]
	}
	y := graph.Apply(opSolveLU, SolveAttrs{Transposed: at.Transposed}, inBatches(factorized(a), 2, batch),
		inBatches(b, 2, batch))
	if at.Vector {
		y = Squeeze(y, -1)
	}
	return y
}

// solveGrad: of A·X = B, dB = A⁻ᵀ·dX and dA = -dB·Xᵀ: Giles, Collected matrix derivative results, 2008. Where the
// system is that of Aᵀ, dA is transposed.
func solveGrad(n, dy node, i int) node {
	at := n.Attrs().(SolveAttrs)
	db := Apply(opSolve, SolveAttrs{!at.Transposed, at.Vector}, n.In(0), dy)
	if i == 1 {
		return db
	}
	left, right := db, node(n)
	if at.Transposed {
		left, right = right, left
	}
	if at.Vector {
		return Neg(Mul(Unsqueeze(left, -1), Unsqueeze(right, -2)))
	}
	return Neg(MatMul(left, transposed(right)))
}

// Solve returns the solution X of A·X = B for square matrices A, [..., n, n], by LU factorization. B is [..., n, k],
// and its leading axes broadcast with those of A; or it holds vectors, [n] or the shape of A without the last axis.
// Both have one dtype, Float32 or Float64. If a matrix is singular, the run stops with an error that has its position
// in the batch. It is torch.linalg.solve.
func Solve(a, b *graph.Node) *graph.Node {
	at := SolveAttrs{}
	if a != nil && b != nil && a.Judged() && b.Judged() && a.Rank() >= 2 {
		at.Vector = b.Rank() == 1 || b.Shape().Equal(a.Shape()[:a.Rank()-1])
	}
	return Apply(opSolve, at, a, b)
}

// Inv returns the inverse of each square matrix of a batch, [..., n, n], Float32 or Float64. If a matrix is singular,
// the run stops with an error that has its position in the batch. If the inverse is only used in products, [Solve] is
// faster and more accurate.
func Inv(a *graph.Node) *graph.Node { return Apply(opInv, nil, a) }
