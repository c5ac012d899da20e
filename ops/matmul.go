package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opMatMul *graph.Op

func init() {
	opMatMul = define(graph.Op{
		Name: "matmul", Func: "MatMul", Doc: "the matrix product; leading axes are batches and broadcast.",
		Class: graph.Contract, MinIn: 2, MaxIn: 2,
		Infer: rules.MatMul, Autocast: graph.AutocastLowers,
		Grad: matMulGrad, Batch: batchMatMul,
	})
	opMatMul.Ref = named("numpy.matmul", "torch.matmul, torch.mm, torch.bmm, torch.linalg.matmul, torch.mv",
		"jax.numpy.matmul, jax.numpy.linalg.matmul, jax.lax.batch_matmul, jax.lax.dot, jax.numpy.matvec, jax.numpy.vecmat",
		"MatMul", "Mul",
		func(e *graph.Example) node { return MatMul(e.Of("x", "n", "k"), e.Of("y", "k", "m")) })
	composed("Linear", "x @ transpose(weight) + bias.",
		named("", "torch.nn.functional.linear", "", "Gemm", "",
			func(e *graph.Example) node {
				return Linear(e.Of("x", "n", "k"), e.Of("weight", "m", "k"), e.Of("bias", "m"))
			}))
}

// MatMul returns the matrix product, like PyTorch's matmul. Operands of rank 1 are vectors, of rank 2 matrices, and
// of higher rank batches of matrices, whose leading axes broadcast. Both must have the same dtype.
func MatMul(x, y *graph.Node) *graph.Node { return Apply(opMatMul, nil, x, y) }

// Linear returns x·weightᵀ + bias, PyTorch's linear layer as a function. x is [..., in], weight [out, in], and bias
// [out] or nil: the layout of the parameters of nn.Linear.
func Linear(x, weight, bias *graph.Node) *graph.Node {
	defer building("Linear", x, weight, bias)()
	defer lowering(&x, &weight, &bias)()
	if x == nil || weight == nil || !x.Judged() || !weight.Judged() || bias != nil && !bias.Judged() {
		y := MatMul(x, weight) // its own mistake
		if bias != nil {
			y = Add(y, bias)
		}
		return y
	}
	if text := linearText(x, weight, bias); text != "" {
		return refusal(refused("Linear", x, weight), &graph.Mistake{Code: graph.CodeMatMul, Summary: text,
			Help: []string{"the weight of a linear layer must have one row for each output: [out, in]"}})
	}
	y, rows := weight, x
	if weight.Rank() == 2 {
		y = Transpose(weight, 0, 1)
	}
	usual := bias == nil || bias.Rank() == 0 ||
		bias.Rank() == 1 && (bias.Shape()[0] == 1 || bias.Shape()[0] == weight.Shape()[0])
	if !usual && biasInProduct(x, bias) {
		rows = asMatrix(x)
	}
	y = MatMul(rows, y)
	switch {
	case bias == nil:
		return y
	case usual && weight.Rank() == 2:
		return Add(y, bias)
	case biasInProduct(x, bias) && y.Judged(): // expanded to all rows
		y = Add(y, Expand(bias, y.Shape()...))
		return Reshape(y, append(slices.Clone(x.Shape()[:x.Rank()-1]), weight.Shape()[0])...)
	}
	return AddInPlace(y, bias) // the bias must not change the shape
}

// biasInProduct reports whether PyTorch adds the bias with the product of all rows, and not
// after it, in place.
func biasInProduct(x, bias node) bool { return x.Rank() == 2 || x.Rank() == 3 || bias.Rank() == 1 }

// linearText is PyTorch's sentence about ranks that a linear layer refuses, or "".
func linearText(x, weight, bias node) string {
	switch {
	case x.Rank() == 0 || weight.Rank() == 0:
		return fmt.Sprintf("both arguments to linear need to be at least 1D, but they are %dD and %dD", x.Rank(),
			weight.Rank())
	case weight.Rank() > 2:
		return fmt.Sprintf("t() expects a tensor with <= 2 dimensions, but self is %dD", weight.Rank())
	case weight.Rank() == 1 && bias != nil && biasInProduct(x, bias):
		return "mat2 must be a matrix, got 1-D tensor"
	}
	return ""
}

// asMatrix returns the rows of all matrices of a batch as one matrix.
func asMatrix(x node) node {
	if x.Rank() == 2 {
		return x
	}
	last := x.Rank() - 1
	return Reshape(x, x.Shape()[:last].NumElements(), x.Shape()[last])
}

// allColumns returns the columns of all matrices of a batch as those of one matrix: [..., m, n]
// becomes [m, ...·n].
func allColumns(x node) node {
	rows, cols := x.Rank()-2, x.Rank()-1
	perm := []int{rows}
	for axis := range rows {
		perm = append(perm, axis)
	}
	shape := x.Shape()
	return Reshape(Permute(x, append(perm, cols)...), shape[rows], shape[:rows].NumElements().Times(shape[cols]))
}

// matMulGrad brings vectors to matrices, so that the rule is that of matrices:
// dA = dC Bᵀ, dB = Aᵀ dC. The walk sums over broadcast batch axes. Where one matrix meets a
// whole batch, its gradient is one product, whose sums run over the batch as well: matrix by
// matrix, and in each along its rows or columns.
func matMulGrad(n, dy node, i int) node {
	a, b := n.In(0), n.In(1)
	if a.Rank() == 1 {
		a = Unsqueeze(a, 0)
		dy = Unsqueeze(dy, min(n.Rank(), max(n.Rank()-1, 0)))
		if b.Rank() == 1 {
			dy = Reshape(dy, 1)
		}
	}
	if b.Rank() == 1 {
		b = Unsqueeze(b, 1)
		dy = Unsqueeze(dy, dy.Rank())
	}
	if i == 0 {
		if a.Rank() == 2 && b.Rank() > 2 {
			dy, b = allColumns(dy), asMatrix(Transpose(b, -1, -2))
		} else {
			b = Transpose(b, -1, -2)
		}
		g := MatMul(dy, b)
		if n.In(0).Rank() == 1 {
			g = Squeeze(g, -2)
		}
		return g
	}
	if b.Rank() == 2 {
		// One matrix for the whole batch: its gradient is one product over all rows.
		a, dy = asMatrix(a), asMatrix(dy)
	}
	g := MatMul(Transpose(a, -1, -2), dy)
	if n.In(1).Rank() == 1 {
		g = Squeeze(g, -1)
	}
	return g
}
