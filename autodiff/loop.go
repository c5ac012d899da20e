package autodiff

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/ops"
)

// The gradient of a loop is a loop in the opposite direction. It carries the gradients of the carried values and, for
// each value from outside, the sum of its gradients so far. A step recomputes the body's values from the carried values
// of that step, and propagates the gradients back through them. The results of products, gathers and inner loops are
// kept for all steps, so that they are not computed twice.

// loopPass is the reverse pass through a loop.
type loopPass struct {
	outer         *reversePass
	inner         *reversePass // of one step
	end           *graph.Node  // of the loop
	carried, next []*graph.Node
	members       []*graph.Node // the nodes of the body that results need
	isMember      map[*graph.Node]bool
	needed        map[*graph.Node]bool // members on a way from a wanted value, through any number of steps

	region *graph.Region // the body of the gradient
	copies map[*graph.Node]*graph.Node

	back, backNext []*graph.Node // what the gradient carries, and what its steps hand on
	inits          []*graph.Node // the values of outside whose gradients these are
	elements       []*graph.Node // of the loop, whose gradients of all steps are wanted
	products       []product
}

// product is a product, in a step of the gradient, with a value from outside, operand i, or takes rows of such a value.
// The gradient of that operand is computed after the loop, for all steps at once.
type product struct {
	n, dy *graph.Node
	i     int
}

// backpropLoop propagates the gradients of the results of a loop to its operands. The nodes are the loop's end and all
// that follow.
func (w *reversePass) backpropLoop(end *graph.Node, nodes []*graph.Node) {
	p := &loopPass{outer: w, end: end, copies: map[*graph.Node]*graph.Node{}}
	p.carried, p.next, _ = loopop.CarriedOf(end)
	finals := make([]*graph.Node, len(p.carried)) // the gradients of what is carried out of the last step
	var kept []cotangentOf
	for _, n := range nodes {
		a, is := n.Loop()
		switch {
		case !is || a.Role <= graph.LoopEnd || n.In(0) != end || w.cotangents[n] == nil || !n.DType().IsFloat():
		case a.Role == graph.LoopFinal:
			finals[a.Index] = w.gradient(n)
		default:
			kept = append(kept, cotangentOf{n.In(1), w.gradient(n)})
		}
	}
	kept = p.sendConstant(kept)
	if len(kept) == 0 && !slices.ContainsFunc(finals, func(n *graph.Node) bool { return n != nil }) {
		return
	}
	p.findMembers(finals, kept)
	p.findNeeded()
	p.build(finals, kept)
}

// cotangentOf is the gradient of all steps of a value.
type cotangentOf struct{ value, dx *graph.Node }

// sendConstant propagates the gradients of values that are the same in all steps, and returns the others.
func (p *loopPass) sendConstant(kept []cotangentOf) (others []cotangentOf) {
	a, _ := p.end.Loop()
	for _, k := range kept {
		if a.Body.Holds(k.value.Region()) {
			others = append(others, k)
			continue
		}
		dx := k.dx
		if a.Limited || a.Stops { // steps that were not taken have no value
			position := ops.Iota(
				p.outer.g, 0, append(graph.Shape{dx.Shape()[0]}, slices.Repeat(graph.Shape{1}, dx.Rank()-1)...)...)
			dx = ops.Where(ops.Less(position, p.end), dx, graph.Num(0))
		}
		p.outer.accumulate(k.value, cotangent{dx: ops.Sum(dx, 0)})
	}
	return others
}

// findMembers finds the nodes of the body from which the results of the loop are computed, through any number of steps.
func (p *loopPass) findMembers(finals []*graph.Node, kept []cotangentOf) {
	a, _ := p.end.Loop()
	p.isMember = map[*graph.Node]bool{}
	var open []*graph.Node
	visit := func(n *graph.Node) {
		if n != nil && a.Body.Holds(n.Region()) && !p.isMember[n] {
			p.isMember[n] = true
			open = append(open, n)
		}
	}
	for i, dx := range finals {
		if dx != nil {
			visit(p.carried[i])
		}
	}
	for _, k := range kept {
		visit(k.value)
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		p.members = append(p.members, n)
		for _, x := range n.Operands() {
			visit(x)
		}
		if own, is := n.Loop(); is && own.Role == graph.LoopCarried && own.Body == a.Body {
			visit(p.next[own.Index])
		}
	}
	slices.SortFunc(p.members, func(a, b *graph.Node) int { return a.ID() - b.ID() })
}

