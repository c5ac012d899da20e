package graph

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/internal/panicked"
)

// typing is an Emitter that finds the dtypes of the values of an element, and what is wrong
// with them first.
type typing struct {
	g        *Graph
	rank     int
	operands int
	types    []DType
	in       []Value
	wrong    string
	trace    uint64 // a hash of what was asked for
	computes bool   // by more than to convert elements and to pick one
}

// checkElement requires that the meaning of an element has the node's dtype, and uses primitives that are defined for
// the dtypes of its values. It runs when the node is built, so that the author of the operation sees the line that uses
// it. Each operation is reported once in a graph.
func (n *Node) checkElement() {
	if n.bad != nil || !n.judged || !n.op.hasElement() {
		return
	}
	if n.hasUnknown() {
		return // a mistake is told of already
	}
	wrong, other := n.g.elements.of(n), n.g.elements.trace
	if wrong == "" && !n.g.seenElement[n.op] {
		if n.g.seenElement == nil {
			n.g.seenElement = map[*Op]bool{}
		}
		n.g.seenElement[n.op] = true
		wrong = n.changingElement(other)
	}
	if wrong == "" {
		return
	}
	n.judged = false
	if n.g.wrongElement[n.op] {
		return
	}
	if n.g.wrongElement == nil {
		n.g.wrongElement = map[*Op]bool{}
	}
	n.g.wrongElement[n.op] = true
	m := n.op.NotWhole(wrong)
	m.Help = []string{
		"convert operands before the node is built, with Promote (such as ops.ToCommonType); or in Emit, with Emitter.Convert"}
	n.fail(m)
}

// hasElement reports whether the operation says what one element is.
func (op *Op) hasElement() bool {
	return op.Emit != nil && (op.Class == Elementwise || op.Class == Update)
}

// changingElement says how an element differs from its known trace when it is emitted again, or returns "".
func (n *Node) changingElement(trace uint64) (wrong string) {
	var again typing
	if wrong = again.of(n); wrong == "" && again.trace != trace {
		wrong = "Emit returns a different element in each call: it must depend only on the node and the operands, and use no value of another call"
	}
	return wrong
}

// ElementMistake evaluates the meaning of an element again, and returns what is wrong with it now, or nil if it is
// the same as when the node was built, as far as a few calls show.
func (n *Node) ElementMistake() *Mistake {
	if n.g == nil || !n.op.hasElement() {
		return nil
	}
	var first typing
	wrong := first.of(n)
	for range 3 {
		if wrong == "" {
			wrong = n.changingElement(first.trace)
		}
	}
	if wrong == "" {
		return nil
	}
	m := n.op.NotWhole(wrong)
	m.Node = n
	return m
}

// note adds something to the trace.
func (e *typing) note(what ...uint64) {
	for _, x := range what {
		e.trace = (e.trace ^ x) * 0x9e3779b97f4a7c15
		e.trace ^= e.trace >> 29
	}
}

// of returns what is wrong with the types of an element of n, or nothing. What it found of other nodes is
// forgotten.
func (e *typing) of(n *Node) (wrong string) {
	*e = typing{g: n.g, rank: n.Rank(), operands: len(n.in), types: e.types[:0], in: e.in[:0]}
	for _, x := range n.in {
		e.in = append(e.in, e.value(x.dtype))
	}
	nodes := len(n.g.nodes)
	defer func() {
		if p := recover(); p != nil {
			wrong = "Emit " + panicked.Text(p)
		}
	}()
	y := n.op.Emit(e, n, e.in)
	e.note(uint64(y))
	if t := e.TypeOf(y); t != n.dtype {
		e.fail("it returns %s, but Infer says %s", t, n.dtype)
	}
	if len(n.g.nodes) > nodes {
		return "Emit builds nodes: it must describe one element, with the Emitter only"
	}
	if e.wrong == "" {
		return ""
	}
	return "Emit returns a wrong type: " + e.wrong
}

func (e *typing) fail(format string, args ...any) Value {
	if e.wrong == "" {
		e.wrong = fmt.Sprintf(format, args...)
	}
	return e.value(InvalidDType)
}

func (e *typing) value(t DType) Value {
	e.types = append(e.types, t)
	return Value(len(e.types) - 1)
}

// Prim applies a primitive.
func (e *typing) Prim(p Prim, x ...Value) Value {
	types := make([]DType, len(x))
	e.computes = e.computes || p != PrimSelect
	e.note(1, uint64(p), uint64(len(x)))
	for i, v := range x {
		e.note(uint64(v))
		if types[i] = e.TypeOf(v); !types[i].Valid() {
			return e.value(InvalidDType) // it is wrong already
		}
	}
	t, err := p.Result(types...)
	if err != nil {
		return e.fail("%v", err)
	}
	return e.value(t)
}

// Const is a number.
func (e *typing) Const(t DType, v float64) Value {
	e.note(2, uint64(t), math.Float64bits(v))
	if !t.Valid() {
		return e.fail("a number of no dtype")
	}
	return e.value(t)
}

// Convert changes the type.
func (e *typing) Convert(x Value, t DType) Value {
	e.note(3, uint64(x), uint64(t))
	if e.TypeOf(x); !t.Valid() {
		return e.fail("a conversion to no dtype")
	}
	return e.value(t)
}

// TypeOf returns the type of a value.
func (e *typing) TypeOf(x Value) DType {
	if x < 0 || int(x) >= len(e.types) {
		e.fail("value %d did not come from the emitter", x)
		return InvalidDType
	}
	return e.types[x]
}

// Index is the position along an axis.
func (e *typing) Index(axis int) Value {
	e.note(4, uint64(axis))
	if axis < 0 || axis >= e.rank {
		return e.fail("the index of axis %d of a value with %d axes", axis, e.rank)
	}
	return e.value(Int64)
}

// Size is a size of the program.
func (e *typing) Size(d Dim) Value {
	e.note(5, uint64(d))
	if !d.Valid() {
		return e.fail("a size that is none")
	}
	if wrong, _ := badSize(e.g, d); wrong != "" {
		return e.fail("%s", wrong)
	}
	return e.value(Int64)
}

// Check stops the run.
func (e *typing) Check(ok Value, c Claim) {
	e.note(6, uint64(ok), uint64(c.Operand))
	if c.Operand < 0 || c.Operand >= e.operands {
		e.fail("a check of operand %d of %d", c.Operand, e.operands)
	}
	if t := e.TypeOf(ok); t.Valid() && t != Bool {
		e.fail("a check of %s: it must be bool", t)
	}
}
