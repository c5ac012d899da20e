package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// stepsOverExamples finds a loop whose steps are the examples of a batch, and which carries a value for each
// position: the recurrence was probably meant to run over the positions.
func stepsOverExamples(l *lint, n *graph.Node) *graph.Mistake {
	a, is := n.Loop()
	if !is || a.Role != graph.LoopStack || !l.isFromInput(n) || n.In(1).Graph() != l.g {
		return nil
	}
	for _, e := range l.g.Nodes() {
		role, is := e.Loop()
		if !is || role.Body != a.Body || role.Role != graph.LoopElement || e.Err() != nil || e.In(0).Graph() != l.g {
			continue
		}
		x := e.In(0)
		from, weights := l.origins(x, 0)
		if weights || l.areExamples(from) != sure {
			continue
		}
		for _, place := range l.others(x, 0) {
			places, _ := l.origins(x, place)
			if x.Shape()[place].IsSymbolic() && l.areExamples(places) == unlikely && l.hasExamples(n.In(1), places) &&
				l.isHandedOn(a.Body, places) {
				return stepsMistake(n, x, place, l.called(from))
			}
		}
	}
	return nil
}

func stepsMistake(n, x *graph.Node, place int, examples string) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeAttentionOverExamples, Node: n,
		Summary: fmt.Sprintf(
			"a loop along the axis of examples: its steps are %s, so that each example follows from the one before, and axis %d of %s, of size %s, is treated as independent",
			examples, place, x.Called(), x.Shape()[place]),
		Operands: []graph.OperandNote{{Node: x, Bad: []int{0}}},
		Help: []string{
			fmt.Sprintf(
				"the steps should be those along another axis, such as the one of size %s: exchange the two with Transpose before the loop",
				x.Shape()[place]),
			silence("CodeAttentionOverExamples", "AttentionOverExamples")}}
}

// isHandedOn reports whether a step of a loop carries a value with an axis of the sources.
func (l *lint) isHandedOn(body *graph.Region, sources []int) bool {
	return slices.ContainsFunc(l.g.Nodes(), func(n *graph.Node) bool {
		a, is := n.Loop()
		return is && a.Body == body && a.Role == graph.LoopCarried && l.hasExamples(n, sources)
	})
}
