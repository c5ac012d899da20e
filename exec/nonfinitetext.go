package exec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// String describes the operation, its source position and its operands, one per line.
func (n *NonFinite) String() string {
	var b strings.Builder
	b.WriteString(n.headline())
	for _, o := range n.Operands {
		b.WriteString("\n  " + o.String())
	}
	if n.Cause != nil {
		b.WriteString("\n  the infinity: " + strings.ReplaceAll(n.Cause.String(), "\n", "\n  "))
	}
	return b.String()
}

func (n *NonFinite) headline() string {
	switch {
	case n.Node.IsParam():
		return fmt.Sprintf(
			"%s: parameter %s holds %g at %v before the run (%d of %d elements): an earlier run wrote it, or it was set to it",
			n.Node.Pos(), n.Node.Label(), n.Value, n.Index, n.Count, n.Elements)
	case n.Node.IsInput():
		return fmt.Sprintf("%s: input %s is fed %g at %v (%d of %d elements)", n.Node.Pos(), n.Node.Label(), n.Value,
			n.Index, n.Count, n.Elements)
	}
	text := fmt.Sprintf("%s: %s makes %g at %v (%d of %d elements)", n.Node.Pos(), graph.Describe(n.Node), n.Value,
		n.Index, n.Count, n.Elements)
	for _, step := range slices.Backward(n.Steps) {
		text += fmt.Sprintf(", in the step at position %d of the loop", step)
	}
	return text
}

// String describes the operand's values.
func (o OperandValues) String() string {
	text := fmt.Sprintf("%s, %s%v", o.Node.Called(), o.Node.DType(), o.Node.Shape())
	if o.Element != nil {
		text += fmt.Sprintf(", is %g there", *o.Element)
	}
	if !math.IsNaN(o.Min) {
		text += fmt.Sprintf(", from %g to %g", o.Min, o.Max)
	}
	if o.NaN > 0 {
		text += fmt.Sprintf(", %d NaN", o.NaN)
	}
	return text
}
