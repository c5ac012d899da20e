package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// checkWrites refuses two writes of one state of a value, and a write that cannot come
// after all reads of what it destroys; among the nodes of a program, or of a whole graph.
func checkWrites(nodes []*graph.Node, program bool, r *Report) {
	for i, d := range disorders(nodes) {
		var m *graph.Mistake
		if d.reader != nil {
			var asked *graph.Node
			if i < maxSuggested { // each is a search through the graph
				asked = firstGradient(nodes, d.reader)
			}
			m = d.orderMistake(asked)
		} else if m = d.secondMistake(); !program && Storage(d.write).Op().Class == graph.Source {
			m.Detail = []string{"no program can carry out both; two programs may have one each"}
			r.choose(m, d.write.Graph().Policy().SecondWrite)
			continue
		}
		r.addOnce(m)
	}
}

// disorder is a write for which there is no place in the order of a program.
type disorder struct {
	write *graph.Node
	first *graph.Node // the other write of the same state of a value; or
	// reader needs the write and what it destroys.
	reader *graph.Node
}

// disorders finds the writes of nodes, in their order, that no order satisfies.
func disorders(nodes []*graph.Node) (found []disorder) {
	if len(nodes) == 0 {
		return nil
	}
	w := FindWrites(nodes)
	for _, n := range w.second {
		found = append(found, disorder{write: n, first: w.next[State(n.In(0))]})
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

// choose adds what is a mistake or a warning by the graph's policy, unless its node is
// excused.
func (r *Report) choose(m *graph.Mistake, what graph.WarnChoice) {
	m.Choice = true
	switch {
	case what == graph.AllowSilently || m.Node.IsSilenced(m.Code):
	case what == graph.RefuseAlways:
		r.addOnce(m)
	default:
		m.Severity = graph.Warning
		r.Warnings = append(r.Warnings, m)
	}
}

// addOnce adds an error unless there is one of its kind at its node.
func (r *Report) addOnce(m *graph.Mistake) {
	if !r.isRefused(m) {
		r.Errors = append(r.Errors, m)
	}
}

// needed lists the nodes that some others are computed from, and these themselves.
func needed(g *graph.Graph, roots []*graph.Node) []*graph.Node {
	return closure(g, roots, func(n *graph.Node, want func(...*graph.Node)) { want(n.Operands()...) })
}

// DerivedFrom gives the nodes that some others are computed from, these themselves, and what nodes were derived from: of gradients, the
// values that they are gradients of; of what has another value's shape, that value.
func DerivedFrom(g *graph.Graph, roots []*graph.Node) []*graph.Node {
	return closure(g, roots, func(n *graph.Node, want func(...*graph.Node)) {
		want(n.Operands()...)
		want(n.DerivedFrom()...)
	})
}

// closure gives nodes of a graph with all that they lead to, in the graph's order; a node
// leads to nodes before it, with which leadsTo calls want.
func closure(g *graph.Graph, roots []*graph.Node, leadsTo func(n *graph.Node, want func(...*graph.Node))) (list []*graph.Node) {
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

// LateReads gives, of nodes of one graph, those that read a state of a value and need the
// write that destroys it, each with that state: see [State]. It gives one for each write;
// when their reads are copied, there may be others.
func LateReads(nodes []*graph.Node) map[*graph.Node]*graph.Node {
	late := map[*graph.Node]*graph.Node{}
	for _, d := range disorders(nodes) {
		if d.reader != nil {
			late[d.reader] = State(d.write.In(0))
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
	found  []disorder
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
	o.found = append(o.found, disorder{write: write, reader: reader})
}

func isOperand(x, n *graph.Node) bool {
	for _, in := range n.Operands() {
		if in == x {
			return true
		}
	}
	return false
}

// secondMistake says that a value was written before.
func (d disorder) secondMistake() *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeWriters, Node: d.write,
		Summary: fmt.Sprintf("%s was written before, at %s: two writes of one value have no order",
			State(d.write.In(0)).Called(), d.first.Pos()),
		Operands: []graph.OperandNote{{Node: d.first, Text: "the first write"}}}
}

// orderMistake says who still needs what the write destroys, and which gradient, if one is
// known, asks for that. PyTorch, when gradients are computed, says "one of the variables needed for
// gradient computation has been modified by an inplace operation".
func (d disorder) orderMistake(asked *graph.Node) *graph.Mistake {
	old := State(d.write.In(0))
	m := &graph.Mistake{Code: graph.CodeOrder, Node: d.write}
	row := func(n *graph.Node, text string) {
		m.Operands = append(m.Operands, graph.OperandNote{Node: n, Text: text})
	}
	f := d.reader.Origin()
	switch {
	case f == nil:
		m.Summary = fmt.Sprintf("destroys a value that %s still needs", graph.Describe(d.reader))
		row(d.reader, "reads "+old.Called()+", and needs the new value too")
	case State(f) == old:
		m.Summary = fmt.Sprintf("destroys a value that the gradient of %s needs", f.Op().Func)
		row(f, fmt.Sprintf("the gradient of %s reads its OUTPUT", f.Op().Func))
	default:
		m.Summary = fmt.Sprintf("destroys a value that the gradient of %s needs", f.Op().Func)
		row(f, fmt.Sprintf("the gradient of %s reads its input %s", f.Op().Func, old.Called()))
	}
	row(d.write, "writes "+old.Called())
	if f != nil && asked != nil {
		row(asked, "asks for that gradient")
	}
	return m
}

// firstGradient gives the first gradient that was asked for and is computed from n, or nil.
func firstGradient(nodes []*graph.Node, n *graph.Node) *graph.Node {
	from := map[*graph.Node]bool{n: true}
	for _, m := range nodes {
		from[m] = from[m] || slices.ContainsFunc(m.Operands(), func(x *graph.Node) bool { return from[x] })
		if from[m] && m.GradientOf() != nil {
			return m
		}
	}
	return nil
}
