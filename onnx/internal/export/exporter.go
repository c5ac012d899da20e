package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/translate"
)

// exporter writes the nodes of a graph in ONNX: see [translate.Language].
type exporter struct {
	builder
	translate.Walk[*value, *block]
	sizeTable
	graph   *graph.Graph // the user's
	opset   int
	isPlain bool // without twins
	halves  map[*value]*halves
}

func newExporter(r Request) *exporter {
	e := &exporter{opset: r.Opset, isPlain: r.Primitives, halves: map[*value]*halves{}}
	e.main = &block{}
	e.block, e.consts = e.main, map[string]*value{}
	e.bound, e.shown, e.made, e.named = r.Sizes, map[string]shownSize{}, map[graph.Dim]*value{}, map[string]*value{}
	return e
}

// Block returns the current block.
func (e *exporter) Block() *block { return e.block }

// Enter makes a block the current one, for what a node of the user's graph needs.
func (e *exporter) Enter(b *block, of *graph.Node) {
	if e.block, e.scope = b, ""; of != nil {
		e.scope = of.Scope()
	}
}

// DType returns the dtype of a value.
func (e *exporter) DType(v *value) graph.DType { return v.dtype }

// Shape returns the shape of a value.
func (e *exporter) Shape(v *value) graph.Shape { return v.shape }

// Convert changes the dtype as PyTorch's Tensor.to does.
func (e *exporter) Convert(v *value, to graph.DType) *value { return e.convert(v, to) }

// Placeholder returns a value of a node's type.
func (e *exporter) Placeholder(n *graph.Node) *value {
	return &value{tensor: tensor{n.DType(), e.dims(n.Shape())}, name: "?"}
}

// Finish checks the type of a node's value, and gives it the node's name.
func (e *exporter) Finish(n *graph.Node, v *value) *value {
	if want := e.typeOf(n); v.dtype != want.dtype || len(v.shape) != len(want.shape) {
		e.Failed(n, "%s became %s%s, and is %s%s", graph.Describe(n), v.dtype, v.shape, want.dtype, want.shape)
	}
	if e.IsInUsersGraph() && v.name == "" && v.def != nil && !n.IsDerived() && n.Name() != "" {
		v.name = n.Name()
	}
	return v
}

// typeOf returns the type of a node's value.
func (e *exporter) typeOf(n *graph.Node) tensor { return tensor{n.DType(), e.dims(n.Shape())} }

// Compute writes what a node computes from its operands.
func (e *exporter) Compute(n *graph.Node, in []*value) *value {
	switch n.Op().Class {
	case graph.Source:
		if n.IsConst() {
			return e.constant(n)
		}
	case graph.Elementwise, graph.Update:
		return e.elementwise(n, in)
	case graph.Reduce:
		return e.reduce(n, in[0])
	case graph.Movement:
		return e.dequantized(e.move(n, in))
	case graph.Contract:
		return e.matmul(e.typeOf(n), in[0], in[1])
	case graph.Gather:
		return e.pick(n, in[0], in[1])
	case graph.Composite:
		if y := e.compositeTwin(n, in); y != nil {
			return y
		}
		return e.expandNode(n, in)
	case graph.Version:
		return e.version(n, in[0], in[1])
	case graph.Function:
		return e.function(n, in)
	}
	return e.Fail(n, "cannot be written in ONNX: its class is %s", n.Op().Class)
}

// expandNode writes an operation by means of others, which compute numbers of 16 bits in float32.
func (e *exporter) expandNode(n *graph.Node, in []*value) *value {
	wide := slices.Clone(in)
	for i, x := range in {
		if !n.Op().Storage {
			wide[i] = e.widened(x)
		}
	}
	return e.Expand(n, in, wide)
}
