package export

import "github.com/broadloom/broadloom/graph"

// elementwise computes a broadcasting node: the meaning of one element, written with whole tensors that ONNX's
// operators broadcast.
func (e *exporter) elementwise(n *graph.Node, in []*value) *value {
	t := e.typeOf(n)
	if t.isEmpty() {
		return e.expand(e.number(t.dtype, 0), t.shape)
	}
	for i, v := range in {
		in[i] = unexpanded(v)
	}
	if y := e.elementTwin(n, in); y != nil {
		return e.expand(y, t.shape)
	}
	m := &elementEmitter{e: e, shape: t.shape, node: n}
	x := make([]graph.Value, len(in))
	for i, v := range in {
		x[i] = m.put(e.widened(v), v.dtype)
	}
	y := n.Op().Emit(m, n, x)
	return e.expand(e.convert(e.fused(m.values[y]), m.types[y]), t.shape)
}

// unexpanded returns a value before it was repeated, or a constant without axes: operators on elements repeat it
// themselves.
func unexpanded(v *value) *value {
	for v.def != nil && v.def.op == "Expand" {
		v = v.def.in[0]
	}
	return v
}

// elementEmitter records the meaning of an element as operators on tensors. Numbers of 16 bits are held in float32, and
// rounded by conversions and at the end.
type elementEmitter struct {
	e      *exporter
	node   *graph.Node
	shape  graph.Shape
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
	return m.put(m.e.number(heldAs(t), v), t)
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
	return m.put(m.e.iota(m.shape, axis), graph.Int64)
}

// Size is a size of the program.
func (m *elementEmitter) Size(d graph.Dim) graph.Value {
	return m.put(m.e.size(m.e.dim(d)), graph.Int64)
}

// Check leaves a claim out: a model of ONNX has no way to stop a run.
func (m *elementEmitter) Check(graph.Value, graph.Claim) {}
