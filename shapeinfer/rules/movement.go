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
	e := expansion{c: c, r: CallRules(c), from: from, want: want, out: slices.Clone(want), lead: len(want) - len(from)}
	if e.lead < 0 {
		e.fail(graph.CodeExpand, fmt.Sprintf(
			"expand(torch.%sTensor{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)",
			c.DType(0).TorchName(), from, want, len(want), len(from)))
		return e.out
	}
	for axis := len(want) - 1; axis >= 0; axis-- {
		if n, whole := want[axis].Int(); whole && n < 0 {
			e.negative(axis, n)
		} else if axis >= e.lead {
			e.repeat(axis)
		}
	}
	if e.overflows {
		m := e.fail(graph.CodeExpand, "numel: integer multiplication overflow")
		m.Help = []string{"sizes must be at least 0; -1 keeps the size of an axis of the operand"}
	}
	if !c.Failed() {
		c.SetStretch([][]graph.AxisKind{e.r.Stretch(from, e.out)})
	}
	return e.out
}

// expansion is a call of Expand: out is its result, and lead the number of axes that the operand lacks.
type expansion struct {
	c               *graph.Call
	r               Rules
	from, want, out graph.Shape
	lead            int
	overflows       bool // as PyTorch calls a negative size
}

func (e *expansion) fail(code graph.Code, summary string, bad ...int) *graph.Mistake {
	m := &graph.Mistake{Code: code, Summary: summary, Operands: []graph.OperandNote{{Node: e.c.In(0), Bad: bad}}}
	e.c.Fail(m)
	return m
}

// negative judges a negative size: -1 keeps that of the operand.
func (e *expansion) negative(axis int, n int64) {
	if n == -1 && axis >= e.lead {
		e.out[axis] = e.from[axis-e.lead]
		return
	}
	if n != -1 && axis >= e.lead && e.from[axis-e.lead] != 1 {
		e.repeat(axis)
		return
	}
	e.out[axis] = graph.UnknownDim
	if n == -1 && len(e.from) > 0 {
		e.fail(graph.CodeExpand, fmt.Sprintf(
			"The expanded size of the tensor (%d) isn't allowed in a leading, non-existing dimension %d", n, axis))
		return
	}
	e.overflows = true
}

// repeat judges the size of an axis that the operand has.
func (e *expansion) repeat(axis int) {
	have, want := e.from[axis-e.lead], e.want[axis]
	if have == want || have == 1 || have.IsUnknown() {
		return
	}
	verdict, names := e.r.destination(want, have)
	switch {
	case verdict == prove.Deferred:
		kind := graph.MustEqual
		if e.r.repeatsAtRun(have) {
			kind = graph.MustEqualOrOne
		}
		e.c.Require(graph.Requirement{Kind: kind, A: want, B: have, Axis: axis, Why: "expand"})
	case verdict == prove.Refused && names:
		m := e.fail(graph.CodeNames, namesMeet(have, want, axis-len(e.want)), axis-e.lead)
		m.Sizes = addNames(nil, have, want)
		e.out[axis] = graph.UnknownDim
	case verdict == prove.Refused:
		sizes := fmt.Sprintf(".  Target sizes: %s.  Tensor sizes: %s", e.want, e.from)
		e.fail(graph.CodeExpand, ExpandSentence(want, have, axis)+sizes, axis-e.lead)
		e.out[axis] = graph.UnknownDim
	}
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
				"zero-dimensional tensor (at position %d) cannot be concatenated", i))
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
				"Tensors must have same number of dimensions: got %d and %d", len(out), len(s)))
			return out
		}
		for a, d := range s {
			if a == axis {
				out[a] = out[a].Plus(d)
				continue
			}
			if !r.requireSame(c, out[a], d, a, "the sizes beside the axis of a concatenation", func() *graph.Mistake {
				m := operandMistake(c, graph.CodeConcat,
					"Sizes of tensors must match except in dimension %d. Expected size %s but got size %s for tensor number %d in the list.",
					axis, out[a], d, i)
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
	switch verdict, names := r.MustEqual(a, b); {
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
