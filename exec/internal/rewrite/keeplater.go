package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
)

// KeepLater lets loops keep values that are computed from a kept value instead of the value itself. The gradient of a
// loop reads products of all steps, which the loop keeps. It often only adds something to them: LSTMs add the input's
// part of their gates to the state's. Keeping the sum takes as much memory, saves computing it twice, and the gradient
// need not read the other term.
func KeepLater(u *Program) error {
	for {
		found := findLater(u)
		if len(found.of) == 0 {
			return nil
		}
		made := map[*graph.Node]*graph.Node{} // by the value that is now kept
		u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
			switch later := found.of[n]; {
			case later != nil:
				a, _ := n.Loop()
				return loopop.Stack(a.Body, in[0], made[later])
			case found.again[n]:
				return in[found.operand[n]]
			case found.kept[n]:
				made[n] = next.Copy(n, in)
				return made[n]
			}
			return nil
		})
		if err := DCE(u); err != nil {
			return err
		}
	}
}

// laterValues are values that loops can keep instead of others.
type laterValues struct {
	of      map[*graph.Node]*graph.Node // by the stack of a value: what the same loop computes from it
	kept    map[*graph.Node]bool        // these
	again   map[*graph.Node]bool        // their recomputations in the loop that reads the stack
	operand map[*graph.Node]int         // and which of their operands is the kept value
}

func findLater(u *Program) laterValues {
	l := laterValues{map[*graph.Node]*graph.Node{}, map[*graph.Node]bool{}, map[*graph.Node]bool{},
		map[*graph.Node]int{}}
	uses := u.usesOf()
	var written map[*graph.Node]bool
	for _, again := range u.Graph.Nodes() {
		if again.Op().Class != graph.Elementwise || again.Region() == nil {
			continue
		}
		for i, x := range again.Operands() {
			all := stepsOf(x, graph.LoopElement)
			if all == nil || uses[x.ID()] != 1 || uses[all.ID()] != 1 || x.Region() != again.Region() ||
				x.DType() != again.DType() || !x.Shape().Equal(again.Shape()) {
				continue
			}
			n := stepsOf(all, graph.LoopStack)
			if n == nil || !takesAllSteps(all.In(0)) || n.Region().Parent() != again.Region().Parent() {
				continue
			}
			if written == nil {
				written = analysis.WrittenMemory(u.Graph)
			}
			if later := sameIn(u.Graph, n.Region(), again); later != nil && !l.kept[later] && !written[later] &&
				!written[again] && !written[n] {
				l.of[all], l.kept[later], l.again[again], l.operand[again] = later, true, true, i
				break
			}
		}
	}
	return l
}

// stepsOf returns the value that a node of class Loop slices or stacks, if it has that role; nil otherwise.
func stepsOf(n *graph.Node, role graph.LoopRole) *graph.Node {
	if a, is := n.Loop(); !is || a.Role != role {
		return nil
	}
	x := n.In(len(n.Operands()) - 1)
	if a, _ := n.Loop(); role == graph.LoopStack && x.Region() != a.Body {
		return nil
	}
	return x
}

// takesAllSteps reports whether a loop cannot end early.
func takesAllSteps(end *graph.Node) bool {
	a, _ := end.Loop()
	return !a.Limited && !a.Stops
}

// sameIn returns the node in one loop's body that computes the same as n in another's, at the same positions, or nil.
func sameIn(g *graph.Graph, body *graph.Region, n *graph.Node) *graph.Node {
	in := make([]*graph.Node, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = x
		if !n.Region().Holds(x.Region()) {
			continue // a value from outside
		}
		all := stepsOf(x, graph.LoopElement)
		if all == nil {
			return nil
		}
		if in[i] = stepsOf(all, graph.LoopStack); in[i] == nil || in[i].Region() != body {
			in[i] = find(g, func(e *graph.Node) bool {
				return e.Region() == body && stepsOf(e, graph.LoopElement) == all
			})
		}
		if in[i] == nil {
			return nil
		}
	}
	return find(g, func(m *graph.Node) bool {
		return m.Region() == body && m.Op() == n.Op() && m.DType() == n.DType() && slices.Equal(m.Operands(), in) &&
			graph.SameAttrs(m.Attrs(), n.Attrs())
	})
}

func find(g *graph.Graph, is func(*graph.Node) bool) *graph.Node {
	if i := slices.IndexFunc(g.Nodes(), is); i >= 0 {
		return g.Nodes()[i]
	}
	return nil
}
