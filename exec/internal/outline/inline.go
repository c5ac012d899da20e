package outline

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
)

// Inlined is a program's graph in which the bodies of loops, which [Loops] has made programs, are back inside the
// loops. Plans need it: pictures and texts of graphs know loops, not calls.
type Inlined struct {
	Graph *graph.Graph
	of    map[*graph.Node]*graph.Node // by node of the program or of a body; nil for the same
	ends  map[*Call]*graph.Node
	// elements lists, for each input of a body, the loops that slice it, outermost first.
	elements map[*graph.Node][]*graph.Region
	// outer is, for each node of Graph, the node of the program of which it is a copy, or nil.
	outer  []*graph.Node
	bodies map[*Call]*rewrite.Program
}

// Inline puts the bodies of a program's loops, as they are after the last pass, back into its graph.
func Inline(g *graph.Graph, bodies map[*Call]*rewrite.Program) *Inlined {
	if len(bodies) == 0 {
		return &Inlined{Graph: g, outer: g.Nodes()}
	}
	l := &Inlined{Graph: g.Derive(), of: map[*graph.Node]*graph.Node{}, ends: map[*Call]*graph.Node{},
		elements: map[*graph.Node][]*graph.Region{}, bodies: bodies}
	l.add(g)
	l.outer = make([]*graph.Node, len(l.Graph.Nodes()))
	for _, n := range g.Nodes() {
		l.outer[l.of[n].ID()] = n
	}
	return l
}

// End returns the end of a loop in the graph.
func (l *Inlined) End(call *Call) *graph.Node { return l.ends[call] }

// Node returns the counterpart in the graph of a node of the program or of a body.
func (l *Inlined) Node(n *graph.Node) *graph.Node {
	if l.of == nil {
		return n
	}
	return l.of[n]
}

// Nodes applies Node to each.
func (l *Inlined) Nodes(list []*graph.Node) []*graph.Node {
	made := slices.Clone(list)
	for i, n := range made {
		made[i] = l.Node(n)
	}
	return made
}

// add copies the nodes of a program or a body, except those that are known.
func (l *Inlined) add(g *graph.Graph) {
	for _, n := range g.Nodes() {
		if l.of[n] != nil {
			continue
		}
		in := l.Nodes(n.Operands())
		switch a, is := CallOf(n); {
		case is:
			if l.ends[a.Call] == nil {
				l.loop(n, a.Call)
			}
			l.Graph.At(n, func() { l.of[n] = l.result(a) })
		case isElement(n):
			l.Graph.At(n, func() { l.of[n] = loopop.Element(l.takenApart(n.In(0))[0], in[0]) })
		default:
			l.of[n] = l.Graph.Copy(n, in)
		}
	}
}

// loop adds the body of the loop of which n is a result, up to its end.
func (l *Inlined) loop(n *graph.Node, call *Call) {
	body := l.bodies[call]
	operands := l.Nodes(n.Operands())
	carried, next := make([]*graph.Node, len(call.Carried)), make([]*graph.Node, len(call.Carried))
	carry := func(i int) { carried[i] = loopop.Carried(call.Region, i, operands[call.Carried[i].Init]) }
	for i, in := range call.Inputs {
		own := body.Inputs[i].Own
		switch in.Role {
		case Previous:
			l.Graph.At(own, func() { carry(in.Carried) })
			l.of[own] = carried[in.Carried]
		case Position:
			l.Graph.At(own, func() { l.of[own] = loopop.Step(l.Graph, call.Region) })
		default:
			given := n.In(in.Operand)
			l.of[own], l.elements[own] = l.of[given], l.takenApart(given)
			if in.Role == Element {
				l.elements[own] = append(slices.Clip(l.elements[own]), call.Region)
			}
		}
	}
	l.add(body.Graph)
	limit := loopop.Limit{Stops: call.Stops >= 0}
	if call.Limit >= 0 {
		limit.Steps = operands[call.Limit]
	}
	l.Graph.At(n, func() {
		for i, c := range call.Carried {
			if next[i] = l.of[body.Roots[c.Next]]; carried[i] == nil { // no step reads it
				carry(i)
			}
		}
		l.ends[call] = loopop.End(l.Graph, call.Region, carried, next, limit)
	})
}

// takenApart returns the loops that have yet to slice a value of a body, outermost first. They are those that slice the
// body's input under the value, except those of which the value is a slice already.
func (l *Inlined) takenApart(x *graph.Node) []*graph.Region {
	depth := 0
	for ; len(x.Operands()) > 0; x = x.In(0) {
		if isElement(x) {
			depth++
		}
	}
	return l.elements[x][min(depth, len(l.elements[x])):]
}

// result makes the node of a loop's result.
func (l *Inlined) result(a CallAttrs) *graph.Node {
	end := l.ends[a.Call]
	switch r := a.Call.Results[a.Result]; r.Role {
	case graph.LoopFinal:
		return loopop.Final(a.Call.Region, end, r.Carried)
	case graph.LoopStack:
		return loopop.Stack(a.Call.Region, end, l.of[l.bodies[a.Call].Roots[r.Output]])
	}
	return end
}

// Sources returns for each node the indices of the user's nodes from which it comes. last are those of the program's
// nodes.
func (l *Inlined) Sources(user *graph.Graph, last [][]int) [][]int {
	of := make([][]int, len(l.outer))
	for i, n := range l.Graph.Nodes() {
		if l.outer[i] != nil {
			of[i] = slices.Clone(last[l.outer[i].ID()])
		}
		if from := n.Source(); len(of[i]) == 0 && from.Graph() == user {
			of[i] = []int{from.ID()}
		}
	}
	rewrite.CompleteSources(l.Graph.Nodes(), of)
	return of
}
