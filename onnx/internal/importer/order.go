package importer

import (
	"slices"

	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// uses calls f with the names that a node uses, in bodies too.
func uses(n *wire.Node, f func(name string)) {
	for _, in := range n.Inputs {
		f(in)
	}
	for _, a := range n.Attributes {
		for _, body := range append(a.Graphs[:len(a.Graphs):len(a.Graphs)], a.Graph) {
			if body == nil {
				continue
			}
			for _, inner := range body.Nodes {
				uses(inner, f)
			}
			for _, out := range body.Outputs {
				f(out.Name)
			}
		}
	}
}

// producers are the nodes that make values, by their names.
func producers(list []*wire.Node) map[string]*wire.Node {
	made := make(map[string]*wire.Node, len(list))
	for _, n := range list {
		for _, out := range n.Outputs {
			if out != "" {
				made[out] = n
			}
		}
	}
	return made
}

// inOrder lists nodes behind those whose results they use, as files should.
func inOrder(list []*wire.Node) []*wire.Node {
	made, known, isOrdered := producers(list), map[*wire.Node]bool{}, true
	for _, n := range list {
		uses(n, func(name string) { isOrdered = isOrdered && (made[name] == nil || known[made[name]]) })
		known[n] = true
	}
	if isOrdered {
		return list
	}
	return visit(made, list)
}

// needed are the nodes that values depend on, in an order in which they can be computed.
func needed(list []*wire.Node, values []string) []*wire.Node {
	made, isNeeded := producers(list), map[*wire.Node]bool{}
	next := slices.Clone(values)
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		if n := made[name]; n != nil && !isNeeded[n] {
			isNeeded[n] = true
			uses(n, func(name string) { next = append(next, name) })
		}
	}
	var kept []*wire.Node
	for _, n := range list {
		if isNeeded[n] {
			kept = append(kept, n)
		}
	}
	return kept
}

// visit lists nodes and, before them, those that they use. Of a circle, one lacks what it uses.
func visit(made map[string]*wire.Node, list []*wire.Node) (ordered []*wire.Node) {
	type frame struct {
		n    *wire.Node
		left []*wire.Node
	}
	begun := map[*wire.Node]bool{}
	var stack []frame
	push := func(n *wire.Node) {
		if begun[n] {
			return
		}
		begun[n] = true
		f := frame{n: n}
		uses(n, func(name string) {
			if from := made[name]; from != nil {
				f.left = append(f.left, from)
			}
		})
		stack = append(stack, f)
	}
	for _, n := range list {
		push(n)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.left) == 0 {
				ordered = append(ordered, top.n)
				stack = stack[:len(stack)-1]
				continue
			}
			from := top.left[0]
			top.left = top.left[1:]
			push(from)
		}
	}
	return ordered
}
