package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// leftOut warns of what was built for what it does and is not done: see neverCalled and neverWritten, and of writes of
// parameters that a program does not carry out, although it carries out others and has what these need: running
// statistics whose update was forgotten beside the optimiser's, or the step of state that the program reads, such as a
// counter from which random numbers are drawn. A write that needs a gradient which the program does not compute belongs
// to another program, such as that of a second optimiser.
func leftOut(g *graph.Graph, program []*graph.Node) (warnings []*graph.Mistake) {
	computed, written := make([]bool, len(g.Nodes())), map[*graph.Node]bool{}
	for _, n := range program {
		computed[n.ID()] = true
		if writesParam(n) {
			written[alias.Storage(n)] = true
		}
	}
	warnings = append(neverCalled(g, computed), neverWritten(g, computed)...)
	if len(written) == 0 {
		return warnings
	}
	told := map[string]*graph.Mistake{}
	for _, n := range g.Nodes() {
		if !writesParam(n) || computed[n.ID()] {
			continue
		}
		follows, readsInput := storesComputed(n, computed)
		state := alias.Storage(n)
		if steps := state.IsState() && computed[state.ID()] && !written[state]; !follows || !readsInput && !steps {
			continue
		}
		m := notDone(n, "the write", "pass it to exec.Updates",
			"the program performs other writes but not this one of %s, which is computed from values that it reads",
			alias.Storage(n).Called())
		if how := n.HandedOut(); how != "" {
			if first := told[how]; first != nil {
				first.Detail = append(first.Detail, "nor that of "+alias.Storage(n).Called())
				continue
			}
			m.Help[0], told[how] = how, m
		}
		warnings = append(warnings, m)
	}
	return warnings
}

// notDone is the warning of a node that a program does not carry out, with words for it and what to do.
func notDone(n *graph.Node, it, help, format string, args ...any) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeLeftOut, Severity: graph.Warning, Node: n, Choice: true,
		Summary: fmt.Sprintf(format, args...),
		Help:    []string{help, "if another program performs it: Silence(graph.CodeLeftOut) on " + it}}
}

// neverCalled warns of ordered operations of which nothing uses the result, and which follow from what the program
// computes.
func neverCalled(g *graph.Graph, computed []bool) (warnings []*graph.Mistake) {
	for i, n := range g.Nodes() {
		if !n.Op().Ordered || n.Op().Class != graph.Function || n.Region() != nil || !n.Judged() || computed[i] {
			continue
		}
		used := isUsed(g, n)
		if follows, found := storesComputed(n, computed); follows && found && !used {
			warnings = append(warnings, notDone(
				n, "it", "use the result, or pass it to exec.Updates",
				"nothing uses the result, so the program does not perform it"))
		}
	}
	return warnings
}

// neverWritten warns of writes of values that the program computes where nothing uses the result: unlike in PyTorch,
// what reads the value itself reads what it was before the write.
func neverWritten(g *graph.Graph, computed []bool) (warnings []*graph.Mistake) {
	for i, n := range g.Nodes() {
		if n.Op().Class != graph.Update || !n.Judged() || computed[i] {
			continue
		}
		if whole := alias.Storage(n); !whole.IsParam() && computed[whole.ID()] && !isUsed(g, n) {
			warnings = append(warnings, notDone(
				n, "it",
				"use the result instead of what is written; if a part is written, ops.After(whole, part) is the whole after the write",
				"nothing uses the result, so the program does not perform the write: %s keeps its old value",
				whole.Called()))
		}
	}
	return warnings
}

// isUsed reports whether something else than its own results uses the result of n.
func isUsed(g *graph.Graph, n *graph.Node) bool {
	return slices.ContainsFunc(g.Nodes()[n.ID()+1:], func(user *graph.Node) bool {
		if !slices.Contains(user.Operands(), n) {
			return false
		}
		return !user.Op().Unpacks || isUsed(g, user)
	})
}

// writesParam reports whether a node is a write of a parameter.
func writesParam(n *graph.Node) bool {
	return n.Judged() && n.Op().Class == graph.Update && alias.Storage(n).IsParam()
}

// storesComputed reports whether what a write needs follows from a program without another
// gradient or input, and whether inputs or values of the program are among it.
func storesComputed(write *graph.Node, computed []bool) (follows, found bool) {
	seen, todo := map[*graph.Node]bool{}, []*graph.Node{write}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case n == nil || seen[n] || n.Graph() != write.Graph():
			continue
		case computed[n.ID()]:
			found = found || n.Op().Class != graph.Source || n.IsInput()
			continue
		case n.Origin() != nil, n.IsInput():
			return false, false
		}
		seen[n] = true
		todo = append(todo, n.Operands()...)
	}
	return true, found
}
