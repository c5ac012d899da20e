package rules

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// checkBroadcastPolicy applies the rules of choice to a broadcast that is legal.
func checkBroadcastPolicy(c *graph.Call, shapes []graph.Shape, result graph.Shape) {
	p := c.Policy()
	if len(shapes) < 2 || c.Node().Origin() != nil {
		return // a gradient is no choice of the user's
	}
	if p.RankZero != graph.Allow || p.RankPromotion != graph.Allow {
		checkRanks(c, p, shapes)
	}
	if expandsMutually(c, shapes, result) {
		sentence := "both operands are repeated; the result is larger than either"
		if len(shapes) > 2 {
			sentence = "all operands are repeated; the result is larger than each of them"
		}
		m := operandMistake(c, graph.CodeMutualExpand, "%s", sentence)
		m.Choice = true
		m.Operands = append(m.Operands, graph.OperandNote{Label: "->", Shape: result})
		m.Help = []string{
			"to keep it: Silence(graph.CodeMutualExpand) on the result, or Policy.MutualExpand = graph.AllowSilently"}
		if p.MutualExpand == graph.RefuseAlways {
			c.Fail(m)
		} else {
			c.Warn(m)
		}
	}
	if p.Backcompat != graph.Allow && len(shapes) == 2 && !shapes[0].Equal(shapes[1]) &&
		shapes[0].NumElements() == shapes[1].NumElements() {
		choose(c, p.Backcompat, operandMistake(c, graph.CodeBackcompat,
			"%s and %s have the same number of elements and different shapes; they broadcast to %s, where PyTorch once matched them element by element",
			shapes[0], shapes[1], result))
	}
}

func checkRanks(c *graph.Call, p graph.Policy, shapes []graph.Shape) {
	for i, s := range shapes {
		if len(s) == 0 && p.RankZero != graph.Allow {
			if _, isNumber := c.In(i).ScalarValue(); !isNumber {
				choose(c, p.RankZero, operandMistake(c, graph.CodeRank,
					"operand %d is a scalar: each tensor must have at least one dimension", i))
				return
			}
		}
		if p.RankPromotion != graph.Allow && len(s) != 0 && len(shapes[0]) != 0 && len(s) != len(shapes[0]) {
			choose(c, p.RankPromotion, operandMistake(c, graph.CodeRank,
				"operands of rank %d and %d are broadcast together", len(shapes[0]), len(s)))
			return
		}
	}
}

func choose(c *graph.Call, what graph.Choice, m *graph.Mistake) {
	m.Choice = true
	switch what {
	case graph.Warn:
		c.Warn(m)
	case graph.Refuse:
		c.Fail(m)
	}
}

// operandMistake is a mistake that shows all operands.
func operandMistake(c *graph.Call, code graph.Code, format string, args ...any) *graph.Mistake {
	m := &graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...)}
	for i := range c.NumIn() {
		m.Operands = append(m.Operands, graph.OperandNote{Node: c.In(i)})
	}
	return m
}
