package autodiff

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/gradcut"
	"github.com/broadloom/broadloom/internal/loopop"
)

// A gradient in the body of a loop is one of values of a step. With respect to a value from outside, it is only a part
// of the gradient if the step's carried values depend on that value too. If their initial values do, that is known when
// the gradient is asked for; if earlier steps do, only when the body is finished.

// loopPart is a gradient in the body of a loop, with respect to values from outside.
type loopPart struct {
	y           *graph.Node
	wrt, grads  []*graph.Node
	ends        map[*graph.Region]*graph.Node // of the bodies around y that are finished
	nodesBefore int                           // of the graph, as the gradient was asked for
	at          graph.Pos
}

// refuseParts refuses, when bodies around y are finished, gradients that are only a part of the requested ones.
func refuseParts(y *graph.Node, wrt, grads []*graph.Node) {
	if y.Region() == nil {
		return
	}
	p := &loopPart{y, wrt, grads, map[*graph.Region]*graph.Node{}, len(y.Graph().Nodes()), graph.Caller()}
	for r := y.Region(); r != nil; r = r.Parent() {
		if slices.ContainsFunc(wrt, func(x *graph.Node) bool { return !r.Holds(x.Region()) }) {
			r.WhenEnded(func(end *graph.Node) { p.finished(r, end) })
		}
	}
}

// finished checks the gradients when the body of a loop around y is finished.
func (p *loopPart) finished(r *graph.Region, end *graph.Node) {
	p.ends[r] = end
	nodes := p.y.Graph().Nodes()
	if len(nodes) < p.nodesBefore || nodes[p.y.ID()] != p.y {
		return // the gradient was part of an attempt, and is no more
	}
	carried, next, _ := loopop.CarriedOf(end)
	read := p.carriedInto(r, carried)
	if len(read) == 0 {
		return
	}
	for i, x := range p.wrt {
		dx := p.grads[i]
		if r.Holds(x.Region()) || dx.Err() != nil {
			continue
		}
		leads := steps{carried, next, nodes[x.ID() : end.ID()+1]}.thatDependOn(x)
		if at := slices.IndexFunc(read, func(c *graph.Node) bool { return leads[c] }); at >= 0 {
			dx.Refuse(p.refusal(x, read[at])) // one is told for all
			p.wrt = nil
			return
		}
	}
}

// refusal says that the gradient of y with respect to x lacks the part that flows through a carried value. It is
// reported where the gradient was asked for.
func (p *loopPart) refusal(x, carried *graph.Node) *graph.Mistake {
	y := p.y.Called()
	return &graph.Mistake{Code: graph.CodeGradient, Pos: p.at, Whole: true,
		Summary: fmt.Sprintf(
			"the gradient of %s with respect to %s, within the body of the loop made at %s, lacks the part through earlier steps: %s depends on %s, which they computed from %s",
			y, x.Called(), carried.Pos(), y, carried.Called(), x.Called()),
		Operands: []graph.OperandNote{{Node: p.y, Text: "(is differentiated)"},
			{Node: carried, Text: "(from the step before)"}, {Node: x, Text: "(the same in each step)"}},
		Help: []string{ofOneStep(carried)}}
}

// ofOneStep says what to do if a gradient would flow to other steps.
func ofOneStep(given *graph.Node) string {
	return fmt.Sprintf(
		"differentiate a result of the loop; or, if you want the gradient of a single step, stop it: ops.StopGradient(%s) in the body",
		given.Called())
}

// carriedInto lists the carried values of the body of r from which a gradient flows to y.
func (p *loopPart) carriedInto(r *graph.Region, carried []*graph.Node) (list []*graph.Node) {
	seen := map[*graph.Node]bool{}
	open := []*graph.Node{p.y}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[n] || !r.Holds(n.Region()) || gradcut.Stops(n) {
			continue
		}
		seen[n] = true
		open = append(open, n.Operands()...)
		if a, is := n.Loop(); is && a.Role == graph.LoopCarried && p.ends[a.Body] != nil && a.Body != r {
			_, next, _ := loopop.CarriedOf(p.ends[a.Body]) // what an earlier step of an inner loop computed
			open = append(open, next[a.Index])
		}
	}
	return slices.DeleteFunc(slices.Clone(carried), func(c *graph.Node) bool { return !seen[c] })
}

// steps are the carried values of a loop, the results of its steps, and the nodes of its body.
type steps struct{ carried, next, nodes []*graph.Node }

// thatDependOn finds the nodes from which gradients lead to x, through any number of steps.
func (s steps) thatDependOn(x *graph.Node) map[*graph.Node]bool {
	leads := map[*graph.Node]bool{x: true}
	for changed := true; changed; {
		changed = false
		for _, n := range s.nodes {
			if !leads[n] && !gradcut.Stops(n) &&
				slices.ContainsFunc(n.Operands(), func(in *graph.Node) bool { return leads[in] }) {
				leads[n] = true
			}
		}
		for i, c := range s.carried {
			if !leads[c] && leads[s.next[i]] {
				leads[c], changed = true, true
			}
		}
	}
	return leads
}

// refuseOtherSteps refuses a gradient that leaves the body of a loop through an input of a step. The mistake is
// reported where the gradient was asked for.
func (w *reversePass) refuseOtherSteps(n *graph.Node) (refused *graph.Node) {
	p := problem{
		Summary: fmt.Sprintf(
			"a gradient within the body of the loop made at %s flows to another step or out of the loop, through %s",
			n.Pos(), n.Called()),
		Help: ofOneStep(n)}
	w.g.WithOrigin(nil, func() { refused = refuse(p, n) })
	return refused
}
