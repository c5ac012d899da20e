package shapeinfer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// checkMixing warns of reshapes that have elements of one axis inside of another: most often a
// transpose was forgotten. What a function of several nodes is written with is no reshape of the user's.
func checkMixing(g *graph.Graph, r *Report) {
	choice := g.Policy().AxisMixing
	if choice == graph.AllowSilently {
		return
	}
	p := prove.NewProver(g.Bounds)
	for _, n := range g.Nodes() {
		if isMovement(n) && !n.IsPart() && axisflow.Mixes(p, n.In(0).Shape(), n.Shape()) && isReshape(n) &&
			!isShift(n) {
			r.choose(mixingMistake(p, n), choice)
		}
	}
}

// isMovement reports whether the user made the node, of sound shapes, as a view of its operand.
func isMovement(n *graph.Node) bool {
	return n.Op().Class == graph.Movement && n.Op().View != nil && len(n.Operands()) == 1 && n.Judged() &&
		n.Err() == nil && n.Origin() == nil && n.StandsFor() == nil
}

// isReshape reports whether a movement leaves all elements of its operand where they are.
func isReshape(n *graph.Node) bool {
	l, ok := axisflow.View(n, graph.RowMajor(n.In(0).Shape()))
	return ok && l.IsRowMajor() && len(n.Stretch(0)) == 0
}

// isShift reports whether a reshape is one of two that move rows against each other: [a, b+1] becomes [b+1, a], loses
// its first row, and becomes [a, b], as the scores of relative positions do in Transformer-XL.
func isShift(n *graph.Node) bool {
	if isFirstOfShift(n) {
		return true
	}
	cut := n.In(0)
	return cut.Op().Class == graph.Movement && len(cut.Operands()) == 1 && isFirstOfShift(cut.In(0)) &&
		isUndone(cut.In(0), cut, n)
}

func isFirstOfShift(n *graph.Node) bool {
	if n.Op().Class != graph.Movement || len(n.Operands()) != 1 {
		return false
	}
	nodes := n.Graph().Nodes()[n.ID()+1:]
	return slices.ContainsFunc(nodes, func(cut *graph.Node) bool {
		return cut.Op().Class == graph.Movement && len(cut.Operands()) == 1 && cut.In(0) == n &&
			slices.ContainsFunc(nodes, func(last *graph.Node) bool {
				return last.Op().Class == graph.Movement && len(last.Operands()) == 1 && last.In(0) == cut &&
					isUndone(n, cut, last)
			})
	})
}

// isUndone reports whether a reshape exchanges the sizes of two axes, which another one exchanges again behind a cut of
// one row.
func isUndone(first, cut, last *graph.Node) bool {
	from, to := axisflow.Core(first.In(0).Shape(), first.Shape())
	back, end := axisflow.Core(cut.Shape(), last.Shape())
	if len(from) != 2 || len(to) != 2 || len(back) != 2 || len(end) != 2 {
		return false
	}
	a, b := from[0], from[1]
	return to[0] == b && to[1] == a && back[0] == b.Minus(1) && back[1] == a && end[0] == a && end[1] == back[0]
}

func mixingMistake(p *prove.Prover, n *graph.Node) *graph.Mistake {
	x := n.In(0)
	m := &graph.Mistake{Code: graph.CodeAxisMixing, Node: n, Apart: true,
		Summary: fmt.Sprintf(
			"elements of different axes of %s are mixed in one axis: a reshape does not move elements, but %s has the axes in another order",
			x.Called(), n.Shape()),
		Operands: []graph.OperandNote{{Node: x}, {Label: "->", Shape: n.Shape()}}}
	if isDeferred := slices.ContainsFunc(n.Graph().Requirements(), func(q graph.Requirement) bool {
		return q.Node == n
	}); isDeferred {
		m.Help = append(m.Help, firstKept(n)...)
	} else if remedy, ok := axisflow.Unmix(p, x.Shape(), n.Shape()); ok {
		m.Help = append(m.Help, remedyText(n, remedy))
	} else {
		m.Help = append(m.Help, firstKept(n)...)
	}
	m.Help = append(m.Help,
		"to keep it: Silence(graph.CodeAxisMixing) on the result, or Policy.AxisMixing = graph.AllowSilently")
	return m
}

// firstKept is the help for a reshape whose elements need not even fit: the first axis, most often that
// of examples, was to stay where something else stands. The call is tried.
func firstKept(n *graph.Node) []string {
	x := n.In(0)
	first := x.Shape()[0]
	attrs, is := n.Attrs().(sized)
	if !is || first == 1 || n.Rank() < 2 || n.Shape()[0] == first {
		return nil
	}
	open, at := slices.Clone(n.Shape()), -1
	if n.Rank() == 2 {
		at = 1
	}
	for axis, d := range n.Shape()[1:] {
		if !d.IsConst() {
			at = axis + 1
		}
	}
	if at < 0 {
		return nil
	}
	open[0], open[at] = first, -1
	change := graph.Change{Node: n, Attrs: attrs.WithShape(open)}
	trial := n.Graph().Try(change)
	if !trial.Cures(n) {
		return nil
	}
	return []string{fmt.Sprintf("keep the first axis: %s gives %s", graph.CallText(n, change.Attrs, x.Called()),
		trial.Shape(n))}
}

// remedyText writes the calls that bring axes into another order before the reshape.
func remedyText(n *graph.Node, r axisflow.Remedy) string {
	word := n.In(0).Called()
	if r.Split != nil {
		word = "Reshape(" + strings.Join(append([]string{word}, sizeWords(r.Split)...), ", ") + ")"
	}
	word = orderedText(word, r.Perm)
	if !r.Gives.Equal(n.Shape()) {
		word = graph.CallText(n, n.Attrs(), word)
	}
	return fmt.Sprintf("reorder the axes first: %s gives %s", word, n.Shape())
}

// orderedText is the call that brings the axes of a value into another order.
func orderedText(word string, perm []int) string {
	axes := make([]string, len(perm))
	var moved []string
	for i, a := range perm {
		axes[i] = strconv.Itoa(a)
		if a != i {
			moved = append(moved, strconv.Itoa(i))
		}
	}
	if len(moved) == 2 {
		return "Transpose(" + strings.Join(slices.Insert(moved, 0, word), ", ") + ")"
	}
	return "Permute(" + strings.Join(slices.Insert(axes, 0, word), ", ") + ")"
}

func sizeWords(s graph.Shape) []string {
	words := make([]string, len(s))
	for i, d := range s {
		words[i] = d.String()
	}
	return words
}
