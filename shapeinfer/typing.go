package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// typing is an Emitter that finds the dtypes of the values of an element, and what is wrong
// with them first.
type typing struct {
	rank     int
	operands int
	types    []graph.DType
	in       []graph.Value
	wrong    string
}

// begin forgets what was found of other nodes, and returns the values of n's operands.
func (e *typing) begin(n *graph.Node) []graph.Value {
	*e = typing{rank: n.Rank(), operands: len(n.Operands()), types: e.types[:0], in: e.in[:0]}
	for _, x := range n.Operands() {
		e.in = append(e.in, e.value(x.DType()))
	}
	return e.in
}

func (e *typing) fail(format string, args ...any) graph.Value {
	if e.wrong == "" {
		e.wrong = fmt.Sprintf(format, args...)
	}
	return e.value(graph.InvalidDType)
}

func (e *typing) value(t graph.DType) graph.Value {
	e.types = append(e.types, t)
	return graph.Value(len(e.types) - 1)
}

// Prim applies a primitive.
func (e *typing) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	types := make([]graph.DType, len(x))
	for i, v := range x {
		if types[i] = e.TypeOf(v); !types[i].Valid() {
			return e.value(graph.InvalidDType) // it is wrong already
		}
	}
	t, err := p.Result(types...)
	if err != nil {
		return e.fail("%v", err)
	}
	return e.value(t)
}

// Const is a number.
func (e *typing) Const(t graph.DType, _ float64) graph.Value {
	if !t.Valid() {
		return e.fail("a number of no dtype")
	}
	return e.value(t)
}

// Convert changes the type.
func (e *typing) Convert(x graph.Value, t graph.DType) graph.Value {
	if e.TypeOf(x); !t.Valid() {
		return e.fail("a conversion to no dtype")
	}
	return e.value(t)
}

// TypeOf returns the type of a value.
func (e *typing) TypeOf(x graph.Value) graph.DType {
	if x < 0 || int(x) >= len(e.types) {
		e.fail("value %d is none that the emitter has given", x)
		return graph.InvalidDType
	}
	return e.types[x]
}

// Index is the position along an axis.
func (e *typing) Index(axis int) graph.Value {
	if axis < 0 || axis >= e.rank {
		return e.fail("the index of axis %d of a value with %d axes", axis, e.rank)
	}
	return e.value(graph.Int64)
}

// Size is a size of the program.
func (e *typing) Size(d graph.Dim) graph.Value {
	if !d.Valid() {
		return e.fail("a size that is none")
	}
	return e.value(graph.Int64)
}

// Check stops the run.
func (e *typing) Check(ok graph.Value, c graph.Claim) {
	if c.Operand < 0 || c.Operand >= e.operands {
		e.fail("a check of operand %d of %d", c.Operand, e.operands)
	}
	if t := e.TypeOf(ok); t.Valid() && t != graph.Bool {
		e.fail("a check of %s: it must be bool", t)
	}
}
