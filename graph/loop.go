package graph

import "fmt"

// Region is the body of a loop: its nodes are computed in each step. They are among the other nodes of the graph. A
// node belongs to the innermost body from whose values it is computed, so that what depends only on outside values is
// computed once.
type Region struct {
	parent  *Region
	length  Dim
	reverse bool
	whole   bool
	example bool
	open    bool
	ordered bool
	pos     Pos
	ended   []func(end *Node) // what waits for the end
}

// LoopSpec says how often a body is computed.
type LoopSpec struct {
	Length  Dim  // the steps, or the most of them
	Reverse bool // the last step is the first
	// Whole says that all nodes that are built while the body is open belong to it, not only those computed from its
	// values: they are not computed if there are no steps.
	Whole bool
	// Example says that the body is one example of a batch, which messages then mention: there are no steps.
	Example bool
}

// IsOfExample reports whether the node is a value of one example of a batch. Its form for all examples, which is in
// the graph too, is what is computed.
func (n *Node) IsOfExample() bool {
	for r := n.region; r != nil; r = r.parent {
		if r.example {
			return true
		}
	}
	return false
}

// Parent returns the body around this one, or nil.
func (r *Region) Parent() *Region { return r.parent }

// Length returns the number of steps, or the most of them.
func (r *Region) Length() Dim { return r.length }

// Reverse reports whether the steps go backwards.
func (r *Region) Reverse() bool { return r.reverse }

// Spec returns how often the body is computed.
func (r *Region) Spec() LoopSpec { return LoopSpec{r.length, r.reverse, r.whole, r.example} }

// Ordered reports whether the body, or a body in it, has ordered operations.
func (r *Region) Ordered() bool { return r.ordered }

// Depth counts the bodies around the values of r, itself among them: 0 for nil.
func (r *Region) Depth() int {
	depth := 0
	for ; r != nil; r = r.parent {
		depth++
	}
	return depth
}

// Holds reports whether r is in, or a body around it. Nil, the outside of all bodies, holds all.
func (r *Region) Holds(in *Region) bool {
	for ; in != r; in = in.parent {
		if in == nil {
			return false
		}
	}
	return true
}

// Within returns the body directly inside outer that contains r, or nil if r is not inside outer.
func (r *Region) Within(outer *Region) *Region {
	for ; r != nil; r = r.parent {
		if r.parent == outer {
			return r
		}
	}
	return nil
}

// String writes how often the body is computed, and nothing that differs from one to another.
func (r *Region) String() string {
	text := r.length.String()
	if r.reverse {
		text = "reverse " + text
	}
	return text
}

// OpenRegion starts a body within the one that is open. Nodes may be computed from its values until end is called.
func (g *Graph) OpenRegion(s LoopSpec) (r *Region, end func()) {
	outer := g.region
	r = &Region{parent: outer, length: s.Length, reverse: s.Reverse, whole: s.Whole, example: s.Example, open: true,
		pos: g.here()}
	g.region = r
	return r, func() { g.region, r.open = outer, false }
}

// WhenEnded calls f with the node that ends the loop, once the results of the body's steps are known. A copy of the
// body does not call it.
func (r *Region) WhenEnded(f func(end *Node)) { r.ended = append(r.ended, f) }

// End calls the functions of [Region.WhenEnded]: n ends the loop.
func (r *Region) End(end *Node) {
	waiting := r.ended
	r.ended = nil
	for _, f := range waiting {
		f(end)
	}
}

// OpenCopy starts a body like r within outer, into which nodes of r are copied until end is called.
func (g *Graph) OpenCopy(r, outer *Region) (made *Region, end func()) {
	made = &Region{}
	*made = *r
	made.parent, made.open, made.ordered, made.ended = outer, true, false, nil
	return made, func() { made.open = false }
}

// Around builds nodes outside of an open body.
func (g *Graph) Around(r *Region, build func()) { g.Within(r.parent, build) }

// Within builds nodes with r as the innermost open body, or with none if r is nil.
func (g *Graph) Within(r *Region, build func()) {
	open := g.region
	g.region = r
	defer func() { g.region = open }()
	build()
}

// Reopened builds nodes within a body that was ended.
func (g *Graph) Reopened(r *Region, build func()) {
	for q := r; q != nil; q = q.parent {
		was := q.open
		q.open = true
		defer func() { q.open = was }()
	}
	g.Within(r, build)
}

// Region returns the body that is open, or nil.
func (g *Graph) Region() *Region { return g.region }

// Region returns the body to which the node belongs, or nil if it is outside of all.
func (n *Node) Region() *Region { return n.region }

// LoopRole is the role of a node of class Loop.
type LoopRole uint8

// The roles. The first three are values of a body, the others lead out of it.
const (
	LoopCarried LoopRole = iota // the value carried from the previous step; the operand is the initial value
	LoopElement                 // the operand's part at the step's position on the first axis
	LoopStep                    // the position of the step, an Int64
	// the number of steps; the operands are all carried values, the steps' results, and limits
	LoopEnd
	LoopFinal // a result of the last step; the operand is the end
	LoopStack // a value of all steps along a new first axis; the operands are the end and the value
)

var loopRoles = [...]string{"carried", "element", "step", "end", "final", "stack"}

// String names the role in lower case.
func (r LoopRole) String() string { return nameOf(loopRoles[:], r, "role") }

