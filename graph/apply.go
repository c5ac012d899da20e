package graph

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/broadloom/broadloom/internal/panicked"
)

// missingOp replaces an operation that was not given.
var missingOp = &Op{Name: "missing", Func: "Apply", Doc: "a value without an operation", MaxIn: -1}

// Apply builds the node of an operation on operands, after converting them to the dtypes that Promote returns. Every
// function of package ops and every user-defined operation ends in it. It never fails: a mistake is recorded in the
// node's graph.
//
// A node with a mistake has the shape of its operand with the most axes, so that a program that reads sizes from it
// gets far enough to report the mistake.
func Apply(op *Op, attrs any, in ...*Node) *Node {
	n := apply(op, attrs, in)
	if !n.judged && n.shape == nil {
		for _, x := range n.in {
			if x != nil && len(x.shape) > len(n.shape) {
				n.shape = x.shape
			}
		}
	}
	return n
}

func apply(op *Op, attrs any, in []*Node) *Node {
	if op == nil {
		op = missingOp
	}
	g, m := commonGraph(op, in)
	g.refuseInRun()
	if g == nil {
		n := &Node{op: op, attrs: attrs, pos: Caller()}
		for _, x := range in {
			if x != nil && x.bad != nil {
				n.bad = x.bad // what is wrong with n follows from it
				return n
			}
		}
		n.fail(m)
		return n
	}
	if s := g.substitution; s != nil {
		m = firstMistake(m, s.strayWrite(op, in))
		in = s.valuesOf(in)
		g.substitution = nil // what is built of these operands takes them as they are
		defer func() { g.substitution = s }()
	}
	in, unpromoted := g.promote(op, in)
	m = firstMistake(m, unpromoted)
	g.noteAlike(in)
	n := g.newNode(op, g.kept(op, attrs), in)
	n.pos = g.here()
	if m == nil && !g.derived {
		m = firstMistake(n.misplaced(), n.unstorable())
	}
	if m != nil {
		n.fail(m)
		return n
	}
	for _, x := range n.in {
		if !x.judged {
			return n // its own mistake has been reported
		}
	}
	n.infer()
	return n
}

// infer runs the operation's shape rule. A rule that finds nothing wrong and gives no
// shape returns that of a scalar; one that gives neither dtype nor shape judges nothing,
// since the mistake is elsewhere.
func (n *Node) infer() {
	defer n.refusePanic()
	if !n.g.derived {
		if m := n.wrongArgument(); m != nil {
			n.fail(m)
			return
		}
	}
	from, nodes := n.keepSizes(), len(n.g.nodes)
	c := &Call{n: n}
	n.dtype, n.shape = n.op.Infer(c)
	c.over = true
	n.checkInferred(from, nodes)
	switch {
	case n.bad != nil || n.dtype == InvalidDType && n.shape == nil:
	case !n.dtype.Valid():
		n.failOfDType()
	case n.shape == nil:
		n.shape = Shape{}
	}
	n.shape = n.g.settled(n.shape)
	n.checkSizes()
	n.judged = n.dtype.Valid() && n.shape != nil && n.isCountable()
	n.checkElement()
	n.keepMeaning()
}

// refusePanic, deferred, makes a mistake of the panic of a rule: most often one that was given
// other fixed arguments than its operation has.
func (n *Node) refusePanic() {
	switch err := recover().(type) {
	case nil:
	case *runtime.TypeAssertionError:
		given := "none were given"
		if n.attrs != nil {
			given = fmt.Sprintf("a %T was given", n.attrs)
		}
		n.fail(
			&Mistake{Code: CodeOperand, Summary: fmt.Sprintf(
				"%s needs fixed arguments of its own, but %s (%v)", n.op.Func, given, err),
				Help: []string{
					"call the operation's own function, or pass the Attrs of another node of the operation"}})
	default:
		n.fail(n.op.NotWhole("Infer " + panicked.Text(err)))
	}
}

