package wire

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

func (e *encoder) model(m *Model) {
	e.number(1, m.IRVersion)
	e.text(2, m.Producer)
	e.text(3, m.ProducerVersion)
	e.text(4, m.Domain)
	if m.Version != 0 {
		e.number(5, m.Version)
	}
	e.text(6, m.Doc)
	if m.Graph != nil {
		e.message(7, func() { e.graph(m.Graph) })
	}
	messages(e, 8, m.Opsets, e.opset)
	messages(e, 14, m.Metadata, e.pair)
	messages(e, 25, m.Functions, e.function)
}

func (e *encoder) opset(o Opset) {
	e.alwaysText(1, o.Domain)
	e.number(2, o.Version)
}

func (e *encoder) pair(p Pair) {
	e.alwaysText(1, p.Key)
	e.alwaysText(2, p.Value)
}

func (e *encoder) graph(g *Graph) {
	messages(e, 1, g.Nodes, e.node)
	e.text(2, g.Name)
	messages(e, 5, g.Initializers, e.tensor)
	e.text(10, g.Doc)
	messages(e, 11, g.Inputs, e.valueInfo)
	messages(e, 12, g.Outputs, e.valueInfo)
	messages(e, 13, g.Values, e.valueInfo)
	messages(e, 15, g.Sparse, e.sparseTensor)
}

func (e *encoder) node(n *Node) {
	e.texts(1, n.Inputs)
	e.texts(2, n.Outputs)
	e.text(3, n.Name)
	e.text(4, n.Op)
	messages(e, 5, n.Attributes, e.attribute)
	e.text(6, n.Doc)
	e.text(7, n.Domain)
	e.text(8, n.Overload)
}

func (e *encoder) attribute(a *Attribute) {
	e.text(1, a.Name)
	if a.Ref == "" {
		e.attributeValue(a)
	}
	e.text(13, a.Doc)
	if a.Type != AttributeUndefined {
		e.number(20, int64(a.Type))
	}
	e.text(21, a.Ref)
}

// attributeValue writes the field that the type tells: a single value even where it is 0 or empty.
func (e *encoder) attributeValue(a *Attribute) {
	switch a.Type {
	case AttributeFloat:
		e.float(2, a.Float)
	case AttributeInt:
		e.number(3, a.Int)
	case AttributeString:
		e.always(4, a.String)
	case AttributeTensor:
		single(e, 5, a.Tensor, e.tensor)
	case AttributeGraph:
		single(e, 6, a.Graph, e.graph)
	case AttributeFloats:
		for _, v := range a.Floats {
			e.float(7, v)
		}
	case AttributeInts:
		e.plain(8, a.Ints)
	case AttributeStrings:
		for _, s := range a.Strings {
			e.always(9, s)
		}
	case AttributeTensors:
		messages(e, 10, a.Tensors, e.tensor)
	case AttributeGraphs:
		messages(e, 11, a.Graphs, e.graph)
	case AttributeTypeProto:
		single(e, 14, a.TypeProto, e.typeProto)
	case AttributeSparseTensor:
		single(e, 22, a.Sparse, e.sparseTensor)
	case AttributeUndefined:
	default:
		e.fail("attribute " + a.Name + " is of the kind " + a.Type.String() + ", which cannot be written")
	}
}

func (e *encoder) tensor(t *Tensor) {
	e.plain(1, t.Dims)
	e.number(2, int64(t.Type))
	packed(e, 4, t.Floats, func(v float32) { e.fixed32(math.Float32bits(v)) })
	packed(e, 5, t.Int32s, func(v int32) { e.varint(uint64(int64(v))) })
	for _, s := range t.Strings {
		e.always(6, s)
	}
	packed(e, 7, t.Int64s, func(v int64) { e.varint(uint64(v)) })
	e.text(8, t.Name)
	if t.HasRaw {
		e.always(9, t.Raw)
	}
	packed(e, 10, t.Doubles, func(v float64) { e.fixed64(math.Float64bits(v)) })
	packed(e, 11, t.Uint64s, e.varint)
	e.text(12, t.Doc)
	messages(e, 13, t.External, e.pair)
	if t.IsExternal {
		e.number(14, external)
	}
}

// single writes a message that is a field, if there is one.
func single[T any](e *encoder, num protowire.Number, v *T, write func(*T)) {
	if v != nil {
		messages(e, num, []*T{v}, write)
	}
}

func (e *encoder) sparseTensor(t *SparseTensor) {
	single(e, 1, t.Values, e.tensor)
	single(e, 2, t.Indices, e.tensor)
	e.plain(3, t.Dims)
}

func (e *encoder) valueInfo(v *ValueInfo) {
	e.text(1, v.Name)
	single(e, 2, v.Type, e.typeProto)
	e.text(3, v.Doc)
}

func (e *encoder) typeProto(t *Type) {
	single(e, 1, t.Tensor, e.tensorType)
	if t.Sequence != nil {
		e.message(4, func() { single(e, 1, t.Sequence, e.typeProto) })
	}
	e.text(6, t.Denotation)
	if t.Optional != nil {
		e.message(9, func() { single(e, 1, t.Optional, e.typeProto) })
	}
	if t.IsOther {
		e.fail("a type is a map, sparse or opaque, which cannot be written")
	}
}

func (e *encoder) tensorType(t *TensorType) {
	e.number(1, int64(t.Elem))
	if t.HasShape {
		e.message(2, func() { messages(e, 1, t.Dims, e.dimension) })
	}
}

func (e *encoder) dimension(d Dimension) {
	if d.IsKnown {
		e.number(1, d.Value)
		return
	}
	e.text(2, d.Param)
}

func (e *encoder) function(f *Function) {
	e.text(1, f.Name)
	e.texts(4, f.Inputs)
	e.texts(5, f.Outputs)
	e.texts(6, f.Attributes)
	messages(e, 7, f.Nodes, e.node)
	e.text(8, f.Doc)
	messages(e, 9, f.Opsets, e.opset)
	e.text(10, f.Domain)
	messages(e, 11, f.Defaults, e.attribute)
	messages(e, 12, f.Values, e.valueInfo)
	e.text(13, f.Overload)
}
