package axislint

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// Find returns warnings about axes of a graph. Each has the node at which it can be silenced. Among the nodes whose
// operands repeat each other, about which the graph warns, tables are those whose users show that this is intended.
func Find(g *graph.Graph, isWanted func(graph.Code) bool) (found []*graph.Mistake, tables []*graph.Node) {
	l := &lint{g: g, fromInput: make([]bool, len(g.Nodes())), drawn: make([]bool, len(g.Nodes())),
		suspect: make([]bool, len(g.Nodes())),
		grown:   map[*graph.Node]bool{}, names: map[graph.Dim]int{}, forms: axisflow.NewFlow(g)}
	for _, m := range g.Warnings() {
		if m.Code == graph.CodeMutualExpand {
			l.grown[m.Node] = true
		}
	}
	tables = l.takeTables()
	for _, n := range g.Nodes() {
		l.see(n)
		if n.Origin() != nil || n.StandsFor() != nil || !n.Judged() || n.Err() != nil || l.suspect[n.ID()] {
			continue
		}
		for _, rule := range l.rulesFor(n) {
			if m := ask(rule, l, n); m != nil && isWanted(m.Code) && !n.IsSilenced(m.Code) {
				found = append(found, m)
				l.suspect[n.ID()] = true
				break // other rules would report the same
			}
		}
	}
	return found, tables
}

// ask applies a rule to a node. Panics in an operation's functions are ignored: the check tells the user.
func ask(r rule, l *lint, n *graph.Node) (m *graph.Mistake) {
	defer func() {
		if recover() != nil {
			m = nil
		}
	}()
	return r(l, n)
}

// lint is what rules know of a graph.
type lint struct {
	g         *graph.Graph
	fromInput []bool         // by node ID: whether it depends on an input
	drawn     []bool         // by node ID: whether it depends on random numbers
	axes      *axisflow.Flow // nil until first used
	steps     *axisflow.Flow // of single steps of loops; nil until first used
	forms     *axisflow.Flow // for expansions of composite operations
	suspect   []bool         // by node ID: whether a reported mistake may make its axes wrong
	grown     map[*graph.Node]bool
	names     map[graph.Dim]int // how likely sizes count examples
	users     []*graph.Node     // all nodes' users, each node's together; they end at usersEnd
	usersEnd  []int32           // by node ID; nil until first used
}

// see records whether a node depends on an input or on random numbers, and whether its axes can be trusted.
func (l *lint) see(n *graph.Node) {
	is, drawn, suspect := n.IsInput(), n.Op().Random, l.grown[n]
	for _, x := range n.Operands() {
		if x != nil && x.Graph() == l.g {
			is, drawn, suspect = is || l.fromInput[x.ID()], drawn || l.drawn[x.ID()], suspect || l.suspect[x.ID()]
		}
	}
	if a, loops := n.Loop(); loops && a.Role == graph.LoopCarried { // it may depend on what steps hand on
		is = slices.ContainsFunc(l.flow().Value(n), func(d axisflow.Dependence) bool {
			return l.flow().IsInput(d.Source)
		})
	}
	l.fromInput[n.ID()], l.drawn[n.ID()], l.suspect[n.ID()] = is, drawn, suspect
}

func (l *lint) isFromInput(n *graph.Node) bool { return n.Graph() == l.g && l.fromInput[n.ID()] }

func (l *lint) flow() *axisflow.Flow {
	if l.axes == nil {
		l.axes = axisflow.NewLint(l.g)
	}
	return l.axes
}

// stepFlow is flow for a single step of each loop, in which carried values count as inputs; without loops it is flow.
func (l *lint) stepFlow() *axisflow.Flow {
	if l.steps == nil {
		l.steps = l.flow()
		if slices.ContainsFunc(l.g.Nodes(), func(n *graph.Node) bool { _, is := n.Loop(); return is }) {
			l.steps = axisflow.NewSteps(l.g)
		}
	}
	return l.steps
}

// usersOf lists the users of a node.
func (l *lint) usersOf(n *graph.Node) []*graph.Node {
	if l.usersEnd == nil {
		l.findUsers()
	}
	begin := int32(0)
	if n.ID() > 0 {
		begin = l.usersEnd[n.ID()-1]
	}
	return l.users[begin:l.usersEnd[n.ID()]]
}

// findUsers counts the users of each node, and then fills one list with them.
func (l *lint) findUsers() {
	nodes := l.g.Nodes()
	end := make([]int32, len(nodes)+1)
	eachUse := func(see func(x, user *graph.Node)) {
		for _, user := range nodes {
			if a, is := user.Loop(); is && a.Role == graph.LoopEnd && user.Err() == nil {
				for i := range a.Carried {
					see(user.In(a.Carried+i), user.In(i)) // the next step gets what a step hands on
				}
				continue
			}
			for _, x := range usedBy(user) {
				if x != nil && x.Graph() == l.g {
					see(x, user)
				}
			}
		}
	}
	eachUse(func(x, _ *graph.Node) { end[x.ID()+1]++ })
	for i := range nodes {
		end[i+1] += end[i]
	}
	l.users = make([]*graph.Node, end[len(nodes)])
	eachUse(func(x, user *graph.Node) { // the end of a node's list is where its next user goes
		l.users[end[x.ID()]] = user
		end[x.ID()]++
	})
	l.usersEnd = end
}

// usedBy lists the values from which a node is computed; for a loop's final value, the results of its steps.
func usedBy(n *graph.Node) []*graph.Node {
	a, is := n.Loop()
	if !is || a.Role != graph.LoopFinal || n.Err() != nil {
		return n.Operands()
	}
	end, _ := n.In(0).Loop()
	return []*graph.Node{n.In(0).In(end.Carried + a.Index)}
}

type rule func(l *lint, n *graph.Node) *graph.Mistake

var (
	elementwiseRules = []rule{reducedAxis, vectorAxis, examplePositions, otherOrder}
	compositeRules   = []rule{overExamples, maskedRows, keptWeights, pooledExamples, otherOrder, otherClasses}
	reductionRules   = []rule{pooledExamples}
	movementRules    = []rule{onePosition}
	joiningRules     = []rule{otherOrder}
	loopRules        = []rule{stepsOverExamples}
)

// rulesFor lists the rules that may apply to a node.
func (l *lint) rulesFor(n *graph.Node) []rule {
	switch n.Op().Class {
	case graph.Elementwise, graph.Update:
		if len(n.Operands()) > 1 {
			return elementwiseRules
		}
	case graph.Composite:
		return compositeRules
	case graph.Reduce:
		return reductionRules
	case graph.Movement:
		if len(n.Operands()) == 1 && n.Op().View != nil {
			return movementRules
		}
		return joiningRules
	case graph.Contract:
		return joiningRules
	case graph.Loop:
		return loopRules
	}
	return nil
}
