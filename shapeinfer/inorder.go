package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// checkWrites refuses two writes of one state of a value, and a write that cannot come
// after all reads of what it destroys; among the nodes of a program, or of a whole graph.
func checkWrites(nodes []*graph.Node, program bool, r *Report) {
	if len(nodes) == 0 {
		return
	}
	w := FindWrites(nodes)
	for _, n := range w.second {
		first := w.next[State(n.In(0))]
		m := &graph.Mistake{Code: CodeWriters, Node: n,
			Summary:  fmt.Sprintf("%s was written before, at %s: two writes of one value have no order", State(n.In(0)).Called(), first.Pos()),
			Operands: []graph.OperandNote{{Node: first, Text: "the first write"}},
			Help:     []string{fmt.Sprintf("write what the first write gives: After(%s, %s)", n.In(0).Called(), first.Called())}}
		if !program && Storage(n).Op().Class == graph.Source {
			m.Severity = graph.Warning
			m.Detail = []string{"no program can carry out both; two programs may have one each"}
			r.Warnings = append(r.Warnings, m)
			continue
		}
		r.addOnce(m)
	}
	if w.Any() {
		o := orderCheck{w: w, state: make([]visit, len(nodes[0].Graph().Nodes())), blamed: map[*graph.Node]bool{}}
		for _, n := range nodes {
			o.visit(n)
		}
		for _, m := range o.found {
			r.addOnce(m)
		}
	}
}

// addOnce adds an error unless there is one of its kind at its node.
func (r *Report) addOnce(m *graph.Mistake) {
	if !slices.ContainsFunc(r.Errors, func(old *graph.Mistake) bool { return old.Node == m.Node && old.Code == m.Code }) {
		r.Errors = append(r.Errors, m)
	}
}

// needed lists the nodes that some others are computed from, and these themselves.
func needed(g *graph.Graph, roots []*graph.Node) (list []*graph.Node) {
	wanted := make([]bool, len(g.Nodes()))
	for _, n := range roots {
		if n != nil && n.Graph() == g {
			wanted[n.ID()] = true
		}
	}
	for _, n := range slices.Backward(g.Nodes()) {
		if !wanted[n.ID()] {
			continue
		}
		list = append(list, n)
		for _, x := range n.Operands() {
			if x != nil && x.Graph() == g {
				wanted[x.ID()] = true
			}
		}
	}
	slices.Reverse(list)
	return list
}

// visit is how far the search for cycles has come with a node.
type visit uint8

const (
	unseen visit = iota
	onPath
	done
)

// orderCheck looks for a node that reads a value and needs, directly or through others,
// the write that destroys it: a cycle of operands and of reads that come before writes.
type orderCheck struct {
	w      *Writes
	state  []visit
	path   []*graph.Node // each needs the next one to run first
	blamed map[*graph.Node]bool
	found  []*graph.Mistake
}

func (o *orderCheck) visit(n *graph.Node) {
	switch o.state[n.ID()] {
	case done:
		return
	case onPath:
		o.cycle(n)
		return
	}
	o.state[n.ID()] = onPath
	o.path = append(o.path, n)
	for _, x := range n.Operands() {
		if x != nil && x.Graph() == n.Graph() {
			o.visit(x)
		}
	}
	for _, reader := range o.w.Before(n) {
		o.visit(reader)
	}
	o.path = o.path[:len(o.path)-1]
	o.state[n.ID()] = done
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
	o.found = append(o.found, orderMistake(write, reader))
}

func isOperand(x, n *graph.Node) bool {
	for _, in := range n.Operands() {
		if in == x {
			return true
		}
	}
	return false
}

// orderMistake says who still needs what the write destroys. PyTorch, when gradients are
// computed, says "one of the variables needed for gradient computation has been modified
// by an inplace operation".
func orderMistake(write, reader *graph.Node) *graph.Mistake {
	old := State(write.In(0))
	m := &graph.Mistake{Code: CodeOrder, Node: write}
	row := func(n *graph.Node, text string) {
		m.Operands = append(m.Operands, graph.OperandNote{Node: n, Text: text})
	}
	if f := reader.Origin(); f != nil {
		needs, value := "input", old
		if State(f) == old {
			needs, value = "OUTPUT", f
		}
		m.Summary = fmt.Sprintf("destroys a value that the gradient of %s needs", f.Op().Func)
		row(value, fmt.Sprintf("the gradient of %s reads its %s", f.Op().Func, needs))
	} else {
		m.Summary = fmt.Sprintf("destroys a value that %s still needs", graph.Describe(reader))
		row(old, "")
		row(reader, "reads "+old.Called()+", and needs the new value too")
	}
	row(write, "writes "+old.Called())
	m.Help = []string{fmt.Sprintf("%s, a new value (one more buffer of %s)", outOfPlace(write), write.Shape())}
	return m
}

// outOfPlace gives the call that computes what an in-place operation writes.
func outOfPlace(write *graph.Node) string {
	if write.Op().Fill {
		return "use " + write.In(1).Called()
	}
	call := graph.Describe(write)
	name := write.Op().Func
	return strings.TrimSuffix(name, "InPlace") + strings.TrimPrefix(call, name)
}
