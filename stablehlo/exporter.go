package stablehlo

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/translate"
	"github.com/broadloom/broadloom/shapeinfer"
)

// exporter writes the nodes of a graph in StableHLO: see [translate.Language].
type exporter struct {
	builder
	translate.Walk[*value, *block]
	sizes    shapeinfer.Sizes
	annotate func(*graph.Node) string
	shown    map[*value]shown
	made     map[*value]made
	landed   map[*value]*landed
}

func newExporter(sizes shapeinfer.Sizes, annotate func(*graph.Node) string) *exporter {
	return &exporter{sizes: sizes, annotate: annotate, shown: map[*value]shown{}, made: map[*value]made{},
		landed: map[*value]*landed{}}
}

// module exports a whole program.
func (e *exporter) module(g *graph.Graph, r request) (m *Module, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, e.Panicked(p)
		}
	}()
	m = &Module{name: g.Name(), main: newBlock("func.return"), prelude: r.prelude,
		attributes: moduleAttributes(r.attributes)}
	e.block = m.main
	roots := translate.Roots(r.outputs, r.updates)
	e.Begin(e, g, roots)
	e.arguments(m, g, roots)
	for _, n := range r.outputs {
		e.result(m, n, Result{Role: RoleOutput, Name: n.Label()}, e.Value(n))
	}
	e.writes(m, g, roots)
	e.checks(m)
	if e.Err != nil {
		return nil, e.Err
	}
	return m, nil
}

// Block returns the current block.
func (e *exporter) Block() *block { return e.block }

// Enter makes a block the current one, for what a node of the user's graph needs.
func (e *exporter) Enter(b *block, of *graph.Node) {
	if e.block, e.at = b, (graph.Pos{}); of != nil {
		e.at = of.Pos()
	}
}

// DType returns the dtype of a value.
func (e *exporter) DType(v *value) graph.DType { return v.dtype }

// Shape returns the shape of a value.
func (e *exporter) Shape(v *value) graph.Shape { return graph.MakeShape(v.shape...) }

// Convert changes the dtype as PyTorch's Tensor.to does.
func (e *exporter) Convert(v *value, to graph.DType) *value { return e.convert(v, to) }

// Placeholder returns a value of a node's type.
func (e *exporter) Placeholder(n *graph.Node) *value { return e.splat(e.typeOf(n), 0) }

// Finish checks the type of a node's value, and adds the constraint that the user asks for.
func (e *exporter) Finish(n *graph.Node, v *value) *value {
	v = e.annotated(n, v)
	if want := e.typeOf(n); !v.equal(want) {
		e.Failed(n, "%s became %s, and is %s", graph.Describe(n), v.tensor, want)
	}
	return v
}

// typeOf returns the type of a node's value.
func (e *exporter) typeOf(n *graph.Node) tensor {
	if elementTypes[n.DType()] == "" {
		e.Failed(n, "%s is %s, which StableHLO lacks: cast it to another dtype", graph.Describe(n), n.DType())
	}
	return tensor{n.DType(), e.ints(n.Shape())}
}

// ints returns sizes as numbers.
func (e *exporter) ints(dims []graph.Dim) []int {
	list := make([]int, len(dims))
	for i, d := range dims {
		list[i] = e.int(d)
	}
	return list
}

func (e *exporter) int(d graph.Dim) int {
	v, err := d.Eval(e.sizes.Lookup)
	if err != nil {
		e.Failed(e.Node,
			"the program needs the size %s of %s: %w; give it with Bind, or as a flag: broadloom export -size",
			d, graph.Describe(e.Node), err)
	}
	return int(v)
}

// annotated adds the constraint that the user asks for to a computed value.
func (e *exporter) annotated(n *graph.Node, v *value) *value {
	if e.annotate == nil || !e.IsInUsersGraph() || n.Op().Class == graph.Source {
		return v
	}
	if text := e.annotate(n); text != "" {
		return e.apply("sdy.sharding_constraint", v.tensor, []attr{{"sharding", text}}, v)
	}
	return v
}

// Compute writes the computation of a node from its operands.
func (e *exporter) Compute(n *graph.Node, in []*value) *value {
	switch n.Op().Class {
	case graph.Source:
		if n.IsConst() {
			return e.constant(e.typeOf(n), n.ConstData())
		}
	case graph.Elementwise, graph.Update:
		return e.elementwise(n, in)
	case graph.Reduce:
		return e.reduce(n, in[0])
	case graph.Movement:
		return e.move(n, in)
	case graph.Contract:
		y := e.matmul(e.typeOf(n), in[0], in[1])
		if len(in[0].shape) > 1 && len(in[1].shape) > 1 {
			e.made[y] = made{in[0], in[1]}
		}
		return y
	case graph.Gather:
		return e.pick(n, in[0], in[1])
	case graph.Composite:
		if y := e.landing(n, in); y != nil {
			return y
		}
		return e.expand(n, in)
	case graph.Version:
		return e.version(n, in[0], in[1])
	case graph.Function:
		return e.function(n, in)
	}
	return e.Fail(n, "cannot be written in StableHLO: its class is %s", n.Op().Class)
}

// expand writes an operation by means of others, which compute numbers of 16 bits in float32.
func (e *exporter) expand(n *graph.Node, in []*value) *value {
	wide := make([]*value, len(in))
	for i, x := range in {
		wide[i] = e.widened(x)
	}
	return e.Expand(n, in, wide)
}
