package export

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/panicked"
)

// exporter goes through a graph and writes what each node means.
type exporter struct {
	builder
	sizeTable
	graph   *graph.Graph // the user's
	opset   int
	isPlain bool // without twins
	frame   *frame
	node    *graph.Node // of the user's graph, that is at work
	err     error       // the first one
}

// frame is a graph that is being exported: the user's, or that in which a composite operation is written
// with others.
type frame struct {
	outer  *frame
	depth  int
	values map[*graph.Node]*value
	base   *block                   // of what belongs to no loop
	bodies map[*graph.Region]*block // of the loops that are open
	loops  map[*graph.Region]*loop
	stacks map[*graph.Node][]*graph.Node
}

func newExporter(r Request) *exporter {
	e := &exporter{opset: r.Opset, isPlain: r.Primitives}
	e.main = &block{}
	e.block, e.consts = e.main, map[string]*value{}
	e.bound, e.shown, e.made, e.named = r.Sizes, map[string]shownSize{}, map[graph.Dim]*value{}, map[string]*value{}
	return e
}

// enter begins another graph, of which roots are wanted, within the block at work.
func (e *exporter) enter(g *graph.Graph, roots []*graph.Node) {
	depth := 0
	if e.frame != nil {
		depth = e.frame.depth + 1
	}
	e.frame = &frame{outer: e.frame, depth: depth, values: map[*graph.Node]*value{}, base: e.block,
		bodies: map[*graph.Region]*block{}, loops: map[*graph.Region]*loop{}, stacks: loopop.StacksOf(g, roots)}
}

func (e *exporter) leave() { e.frame = e.frame.outer }

// panicked says whose code has panicked: what an operation says of itself is the user's where the operation is.
func (e *exporter) panicked(p any) error {
	if e.node == nil {
		return fmt.Errorf("a mistake of this package: it %s", panicked.Text(p))
	}
	return fmt.Errorf("%s: error %s: what %s says of itself %s", e.node.Pos(), graph.CodeOperation,
		graph.Describe(e.node), panicked.Text(p))
}

// fail notes an error at the node at work, and gives a value in the place of the one that cannot be had.
func (e *exporter) fail(n *graph.Node, format string, args ...any) *value {
	if e.err == nil {
		at := n
		if e.node != nil {
			at = e.node
		}
		e.err = fmt.Errorf("%s: error: %s %s", at.Pos(), graph.Describe(at), fmt.Sprintf(format, args...))
	}
	return &value{tensor: tensor{n.DType(), e.dims(n.Shape())}, name: "?"}
}

// typeOf returns the type of a node's value.
func (e *exporter) typeOf(n *graph.Node) tensor { return tensor{n.DType(), e.dims(n.Shape())} }

// value returns the value of a node, which it writes into the block of the loop to which the node belongs.
func (e *exporter) value(n *graph.Node) *value {
	if v := e.frame.values[n]; v != nil {
		return v
	}
	outer, scope, node := e.block, e.scope, e.node
	defer func() { e.block, e.scope, e.node = outer, scope, node }()
	in := e.operands(n)
	e.block = e.blockOf(n)
	if e.frame.outer == nil {
		e.node, e.scope = n, n.Scope()
	}
	v := e.compute(n, in)
	if want := e.typeOf(n); e.err == nil && (v.dtype != want.dtype || len(v.shape) != len(want.shape)) {
		e.err = fmt.Errorf("%s: error: %s became %s%s, and is %s%s", n.Pos(), graph.Describe(n), v.dtype, v.shape,
			want.dtype, want.shape)
	}
	if e.frame.outer == nil && v.name == "" && v.def != nil && !n.IsDerived() && n.Name() != "" {
		v.name = n.Name()
	}
	e.frame.values[n] = v
	return v
}

// operands returns the values of a node's operands. Those of a loop's own nodes are asked for when the loop is written.
func (e *exporter) operands(n *graph.Node) []*value {
	if n.Op().Class == graph.Loop {
		return nil
	}
	in := make([]*value, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = e.value(x)
	}
	return in
}

// blockOf returns the block in which a node is computed.
func (e *exporter) blockOf(n *graph.Node) *block {
	if b := e.frame.bodies[n.Region()]; b != nil {
		return b
	}
	return e.frame.base
}

// compute writes what a node computes from its operands.
func (e *exporter) compute(n *graph.Node, in []*value) *value {
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
		return e.move(n, in)
	case graph.Contract:
		return e.matmul(e.typeOf(n), in[0], in[1])
	case graph.Gather:
		return e.pick(n, in[0], in[1])
	case graph.Composite:
		if y := e.compositeTwin(n, in); y != nil {
			return y
		}
		return e.composite(n, in)
	case graph.Version:
		return e.version(n, in[0], in[1])
	case graph.Function:
		return e.function(n, in)
	case graph.Loop:
		a, _ := n.Loop()
		return e.loopNode(n, a)
	}
	return e.fail(n, "cannot be written in ONNX: its class is %s", n.Op().Class)
}

// maxExpansions bounds how deep composites are written with composites: one that is deeper never ends.
const maxExpansions = 200

// composite writes an operation that is written with others: in a graph of its own, so that the user's stays as it is.
// One of numbers of 16 bits is computed in float32, and its result is rounded once.
func (e *exporter) composite(n *graph.Node, in []*value) *value {
	if e.frame.depth >= maxExpansions {
		return e.fail(n, "is expanded to itself by its Expand, without end")
	}
	g := n.Graph().Derive()
	operands := make([]*graph.Node, len(in))
	given := map[*graph.Node]*value{}
	for i, x := range n.Operands() {
		wide := e.widened(in[i])
		if n.Op().Storage {
			wide = in[i]
		}
		if x.IsConst() && wide == in[i] {
			operands[i] = g.Copy(x, nil)
			continue
		}
		operands[i] = g.InputFor(x, wide.dtype, x.Shape())
		given[operands[i]] = wide
	}
	self := g.Copy(n, operands)
	if heldAs(n.DType()) != n.DType() && !n.Op().Storage {
		self = graph.Apply(n.Op(), n.Attrs(), operands...)
	}
	return e.expanded(n, g, n.Op().Expand(self, slices.Clone(operands)), given)
}

// expanded writes what n is in another graph: y, of values that are given.
func (e *exporter) expanded(n *graph.Node, g *graph.Graph, y *graph.Node, given map[*graph.Node]*value) *value {
	if err := g.Err(); err != nil {
		return e.fail(n, "is expanded by its Expand, which makes a mistake: %v", err)
	}
	if y == nil || y.Graph() != g || !y.Judged() {
		return e.fail(n, "is expanded by its Expand, which does not return a value of the graph that it was given")
	}
	e.enter(g, []*graph.Node{y})
	defer e.leave()
	for x, v := range given {
		e.frame.values[x] = v
	}
	return e.convert(e.value(y), n.DType())
}
