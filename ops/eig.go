package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/dense"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opEig, opEigvals *graph.Op

func init() {
	opEig = matrixFunction(
		"eig", "eig",
		"the eigenvalues and eigenvectors of square matrices, packed, with the parts of complex numbers apart.",
		[]int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.SquareMatrices(c, "linalg.eig")
			return c.DType(0), packedShape(s[:len(s)-2], eigParts(s)...)
		},
		inFloat64(func(a *graph.Arrays, y []float64) error {
			n := a.In[0].Shape[0]
			copied := a.Floats(n * n)
			copyNumbers(copied, a, 0)
			re, im, vectors := y[:n], y[n:2*n], y[2*n:]
			return dense.Eig(a, re, im, vectors[:n*n], vectors[n*n:], copied, n)
		}), eigGrad)
	opEigvals = matrixFunction("eigvals", "Eigenvalues",
		"the eigenvalues of square matrices, as pairs of real and imaginary part.", []int{2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.SquareMatrices(c, "linalg.eigvals")
			last := max(len(s)-1, 0)
			return c.DType(0), append(s[:last:last], 2)
		},
		inFloat64(func(a *graph.Arrays, y []float64) error {
			n := a.In[0].Shape[0]
			copied, re, im := a.Floats(n*n), a.Floats(n), a.Floats(n)
			copyNumbers(copied, a, 0)
			err := dense.Eig(a, re, im, nil, nil, copied, n)
			for i := range n {
				y[2*i], y[2*i+1] = re[i], im[i]
			}
			return err
		}),
		func(n, dy node, _ int) node {
			packed := Apply(opEig, nil, n.In(0))
			parts := unpacked(packed, eigParts(n.In(0).Shape())...)
			v := complexNode{parts[2], parts[3]}
			inner := complexNode{diagonalOf(Select(dy, -1, 0)), diagonalOf(Select(dy, -1, 1))}
			return v.backThrough(inner)
		})
	composed(
		"Eig",
		"the eigenvalues of each square matrix and its eigenvectors, as columns; both as pairs of real and imaginary part.",
		named("numpy.linalg.eig", "torch.linalg.eig", "jax.numpy.linalg.eig, jax.lax.linalg.eig", "", "",
			func(e *graph.Example) node { return e.Several(Eig(e.Of("a", "n", "n"))) }))
	opEigvals.Ref = named("numpy.linalg.eigvals", "torch.linalg.eigvals", "jax.numpy.linalg.eigvals", "", "",
		func(e *graph.Example) node { return Eigenvalues(e.Of("a", "n", "n")) })
	opEigvals.Ref.Cost = "some 10·n³ operations for each matrix"
}

// eigParts are the shapes of the real and imaginary parts of eigenvalues, and of those of eigenvectors, of matrices of
// shape s.
func eigParts(s graph.Shape) []graph.Shape {
	values, vectors := s[len(s)-1:], s[len(s)-2:]
	return []graph.Shape{values, values, vectors, vectors}
}

// complexNode is a batch of complex matrices.
type complexNode struct{ re, im node }

func (a complexNode) adjoint() complexNode {
	return complexNode{transposed(a.re), Neg(transposed(a.im))}
}

func (a complexNode) times(b complexNode) complexNode {
	return complexNode{Sub(MatMul(a.re, b.re), MatMul(a.im, b.im)), Add(MatMul(a.re, b.im), MatMul(a.im, b.re))}
}

// backThrough is the real part of V⁻ᴴ·inner·Vᴴ: a system of complex numbers is one of twice as many real ones.
func (a complexNode) backThrough(inner complexNode) node {
	h := a.adjoint()
	right := inner.times(h)
	system := Concat(-2, Concat(-1, h.re, Neg(h.im)), Concat(-1, h.im, h.re))
	return Slice(Solve(system, Concat(-2, right.re, right.im)), -2, 0, lastSize(a.re), 1)
}

// eigGrad is V⁻ᴴ·(diag(dλ) + (Vᴴ·dV - Vᴴ·V·diag(Re(Vᴴ·dV)))/conj(E))·Vᴴ with E[i,j] = λ[j] - λ[i], for vectors of
// length 1: Boeddeker and others, On the computation of complex-valued gradients, 2017, with the norm of the vectors
// held. Where eigenvalues are equal, a quotient counts as 0: see [Eigh].
func eigGrad(n, dy node, _ int) node {
	parts := eigParts(n.In(0).Shape())
	x, d := unpacked(n, parts...), unpacked(dy, parts...)
	v, dv := complexNode{x[2], x[3]}, complexNode{d[2], d[3]}
	along := v.adjoint().times(dv)
	scale := Unsqueeze(Diagonal(along.re, 0, -2, -1), -2)
	own := v.adjoint().times(complexNode{Mul(v.re, scale), Mul(v.im, scale)})
	off := complexNode{Sub(along.re, own.re), Sub(along.im, own.im)}
	// A quotient by conj(E) is a product with E, divided by the square of its modulus.
	e := complexNode{Sub(Unsqueeze(x[0], -2), Unsqueeze(x[0], -1)), Sub(Unsqueeze(x[1], -2), Unsqueeze(x[1], -1))}
	square := Add(Square(e.re), Square(e.im))
	inner := complexNode{
		Add(divided(Sub(Mul(off.re, e.re), Mul(off.im, e.im)), square), diagonalOf(d[0])),
		Add(divided(Add(Mul(off.re, e.im), Mul(off.im, e.re)), square), diagonalOf(d[1])),
	}
	return v.backThrough(inner)
}

// Eig returns the eigenvalues, [..., n, 2], and the eigenvectors, the columns of [..., n, n, 2], of each square
// matrix of a batch, [..., n, n], Float32 or Float64. The last axis holds pairs of real and imaginary parts.
// Eigenvectors have length 1, and eigenvalues no order. A matrix with numbers that are not finite stops the run. The
// gradient is correct for losses that do not depend on the phase of a vector, as in PyTorch; it needs a matrix with n
// independent eigenvectors. It is torch.linalg.eig with torch.view_as_real.
func Eig(a *graph.Node) (values, vectors *graph.Node) {
	defer building("Eig", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("Eig", a), "linalg.eig"); bad != nil {
		return bad, bad
	}
	parts := unpacked(Apply(opEig, nil, a), eigParts(a.Shape())...)
	return Stack(-1, parts[0], parts[1]), Stack(-1, parts[2], parts[3])
}

// Eigenvalues returns the eigenvalues of [Eig] at lower cost: [..., n, 2] of [..., n, n].
func Eigenvalues(a *graph.Node) *graph.Node { return Apply(opEigvals, nil, a) }
