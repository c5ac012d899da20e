package stablehlo

import "github.com/broadloom/broadloom/graph"

// elementwise computes a broadcasting node: the meaning of one element, written with whole tensors.
func (e *exporter) elementwise(n *graph.Node, in []*value) *value {
	t := e.typeOf(n)
	m := &elementEmitter{e: e, shape: t.shape, node: n}
	x := make([]graph.Value, len(in))
	for i, v := range in {
		x[i] = m.put(e.widened(e.broadcast(v, t.shape)), v.dtype)
	}
	y := n.Op().Emit(m, n, x)
	return e.convert(m.values[y], m.types[y])
}

// elementEmitter records the meaning of an element as operations on tensors of the node's shape. Numbers of 16 bits are
// held in float32. They are rounded by conversions, and at the end.
type elementEmitter struct {
	e      *exporter
	node   *graph.Node
	shape  []int
	values []*value
	types  []graph.DType
}

func (m *elementEmitter) put(v *value, t graph.DType) graph.Value {
	m.values, m.types = append(m.values, v), append(m.types, t)
	return graph.Value(len(m.values) - 1)
}

// Prim applies a primitive.
func (m *elementEmitter) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	in, types := make([]*value, len(x)), make([]graph.DType, len(x))
	for i, v := range x {
		in[i], types[i] = m.values[v], m.types[v]
	}
	t, err := p.Result(types...)
	if err != nil {
		return m.put(m.e.Fail(m.node, "is written with something that is not a primitive: %v", err), m.node.DType())
	}
	return m.put(m.e.primitive(p, in), t)
}

// Const is a number of type t.
func (m *elementEmitter) Const(t graph.DType, v float64) graph.Value {
	return m.put(m.e.splat(tensor{heldAs(t), m.shape}, v), t)
}

// Convert changes the type.
func (m *elementEmitter) Convert(x graph.Value, t graph.DType) graph.Value {
	if m.types[x] == t {
		return x
	}
	return m.put(m.e.widened(m.e.convert(m.values[x], t)), t)
}

// TypeOf returns the type of a value.
func (m *elementEmitter) TypeOf(x graph.Value) graph.DType { return m.types[x] }

// Index is the position along an axis.
func (m *elementEmitter) Index(axis int) graph.Value {
	return m.put(m.e.iota(tensor{graph.Int64, m.shape}, axis), graph.Int64)
}

// Size is a size of the program.
func (m *elementEmitter) Size(d graph.Dim) graph.Value {
	return m.put(m.e.whole(tensor{graph.Int64, m.shape}, int64(m.e.int(d))), graph.Int64)
}

// Check records a claim, which becomes a result of the module.
func (m *elementEmitter) Check(ok graph.Value, c graph.Claim) {
	m.e.claim(m.values[ok], c.Message)
}

// claim records that all elements of a truth value must be true.
func (e *exporter) claim(holds *value, message string) {
	if holds.count() == 0 {
		return
	}
	all := e.fold(graph.FoldAll, holds, allAxes(holds))
	e.block.checks = append(e.block.checks, check{all, message, e.at})
}
