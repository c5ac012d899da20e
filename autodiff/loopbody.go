package autodiff

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/nodecopy"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// copied returns the copy of a value in a step of the gradient.
func (p *loopPass) copied(n *graph.Node) *graph.Node {
	if c := p.copies[n]; c != nil {
		return c
	}
	return n
}

// copyGiven makes the inputs of a step of the loop, and returns those that need gradients.
func (p *loopPass) copyGiven() (wanted []*graph.Node) {
	a, _ := p.end.Loop()
	for _, n := range p.members {
		own, is := n.Loop()
		if !is || own.Body != a.Body {
			continue
		}
		switch own.Role {
		case graph.LoopCarried:
			p.copies[n] = p.kept(n)
		case graph.LoopElement:
			p.copies[n] = loopop.Element(p.region, n.In(0))
		case graph.LoopStep:
			p.copies[n] = loopop.Step(p.outer.g, p.region)
		}
		if p.needed[n] && n.DType().IsFloat() {
			wanted = append(wanted, p.copies[n])
			if own.Role == graph.LoopElement {
				p.elements = append(p.elements, n)
			}
		}
	}
	return wanted
}

// copyMembers recomputes the other values of a step of the loop, or reads kept ones.
func (p *loopPass) copyMembers() {
	a, _ := p.end.Loop()
	c := nodecopy.New(p.outer.g, p.outer.g.WithOrigin)
	c.Copies, c.Bodies[a.Body] = p.copies, p.region
	defer c.Close()
	for _, n := range p.members {
		if p.copies[n] != nil {
			continue
		}
		if _, isLoop := n.Loop(); n.Op().Ordered && !isLoop {
			p.copyOrdered(n, c.Operands(n))
			continue
		}
		c.Copy(n)
		if n.Region() == a.Body && p.isKept(n) {
			p.outer.g.WithOrigin(n, func() { p.copies[n] = graph.Apply(opKept, nil, p.kept(n), p.copies[n]) })
		}
	}
}

// kept is a value of the loop that is kept for all steps, in a step of the gradient.
func (p *loopPass) kept(n *graph.Node) *graph.Node {
	a, _ := p.end.Loop()
	var all *graph.Node
	p.outer.g.Around(p.region, func() { all = loopop.Stack(a.Body, p.end, n) })
	return loopop.Element(p.region, all)
}

// copyOrdered reads the kept result of an ordered operation, given its operands in a step of the gradient: it is not
// called again.
func (p *loopPass) copyOrdered(n *graph.Node, in []*graph.Node) {
	a, _ := p.end.Loop()
	switch {
	case n.Op().Grad == nil && p.needed[n]:
		p.inner.failed = refuse(noGradient(n), p.end)
		return
	case n.Region() != a.Body:
		p.inner.failed = refuse(
			problem{
				Summary: fmt.Sprintf(
					"the gradient of a loop needs %s, made at %s in a nested loop, and would call its function again",
					n.Called(), n.Pos()),
				Help: "call it outside of the inner loop, on all steps at once, or stop the gradient with ops.StopGradient"},
			p.end)
		return
	}
	p.outer.g.WithOrigin(n, func() {
		p.copies[n] = graph.Apply(calledBefore(n.Op()), n.Attrs(), append(in, p.kept(n))...)
	})
}

// calledBefore is an ordered operation with its result as a further operand.
func calledBefore(op *graph.Op) *graph.Op {
	made := *op
	made.Class, made.Ordered, made.Function, made.Core, made.MinIn, made.MaxIn = graph.Composite, false, nil, nil, 1, -1
	made.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		result := c.NumIn() - 1
		return c.DType(result), c.Shape(result)
	}
	made.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return in[len(in)-1] }
	made.Grad = func(n, dy *graph.Node, i int) *graph.Node {
		if i == len(n.Operands())-1 || op.Grad == nil {
			return nil
		}
		return op.Grad(n, dy, i)
	}
	return &made
}

// isKept reports whether a value is kept for all steps, since recomputing it takes too much time. Scores are not kept,
// since they take too much memory.
func (p *loopPass) isKept(n *graph.Node) bool {
	a, isLoop := n.Loop()
	class := n.Op().Class
	return class == graph.Contract && !p.areScores(n) || class == graph.Gather || class == graph.Function ||
		isLoop && a.Role > graph.LoopEnd
}

// areScores reports whether a product of the body is one of positions with positions, such as those of attention.
// Factors that are the same in all steps are taken for weights, unless there is only one step.
func (p *loopPass) areScores(n *graph.Node) bool {
	a, _ := p.end.Loop()
	varies := func(x *graph.Node) bool { return a.Body.Spec().Whole || a.Body.Holds(alias.Viewed(x).Region()) }
	return scores.IsProduct(n) && varies(n.In(0)) && varies(n.In(1))
}

// opKept is a value that was kept. Gradients flow through its computation.
var opKept = &graph.Op{Name: "kept", Func: "Kept", Doc: "x, which was computed as y is.", Class: graph.Composite,
	MinIn: 2, MaxIn: 2,
	Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
	Expand: func(_ *graph.Node, in []*graph.Node) *graph.Node { return in[0] },
	Grad: func(_, dy *graph.Node, i int) *graph.Node {
		if i == 0 {
			return nil
		}
		return dy
	}}
