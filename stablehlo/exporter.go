package stablehlo

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/shapeinfer"
)

// exporter visits the nodes of a graph and writes each.
type exporter struct {
	builder
	sizes    shapeinfer.Sizes
	annotate func(*graph.Node) string
	frame    *frame
	shown    map[*value]shown
	made     map[*value]made
	landed   map[*value]*landed
	node     *graph.Node // of the user's graph, that is at work
	err      error       // the first one
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

func newExporter(sizes shapeinfer.Sizes, annotate func(*graph.Node) string) *exporter {
	return &exporter{sizes: sizes, annotate: annotate, shown: map[*value]shown{}, made: map[*value]made{},
		landed: map[*value]*landed{}}
}

// enter begins another graph, whose roots are wanted, within the current block.
func (e *exporter) enter(g *graph.Graph, roots []*graph.Node) {
	depth := 0
	if e.frame != nil {
		depth = e.frame.depth + 1
	}
	e.frame = &frame{outer: e.frame, depth: depth, values: map[*graph.Node]*value{}, base: e.block,
		bodies: map[*graph.Region]*block{}, loops: map[*graph.Region]*loop{}, stacks: loopop.StacksOf(g, roots)}
}

func (e *exporter) leave() { e.frame = e.frame.outer }

// module exports a whole program.
func (e *exporter) module(g *graph.Graph, r request) (m *Module, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, e.panicked(p)
		}
	}()
	m = &Module{name: g.Name(), main: newBlock("func.return"), prelude: r.prelude,
		attributes: moduleAttributes(r.attributes)}
	e.block = m.main
	roots := append(append([]*graph.Node{}, r.outputs...), r.updates...)
	e.enter(g, roots)
	e.arguments(m, g, roots)
	for _, n := range r.outputs {
		e.result(m, n, Result{Role: RoleOutput, Name: n.Label()}, e.value(n))
	}
	e.writes(m, g, roots)
	e.checks(m)
	if e.err != nil {
		return nil, e.err
	}
	return m, nil
}

// panicked says whose code has panicked: a user's operation has the user's code.
func (e *exporter) panicked(p any) error {
	if e.node == nil {
		return fmt.Errorf("a mistake of this package: it %s", panicked.Text(p))
	}
	return fmt.Errorf("%s: error %s: what %s says of itself %s", e.node.Pos(), graph.CodeOperation,
		graph.Describe(e.node), panicked.Text(p))
}

// fail records an error at the current node, and returns a placeholder value.
func (e *exporter) fail(n *graph.Node, format string, args ...any) *value {
	if e.err == nil {
		at := n
		if e.node != nil {
			at = e.node
		}
		e.err = fmt.Errorf("%s: error: %s %s", at.Pos(), graph.Describe(at), fmt.Sprintf(format, args...))
	}
	return e.splat(e.typeOf(n), 0)
}

// typeOf returns the type of a node's value.
func (e *exporter) typeOf(n *graph.Node) tensor {
	if elementTypes[n.DType()] == "" && e.err == nil {
		e.err = fmt.Errorf("%s: error: %s is %s, which StableHLO lacks: cast it to another dtype", n.Pos(),
			graph.Describe(n), n.DType())
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
	if err != nil && e.err == nil {
		e.err = fmt.Errorf(
			"%s: error: the program needs the size %s of %s: %w; give it with Bind, or as a flag: broadloom export -size",
			e.node.Pos(), d, graph.Describe(e.node), err)
	}
	return int(v)
}

// value returns the value of a node, which it writes into the block of the loop to which the node belongs.
func (e *exporter) value(n *graph.Node) *value {
	if v := e.frame.values[n]; v != nil {
		return v
	}
	outer, at, node := e.block, e.at, e.node
	defer func() { e.block, e.at, e.node = outer, at, node }()
	in := e.operands(n)
	e.block = e.blockOf(n)
	if e.frame.outer == nil {
		e.node, e.at = n, n.Pos()
	}
	v := e.annotated(n, e.compute(n, in))
	if want := e.typeOf(n); !v.equal(want) && e.err == nil {
		e.err = fmt.Errorf("%s: error: %s became %s, and is %s", n.Pos(), graph.Describe(n), v.tensor, want)
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

// annotated adds the constraint that the user asks for to a computed value.
func (e *exporter) annotated(n *graph.Node, v *value) *value {
	if e.annotate == nil || e.frame.outer != nil || n.Op().Class == graph.Source {
		return v
	}
	if text := e.annotate(n); text != "" {
		return e.apply("sdy.sharding_constraint", v.tensor, []attr{{"sharding", text}}, v)
	}
	return v
}

// compute writes the computation of a node from its operands.
func (e *exporter) compute(n *graph.Node, in []*value) *value {
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
		return e.composite(n, in)
	case graph.Version:
		return e.version(n, in[0], in[1])
	case graph.Function:
		return e.function(n, in)
	case graph.Loop:
		a, _ := n.Loop()
		return e.loopNode(n, a)
	}
	return e.fail(n, "cannot be written in StableHLO: its class is %s", n.Op().Class)
}

// maxExpansions bounds how deep composites are written with composites: one that is deeper never ends.
const maxExpansions = 200

// composite writes the expansion of an operation: in a separate graph, so that the user's does not change. One of
// numbers of 16 bits is computed in float32, and its result is rounded once.
func (e *exporter) composite(n *graph.Node, in []*value) *value {
	if e.frame.depth >= maxExpansions {
		return e.fail(n, "is expanded to itself by its Expand, without end")
	}
	g := n.Graph().Derive()
	operands := make([]*graph.Node, len(in))
	given := map[*graph.Node]*value{}
	for i, x := range n.Operands() {
		wide := e.widened(in[i])
		if x.IsConst() && wide == in[i] {
			operands[i] = g.Copy(x, nil)
			continue
		}
		operands[i] = g.InputFor(x, wide.dtype, x.Shape())
		given[operands[i]] = wide
	}
	self := g.Copy(n, operands)
	if heldAs(n.DType()) != n.DType() {
		self = graph.Apply(n.Op(), n.Attrs(), operands...)
	}
	return e.expanded(n, g, n.Op().Expand(self, slices.Clone(operands)), given)
}

// expanded writes the expansion of n in another graph: y, from given values.
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
