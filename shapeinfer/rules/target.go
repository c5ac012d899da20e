package rules

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// Targets is the shape rule of class indices for scores x [N, C, …]: target is [N, …], or for one example x [C] a
// scalar. It returns the target's shape. If the operation takes probabilities, a target of the scores' shape gets a
// message that it must be floating-point.
func Targets(c *graph.Call, x, target graph.Shape, takesProbabilities bool) graph.Shape {
	if x.Equal(target) && takesProbabilities {
		m := operandMistake(c, graph.CodeDType,
			"Expected floating point type for target with class probabilities, got %s", c.DType(1).TorchName())
		m.Casts = []graph.Casting{{Node: c.In(1), To: c.DType(0)}}
		m.Detail = []string{
			"a target of the scores' shape must hold probabilities; class indices have no axis of classes"}
		c.Fail(m)
		return target
	}
	if len(x) == 0 {
		summary := "Expected 1 or more dimensions (got 0)"
		if takesProbabilities {
			summary = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
		}
		m := operandMistake(c, graph.CodeRank, "%s", summary)
		m.Detail = []string{"the scores need an axis of classes"}
		c.Fail(m)
		return target
	}
	want := append(graph.Shape{}, x...)
	at := min(1, len(x)-1)
	want = append(want[:at], want[at+1:]...)
	if batch := firstSize(target); len(x) > 1 && batch.IsConst() && x[0].IsConst() && batch != x[0] {
		m := operandMistake(c, graph.CodeBroadcast, "%s", batchSentence(x[0], batch))
		m.Apart, m.Operands[0].Bad = true, []int{0}
		if len(target) > 0 {
			m.Operands[1].Bad = []int{0}
		}
		c.Fail(m)
		return want
	}
	if len(target) != len(want) {
		m := operandMistake(c, graph.CodeRank, "%s", rankSentence(x, want, target))
		m.Detail = []string{
			"the target must hold one class index for each example: the scores' shape without the axis of classes"}
		c.Fail(m)
		return want
	}
	r := CallRules(c)
	for axis, d := range want {
		r.requireSame(c, d, target[axis], axis, "one target for each example", func() *graph.Mistake {
			summary := fmt.Sprintf("Expected target size %s, got %s", want, target)
			if axis == 0 {
				summary = batchSentence(d, target[0])
			}
			m := operandMistake(c, graph.CodeBroadcast, "%s", summary)
			of := axis // the scores' axis: that of the classes is passed over
			if axis >= at {
				of++
			}
			m.Apart, m.Operands[0].Bad, m.Operands[1].Bad = true, []int{of}, []int{axis}
			return m
		})
	}
	return want
}

// rankSentence is PyTorch's text for a target of another rank.
func rankSentence(x, want, target graph.Shape) string {
	switch {
	case len(x) <= 2 && len(target) > 1:
		return "0D or 1D target tensor expected, multi-target not supported"
	case len(x) == 1:
		return fmt.Sprintf("size mismatch (got input: %s, target: %s)", x, target)
	case len(x) == 4:
		return fmt.Sprintf("only batches of spatial targets supported (3D tensors) but got targets of dimension: %d",
			len(target))
	}
	return fmt.Sprintf("Expected target size %s, got %s", want, target)
}

func batchSentence(x, target graph.Dim) string {
	return fmt.Sprintf("Expected input batch_size (%s) to match target batch_size (%s).", x, target)
}

// firstSize is the size of the first axis; PyTorch takes that of a scalar for 0.
func firstSize(s graph.Shape) graph.Dim {
	if len(s) == 0 {
		return 0
	}
	return s[0]
}

// Probabilities is the shape rule of targets that are probabilities of classes, in the scores' shape. It returns the
// shape of the examples.
func Probabilities(c *graph.Call) graph.Shape {
	x, target := c.Shape(0), c.Shape(1)
	if len(x) == 0 {
		c.Fail(operandMistake(c, graph.CodeRank, "the scores need an axis of classes"))
		return nil
	}
	r := CallRules(c)
	for axis, d := range x {
		r.requireSame(c, d, target[axis], axis, "probabilities must have the scores' shape", func() *graph.Mistake {
			m := operandMistake(c, graph.CodeBroadcast, "Expected target size %s, got %s", x, target)
			m.Operands[0].Bad, m.Operands[1].Bad = []int{axis}, []int{axis}
			return m
		})
	}
	at := min(1, len(x)-1)
	return append(append(graph.Shape{}, x[:at]...), x[at+1:]...)
}

// ClassWeights requires that a third operand holds one weight for each class.
func ClassWeights(c *graph.Call) {
	x := c.Shape(0)
	if c.NumIn() < 3 || len(x) == 0 {
		return
	}
	classes, w := x[min(1, len(x)-1)], c.Shape(2)
	refuse := func() *graph.Mistake {
		m := operandMistake(c, graph.CodeBroadcast,
			"weight tensor should be defined either for all %s classes or no classes but got weight tensor of shape: %s",
			classes, w)
		m.Operands[2].Bad = []int{0}
		return m
	}
	if len(w) != 1 {
		m := refuse()
		m.Operands[2].Bad = nil
		c.Fail(m)
		return
	}
	CallRules(c).requireSame(c, classes, w[0], 0, "one weight for each class", refuse)
}
