package axislint

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// keptWeights finds a softmax along an axis that stays in a product which sums another one: the
// weights of what is summed do not add up to 1, as those of attention do along the keys.
func keptWeights(l *lint, n *graph.Node) *graph.Mistake {
	if !l.isFromInput(n) || n.Rank() < 2 {
		return nil
	}
	for _, axis := range l.forms.Normalized(n) {
		if axis == n.Rank()-1 && l.isLeftFactor(n) || !l.isOfInputs(n, axis) {
			continue
		}
		for other := range n.Rank() {
			if other == axis || n.Shape()[other] == 1 || !l.isOfInputs(n, other) {
				continue
			}
			if product := l.sums(n, axis, other); product != nil {
				return keptMistake(n, product, axis, other)
			}
		}
	}
	return nil
}

func keptMistake(n, product *graph.Node, axis, other int) *graph.Mistake {
	x := n.In(0)
	m := &graph.Mistake{Code: graph.CodeKeptWeights, Node: n,
		Summary: fmt.Sprintf("the results add up to 1 along axis %d, and %s sums along axis %d: the weights of what it sums do not add up to 1",
			axis, product.Called(), other),
		Operands: []graph.OperandNote{{Node: x, Bad: []int{axis, other}}}}
	if a, is := n.Attrs().(interface{ WithAxis(int) any }); is {
		m.Help = append(m.Help, fmt.Sprintf("%s gives weights for axis %d", graph.CallText(n, a.WithAxis(other-n.Rank()), x.Called()), other))
	}
	m.Help = append(m.Help, silence("CodeKeptWeights", "KeptWeights"))
	return m
}

// isOfInputs reports whether an axis of a value comes from inputs alone: the slots of slot attention,
// which compete for what is summed, are made by weights.
func (l *lint) isOfInputs(n *graph.Node, axis int) bool {
	from, weights := l.origins(n, axis)
	return l.areInputs(from) && !weights
}

// isLeftFactor reports whether a value, or what dropout and the like make of it, is only used as the
// left operand of products, which sum along its last axis.
func (l *lint) isLeftFactor(n *graph.Node) bool {
	for _, user := range l.usersOf(n) {
		switch {
		case user.Origin() != nil:
		case user.Op().Class == graph.Contract && user.In(0) == n:
		case user.In(0) == n && user.Op().Class != graph.Movement && user.Shape().Equal(n.Shape()) && l.isLeftFactor(user):
		default:
			return false
		}
	}
	return true
}

// sums returns a product of a value that keeps one of its axes and sums another, if none of those
// that are reached first reduces it, as where weights are divided by their sum.
func (l *lint) sums(n *graph.Node, kept, summed int) *graph.Node {
	flow := l.forms.From(graph.AxisOf{Node: n, Axis: kept}, graph.AxisOf{Node: n, Axis: summed})
	has := func(x *graph.Node, source int) bool {
		d, is := flow.Value(x).Of(source)
		return is && len(d.Terms) > 0
	}
	list, seen := []*graph.Node{n}, map[*graph.Node]bool{n: true}
	var product *graph.Node
	for i := 0; i < len(list) && i < maxFollowed; i++ {
		for _, user := range l.usersOf(list[i]) {
			if seen[user] || user.Origin() != nil || !user.Judged() || user.Err() != nil || !has(user, 0) {
				continue
			}
			seen[user] = true
			switch {
			case has(user, 1):
				list = append(list, user)
			case user.Op().Class == graph.Reduce:
				return nil
			case product == nil && user.Op().Class == graph.Contract:
				product = user
			}
		}
	}
	return product
}
