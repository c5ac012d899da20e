package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// leftOut warns of writes of parameters that a program does not carry out, although it carries
// out others and has what these need: running statistics whose update was forgotten beside the
// optimiser's. A write that needs a gradient which the program does not compute belongs to
// another program, such as that of a second optimiser.
func leftOut(g *graph.Graph, program []*graph.Node) (warnings []*graph.Mistake) {
	computed, writes := make([]bool, len(g.Nodes())), false
	for _, n := range program {
		computed[n.ID()] = true
		writes = writes || writesParam(n)
	}
	if !writes {
		return nil
	}
	for _, n := range g.Nodes() {
		if !writesParam(n) || computed[n.ID()] || !storesComputed(n, computed) {
			continue
		}
		warnings = append(warnings, &graph.Mistake{Code: graph.CodeLeftOut, Severity: graph.Warning, Node: n, Choice: true,
			Summary: fmt.Sprintf("the program carries out other writes and not this one of %s, which follows from what it reads", alias.Storage(n).Called()),
			Help: []string{"give it to exec.Updates",
				"if another program carries it out: Silence(graph.CodeLeftOut) on the write"}})
	}
	return warnings
}

// writesParam reports whether a node is a write of a parameter.
func writesParam(n *graph.Node) bool {
	return n.Judged() && n.Op().Class == graph.Update && alias.Storage(n).IsParam()
}

// storesComputed reports whether a write needs inputs or values of a program, and otherwise
// only what follows from these without another gradient.
func storesComputed(write *graph.Node, computed []bool) (found bool) {
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
		case n.Origin() != nil:
			return false
		}
		seen[n] = true
		todo = append(todo, n.Operands()...)
	}
	return found
}
