package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// loopAxis lets a loop go over another axis of its values.
func (t *trier) loopAxis() {
	body := t.n.Region()
	if a, isLoop := t.n.Loop(); isLoop && a.Role == graph.LoopEnd {
		body = a.Body
	}
	if body == nil || body.Spec().Example {
		return
	}
	var elements, whole []*graph.Node // the slices of a step, and of what
	rank := 0
	for _, e := range t.n.Graph().Nodes() {
		if a, isLoop := e.Loop(); !isLoop || a.Role != graph.LoopElement || a.Body != body {
			continue
		}
		x := e.In(0)
		if !slices.Contains(e.InCall(), x) {
			return // the loop goes over another axis than the first one already
		}
		if len(elements) == 0 || x.Rank() < rank {
			rank = x.Rank()
		}
		elements, whole = append(elements, e), append(whole, x)
	}
	for axis := 1; axis < rank; axis++ {
		var changes []graph.Change
		for i, e := range elements {
			slice := slices.Delete(slices.Clone(whole[i].Shape()), axis, axis+1)
			changes = append(changes, graph.Change{Node: e, Declared: &graph.Type{DType: e.DType(), Shape: slice}})
		}
		gives := changes[0].Declared.Shape
		text := fmt.Sprintf("let the loop go over axis %d of %s: ops.Loop{Axis: %d, …} gives slices %s", axis,
			whole[0].Called(), axis, gives)
		if t.try(graph.Fix{Kind: graph.FixArguments, At: elements[0], Gives: gives, Text: text}, changes...) {
			return
		}
	}
}
