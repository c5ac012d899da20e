package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Expand returns the shape of x repeated to the wanted sizes; -1 keeps a size.
func Expand(c *graph.Call, want graph.Shape) graph.Shape {
	from := c.Shape(0)
	out := append(graph.Shape{}, want...)
	lead := len(want) - len(from)
	if lead < 0 {
		c.Fail(&graph.Mistake{Code: graph.CodeExpand,
			Summary: fmt.Sprintf(
				"expand(torch.%sTensor{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)",
				c.DType(0).TorchName(), from, want, len(want), len(from)),
			Operands: []graph.OperandNote{{Node: c.In(0)}}})
		return out
	}
	r, negative := CallRules(c), false
	for axis := len(want) - 1; axis >= 0; axis-- {
		d := want[axis]
		n, whole := d.Int()
		switch isNegative := whole && n < 0; {
		case isNegative && n == -1 && axis >= lead:
			out[axis] = from[axis-lead]
			continue
		case isNegative && n == -1 && len(from) > 0:
			c.Fail(&graph.Mistake{Code: graph.CodeExpand,
				Summary: fmt.Sprintf(
					"The expanded size of the tensor (%d) isn't allowed in a leading, non-existing dimension %d", n,
					axis),
				Operands: []graph.OperandNote{{Node: c.In(0)}}})
			out[axis] = graph.UnknownDim
			continue
		case isNegative && (axis < lead || from[axis-lead] == 1):
			negative, out[axis] = true, graph.UnknownDim
			continue
		}
		if axis < lead {
			continue
		}
		have := from[axis-lead]
		if have == d || have == 1 || have.IsUnknown() {
			continue
		}
		verdict, names := r.destination(d, have)
		switch {
		case verdict == prove.Deferred:
			kind := graph.MustEqual
			if r.repeatsAtRun(have) {
				kind = graph.MustEqualOrOne
			}
			c.Require(graph.Requirement{Kind: kind, A: d, B: have, Axis: axis, Why: "expand"})
		case verdict == prove.Refused && names:
			c.Fail(&graph.Mistake{Code: graph.CodeNames, Summary: namesMeet(have, d, axis-len(want)),
				Sizes:    addNames(nil, have, d),
				Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{axis - lead}}}})
			out[axis] = graph.UnknownDim
		case verdict == prove.Refused:
			c.Fail(&graph.Mistake{Code: graph.CodeExpand,
				Summary: ExpandSentence(d, have, axis) +
					fmt.Sprintf(".  Target sizes: %s.  Tensor sizes: %s", want, from),
				Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{axis - lead}}}})
			out[axis] = graph.UnknownDim
		}
	}
	if negative {
		c.Fail(&graph.Mistake{Code: graph.CodeExpand, Summary: "numel: integer multiplication overflow",
			Operands: []graph.OperandNote{{Node: c.In(0)}},
			Help:     []string{"sizes must be at least 0; -1 keeps the size of an axis of the operand"}})
	}
	if !c.Failed() {
		c.SetStretch([][]graph.AxisKind{r.Stretch(from, out)})
	}
	return out
}

// ExpandSentence is PyTorch's text for an axis that cannot take another size.
func ExpandSentence(want, have graph.Dim, axis int) string {
	return fmt.Sprintf(
		"The expanded size of the tensor (%s) must match the existing size (%s) at non-singleton dimension %d", want,
		have, axis)
}

// destination judges an operand's size against a size that may not change: they must
// be equal, or the operand's 1.
func (r Rules) destination(dest, operand graph.Dim) (v prove.Verdict, names bool) {
	p := prove.NewProver(r.Bounds)
	mayOne := r.repeatsAtRun(operand)
	switch v = p.Equal(dest, operand); {
	case v == prove.Proved:
		return prove.Proved, false
	case v == prove.Refused && (!mayOne || p.NotEqual(operand, 1)):
		return prove.Refused, false
	case mayOne, isPartOf(dest, operand):
		return prove.Deferred, false
	case r.Names == graph.Strict && !sameNames(dest, operand):
		return prove.Refused, true
	}
	return prove.Deferred, false
}

