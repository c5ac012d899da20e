package rules

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Freedom checks the number of elements over which a variance is estimated. The variance is NaN unless they are more
// than the correction: it warns if they never are, and notes if they may not be.
func Freedom(c *graph.Call, axes []int, correction float64) {
	if c.Failed() || c.Node().Origin() != nil || correction < 1 || correction >= math.MaxInt32 {
		return
	}
	elements := graph.Dim(1)
	for _, axis := range axes {
		elements = elements.Times(c.Shape(0)[axis])
	}
	least := int64(correction) + 1
	if elements.IsUnknown() || elements == 0 {
		return
	}
	switch prove.NewProver(c.Bounds).AtLeast(elements, least) {
	case prove.Refused:
		m := operandMistake(c, graph.CodeFreedom,
			"degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "+
				"(input numel divided by output numel).")
		m.Detail = []string{
			fmt.Sprintf("the result is NaN: it is divided by the number of elements minus the correction, %s - %v",
				elements, correction)}
		m.Help = []string{"estimate over more elements; or use correction 0, if these are the whole population"}
		m.Choice = true
		c.Warn(m)
	case prove.Deferred:
		m := &graph.Mistake{Code: graph.CodeFreedom, Node: c.Node(),
			Summary: fmt.Sprintf("the result is NaN unless %s >= %d", elements, least)}
		if name := elements.Symbols(); len(name) == 1 && graph.SymbolicDim(name[0]) == elements {
			m.Help = []string{fmt.Sprintf("declare g.Dim(%q, graph.AtLeast(%d)) to refuse smaller sizes", name[0],
				least)}
		}
		c.Node().Graph().Note(m)
	}
}
