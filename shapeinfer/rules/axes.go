package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Axis normalises an axis to 0..rank-1. A scalar accepts 0 and -1, as in PyTorch. It returns -1 after recording a
// mistake.
func Axis(c *graph.Call, axis, rank int) int {
	r := max(rank, 1)
	if axis < -r || axis >= r {
		c.Fail(axisMistake(c, axis, r))
		return -1
	}
	if axis < 0 {
		axis += r
	}
	return axis
}

func axisMistake(c *graph.Call, axis, rank int) *graph.Mistake {
	m := &graph.Mistake{Code: graph.CodeAxis,
		Summary: fmt.Sprintf("Dimension out of range (expected to be in range of [%d, %d], but got %d)", -rank, rank-1,
			axis)}
	if c.NumIn() > 0 && c.In(0).Rank() > 0 {
		words := make([]string, c.In(0).Rank())
		for i, d := range c.Shape(0) {
			words[i] = fmt.Sprintf("axis %d is %s", i, QuoteName(d))
		}
		m.Detail = []string{strings.Join(words, ", ")}
	}
	return m
}

// Axes normalises a list of axes: each from 0, without repetition, in ascending order. nil means all axes. ok is
// false after a mistake was recorded.
func Axes(c *graph.Call, axes []int, rank int) (list []int, ok bool) {
	if axes == nil {
		list = make([]int, rank)
		for i := range list {
			list[i] = i
		}
		return list, true
	}
	list = make([]int, 0, len(axes))
	for _, a := range axes {
		at := Axis(c, a, rank)
		if at < 0 {
			return nil, false
		}
		if slices.Contains(list, at) {
			c.Fail(&graph.Mistake{Code: graph.CodeAxis,
				Summary: fmt.Sprintf("dim %d appears multiple times in the list of dims", at)})
			return nil, false
		}
		list = append(list, at)
	}
	slices.Sort(list)
	return list[:min(len(list), rank)], true // a scalar has no axis 0 to take away
}

// Reduced returns the shape after folding the axes (normalised) away, or to size 1 when
// keep is set.
func Reduced(s graph.Shape, axes []int, keep bool) graph.Shape {
	out := make(graph.Shape, 0, len(s))
	for i, d := range s {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, d)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

// NonEmpty requires that the axes of a reduction without identity have elements. word is PyTorch's name of the
// operation. The message shows axes as given; nil means all. An axis out of range is refused here only if it comes
// before one without elements, as in PyTorch.
func NonEmpty(c *graph.Call, word string, axes []int) {
	s := c.Shape(0)
	if axes == nil {
		if at := slices.Index(s, 0); at >= 0 {
			c.Fail(emptyMistake(c, at, word+"(): Expected reduction dim to be specified for input.numel() == 0."+
				specifyDim(c)))
		}
		axes, _ = Axes(c, nil, len(s))
	}
	for _, a := range axes {
		at := a
		if a < 0 {
			at += len(s)
		}
		if at < 0 || at >= len(s) {
			if slices.Contains(s, 0) {
				Axis(c, a, len(s))
			}
			return
		}
		switch d := s[at]; {
		case d == 0:
			c.Fail(emptyMistake(c, at, fmt.Sprintf("%s(): Expected reduction dim %d to have non-zero size.", word, a)))
			return
		default:
			AtLeastOne(c, d, at, noElements)
		}
	}
}

// AtLeastOne requires that the named size of an axis is not 0, unless that is known.
func AtLeastOne(c *graph.Call, d graph.Dim, axis int, why string) {
	if d.IsSymbolic() && prove.NewProver(c.Bounds).AtLeast(d, 1) != prove.Proved {
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: axis, Why: why})
	}
}

const noElements = "a maximum or minimum of no elements has no value"

func emptyMistake(c *graph.Call, axis int, summary string) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeEmpty, Summary: summary, Detail: []string{noElements},
		Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{axis}}}}
}

// specifyDim is what PyTorch adds, but not for indices.
func specifyDim(c *graph.Call) string {
	if fold := c.Op().Fold; fold == graph.FoldArgMax || fold == graph.FoldArgMin {
		return ""
	}
	return " Specify the reduction dim with the 'dim' argument."
}

// RefuseDType records that the operation is not defined for its operands' dtypes.
func RefuseDType(c *graph.Call, sentence string) { c.Fail(dtypeMistake(c, sentence)) }

// refuseFor is [RefuseDType] of an operand that should have another dtype.
func refuseFor(c *graph.Call, operand int, to graph.DType, sentence string) {
	m := dtypeMistake(c, sentence)
	m.Casts = []graph.Casting{{Node: c.In(operand), To: to}}
	c.Fail(m)
}

// refuseIndex is [RefuseDType] where the dtype of an operand that holds indices is at fault. Of a mask it says what
// takes one: as numbers it would name the elements 0 and 1.
func refuseIndex(c *graph.Call, operand int, sentence string) {
	m := dtypeMistake(c, sentence)
	m.Operands[operand].Names = true
	if c.DType(operand) == graph.Bool {
		m.Help = []string{maskHelp}
	}
	c.Fail(m)
}

// maskHelp says what there is for the masks with which NumPy and PyTorch index.
const maskHelp = "with a mask, use ops.Compress to select slices and ops.MaskedSelect to select elements, up to a given size; ops.Where, ops.MaskedFill or ops.MaskedScatter to write; or ops.Nonzero for indices"

func dtypeMistake(c *graph.Call, sentence string) *graph.Mistake {
	m := operandMistake(c, graph.CodeDType, "%s", sentence)
	for i := range m.Operands {
		m.Operands[i].DType = c.In(i).Written().DType()
	}
	return m
}