// ApplyIn builds the node of an operation without operands in a given graph.
func ApplyIn(g *Graph, op *Op, attrs any) *Node {
	if op == nil {
		op = missingOp
	}
	g.refuseInRun()
	n := g.newNode(op, g.kept(op, attrs), nil)
	n.pos = g.here()
	if m := misapplied(op, 0); m != nil {
		n.fail(m)
	}
	if n.bad == nil {
		n.infer()
	}
	return n
}

// commonGraph finds the graph of the operands. It returns the mistake if they belong to none, or to more than one.
func commonGraph(op *Op, in []*Node) (g *Graph, m *Mistake) {
	for i, x := range in {
		switch {
		case x == nil || x.op == nil:
			what := "is nil"
			if x != nil {
				what = "is a Node that was not made by an operation"
			}
			m = firstMistake(m, &Mistake{Code: CodeOperand, Summary: fmt.Sprintf("operand %d %s", i, what),
				Help: []string{"pass a node: the result of an operation, an input, a parameter or a constant"}})
		case x.g == nil:
		case g == nil:
			g = x.g
		case g != x.g:
			m = firstMistake(m, foreign(i, x, g))
		}
	}
	if g != nil {
		for _, x := range in {
			if x != nil && x.g == nil && x.bad != nil {
				g.adopt(x.bad)
			}
		}
	}
	if m == nil {
		m = misapplied(op, len(in))
	}
	if g == nil && m == nil {
		m = &Mistake{Code: CodeOperand, Summary: fmt.Sprintf(
			"no operand belongs to a graph: all are numbers%s", listed(in)),
			Help: []string{"compute it in Go, before graph.Num; or use Graph.Scalar to make a tensor of a number"}}
	}
	return g, m
}

// listed tells the numbers of a call that has nothing else.
func listed(in []*Node) string {
	if len(in) == 0 {
		return ""
	}
	return ": " + strings.Join(shortList(in, func(_ int, x *Node) string { return x.Called() }), ", ")
}

// foreign is the mistake of an operand of another graph. A graph that the compiler derives has the name of the user's.
func foreign(i int, x *Node, g *Graph) *Mistake {
	m := &Mistake{Code: CodeOperand, Help: []string{"build all nodes of a program in one graph"}}
	of := fmt.Sprintf("operand %d, %s, belongs to graph %q", i, x.Called(), x.g.name)
	switch {
	case g.derived != x.g.derived:
		m.Summary = fmt.Sprintf(
			"operand %d, %s, is a value of the program, but another operand is one of the copy that is being compiled",
			i, x.Called())
		m.Help = []string{"use only the operands that the function gets: add other values as operands of the operation"}
	case g.name == x.g.name:
		m.Summary = of + ", another operand to another graph of the same name"
	default:
		m.Summary = fmt.Sprintf("%s, another operand to graph %q", of, g.name)
	}
	return m
}

// misapplied says why the operation cannot be applied to so many operands, or nothing.
func misapplied(op *Op, operands int) *Mistake {
	switch {
	case op == missingOp:
		return &Mistake{Code: CodeOperand, Summary: "the operation is nil",
			Help: []string{"ops.Lookup returns nil for an unknown name; ops.Entries lists all operations"}}
	case op.Infer == nil:
		return &Mistake{Code: CodeOperand, Summary: fmt.Sprintf("the operation %q has no shape rule", op.Name),
			Help: []string{"set its field Infer"}}
	case operands < op.MinIn || op.MaxIn >= 0 && operands > op.MaxIn:
		return &Mistake{Code: CodeOperand, Summary: fmt.Sprintf("got %d operands, %s", operands, arity(op))}
	}
	return nil
}

func arity(op *Op) string {
	switch {
	case op.MaxIn < 0:
		return fmt.Sprintf("at least %d needed", op.MinIn)
	case op.MinIn == op.MaxIn:
		return fmt.Sprintf("%d wanted", op.MinIn)
	}
	return fmt.Sprintf("%d to %d needed", op.MinIn, op.MaxIn)
}

