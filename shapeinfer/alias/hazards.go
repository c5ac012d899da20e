package alias

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Disorder is a write for which there is no place in the order of a program.
type Disorder struct {
	Write *graph.Node
	First *graph.Node // the other write of the same state of a value; or
	// Reader needs the write and what it destroys.
	Reader *graph.Node
}

// Disorders finds the writes of nodes, in their order, that no order satisfies.
func Disorders(nodes []*graph.Node) (found []Disorder) {
	if len(nodes) == 0 {
		return nil
	}
	w := FindWrites(nodes)
	for _, n := range w.second {
		found = append(found, Disorder{Write: n, First: w.next[State(n.In(0))]})
	}
	if w.Any() {
		o := orderCheck{w: w, state: make([]int32, len(nodes[0].Graph().Nodes())), blamed: map[*graph.Node]bool{}}
		for _, n := range nodes {
			o.visit(n)
		}
		found = append(found, o.found...)
	}
	return found
}

// Closure returns nodes of a graph with all that they lead to, in the graph's order; a node
// leads to nodes before it, with which leadsTo calls want.
func Closure(g *graph.Graph, roots []*graph.Node, leadsTo func(n *graph.Node, want func(...*graph.Node))) (list []*graph.Node) {
	if g == nil {
		return nil
	}
	wanted := make([]bool, len(g.Nodes()))
	want := func(nodes ...*graph.Node) {
		for _, n := range nodes {
			if n != nil && n.Graph() == g {
				wanted[n.ID()] = true
			}
		}
	}
	want(roots...)
	for _, n := range slices.Backward(g.Nodes()) {
		if wanted[n.ID()] {
			list = append(list, n)
			leadsTo(n, want)
		}
	}
	slices.Reverse(list)
	return list
}

// LateReads returns, of nodes of one graph, those that read a state of a value and need the
// write that destroys it, each with that state: see [State]. It gives one for each write;
// when their reads are copied, there may be others.
func LateReads(nodes []*graph.Node) map[*graph.Node]*graph.Node {
	late := map[*graph.Node]*graph.Node{}
	for _, d := range Disorders(nodes) {
		if d.Reader != nil {
			late[d.Reader] = State(d.Write.In(0))
		}
	}
	return late
}

// orderCheck looks for a node that reads a value and needs, directly or through others,
// the write that destroys it: a cycle of operands and of reads that come before writes.
type orderCheck struct {
	w *Writes
	// state is 0 for a node that was not seen, done, or on the path: how many of the nodes
	// that must run before it have been visited, plus 1.
	state  []int32
	path   []*graph.Node // each needs the next one to run first
	blamed map[*graph.Node]bool
	found  []Disorder
}

const done = -1

func (o *orderCheck) visit(n *graph.Node) {
	o.enter(n)
	for len(o.path) > 0 {
		n := o.path[len(o.path)-1]
		at := int(o.state[n.ID()]) - 1
		o.state[n.ID()]++
		in, readers := n.Operands(), o.w.Before(n)
		switch {
		case at < len(in):
			if in[at] != nil && in[at].Graph() == n.Graph() {
				o.enter(in[at])
			}
		case at < len(in)+len(readers):
			o.enter(readers[at-len(in)])
		default:
			o.state[n.ID()] = done
			o.path = o.path[:len(o.path)-1]
		}
	}
}

func (o *orderCheck) enter(n *graph.Node) {
	switch o.state[n.ID()] {
	case 0:
		o.state[n.ID()] = 1
		o.path = append(o.path, n)
	case done:
	default:
		o.cycle(n)
	}
}

// cycle reports the cycle that ends at n, unless one of its writes was reported before.
func (o *orderCheck) cycle(n *graph.Node) {
	start := len(o.path) - 1
	for o.path[start] != n {
		start--
	}
	loop := append(append([]*graph.Node{}, o.path[start:]...), n)
	var write, reader *graph.Node
	for i, a := range loop[:len(loop)-1] {
		if isOperand(loop[i+1], a) {
			continue
		}
		if o.blamed[a] {
			return
		}
		if write == nil {
			write, reader = a, loop[i+1]
		}
	}
	o.blamed[write] = true
	o.found = append(o.found, Disorder{Write: write, Reader: reader})
}

func isOperand(x, n *graph.Node) bool {
	for _, in := range n.Operands() {
		if in == x {
			return true
		}
	}
	return false
}
