package outline

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Call is a loop whose body is a separate program, applied to operands.
type Call struct {
	Region   *graph.Region
	Body     *rewrite.Program // it outputs what steps hand on, and what is kept of all steps
	Inputs   []BodyInput      // of the body, in its order
	Carried  []Carried        // those that are live
	Results  []Result         // what the loop returns
	Limit    int              // the operand that limits the steps, or -1
	Stops    int              // the carried value that stops the loop, or -1
	operands []*graph.Node
}

// BodyInput is one input of a body.
type BodyInput struct {
	Role    InputRole
	Operand int       // of the call, if captured or an element
	Carried int       // if a carried value
	Stride  graph.Dim // between elements, in elements of the operand's memory
}

// InputRole is the role of a body's input.
type InputRole uint8

const (
	Captured InputRole = iota // a value from outside
	Element                   // a slice of a value from outside, at the step's position
	Previous                  // a carried value
	Position                  // of the step
)

// Carried is a carried value: the operand with its initial value, and the output of the body with its next one.
type Carried struct{ Init, Next int }

// Result is a result of a loop.
type Result struct {
	Role    graph.LoopRole // LoopFinal, LoopStack, or LoopEnd for the number of steps
	Carried int            // if a final value
	Output  int            // of the body, if its values of all steps are kept
	dtype   graph.DType
	shape   graph.Shape
}

// String says how often the body runs.
func (c *Call) String() string { return c.Region.String() }

// CallAttrs are the fixed arguments of a node that represents a result of a loop.
type CallAttrs struct {
	Call   *Call
	Result int
}

var opLoopCall = &graph.Op{Name: "loop", Func: "Loop", Doc: "a result of a loop", Class: graph.Loop, MaxIn: -1,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
		a := c.Attrs().(CallAttrs)
		r := a.Call.Results[a.Result]
		return r.dtype, r.shape
	}}

var opElementView = &graph.Op{Name: "element_view", Func: "ElementView", Doc: "x[0], of which there may be none.",
	Class: graph.Movement, MinIn: 1, MaxIn: 1, Once: true,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0)[1:] },
	View: func(_ *graph.Node, in graph.Layout) (graph.Layout, bool) {
		return graph.Layout{Shape: in.Shape[1:], Strides: in.Strides[1:], Offset: in.Offset}, true
	}}

// Loops makes each loop's body a separate program. The results of a loop become nodes of class Loop, whose operands are
// all that the loop reads. What only dead nodes of bodies read is dropped.
func Loops(u *rewrite.Program) error {
	if !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return n.Op().Class == graph.Loop }) {
		return nil
	}
	o := outliner{u: u, next: u.Graph.Derive(), replaced: make([]*graph.Node, len(u.Graph.Nodes())),
		calls: map[*graph.Region]*bodyBuilder{}, anew: matricesBesideScores(u)}
	for _, n := range u.Graph.Nodes() {
		if u.Visit(n); n.Region().Within(u.Body) != nil {
			continue // reached from the loop's results
		}
		a, ok := n.Loop()
		switch {
		case ok && a.Role == graph.LoopEnd && n.Op().Ordered:
			o.value(n)
		case ok && a.Role == graph.LoopEnd: // made when it is read
		case ok:
			o.replaced[n.ID()] = o.result(n, a)
		default:
			in := make([]*graph.Node, len(n.Operands()))
			for i, x := range n.Operands() {
				in[i] = o.value(x)
			}
			o.replaced[n.ID()] = o.next.Copy(n, in)
		}
	}
	for _, n := range u.Roots {
		o.value(n)
	}
	u.ReplaceGraph(o.next, func(n *graph.Node) *graph.Node { return o.replaced[n.ID()] })
	if err := rewrite.DCE(u); err != nil {
		return err
	}
	return o.dropUnread()
}

// outliner makes the graph without bodies.
type outliner struct {
	u        *rewrite.Program
	next     *graph.Graph
	replaced []*graph.Node
	calls    map[*graph.Region]*bodyBuilder
	anew     map[*graph.Node]bool // see matricesBesideScores
}

// value returns the replacement of a node outside of bodies.
func (o *outliner) value(n *graph.Node) *graph.Node {
	if a, ok := n.Loop(); ok && a.Role == graph.LoopEnd && o.replaced[n.ID()] == nil {
		o.replaced[n.ID()] = o.call(n).result(n, Result{Role: graph.LoopEnd})
	}
	return o.replaced[n.ID()]
}

// result makes the replacement of a loop's result.
func (o *outliner) result(n *graph.Node, a graph.LoopAttrs) *graph.Node {
	end := n.In(0)
	if a.Role == graph.LoopFinal {
		return o.call(end).result(n, Result{Role: a.Role, Carried: a.Index})
	}
	x := n.In(1)
	if x.Region().Within(o.u.Body) != nil {
		return o.call(end).result(n, Result{Role: a.Role, Output: o.call(end).output(x)})
	}
	return o.repeated(n, end, o.value(x))
}

