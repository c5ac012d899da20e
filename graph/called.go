package graph

import "sync"

// Called returns how messages call the node: its name; for a number, its value; otherwise the variable to which the
// user's program assigns it, if its source can be read; otherwise the call that made it. A conversion that the
// library inserted is called like its operand.
func (n *Node) Called() string { return n.called(1) }

func (n *Node) called(depth int) string {
	if n = n.Written(); n != nil && n.source != nil && n.op != n.source.op {
		n = n.source // a pass made n of it
	}
	if n == nil || n.op == nil || n.name != "" || n.op == literalOp {
		return n.label()
	}
	if n.op == constOp && len(n.shape) == 0 && n.bad == nil {
		if a, is := n.Outside(); is {
			return a.String()
		}
		return elementText(n.ConstData())
	}
	if x := n.GradientOf(); x != nil {
		return "gradient of " + x.called(depth-1)
	}
	if name := n.variable(); name != "" {
		return name
	}
	user, inGradient := n.User()
	switch {
	case inGradient:
		return "gradient of " + user.written() + "(…)"
	case n.composite != nil && n.composite.updates != nil:
		return "update of " + n.composite.updates.called(depth)
	case n.op == constOp || depth < 1:
		return n.written() + "(…)"
	case n.g == nil || n.op.Class == Source:
		return n.label()
	}
	return n.callText(depth)
}

// written is the function that the user called to make the node.
func (n *Node) written() string {
	if n.IsPart() {
		return n.composite.fn
	}
	return n.op.Func
}

// CalledFrom returns the calls that led to the line that made the node, innermost first, as far as needed to
// distinguish the node from others made by the same line: none if the line was reached in one way only.
func (n *Node) CalledFrom() []Frame {
	f, ok := n.pos.Frame()
	if !ok || n.g == nil {
		return nil
	}
	calls := n.pos.Callers()
	depth := 0
	for _, pos := range n.g.places.likeThatOf(n) {
		if at, ok := pos.Frame(); ok && at.isAt(f) {
			depth = max(depth, firstDifference(calls, pos.Callers())+1)
		}
	}
	for i := range calls[:depth] {
		outer := n.pos.users()[i+1]
		if found := callsAt(outer.File, outer.Line, outer.callee); len(found) == 1 {
			calls[i].Column = found[0].column
		}
	}
	return calls[:depth]
}

// places are those where the nodes of a graph were made, each once. The zero value is ready for use, by several
// goroutines.
type places struct {
	sync.Mutex
	nodes int // that have been looked at
	known map[place]bool
	lines map[line][]Pos
}

type place struct {
	op  *Op
	pos Pos
}

// line is the innermost place of a call.
type line struct {
	op        *Op
	innermost uintptr
}

// likeThatOf lists the places where nodes of n's operation were made at n's line.
func (p *places) likeThatOf(n *Node) []Pos {
	p.Lock()
	defer p.Unlock()
	if p.known == nil {
		p.known, p.lines = map[place]bool{}, map[line][]Pos{}
	}
	for _, x := range n.g.nodes[p.nodes:] {
		if at := (place{x.op, x.pos}); !p.known[at] {
			p.known[at] = true
			l := line{x.op, x.pos.counters()[0]}
			p.lines[l] = append(p.lines[l], x.pos)
		}
	}
	p.nodes = len(n.g.nodes)
	return p.lines[line{n.op, n.pos.counters()[0]}]
}

// truncate forgets all where there were more nodes than these.
func (p *places) truncate(nodes int) {
	p.Lock()
	defer p.Unlock()
	if p.nodes > nodes {
		p.nodes, p.known, p.lines = 0, nil, nil
	}
}

// firstDifference returns the first place at which two lists of calls differ, or -1.
func firstDifference(a, b []Frame) int {
	for i := range min(len(a), len(b)) {
		if !a[i].isAt(b[i]) {
			return i
		}
	}
	return -1
}
