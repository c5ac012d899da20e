package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// farEnd is the least stop that means the end of an axis of any size.
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
		c.Fail(&graph.Mistake{Code: graph.CodeSlice, Summary: "slice step must be positive",
			Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{at}}},
			Help:     []string{"ops.Flip reverses an axis"}})
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
		for _, bound := range []graph.Dim{start, stop} {
			requireNegation(c, p, bound, at, "the bounds of a slice")
			if !CountsFromEnd(bound) && p.Judge(graph.Requirement{Kind: graph.MustBeAtLeast, A: bound, B: 0}) ==
				prove.Refused {
				c.Fail(&graph.Mistake{Code: graph.CodeSlice,
					Summary:  fmt.Sprintf("the bounds of a slice: %s is less than 0 for every size", bound),
					Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{at}}},
					Help: []string{fmt.Sprintf("count from the start instead: %s is %s from the end",
						size.Plus(bound), graph.Dim(0).Minus(bound))}})
			}
		}
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
		m := &graph.Mistake{Code: graph.CodeSlice,
			Summary:  fmt.Sprintf("%s: %s is less than %s for every size", why, a, b),
			Operands: []graph.OperandNote{{Node: c.In(0)}}}
		if axis >= 0 {
			m.Operands[0].Bad = []int{axis}
		}
		c.Fail(m)
	case prove.Deferred:
		c.Require(need)
	}
}

// requireNegation judges that a bound that counts from the end is less than 0: by -0, an axis
// would be cut at its beginning.
func requireNegation(c *graph.Call, p *prove.Prover, bound graph.Dim, axis int, why string) {
	if bound.IsSymbolic() && CountsFromEnd(bound) {
		requireAtLeast(c, p, graph.Dim(0).Minus(bound), 1, axis, why)
	}
}

// CountsFromEnd reports whether a bound is a negative number, or minus a sum of sizes.
func CountsFromEnd(bound graph.Dim) bool {
	if n, whole := bound.Int(); whole || bound.IsUnknown() {
		return whole && n < 0
	}
	return isSumOfSizes(graph.Dim(0).Minus(bound))
}

// isSumOfSizes reports whether nothing in an expression is negative.
func isSumOfSizes(d graph.Dim) bool {
	is := true
	return d.Terms(func(coef int64, factors []graph.Factor) {
		is = is && coef > 0
		for _, f := range factors {
			is = is && (f.Name != "" || isSumOfSizes(f.P) && isSumOfSizes(f.Q))
		}
	}) && is
}

// SliceBounds normalises Python's bounds of a slice: negative numbers, and minus a sum of named sizes, count from the
// end, and whole numbers are clamped if all sizes are numbers.
func SliceBounds(size, start, stop graph.Dim) (from, to graph.Dim) {
	return sliceBound(size, start), sliceBound(size, stop)
}

func sliceBound(size, bound graph.Dim) graph.Dim {
	b, whole := bound.Int()
	switch {
	case whole && b >= farEnd:
		return size
	case CountsFromEnd(bound):
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
			requireAtLeast(c, p, d, 0, at, "padding must not be negative")
		}
	}
	out[at] = before.Plus(inner).Plus(after)
	if n, whole := out[at].Int(); whole && n < 0 || isNegative(before) || isNegative(after) {
		c.Fail(&graph.Mistake{Code: graph.CodeSlice,
			Summary:  fmt.Sprintf("padding of %s and %s elements: sizes must be at least 0", before, after),
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

// PadFrom is the shape rule of padding one axis with elements of x. The axis must have as many elements as least
// returns for each width that is not 0; why says what they are for.
func PadFrom(c *graph.Call, axis int, before, after graph.Dim, least func(width graph.Dim) graph.Dim,
	why string) graph.Shape {
	out := Pad(c, axis, before, after, 1)
	if c.Failed() {
		return out
	}
	at, p := Axis(c, axis, len(out)), prove.NewProver(c.Bounds)
	size := c.Shape(0)[at]
	for _, width := range []graph.Dim{before, after} {
		if width == 0 || width.IsUnknown() || size.IsUnknown() {
			continue
		}
		need := least(width)
		if p.AtLeast(size.Minus(need), 0) == prove.Refused {
			c.Fail(&graph.Mistake{Code: graph.CodeSlice, Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{at}}},
				Summary: fmt.Sprintf("%s, but got: padding (%s, %s) at dimension %d of input %s", why, before, after,
					at, c.Shape(0)),
				Help: []string{fmt.Sprintf("the axis has %s elements, but this padding needs at least %s", size,
					need)}})
			return out
		}
		requireAtLeast(c, p, size, need, at, why)
	}
	return out
}