// LoopAttrs are the fixed arguments of an operation of class Loop.
type LoopAttrs struct {
	Body    *Region
	Role    LoopRole
	Index   int  // of a carried or final value: which one
	Carried int  // of the end: the number of carried values
	Limited bool // of the end: its next operand, an Int64, is the number of steps if less than the length
	Stops   bool // of the end: the loop stops before a step whose last carried value is false
}

// Args writes the operands alone.
func (a LoopAttrs) Args(operands []string) []string {
	if a.Role == LoopStack {
		return operands[1:]
	}
	return operands
}

// Loop returns the fixed arguments of a node of class Loop.
func (n *Node) Loop() (a LoopAttrs, ok bool) {
	if n.op == nil || n.op.Class != Loop {
		return LoopAttrs{}, false
	}
	a, ok = n.attrs.(LoopAttrs)
	return a, ok
}

// IsInternalToLoop reports whether nothing outside of a loop can use the node: it is a value of the loop's body, or
// the final value of its condition, which the loop does not return.
func (n *Node) IsInternalToLoop() bool {
	if n.region != nil {
		return true
	}
	a, ok := n.Loop()
	if !ok || a.Role != LoopFinal {
		return false
	}
	end, _ := n.in[0].Loop()
	return end.Stops && a.Index == end.Carried-1
}

// findRegion finds the body to which a node belongs.
func (n *Node) findRegion(open *Region) {
	n.region = nil
	for _, x := range n.in {
		if x != nil && x.region != nil && n.region.Holds(x.region) {
			n.region = x.region
		}
	}
	if a, ok := n.Loop(); ok {
		if n.region = a.Body; a.Role >= LoopEnd {
			n.region = a.Body.parent
		}
	}
	if open != nil && (open.whole || n.op.belongsToOpen()) && n.op.Class != Source && n.region.Holds(open) {
		n.region = open
	}
	if n.op.Ordered && n.region != nil && !n.region.ordered {
		// a write only while the body is built: programs are compiled at the same time
		n.region.ordered = true
	}
}

// belongsToOpen reports whether nodes of the operation belong to the body that is open, whatever they are computed
// from.
func (op *Op) belongsToOpen() bool { return op.Ordered || op.EachStep }

// misplaced refuses an operation that does not go with the bodies of loops in which its operands stand.
func (n *Node) misplaced() *Mistake { return firstMistake(n.strayOperand(), n.strayWrite()) }

// strayOperand refuses an operand that is a value of a body in which the operation does not stand.
func (n *Node) strayOperand() *Mistake {
	for i, x := range n.in {
		if x == nil || x.region == nil || x.region.open || !x.judged || x.bad != nil { // it has a mistake of its own
			continue
		}
		if a, ok := n.Loop(); ok && a.Body == x.region {
			continue
		}
		return x.outsideOf(fmt.Sprintf("operand %d", i))
	}
	return nil
}

// OutsideOfBody returns the mistake of using a value of a loop's body where the body is not being built, or nil for
// other values. what says what the value is used as.
func (n *Node) OutsideOfBody(what string) *Mistake {
	if n.region == nil || n.region.open {
		return nil
	}
	return n.outsideOf(what)
}

func (n *Node) outsideOf(what string) *Mistake {
	if n.region.example {
		return &Mistake{Code: CodeLoop,
			Summary: fmt.Sprintf(
				"%s, %s, is a value of a single example, in the function at %s, but is used outside of it", what,
				n.Called(), n.region.pos),
			Operands: []OperandNote{{Node: n, Text: "differs from example to example"}},
			Help: []string{
				"return it from the function: Vmap returns the values of all examples along a new first axis"}}
	}
	return &Mistake{Code: CodeLoop,
		Summary: fmt.Sprintf("%s, %s, is a value of the body of the loop at %s, but is used outside of it", what,
			n.Called(), n.region.pos),
		Operands: []OperandNote{{Node: n, Text: "differs from step to step"}},
		Help: []string{
			"return it from the body: as a carried value, of which the loop returns the last one, or as an output, of which it returns those of all steps along a new axis",
		}}
}

// strayWrite refuses a write within a body to memory that is not made in the same step. It stands in the body that is
// open, also if nothing that it reads differs from step to step.
func (n *Node) strayWrite() *Mistake {
	body := n.region
	if n.g != nil && n.g.region != nil && body.Holds(n.g.region) {
		body = n.g.region
	}
	if n.op.Class != Update || body == nil || len(n.in) == 0 {
		return nil
	}
	memory := n.in[0].Storage()
	if memory.region == body && memory.op.Class != Loop {
		return nil
	}
	if body.example {
		return &Mistake{Code: CodeLoop,
			Summary: fmt.Sprintf("the function of an example writes %s, which it did not make for each example",
				memory.Called()),
			Help: []string{
				fmt.Sprintf("write to a copy made in the function, so that each example has its own: ops.Copy(%s)",
					memory.Called())}}
	}
	return &Mistake{Code: CodeLoop,
		Summary: fmt.Sprintf("the body of a loop writes %s, which is not made in the same step", memory.Called()),
		Help: []string{"carry the value: return the new one from the body, which gets it in the next step",
			fmt.Sprintf("or write to a copy that the body makes in each step: ops.Copy(%s)", memory.Called())}}
}