// findNeeded finds the members that depend on a wanted value, also through carried values.
func (p *loopPass) findNeeded() {
	a, _ := p.end.Loop()
	p.needed = map[*graph.Node]bool{}
	isNeeded := func(x *graph.Node) bool { return p.needed[x] || !p.isMember[x] && p.outer.needed[x] }
	for changed := true; changed; {
		changed = false
		for _, n := range p.members {
			if p.needed[n] || !n.DType().IsFloat() && n.Op().Class != graph.Loop {
				continue
			}
			own, is := n.Loop()
			if slices.ContainsFunc(n.Operands(), isNeeded) ||
				is && own.Role == graph.LoopCarried && own.Body == a.Body && isNeeded(p.next[own.Index]) {
				p.needed[n], changed = true, true
			}
		}
	}
}

// build makes the loop that computes the gradients.
func (p *loopPass) build(finals []*graph.Node, kept []cotangentOf) {
	a, _ := p.end.Loop()
	spec := a.Body.Spec()
	spec.Reverse = !spec.Reverse
	region, closeRegion := p.outer.g.OpenRegion(spec)
	p.region = region
	p.step(finals, kept)
	closeRegion()
	if p.inner.failed != nil {
		p.outer.failed = p.inner.failed
		return
	}
	limit := loopop.Limit{}
	if a.Limited || a.Stops {
		limit.Steps = p.end
	}
	p.deliver(loopop.End(p.outer.g, region, p.back, p.backNext, limit))
}

// step makes the body of the gradient: its carried values, and the results of a step.
func (p *loopPass) step(finals []*graph.Node, kept []cotangentOf) {
	wanted := p.copyGiven()
	p.inner = newReversePass(p.outer.g, len(p.outer.g.Nodes()))
	p.copyMembers()
	captured := p.captured()
	nodes := p.outer.g.Nodes()
	p.inner.put = p.leaveForLater
	p.inner.mark(nodes, slices.Concat(wanted, captured))

	var active []*graph.Node
	for i, n := range p.carried {
		if !p.needed[n] || !n.DType().IsFloat() {
			continue
		}
		p.arrive(p.copied(p.next[i]), p.carry(n.In(0), finals[i]))
		active = append(active, n)
	}
	for _, k := range kept {
		p.arrive(p.copied(k.value), loopop.Element(p.region, k.dx))
	}
	p.inner.sweep(nodes)
	if p.inner.failed != nil {
		return
	}
	for _, n := range active {
		p.backNext = append(p.backNext, p.arrived(p.copies[n], n.In(0)))
	}
	for _, x := range captured {
		if p.inner.cotangents[x] != nil {
			sum := p.carry(x, nil)
			p.backNext = append(p.backNext, ops.Add(sum, p.inner.gradient(x)))
		}
	}
	for _, n := range p.elements { // while the body is open: it may be a sum over what was repeated
		if p.inner.cotangents[p.copies[n]] != nil {
			p.inner.gradient(p.copies[n])
		}
	}
}

// carry makes a carried value of the gradient: the gradient of x, a value from outside. It begins with zeros unless
// begin is given.
func (p *loopPass) carry(x, begin *graph.Node) *graph.Node {
	if begin == nil {
		p.outer.g.Around(p.region, func() { begin = ops.ZerosLike(x) })
	}
	n := loopop.Carried(p.region, len(p.back), begin)
	p.back, p.inits = append(p.back, n), append(p.inits, x)
	return n
}

// arrive adds a gradient to a value of the step.
func (p *loopPass) arrive(n, dx *graph.Node) {
	if p.inner.needed[n] {
		p.inner.accumulate(n, cotangent{dx: dx})
	}
}

