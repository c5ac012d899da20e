package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// farEnd is the least stop that stands for the end of an axis of any size.
const farEnd = 1 << 61

// Slice is the shape rule of x[start:stop:step] on one axis, with Python's bounds.
func Slice(c *graph.Call, axis int, start, stop graph.Dim, step int) graph.Shape {
	out := slices.Clone(c.Shape(0))
	if len(out) == 0 {
		c.Fail(&graph.Mistake{Code: graph.CodeSlice, Summary: "slice() cannot be applied to a 0-dim tensor."})
		return out
	}
	at := Axis(c, axis, len(out))
	if at < 0 {
		return unknown(len(out))
	}
	if step < 1 {
		c.Fail(&graph.Mistake{Code: graph.CodeSlice, Summary: "slice step must be positive", Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{at}}}})
		out[at] = graph.UnknownDim
		return out
	}
	size := out[at]
	from, to := SliceBounds(size, start, stop)
	length := to.Minus(from)
	if step > 1 {
		length = length.CeilDiv(int64(step))
	}
	if n, whole := length.Int(); whole && n < 0 {
		length = 0
	}
	if !size.IsConst() || !from.IsConst() || !to.IsConst() {
		p := prove.NewProver(c.Bounds)
		for _, r := range []struct{ a, b graph.Dim }{{from, 0}, {to, from}, {size, to}} {
			requireAtLeast(c, p, r.a, r.b, at, "the bounds of a slice")
		}
	}
	if out[at] = length; c.Failed() {
		out[at] = graph.UnknownDim
	}
	return out
}

// requireAtLeast judges a >= b. The axis is one of the operand's, or -1.
func requireAtLeast(c *graph.Call, p *prove.Prover, a, b graph.Dim, axis int, why string) {
	need := graph.Requirement{Kind: graph.MustBeAtLeast, A: a, B: b, Axis: max(axis, 0), Why: why}
	switch p.Judge(need) {
	case prove.Refused:
		m := &graph.Mistake{Code: graph.CodeSlice, Summary: fmt.Sprintf("%s: %s is less than %s for every size", why, a, b),
			Operands: []graph.OperandNote{{Node: c.In(0)}}}
		if axis >= 0 {
			m.Operands[0].Bad = []int{axis}
		}
		c.Fail(m)
	case prove.Deferred:
		c.Require(need)
	}
}

// SliceBounds brings Python's bounds of a slice into the axis: negative ones count
// from the end, and where all are whole numbers they are clamped.
func SliceBounds(size, start, stop graph.Dim) (from, to graph.Dim) {
	return sliceBound(size, start), sliceBound(size, stop)
}

func sliceBound(size, bound graph.Dim) graph.Dim {
	b, whole := bound.Int()
	switch {
	case !whole:
		return bound
	case b >= farEnd:
		return size
	case b < 0:
		bound = size.Plus(bound)
	}
	n, static := size.Int()
	if b, whole = bound.Int(); whole && static {
		return graph.Dim(min(max(b, 0), n))
	}
	return bound
}

func unknown(rank int) graph.Shape {
	s := make(graph.Shape, rank)
	for i := range s {
		s[i] = graph.UnknownDim
	}
	return s
}

// Pad is the shape rule of padding one axis, with the elements step apart.
func Pad(c *graph.Call, axis int, before, after graph.Dim, step int) graph.Shape {
	out := slices.Clone(c.Shape(0))
	if len(out) == 0 {
		c.Fail(operandMistake(c, graph.CodeRank, "pad: a scalar has no axis to pad"))
		return out
	}
	at := Axis(c, axis, len(out))
	if at < 0 {
		return unknown(len(out))
	}
	inner := out[at]
	if step > 1 {
		inner = inner.Minus(1).Times(graph.Dim(step)).Plus(1)
	}
	p := prove.NewProver(c.Bounds)
	for _, d := range []graph.Dim{before, after} {
		if d.IsSymbolic() {
			requireAtLeast(c, p, d, 0, at, "padding cuts nothing off")
		}
	}
	out[at] = before.Plus(inner).Plus(after)
	if n, whole := out[at].Int(); whole && n < 0 || isNegative(before) || isNegative(after) {
		c.Fail(&graph.Mistake{Code: graph.CodeSlice, Summary: fmt.Sprintf("padding of %s and %s elements: sizes are 0 or more", before, after),
			Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{at}}}})
	}
	if c.Failed() {
		out[at] = graph.UnknownDim
	}
	return out
}

func isNegative(d graph.Dim) bool {
	n, whole := d.Int()
	return whole && n < 0
}
