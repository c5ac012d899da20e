package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Reshape returns the shape that the wanted sizes mean for an operand: one of them may
// be -1, and is then found by exact division.
func Reshape(c *graph.Call, want graph.Shape) graph.Shape {
	from := c.Shape(0)
	total, known, hole := from.NumElements(), graph.Dim(1), -1
	out := append(graph.Shape{}, want...)
	for i, d := range want {
		switch n, whole := d.Int(); {
		case whole && n == -1 && hole >= 0:
			c.Fail(reshapeMistake(c, "only one dimension can be inferred"))
			out[i] = graph.UnknownDim
			return out
		case whole && n == -1:
			hole = i
			out[i] = graph.UnknownDim
		case whole && n < 0:
			c.Fail(reshapeMistake(c, "invalid shape dimension %d", n))
			out[i] = graph.UnknownDim
			return out
		case !d.Valid() && !d.IsUnknown():
			c.Fail(&graph.Mistake{Code: graph.CodeSize,
				Summary: fmt.Sprintf("axis %d of the new shape is not a valid size", i)})
			out[i] = graph.UnknownDim
			return out
		default:
			known = known.Times(d)
		}
	}
	if total.IsUnknown() || known.IsUnknown() || !total.Valid() || !known.Valid() {
		return out
	}
	total, known = c.Settled(total), c.Settled(known)
	if hole < 0 {
		requireCount(c, total, known, want)
		return out
	}
	return inferHole(c, total, known, want, out, hole)
}

// requireCount judges that there are as many elements as before.
func requireCount(c *graph.Call, total, known graph.Dim, want graph.Shape) {
	switch prove.NewProver(c.Bounds).Equal(total, known) {
	case prove.Refused:
		c.Fail(countMistake(c, total, want))
		return
	case prove.Proved:
		return
	}
	count := total
	total, known = withoutCommonSizes(c, total, known, want)
	a, b := total.LowestTerms(known)
	isProduct := dividesExactly(a, b) || dividesExactly(b, a)
	if common, exact := known.ExactDiv(b); !exact || prove.NewProver(c.Bounds).AtLeast(common, 1) != prove.Proved {
		a, b = total, known
	} else if requireDivisions(c, count, a, b, want) || requireDivisions(c, count, b, a, want) {
		return
	}
	if verdict, names := CallRules(c).MustEqual(a, b); verdict == prove.Refused && names && !isProduct {
		c.Fail(countMistake(c, count, want))
		return
	}
	c.Require(graph.Requirement{Kind: graph.MustEqual, A: a, B: b, Why: whyCount})
}

const whyCount = "the number of elements of a reshape"

// withoutCommonSizes returns the numbers of elements without the axes that both shapes have, where
// these have elements: what is left may be a quotient, of which a sum makes another one.
func withoutCommonSizes(c *graph.Call, total, known graph.Dim, want graph.Shape) (graph.Dim, graph.Dim) {
	left, added, common := slices.Clone(c.Shape(0)), graph.Shape{}, graph.Dim(1)
	for _, d := range want {
		at := slices.Index(left, d)
		if at < 0 {
			added = append(added, d)
			continue
		}
		left, common = slices.Delete(left, at, at+1), common.Times(d)
	}
	if common == 1 || prove.NewProver(c.Bounds).AtLeast(common, 1) != prove.Proved {
		return total, known
	}
	return c.Settled(left.NumElements()), c.Settled(added.NumElements())
}

// dividesExactly reports whether rounded is a product with divisions that round down, and total
// what it is where none leaves a remainder: they are equal then.
func dividesExactly(total, rounded graph.Dim) bool {
	is, divisions := rounded.Unrounded()
	return len(divisions) > 0 && rounded.IsProduct() && is == total
}

// requireDivisions judges total == rounded where these are equal exactly if no division of
// rounded leaves a remainder. ok is false where the sizes have another form.
func requireDivisions(c *graph.Call, count, total, rounded graph.Dim, want graph.Shape) (ok bool) {
	_, divisions := rounded.Unrounded()
	if !dividesExactly(total, rounded) || !arePositive(c, total, divisions) {
		return false
	}
	for _, d := range divisions {
		if requireMultiple(c, d.Of, d.By, 0) == prove.Refused {
			c.Fail(countMistake(c, count, want))
			break
		}
	}
	return true
}

// arePositive reports whether divisors, and the factors beside the only division, or all factors
// beside and in several, are at least 1.
func arePositive(c *graph.Call, total graph.Dim, divisions []graph.Division) bool {
	factors := []graph.Dim{total}
	for _, d := range divisions {
		factors = append(factors, d.Of, d.By)
	}
	if beside, exact := total.ExactDiv(divisions[0].Of); exact && len(divisions) == 1 {
		factors = []graph.Dim{beside, divisions[0].By}
	}
	p := prove.NewProver(c.Bounds)
	return !slices.ContainsFunc(factors, func(d graph.Dim) bool { return p.AtLeast(d, 1) != prove.Proved })
}

// requireMultiple judges that a is a multiple of b, which is at least 1, and records the
// requirement in its plainest form.
func requireMultiple(c *graph.Call, a, b graph.Dim, axis int) prove.Verdict {
	a, b = a.Divisibility(b)
	if b == 1 || c.IsMultiple(a, b) {
		return prove.Proved
	}
	need := graph.Requirement{Kind: graph.MustBeMultipleOf, A: a, B: b, Axis: axis, Why: whyCount}
	verdict := prove.NewProver(c.Bounds).Judge(need)
	if verdict == prove.Deferred {
		c.Require(need)
	}
	return verdict
}

func inferHole(c *graph.Call, total, known graph.Dim, want, out graph.Shape, hole int) graph.Shape {
	if known == 0 {
		if total == 0 {
			c.Fail(
				reshapeMistake(c,
					"cannot reshape tensor of 0 elements into shape %s because the unspecified dimension size -1 can be any value and is ambiguous",
					want))
		} else {
			c.Fail(countMistake(c, total, want))
		}
		return out
	}
	switch prove.NewProver(c.Bounds).AtLeast(known, 1) {
	case prove.Refused:
		c.Fail(countMistake(c, total, want))
		return out
	case prove.Deferred:
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: known, B: 1, Axis: hole,
			Why: "the size -1 of a reshape is found by division"})
	}
	if requireMultiple(c, total, known, hole) == prove.Refused {
		c.Fail(countMistake(c, total, want))
		return out
	}
	out[hole] = total.DividedBy(known)
	return out
}

func reshapeMistake(c *graph.Call, format string, args ...any) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeReshape, Summary: fmt.Sprintf(format, args...),
		Operands: []graph.OperandNote{{Node: c.In(0)}}}
}

func countMistake(c *graph.Call, total graph.Dim, want graph.Shape) *graph.Mistake {
	m := reshapeMistake(c, "shape '%s' is invalid for input of size %s", want, total)
	if !total.IsConst() || !want.IsStatic() {
		m.Summary = fmt.Sprintf("%s elements do not fit %s", total, want)
	}
	m.Operands[0].Text = fmt.Sprintf("%s elements", total)
	return m
}
