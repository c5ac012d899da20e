package axisflow

import "github.com/broadloom/broadloom/graph"

// positionAlong reports whether the elements of a node without operands are their positions along an axis, and which
// axis it is.
func positionAlong(n *graph.Node) (axis int, is bool) {
	if n.Op().Class != graph.Elementwise || n.Op().Emit == nil || len(n.Operands()) > 0 {
		return 0, false
	}
	e := Trace(n)
	return e.axis, e.isIndex
}

// exactly is a limit within which float64 represents all integers.
const exactly = 1 << 40

// Element describes the last step of the computation of a node's element.
type Element struct {
	steps   []step
	isIndex bool
	axis    int
	last    step
	below   map[graph.Value]graph.Dim // exclusive upper limits of values that were checked to be indices
}

// step is a primitive and its operands, or another value.
type step struct {
	prim     graph.Prim
	isPrim   bool
	operands []graph.Value
	from     []int // the node's operands from which it is computed
	index    int   // the axis of a position, plus 1
	dtype    graph.DType

	is        graph.Value // the value itself, or the one of which it is an exact conversion
	isOperand bool        // an element of operand from[0]
	isOther   bool        // a conversion that may change the number
	number    graph.Dim   // a constant integer, or a size
	isNumber  bool
}

// Trace records how an elementwise node computes an element.
func Trace(n *graph.Node) (e *Element) {
	e = &Element{}
	defer func() {
		if recover() != nil { // the check tells the user
			e = &Element{}
		}
	}()
	in := make([]graph.Value, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = e.put(step{from: []int{i}, dtype: x.DType(), isOperand: true})
	}
	e.last = e.steps[n.Op().Emit(e, n, in)]
	e.isIndex, e.axis = e.last.index > 0, e.last.index-1
	return e
}

// Selects returns the operands of the node that decide if the last step chooses between two values; ok is false if it
// does not.
func (e *Element) Selects() (conditions []int, ok bool) {
	if !e.last.isPrim || e.last.prim != graph.PrimSelect {
		return nil, false
	}
	return e.steps[e.last.operands[0]].from, true
}

// Adds reports whether the last step adds two values.
func (e *Element) Adds() bool { return e.Ends(graph.PrimAdd) }

// Ends reports whether the last step is the given primitive.
func (e *Element) Ends(p graph.Prim) bool { return e.last.isPrim && e.last.prim == p }

func (e *Element) put(s step) graph.Value {
	v := graph.Value(len(e.steps))
	s.is = v
	e.steps = append(e.steps, s)
	return v
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

// Const records a number.
func (e *Element) Const(t graph.DType, v float64) graph.Value {
	s := step{dtype: t}
	if t.IsInt() && v > -exactly && v < exactly {
		s.number, s.isNumber = graph.Dim(v), true
	}
	return e.put(s)
}

// Convert records a conversion.
func (e *Element) Convert(x graph.Value, t graph.DType) graph.Value {
	s := e.steps[x]
	keeps := s.dtype == t || s.dtype == graph.Int32 && t == graph.Int64
	s.dtype = t
	v := e.put(s)
	if keeps {
		e.steps[v].is = e.steps[x].is
	} else {
		e.steps[v].isOther = true
	}
	return v
}

// TypeOf returns the dtype of a value.
func (e *Element) TypeOf(x graph.Value) graph.DType { return e.steps[x].dtype }

// Index records the position along an axis.
func (e *Element) Index(axis int) graph.Value {
	return e.put(step{index: axis + 1, dtype: graph.Int64})
}

// Size records a size of the program.
func (e *Element) Size(d graph.Dim) graph.Value {
	return e.put(step{dtype: graph.Int64, number: d, isNumber: true})
}

// Check records that 0 <= x and x < size hold, if that is the claim.
func (e *Element) Check(ok graph.Value, _ graph.Claim) {
	both := e.steps[ok]
	if !both.isPrim || both.prim != graph.PrimAnd {
		return
	}
	least, most := e.steps[both.operands[0]], e.steps[both.operands[1]]
	if !least.isPrim || least.prim != graph.PrimGe || !most.isPrim || most.prim != graph.PrimLt {
		return
	}
	x, zero, size := e.steps[least.operands[0]].is, e.steps[least.operands[1]], e.steps[most.operands[1]]
	if x != e.steps[most.operands[0]].is || !zero.isNumber || zero.number != 0 || !size.isNumber {
		return
	}
	if e.below == nil {
		e.below = map[graph.Value]graph.Dim{}
	}
	e.below[x] = size.number
}
