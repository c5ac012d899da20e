package alias

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Disorder is a write that cannot be ordered in a program.
type Disorder struct {
	Write *graph.Node
	First *graph.Node // the other write of the same state, or nil
	// Reader needs both the write and the value that it destroys.
	Reader *graph.Node
}

// Disorders finds the writes among nodes, in topological order, that no order satisfies.
func Disorders(nodes []*graph.Node) (found []Disorder) {
	if len(nodes) == 0 {
		return nil
	}
	w := FindWrites(nodes)
	for _, n := range w.second {
		found = append(found, Disorder{Write: n, First: w.Of(State(n.In(0)))})
	}
	if w.Any() {
		blamed := map[*graph.Node]bool{}
		w.Order(nodes, func(loop []*graph.Node) {
			if write, reader := writeInCycle(loop, blamed); write != nil {
				blamed[write] = true
				found = append(found, Disorder{Write: write, Reader: reader})
			}
		})
	}
	return found
}

// LateReads returns those nodes of a graph that read a state of a value but also need the write that destroys it,
// each with that state: see [State]. It returns one for each write; after their reads are copied, there may be
// others.
func LateReads(nodes []*graph.Node) map[*graph.Node]*graph.Node {
	late := map[*graph.Node]*graph.Node{}
	for _, d := range Disorders(nodes) {
		if d.Reader != nil {
			late[d.Reader] = State(d.Write.In(0))
		}
	}
	return late
}

// Order returns nodes and everything that they need, each after everything that must run before it: its operands, and
// the nodes of [Writes.Before]. If there is no such order, it calls cycle with nodes of which each needs the next one
// to run first, and the last one is the first.
func (w *Writes) Order(nodes []*graph.Node, cycle func(loop []*graph.Node)) (order []*graph.Node) {
	if len(nodes) == 0 {
		return nil
	}
	o := ordering{progress: make([]int32, len(nodes[0].Graph().Nodes())), cycle: cycle}
	order = make([]*graph.Node, 0, len(nodes))
	for _, n := range nodes {
		o.enter(n)
		for len(o.path) > 0 {
			n := o.path[len(o.path)-1]
			at := int(o.progress[n.ID()]) - 1
			o.progress[n.ID()]++
			in, readers := n.Operands(), w.Before(n)
			switch {
			case at < len(in):
				if in[at] != nil && in[at].Graph() == n.Graph() {
					o.enter(in[at])
				}
			case at < len(in)+len(readers):
				o.enter(readers[at-len(in)])
			default:
				o.progress[n.ID()] = done
				o.path, order = o.path[:len(o.path)-1], append(order, n)
			}
		}
	}
	return order
}

// ordering is the state of Order. progress is 0 for an unvisited node, done, or, for a node on the path, 1 plus the
// number of its dependencies that were visited.
type ordering struct {
	progress []int32
	path     []*graph.Node // each depends on the next one
	cycle    func(loop []*graph.Node)
}

const done = -1

func (o *ordering) enter(n *graph.Node) {
	switch o.progress[n.ID()] {
	case 0:
		o.progress[n.ID()] = 1
		o.path = append(o.path, n)
	case done:
	default:
		start := len(o.path) - 1
		for o.path[start] != n {
			start--
		}
		o.cycle(append(slices.Clone(o.path[start:]), n))
	}
}

// writeInCycle finds the first write of a cycle whose successor reads what it overwrites, and that reader. It finds
// none if a write of the cycle was blamed before.
func writeInCycle(loop []*graph.Node, blamed map[*graph.Node]bool) (write, reader *graph.Node) {
	for i, a := range loop[:len(loop)-1] {
		if a.Op().Class != graph.Update || isOperand(loop[i+1], a) {
			continue
		}
		if blamed[a] {
			return nil, nil
		}
		if write == nil {
			write, reader = a, loop[i+1]
		}
	}
	return write, reader
}

func isOperand(x, n *graph.Node) bool {
	for _, in := range n.Operands() {
		if in == x {
			return true
		}
	}
	return false
}