// repeated stacks a value that is the same in each step. Steps that do not run give 0.
func (o *outliner) repeated(n, end, x *graph.Node) (all *graph.Node) {
	o.next.At(n, func() {
		if all = ops.Expand(x, n.Shape()...); o.isWritten(n) {
			all = ops.Copy(all)
		}
		if a, _ := end.Loop(); a.Limited || a.Stops {
			position := ops.Iota(
				o.next, 0, append(graph.Shape{n.Shape()[0]}, slices.Repeat(graph.Shape{1}, x.Rank())...)...)
			all = ops.Where(ops.Less(position, o.value(end)), all, ops.Zeros(o.next, x.DType()))
		}
	})
	return all
}

// isWritten reports whether a node writes into a value's memory.
func (o *outliner) isWritten(memory *graph.Node) bool {
	return slices.ContainsFunc(o.u.Graph.Nodes(), func(n *graph.Node) bool {
		return n.Op().Class == graph.Update && n.Storage() == memory
	})
}

// bodyBuilder makes the program of a loop's body.
type bodyBuilder struct {
	*outliner
	end      *graph.Node // of the loop
	call     *Call
	g        *graph.Graph // of the body
	copied   map[*graph.Node]*graph.Node
	captured map[*graph.Node]*graph.Node // by the value from outside, in the graph without bodies
	live     map[int]int                 // index of each live carried value among the live ones
}

// call returns the loop that ends at a node.
func (o *outliner) call(end *graph.Node) *bodyBuilder {
	a, _ := end.Loop()
	if b := o.calls[a.Body]; b != nil {
		return b
	}
	g := o.u.Graph.Derive()
	b := &bodyBuilder{outliner: o, end: end, g: g, copied: map[*graph.Node]*graph.Node{},
		captured: map[*graph.Node]*graph.Node{}, live: map[int]int{},
		call: &Call{Region: a.Body, Limit: -1, Stops: -1,
			Body: &rewrite.Program{Graph: g, Body: a.Body, Evaluate: o.u.Evaluate, FastBFloat16: o.u.FastBFloat16}}}
	o.calls[a.Body] = b
	members, outputs := o.live(end, a)
	carried, next, limit := loopop.CarriedOf(end)
	o.next.At(end, func() {
		if limit != nil {
			b.call.Limit = b.operand(rewrite.Contiguous(o.value(limit)))
		}
		for i, x := range carried {
			if members[x] {
				b.live[i] = len(b.call.Carried)
				b.call.Carried = append(b.call.Carried, Carried{Init: b.operand(rewrite.Contiguous(o.value(x.In(0))))})
			}
		}
	})
	if a.Stops {
		b.call.Stops = b.live[a.Carried-1]
	}
	for _, n := range o.u.Graph.Nodes()[:end.ID()] {
		if members[n] {
			o.u.Visit(n)
			b.copied[n] = b.copyOf(n)
		}
	}
	for i, x := range next {
		if at, isLive := b.live[i]; isLive {
			b.call.Carried[at].Next = b.output(x)
		}
	}
	for _, n := range outputs {
		b.output(n)
	}
	p := b.call.Body
	for _, n := range o.u.Graph.Nodes()[:end.ID()] {
		if own := b.copied[n]; n.Op().Ordered && n.Region() == a.Body && !slices.Contains(p.Roots, own) {
			p.Roots, p.UserRoots = append(p.Roots, own), append(p.UserRoots, own)
		}
	}
	return b
}

// live finds the live nodes of a loop's body. A carried value that is only handed on is dead. outputs are the live
// nodes whose values of all steps are kept.
func (o *outliner) live(end *graph.Node, a graph.LoopAttrs) (members map[*graph.Node]bool, outputs []*graph.Node) {
	members = map[*graph.Node]bool{}
	carried, next, _ := loopop.CarriedOf(end)
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		if n.Region().Within(o.u.Body) != a.Body || members[n] {
			return
		}
		members[n] = true
		for _, x := range n.Operands() {
			visit(x)
		}
		if own, ok := n.Loop(); ok && own.Role == graph.LoopCarried && own.Body == a.Body {
			visit(next[own.Index])
		}
	}
	if a.Stops {
		visit(carried[a.Carried-1])
	}
	for _, n := range o.u.Graph.Nodes()[:end.ID()] {
		if n.Op().Ordered {
			visit(n)
		}
	}
	for _, n := range o.u.Graph.Nodes()[end.ID():] {
		own, ok := n.Loop()
		switch {
		case !ok || own.Body != a.Body:
		case own.Role == graph.LoopFinal:
			visit(carried[own.Index])
		case own.Role == graph.LoopStack:
			visit(n.In(1))
			outputs = append(outputs, n.In(1))
		}
	}
	outputs = slices.DeleteFunc(outputs, func(n *graph.Node) bool { return !members[n] })
	return members, outputs
}