// arrived returns the gradient of a value of the step, or zeros like another value.
func (p *loopPass) arrived(n, like *graph.Node) *graph.Node {
	if p.inner.cotangents[n] == nil {
		return ops.ZerosLike(like)
	}
	return p.inner.gradient(n)
}

// captured lists the values from outside that the body reads and whose gradients are needed.
func (p *loopPass) captured() (list []*graph.Node) {
	a, _ := p.end.Loop()
	see := func(x *graph.Node) {
		if x != nil && !p.isMember[x] && p.outer.needed[x] && x.DType().IsFloat() && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	for _, n := range p.members {
		own, is := n.Loop()
		isGiven := is && own.Body == a.Body
		if isGiven && own.Role == graph.LoopCarried {
			see(p.next[own.Index])
		} else if !isGiven {
			for _, x := range n.Operands() {
				see(x)
			}
		}
	}
	return list
}

// leaveForLater defers the gradient of a value from outside, operand i of a product or the table from which rows are
// taken, until after the loop, if it is one operation for all steps. It does not for a branch, which has only one step,
// or for a user's operation, whose rules need not support batches.
func (p *loopPass) leaveForLater(n, dy *graph.Node, i int) bool {
	if n.Op().IsUsers() || p.region.Spec().Whole || n.Region() != p.region || p.region.Holds(n.In(i).Region()) ||
		dy.Region() != p.region {
		return false
	}
	switch n.Op().Class {
	case graph.Contract:
		x, other := n.In(i), n.In(1-i)
		if other.Region() != p.region || x.Rank() > 2 && x.Rank() > other.Rank() {
			return false // all steps, along a first axis, are no batch of such products
		}
	case graph.Gather:
		if i != 0 || n.Op().Fold != graph.NoFold || n.In(1).Region() != p.region ||
			!slices.Equal(n.Op().Axes(n), []int{0}) || p.readsMost(n) {
			return false
		}
	default:
		return false
	}
	p.products = append(p.products, product{n, dy, i})
	return true
}

// readsMost reports whether a step takes as many rows as the table has. It is also true if the table may have no rows
// and steps may not be taken, since these count as taking its first row.
func (p *loopPass) readsMost(n *graph.Node) bool {
	rows, known := n.In(0).Shape()[0].Int()
	taken, counted := n.In(1).Shape().NumElements().Int()
	a, _ := p.end.Loop()
	return known && counted && taken >= rows || !known && (a.Limited || a.Stops)
}

// deliver propagates the gradients to values from outside.
func (p *loopPass) deliver(end *graph.Node) {
	for i, x := range p.inits {
		if p.outer.needed[x] {
			p.outer.accumulate(x, cotangent{dx: loopop.Final(p.region, end, i)})
		}
	}
	for _, n := range p.elements {
		if dx := p.inner.cotangents[p.copies[n]]; dx != nil {
			p.outer.accumulate(n.In(0), cotangent{dx: loopop.Stack(p.region, end, p.inner.gradient(p.copies[n]))})
		}
	}
	for _, q := range p.products {
		in, dy := slices.Clone(q.n.Operands()), p.allSteps(end, q.dy)
		other := p.allSteps(end, in[1-q.i])
		if q.i == 0 && other.Rank() == 2 && q.n.Op().Class == graph.Contract { // a vector in each step is a column
			other, dy = ops.Unsqueeze(other, 2), ops.Unsqueeze(dy, dy.Rank())
		}
		in[1-q.i] = other
		all := graph.Apply(q.n.Op(), q.n.Attrs(), in...)
		p.outer.send(all.Op().Grad, all, dy, q.i)
	}
}

// allSteps returns all steps of a value of the gradient's body.
func (p *loopPass) allSteps(end, x *graph.Node) *graph.Node {
	if x.Op() == opKept {
		x = x.In(0)
	}
	if a, is := x.Loop(); is && a.Role == graph.LoopElement && a.Body == p.region {
		return x.In(0)
	}
	return loopop.Stack(p.region, end, x)
}
