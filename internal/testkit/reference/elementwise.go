package reference

import (
	"errors"

	"github.com/broadloom/broadloom/graph"
)

// elementwise computes a broadcasting node from the meaning of one element.
func (e *evaluator) elementwise(n *graph.Node, in []tensor) (tensor, error) {
	readers := make([]reader, len(in))
	for i, t := range in {
		var err error
		if readers[i], err = e.reader(t); err != nil {
			return tensor{}, err
		}
	}
	m := &machine{sizes: e.sizes.Lookup}
	x := make([]graph.Value, len(in))
	return e.result(n, func(index []int) (cell, error) {
		m.cells, m.types, m.index = m.cells[:0], m.types[:0], index
		for i, r := range readers {
			x[i] = m.put(in[i].dtype, r.broadcastAt(index))
		}
		v := n.Op().Emit(m, n, x)
		return stored(n.DType(), m.cells[v]), m.err
	})
}

// machine computes the meaning of one element while an operation describes it.
type machine struct {
	cells []cell
	args  []cell // of the primitive that is being applied
	types []graph.DType
	index []int
	sizes func(string) (int64, bool)
	err   error
}

func (m *machine) put(t graph.DType, c cell) graph.Value {
	m.cells, m.types = append(m.cells, c), append(m.types, t)
	return graph.Value(len(m.cells) - 1)
}

// Prim applies a primitive.
func (m *machine) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	m.args = m.args[:0]
	for _, v := range x {
		m.args = append(m.args, m.cells[v])
	}
	t := m.types[x[len(x)-1]]
	c, result := primitive(p, t, m.args)
	return m.put(result, c)
}

// Const is a number of type t.
func (m *machine) Const(t graph.DType, v float64) graph.Value {
	return m.put(t, convert(floatCell(v), graph.Float64, computedDType(t)))
}

// Convert changes the type.
func (m *machine) Convert(x graph.Value, t graph.DType) graph.Value {
	return m.put(t, convert(m.cells[x], m.types[x], t))
}

// TypeOf returns the type of a value.
func (m *machine) TypeOf(x graph.Value) graph.DType { return m.types[x] }

// Index is the position along an axis.
func (m *machine) Index(axis int) graph.Value {
	return m.put(graph.Int64, intCell(int64(m.index[axis])))
}

// Size is a size of the program.
func (m *machine) Size(d graph.Dim) graph.Value {
	v, err := d.Eval(m.sizes)
	if err != nil && m.err == nil {
		m.err = err
	}
	return m.put(graph.Int64, intCell(v))
}

// Check stops the evaluation if ok is false.
func (m *machine) Check(ok graph.Value, c graph.Claim) {
	if !m.cells[ok].bool() && m.err == nil {
		m.err = errors.New(c.Message)
	}
}