// operand adds a value from outside to the loop's operands.
func (b *bodyBuilder) operand(x *graph.Node) int {
	if at := slices.Index(b.call.operands, x); at >= 0 {
		return at
	}
	b.call.operands = append(b.call.operands, x)
	return len(b.call.operands) - 1
}

// output adds a value to the body's outputs.
func (b *bodyBuilder) output(n *graph.Node) int {
	own := b.inBody(n)
	p := b.call.Body
	if at := slices.Index(p.Roots, own); at >= 0 {
		return at
	}
	p.Roots = append(p.Roots, own)
	p.UserRoots = append(p.UserRoots, own)
	p.NumOutputs, p.UserNodes = len(p.Roots), len(b.g.Nodes())
	return len(p.Roots) - 1
}

// result makes the node of a loop's result.
func (b *bodyBuilder) result(n *graph.Node, r Result) (made *graph.Node) {
	r.dtype, r.shape = n.DType(), n.Shape()
	if r.Role == graph.LoopFinal {
		r.Carried = b.live[r.Carried]
	}
	b.call.Results = append(b.call.Results, r)
	b.next.At(n, func() {
		op, attrs := *opLoopCall, CallAttrs{b.call, len(b.call.Results) - 1}
		op.Ordered = n.Op().Ordered
		if len(b.call.operands) == 0 {
			made = graph.ApplyIn(b.next, &op, attrs)
			return
		}
		made = graph.Apply(&op, attrs, b.call.operands...)
	})
	return made
}

// input adds an input to the body.
func (b *bodyBuilder) input(of *graph.Node, in BodyInput) *graph.Node {
	n := b.g.InputFor(of, of.DType(), of.Shape())
	b.call.Inputs = append(b.call.Inputs, in)
	b.call.Body.Inputs = append(b.call.Body.Inputs, rewrite.SourceNode{User: n, Own: n})
	return n
}

// inBody returns the counterpart in the body's graph of a node of the loop, or from outside.
func (b *bodyBuilder) inBody(n *graph.Node) *graph.Node {
	if own := b.copied[n]; own != nil {
		return own
	}
	if b.anew[n] {
		return b.computed(n)
	}
	x := b.value(n)
	if own := b.captured[x]; own != nil {
		return own
	}
	own := b.shown(b.given(x), func(base *graph.Node) *graph.Node {
		if base.IsConst() {
			return b.g.Copy(base, nil)
		}
		if own := b.captured[base]; own != nil {
			return own
		}
		own := b.input(base, BodyInput{Role: Captured, Operand: b.operand(base)})
		b.captured[base] = own
		return own
	})
	b.captured[x] = own
	return own
}

// copyOf copies a node of the loop to the body's graph.
func (b *bodyBuilder) copyOf(n *graph.Node) *graph.Node {
	if a, ok := n.Loop(); ok && a.Body == b.call.Region {
		switch a.Role {
		case graph.LoopCarried:
			return b.input(n, BodyInput{Role: Previous, Carried: b.live[a.Index]})
		case graph.LoopStep:
			return b.input(n, BodyInput{Role: Position})
		case graph.LoopElement:
			return b.element(n)
		}
	}
	in := make([]*graph.Node, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = b.inBody(x)
	}
	return b.g.Copy(n, in)
}

// element makes the slice, at the step's position, of a value from outside: a view of memory by which the loop advances
// from step to step. It must stay within the value's memory, so a value with a negative stride is copied first.
func (b *bodyBuilder) element(n *graph.Node) (made *graph.Node) {
	x := b.given(b.value(n.In(0)))
	if stride := alias.LayoutOf(x).Strides[0]; prove.NewProver(b.next.Bounds).AtLeast(stride, 0) != prove.Proved {
		b.next.At(b.end, func() { x = ops.Copy(x) })
	}
	stride := alias.LayoutOf(x).Strides[0]
	whole := b.shown(x, func(base *graph.Node) *graph.Node {
		return b.input(base, BodyInput{Role: Element, Operand: b.operand(base), Stride: stride})
	})
	b.g.At(n, func() { made = graph.Apply(opElementView, nil, whole) })
	return made
}

// isElement reports whether a node is the slice, at the step's position, of a value from outside.
func isElement(n *graph.Node) bool { return n.Op() == opElementView }

// CallOf returns the loop of which a node is a result.
func CallOf(n *graph.Node) (a CallAttrs, ok bool) {
	a, ok = n.Attrs().(CallAttrs)
	return a, ok
}

// Verify checks that all loops have become calls.
func Verify(u *rewrite.Program) error {
	for _, n := range u.Graph.Nodes() {
		if a, ok := n.Loop(); ok {
			return fmt.Errorf("a value of a loop is left: %s", a.Role)
		}
	}
	return nil
}