// Concat returns the shape of operands joined along a normalised axis. Operands of shape [0] are skipped whatever the
// rank of the others, as in PyTorch; an operand of rank 1 among others of a higher rank must have that shape.
func Concat(c *graph.Call, axis int) graph.Shape {
	rank := 1
	for i := range c.NumIn() {
		if len(c.Shape(i)) == 0 {
			c.Fail(operandMistake(c, graph.CodeConcat,
				fmt.Sprintf("zero-dimensional tensor (at position %d) cannot be concatenated", i)))
			return nil
		}
		rank = max(rank, len(c.Shape(i)))
	}
	passed := make([]bool, c.NumIn())
	for i := range passed {
		passed[i] = passedOver(c, i, rank)
	}
	first := max(slices.Index(passed, false), 0)
	axis = Axis(c, axis, len(c.Shape(first)))
	if axis < 0 {
		return nil
	}
	out := append(graph.Shape{}, c.Shape(first)...)
	r := CallRules(c)
	for i := first + 1; i < c.NumIn(); i++ {
		s := c.Shape(i)
		if passed[i] {
			continue
		}
		if len(s) != len(out) {
			c.Fail(operandMistake(c, graph.CodeConcat,
				fmt.Sprintf("Tensors must have same number of dimensions: got %d and %d", len(out), len(s))))
			return out
		}
		for a, d := range s {
			if a == axis {
				out[a] = out[a].Plus(d)
				continue
			}
			if !r.requireSame(c, out[a], d, a, "the sizes beside the axis of a concatenation", func() *graph.Mistake {
				m := operandMistake(c, graph.CodeConcat,
					fmt.Sprintf(
						"Sizes of tensors must match except in dimension %d. Expected size %s but got size %s for tensor number %d in the list.",
						axis, out[a], d, i))
				m.Operands[first].Bad, m.Operands[i].Bad = []int{a}, []int{a}
				return m
			}) {
				out[a] = graph.UnknownDim
			}
		}
	}
	return out
}

// MustHaveShape checks that the operand has the wanted shape, whose rank it has: it records the requirements that are
// left to the binding of sizes, or the mistake that refuse returns.
func MustHaveShape(c *graph.Call, want graph.Shape, why string, refuse func() *graph.Mistake) {
	for axis, d := range want {
		if !CallRules(c).requireSame(c, c.Shape(0)[axis], d, axis, why, refuse) {
			return
		}
	}
}

// MustBeSize checks that a size of an operand is the wanted one, like [MustHaveShape], and reports whether building
// can continue.
func MustBeSize(c *graph.Call, have, want graph.Dim, axis int, why string, refuse func() *graph.Mistake) bool {
	return CallRules(c).requireSame(c, have, want, axis, why, refuse)
}

// requireSame judges two sizes that must be equal: it records the requirement, or the
// mistake that refuse describes, and reports whether building can go on.
func (r Rules) requireSame(c *graph.Call, a, b graph.Dim, axis int, why string, refuse func() *graph.Mistake) bool {
	if a == b || a.IsUnknown() || b.IsUnknown() {
		return true
	}
	switch verdict, names := r.mustEqual(a, b); {
	case verdict == prove.Deferred:
		c.Require(graph.Requirement{Kind: graph.MustEqual, A: a, B: b, Axis: axis, Why: why})
	case verdict == prove.Refused && names:
		m := refuse()
		m.Code, m.Summary, m.Sizes = graph.CodeNames, namesMeet(a, b, axis), addNames(nil, a, b)
		c.Fail(m)
		return false
	case verdict == prove.Refused:
		c.Fail(refuse())
		return false
	}
	return true
}

// passedOver reports whether operand i has the shape [0], which PyTorch's cat passes over,
// or may have it and does not fit otherwise, which is then required.
func passedOver(c *graph.Call, i, rank int) bool {
	s := c.Shape(i)
	switch {
	case len(s) != 1:
		return false
	case rank == 1 || s[0] == 0 || s[0].IsUnknown():
		return s[0] == 0 || rank > 1
	}
	verdict := prove.NewProver(c.Bounds).Equal(s[0], 0)
	if verdict == prove.Deferred {
		c.Require(graph.Requirement{Kind: graph.MustEqual, A: s[0], B: 0,
			Why: "an operand of rank 1 joined with others of a higher rank has no elements"})
	}
	return verdict != prove.Refused
}
