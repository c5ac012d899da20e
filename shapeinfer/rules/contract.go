package rules

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// MatMul is the shape rule of PyTorch's matmul: operands of rank 1 are vectors, of
// rank 2 matrices, of more batches of matrices whose leading axes broadcast.
func MatMul(c *graph.Call) (graph.DType, graph.Shape) {
	a, b := c.Shape(0), c.Shape(1)
	if len(a) == 0 || len(b) == 0 {
		c.Fail(operandMistake(c, graph.CodeMatMul,
			"both arguments to matmul need to be at least 1D, but they are %dD and %dD", len(a), len(b)))
		return c.DType(0), nil
	}
	matMulDType(c)
	result, m := CallRules(c).matMulShape(c, a, b)
	if m != nil {
		c.Fail(m)
	}
	return c.DType(0), result
}

func matMulDType(c *graph.Call) {
	t, u := c.DType(0), c.DType(1)
	switch {
	case t != u:
		c.Fail(operandMistake(c, graph.CodeDType,
			"expected m1 and m2 to have the same dtype, but got: %s != %s", t.CppName(), u.CppName()))
	case t == graph.Bool:
		c.Fail(operandMistake(c, graph.CodeDType, `"addmm_impl_cpu_" not implemented for 'Bool'`))
	}
}

func (r Rules) matMulShape(c *graph.Call, a, b graph.Shape) (graph.Shape, *graph.Mistake) {
	innerA := len(a) - 1
	innerB := max(len(b)-2, 0)
	result := graph.Shape{}
	var batch Broadcast
	if len(a) > 2 || len(b) > 2 {
		batch = r.BroadcastShapes(a[:max(len(a)-2, 0)], b[:max(len(b)-2, 0)])
		result = append(result, batch.Shape...)
	}
	if len(a) > 1 {
		result = append(result, a[len(a)-2])
	}
	if len(b) > 1 {
		result = append(result, b[len(b)-1])
	}
	if len(batch.Clashes) > 0 {
		for i := range batch.Clashes {
			batch.Clashes[i].FromRight += 2 // axes are counted over the whole operands
		}
		m := &graph.Mistake{Code: graph.CodeBroadcast, Summary: batch.Summary()}
		if batch.Clashes[0].Names {
			m.Code = graph.CodeNames
			m.Sizes = addNames(nil, batch.Clashes[0].A, batch.Clashes[0].B)
		}
		for i, s := range []graph.Shape{a, b} {
			note := graph.OperandNote{Node: c.In(i), Shape: s}
			for _, clash := range batch.Clashes {
				note.Bad = append(note.Bad, len(s)-clash.FromRight)
			}
			m.Operands = append(m.Operands, note)
		}
		m.Detail = []string{"the leading axes of batches of matrices must broadcast"}
		if x, y := a[innerA], b[innerB]; x != y && !x.IsUnknown() && !y.IsUnknown() {
			if verdict, _ := r.MustEqual(x, y); verdict == prove.Refused {
				m.Detail = append(m.Detail, fmt.Sprintf(
					"the inner sizes %s and %s differ as well", QuoteName(x), QuoteName(y)))
			}
		}
		return result, m
	}
	if m := r.innerSizes(c, a, b, innerA, innerB, batch.Shape); m != nil {
		for axis := len(batch.Shape); axis < len(result); axis++ {
			// An operand may have to be turned; a name that is the batch's stays.
			if isRows := axis == len(batch.Shape) && len(a) > 1; !isRows || result[axis].IsConst() {
				result[axis] = graph.UnknownDim
			}
		}
		return result, m
	}
	for _, need := range batch.Needs {
		need.Why = "the batch axes of a matrix product"
		c.Require(need)
	}
	return result, nil
}

func (r Rules) innerSizes(c *graph.Call, a, b graph.Shape, innerA, innerB int, batch graph.Shape) *graph.Mistake {
	x, y := a[innerA], b[innerB]
	if x == y || x.IsUnknown() || y.IsUnknown() {
		return nil
	}
	switch verdict, names := r.MustEqual(x, y); {
	case verdict == prove.Deferred:
		c.Require(graph.Requirement{Kind: graph.MustEqual, A: x, B: y, Axis: innerA,
			Why: "the inner sizes of a matrix product"})
		return nil
	case verdict == prove.Proved:
		return nil
	case names:
		m := matMulMistake(c, graph.CodeNames,
			fmt.Sprintf("the inner sizes %s and %s meet, and nothing says that they are equal", QuoteName(x),
				QuoteName(y)), innerA, innerB)
		m.Sizes = addNames(nil, x, y)
		return m
	}
	return matMulMistake(c, graph.CodeMatMul, matMulSentence(a, b, batch), innerA, innerB)
}

// MustEqual judges two sizes that must be the same, where 1 does not broadcast; names reports whether only their
// names differ.
func (r Rules) MustEqual(a, b graph.Dim) (v prove.Verdict, names bool) {
	switch v = prove.NewProver(r.Bounds).Equal(a, b); {
	case v == prove.Proved && r.differByName(a, b):
		return prove.Refused, true
	case v != prove.Deferred:
		return v, false
	case r.Names == graph.Strict && !sameNames(a, b):
		return prove.Refused, true
	}
	return prove.Deferred, false
}

func matMulMistake(c *graph.Call, code graph.Code, summary string, innerA, innerB int) *graph.Mistake {
	m := &graph.Mistake{Code: code, Summary: summary, Apart: true}
	for i, inner := range []int{innerA, innerB} {
		x := c.In(i)
		m.Operands = append(m.Operands, graph.OperandNote{Node: x, Bad: []int{inner},
			Text: fmt.Sprintf("inner axis of %s: %s", x.Called(), x.Shape()[inner])})
	}
	return m
}

// matMulSentence is PyTorch's text for inner sizes that differ. Which one it is depends on
// the ranks: they decide which of its products would be called. batch is the broadcast of
// the batch axes.
func matMulSentence(a, b, batch graph.Shape) string {
	innerA := a[len(a)-1]
	rowsA := a[:len(a)-1].NumElements()
	switch {
	case len(a) == 1 && len(b) == 1:
		return fmt.Sprintf(
			"inconsistent tensor size, expected tensor [%s] and src [%s] to have the same number of elements, but got %s and %s elements respectively",
			a[0], b[0], a[0], b[0])
	case len(b) == 1:
		return matrixVectorSentence(rowsA, innerA, b[0])
	case len(b) == 2 && (!a.IsStatic() || !b.IsStatic()):
		return fmt.Sprintf("mat1 and mat2 shapes cannot be multiplied (%s and %s)", a, b)
	case len(b) == 2:
		return fmt.Sprintf("mat1 and mat2 shapes cannot be multiplied (%sx%s and %sx%s)", rowsA, innerA, b[0], b[1])
	}
	innerB := b[len(b)-2]
	if count := b.NumElements(); len(a) == 1 && (count == 0 || innerB == 1) {
		// The batch of transposed matrices is one matrix in memory.
		return matrixVectorSentence(b[:len(b)-2].NumElements().Times(b[len(b)-1]), innerB, innerA)
	}
	n := batch.NumElements()
	return fmt.Sprintf("Expected size for first two dimensions of batch2 tensor to be: [%s, %s] but got: [%s, %s].", n,
		innerA, n, innerB)
}

func matrixVectorSentence(rows, cols, vector graph.Dim) string {
	return fmt.Sprintf("size mismatch, got input (%s), mat (%sx%s), vec (%s)", rows, rows, cols, vector)
}
