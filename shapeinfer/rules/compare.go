package rules

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// TargetDiffers reports whether the shapes of a loss's target and prediction differ. It does not compare two sizes if
// one has a name.
func TargetDiffers(x, target graph.Shape) bool {
	if len(x) != len(target) {
		return true
	}
	for axis := range x {
		a, b := x[axis], target[axis]
		if a != b && (a == 1 || b == 1 || a.IsConst() && b.IsConst()) {
			return true
		}
	}
	return false
}

// TargetRepeats reports whether a target of a different shape broadcasts with the prediction.
func TargetRepeats(x, target graph.Shape) bool {
	for right := 1; right <= min(len(x), len(target)); right++ {
		if a, b := x[len(x)-right], target[len(target)-right]; a != b && a != 1 && b != 1 {
			return false
		}
	}
	return TargetDiffers(x, target)
}

// WarnTarget warns if the shapes of a target, operand 1, and of operand 0 differ, as PyTorch does. A result larger
// than both has its own warning.
func WarnTarget(c *graph.Call, result graph.Shape) {
	p := c.Policy()
	if c.Failed() || p.TargetShape == graph.AllowSilently || !TargetRepeats(c.Shape(0), c.Shape(1)) ||
		expandsMutually(c, operandShapes(c), result) {
		return
	}
	m := targetMistake(c, "Using a target size (torch.Size(%s)) that is different to the input size (torch.Size(%s)). "+
		"This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.")
	m.Help = append(m.Help,
		"to keep it: Silence(graph.CodeTargetShape) on the result, or Policy.TargetShape = graph.AllowSilently")
	m.Choice = true
	if p.TargetShape == graph.RefuseAlways {
		c.Fail(m)
	} else {
		c.Warn(m)
	}
}

// RefuseTarget refuses a target, operand 1, of another shape than operand 0. sentence has
// their shapes, the target's first.
func RefuseTarget(c *graph.Call, sentence string) graph.Shape {
	if TargetDiffers(c.Shape(0), c.Shape(1)) {
		c.Fail(targetMistake(c, sentence))
	}
	return c.Shape(0)
}

func targetMistake(c *graph.Call, sentence string) *graph.Mistake {
	x, target := c.Shape(0), c.Shape(1)
	m := operandMistake(c, graph.CodeTargetShape, sentence, target, x)
	b := CallRules(c).BroadcastShapes(x, target)
	if len(b.Clashes) > 0 {
		return m
	}
	for i, s := range []graph.Shape{x, target} {
		if !s.Equal(b.Shape) && !s.NumElements().IsUnknown() && s.NumElements() != b.Shape.NumElements() {
			m.Help = append(m.Help, fmt.Sprintf(
				"if each element of %s is meant for several of the other, write: Expand(%s, %s)",
				c.In(i).Called(), c.In(i).Called(), strings.Trim(b.Shape.String(), "[]")))
		}
	}
	return m
}

func operandShapes(c *graph.Call) []graph.Shape {
	shapes := make([]graph.Shape, c.NumIn())
	for i := range shapes {
		shapes[i] = c.Shape(i)
	}
	return shapes
}
