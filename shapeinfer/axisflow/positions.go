package axisflow

import "github.com/broadloom/broadloom/graph"

// PositionAlong reports whether the elements of a node without operands are their positions along an
// axis, and which one it is.
func PositionAlong(n *graph.Node) (axis int, is bool) {
	if n.Op().Class != graph.Elementwise || n.Op().Emit == nil || len(n.Operands()) > 0 {
		return 0, false
	}
	e := Trace(n)
	return e.axis, e.isIndex
}

// Element is how an element of a node is computed, as far as its last step goes.
type Element struct {
	steps   []step
	isIndex bool
	axis    int
	last    step
}

// step is a primitive and what it is applied to.
type step struct {
	prim     graph.Prim
	isPrim   bool
	operands []graph.Value
	from     []int // the node's operands that it is computed from
	index    int   // of an axis, counted from 1
	dtype    graph.DType
}

// Trace notes how an elementwise node computes an element.
func Trace(n *graph.Node) (e *Element) {
	e = &Element{}
	defer func() {
		if recover() != nil { // the check tells the user
			e = &Element{}
		}
	}()
	in := make([]graph.Value, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = e.put(step{from: []int{i}, dtype: x.DType()})
	}
	e.last = e.steps[n.Op().Emit(e, n, in)]
	e.isIndex, e.axis = e.last.index > 0, e.last.index-1
	return e
}

// Selects returns the operands of the node that decide, where the last step chooses between two
// values; ok is false where it does not.
func (e *Element) Selects() (conditions []int, ok bool) {
	if !e.last.isPrim || e.last.prim != graph.PrimSelect {
		return nil, false
	}
	return e.steps[e.last.operands[0]].from, true
}

// Adds reports whether the last step is the sum of two values.
func (e *Element) Adds() bool { return e.last.isPrim && e.last.prim == graph.PrimAdd }

func (e *Element) put(s step) graph.Value {
	e.steps = append(e.steps, s)
	return graph.Value(len(e.steps) - 1)
}

// Prim applies a primitive.
func (e *Element) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	s := step{prim: p, isPrim: true, operands: x}
	var types []graph.DType
	for _, v := range x {
		s.from = append(s.from, e.steps[v].from...)
		types = append(types, e.steps[v].dtype)
	}
	s.dtype, _ = p.Result(types...)
	return e.put(s)
}

// Const is a number.
func (e *Element) Const(t graph.DType, _ float64) graph.Value { return e.put(step{dtype: t}) }

// Convert changes the type.
func (e *Element) Convert(x graph.Value, t graph.DType) graph.Value {
	s := e.steps[x]
	s.dtype = t
	return e.put(s)
}

// TypeOf returns the type of a value.
func (e *Element) TypeOf(x graph.Value) graph.DType { return e.steps[x].dtype }

// Index is the position along an axis.
func (e *Element) Index(axis int) graph.Value {
	return e.put(step{index: axis + 1, dtype: graph.Int64})
}

// Size is a size of the program.
func (e *Element) Size(graph.Dim) graph.Value { return e.put(step{dtype: graph.Int64}) }

// Check stops the run.
func (e *Element) Check(graph.Value, graph.Claim) {}
