package ops

import (
	"fmt"
	"strconv"

	"github.com/broadloom/broadloom/graph"
)

// refuseOutside makes a mistake of a number that the program writes into a value and that the value's dtype does not
// hold. Arithmetic and comparisons convert such a number, as PyTorch does.
func refuseOutside(c *graph.Call, t graph.DType, numbers ...float64) {
	for _, v := range numbers {
		if !t.Holds(v) {
			failOutside(c, t, strconv.FormatFloat(v, 'g', -1, 64))
			return
		}
	}
}

// inRange wraps the rule of an operation that writes numbers among its operands into its result.
func inRange(rule func(*graph.Call) (graph.DType, graph.Shape)) func(*graph.Call) (graph.DType, graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		for i := range c.NumIn() {
			if a, is := c.In(i).Outside(); is {
				failOutside(c, c.DType(i), a.String())
				break
			}
		}
		return rule(c)
	}
}

func failOutside(c *graph.Call, t graph.DType, number string) {
	m := outsideOf(t, number)
	for i := range c.NumIn() {
		if _, is := c.In(i).Outside(); !is {
			m.Operands = append(m.Operands, graph.OperandNote{Node: c.In(i), DType: c.DType(i)})
		}
	}
	c.Fail(m)
}

// outsideOf is the mistake of a number that a dtype does not hold.
func outsideOf(t graph.DType, number string) *graph.Mistake {
	least, greatest := t.Range()
	help := "write one of these numbers, or convert the tensor first, with ops.Cast, to a dtype that has it"
	if t.IsFloat() && !t.IsStorage() {
		help = "write one of these numbers, or an infinity; or convert the tensor first, with ops.Cast, to a dtype that has it"
	}
	return &graph.Mistake{Code: graph.CodeOperand, Help: []string{help},
		Summary: fmt.Sprintf("value cannot be converted to type %s without overflow: %s is not from %g to %g", t,
			number, least, greatest)}
}