func firstMistake(old, m *Mistake) *Mistake {
	if old != nil {
		return old
	}
	return m
}

// Call is an operation's view of the node being built: its shape rule reads it and records its results there.
type Call struct {
	n    *Node
	over bool // the rule has returned
}

// isOver makes a mistake of what is recorded after the rule has returned.
func (c *Call) isOver(what string) bool {
	if c.over {
		m := c.n.op.NotWhole(what + " is called after Infer has returned")
		m.Help = []string{"do not keep the graph.Call: a rule must record mistakes before it returns"}
		c.n.Refuse(m)
	}
	return c.over
}

// Op returns the operation.
func (c *Call) Op() *Op { return c.n.op }

// Node returns the node being built; its dtype and shape are not known yet.
func (c *Call) Node() *Node { return c.n }

// Policy returns the graph's rules of choice.
func (c *Call) Policy() Policy { return c.n.g.policy }

// Bounds returns the declared bounds of a named size, and the multiple that nodes require it to be.
func (c *Call) Bounds(name string) Bounds { return c.n.g.facts.Bounds(name) }

// Settled is [Graph.Settled].
func (c *Call) Settled(d Dim) Dim { return c.n.g.facts.Settled(d) }

// IsMultiple is [Graph.IsMultiple].
func (c *Call) IsMultiple(a, b Dim) bool { return c.n.g.facts.IsMultiple(a, b) }

// NumIn returns the number of operands.
func (c *Call) NumIn() int { return len(c.n.in) }

// In returns operand i.
func (c *Call) In(i int) *Node { return c.n.in[i] }

// Shape returns the shape of operand i.
func (c *Call) Shape(i int) Shape { return c.n.in[i].shape }

// DType returns the dtype of operand i.
func (c *Call) DType(i int) DType { return c.n.in[i].dtype }

// Attrs returns the operation's fixed arguments.
func (c *Call) Attrs() any { return c.n.attrs }

// SetStretch records how the operands of a broadcasting node meet the axes of its result.
func (c *Call) SetStretch(s [][]AxisKind) {
	if !c.isOver("SetStretch") {
		c.n.stretch = s
	}
}

// Fail records the node's mistake. The rule then returns what it still knows: a result of the right rank, with
// [UnknownDim] for failed axes, lets later, independent mistakes be found.
func (c *Call) Fail(m *Mistake) {
	if c.isOver("Fail") {
		return
	}
	if m == nil || m.Code == "" || m.Summary == "" {
		m = c.n.op.NotWhole("Infer calls Fail with a mistake that has no code, or no summary")
		m.Help = []string{"set both: c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: …})"}
	}
	c.n.fail(m)
}

// Failed reports whether a mistake was recorded for this node.
func (c *Call) Failed() bool { return c.n.bad != nil }

// Require records a requirement that could be neither proved nor refuted. A requirement on a size that an int64
// cannot hold is a mistake.
func (c *Call) Require(r Requirement) {
	switch {
	case c.isOver("Require"):
	case r.Why == "":
		m := c.n.op.NotWhole("Infer calls Require without a reason")
		m.Help = []string{"set the field Why, a few words for the error of a run"}
		c.n.fail(m)
	default:
		c.n.Require(r)
	}
}

// Warn records a warning about the node.
func (c *Call) Warn(m *Mistake) {
	switch {
	case c.isOver("Warn"):
	case m == nil || m.Code == "" || m.Summary == "":
		m = c.n.op.NotWhole("Infer calls Warn with a mistake that has no code, or no summary")
		m.Help = []string{"set both: c.Warn(&graph.Mistake{Code: graph.CodeOperand, Summary: …})"}
		c.n.fail(m)
	case c.n.StandsFor() == nil: // else it was said of that one
		m.Node, m.Severity = c.n, Warning
		c.n.g.warnings = append(c.n.g.warnings, m)
	}
}
