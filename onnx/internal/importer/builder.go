package importer

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// Request says how a model is imported.
type Request struct {
	Graph    *graph.Graph
	Sizes    map[string]int         // of names of sizes in the model
	Empty    map[string]bool        // names of sizes that may be 0
	Shapes   map[string]graph.Shape // of inputs, instead of the declared ones
	Given    map[string]*graph.Node // nodes that replace inputs
	Bound    map[string]exec.Array  // constants that replace inputs
	Seed     *graph.Node            // of random numbers; if nil, they are the same in each run
	Outputs  []string               // names of values; if nil, the outputs of the model
	External func(*wire.Tensor) ([]byte, error)
}

// Named is a node of the graph with its name in the model.
type Named struct {
	Name string
	Node *graph.Node
}

// Param is a parameter and its initial value.
type Param struct {
	Named
	Elements func() (exec.Array, error)
}

// Output is a result of the model. If the size of one of its axes is known only when the model runs, Count is the
// size, an Int64 scalar: behind so many elements of the axis, the node has zeros.
type Output struct {
	Named
	Count *graph.Node
	Axis  int
}

// Result is the graph built from a model.
type Result struct {
	Inputs  []Named
	Outputs []Output
	Params  []Param
}

// Problem says why a part of a model was not imported.
type Problem struct {
	Node, Op string // "" if the problem is that of the whole model
	Reason   string
}

// builder makes nodes of a graph.
type builder struct {
	Request
	g         *graph.Graph
	functions map[function]*wire.Function
	params    []Param
	made      []*value // whose nodes were made, in order
	folded    map[node]*exec.Array
	isFixed   map[node]bool        // computed of what is known
	names     map[string]graph.Dim // of sizes
	problems  []Problem
	applied   int // nodes so far
	prover    *prove.Prover
	root      string                  // the scope in which the model is imported
	open      map[string]*openSize    // sizes that are known only when the model runs
	openNames map[graph.Dim]graph.Dim // names of those that are computed from others
	places    map[node]places         // those that were found
	lengths   map[graph.Dim]bool      // of axes
}

type function struct{ domain, name, overload string }

// scope are the names that the nodes of a graph, of a body or of a function may use.
type scope struct {
	outer      *scope
	values     map[string]*value
	versions   map[string]int
	attributes map[string]*wire.Attribute // of the call of a function
	depth      int
}

func (s *scope) find(name string) (*value, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.values[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// inner is the scope of a body.
func (s *scope) inner() *scope {
	return &scope{outer: s, values: map[string]*value{}, versions: s.versions, attributes: s.attributes,
		depth: s.depth + 1}
}

// maxApplied is how many nodes a model has at most, those of functions and of loops that are written out counted each
// time.
const maxApplied = 1 << 21

// maxDepth is how deep bodies and functions may lie within each other.
const maxDepth = 64

// Import builds the nodes of a model. If there are problems, the result is nil.
func Import(m *wire.Model, r Request) (*Result, []Problem) {
	b := &builder{Request: r, g: r.Graph, functions: map[function]*wire.Function{}, folded: map[node]*exec.Array{},
		isFixed: map[node]bool{}, names: map[string]graph.Dim{}, root: r.Graph.ScopePath(),
		open: map[string]*openSize{}, openNames: map[graph.Dim]graph.Dim{},
		places: map[node]places{}, lengths: map[graph.Dim]bool{}}
	b.prover = prove.NewProver(b.boundsOf)
	for _, f := range m.Functions {
		b.functions[function{domain(f.Domain), f.Name, f.Overload}] = f
	}
	if m.Graph == nil {
		return nil, []Problem{{Reason: "the model has no graph"}}
	}
	s := &scope{values: map[string]*value{}, versions: versions(m.Opsets)}
	result := &Result{}
	b.constants(m.Graph, s)
	b.inputs(m.Graph, s, result)
	b.nodes(needed(m.Graph.Nodes, b.outputNames(m.Graph)), s)
	if len(b.problems) == 0 {
		b.outputs(m.Graph, s, result)
	}
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	result.Params = b.params
	return result, nil
}

func versions(list []wire.Opset) map[string]int {
	of := map[string]int{}
	for _, o := range list {
		of[domain(o.Domain)] = int(o.Version)
	}
	return of
}

// domain has one name for ONNX's own domain, which has two.
func domain(name string) string {
	if name == "ai.onnx" {
		return ""
	}
	return name
}

func (b *builder) problem(format string, args ...any) {
	b.problems = append(b.problems, Problem{Reason: fmt.Sprintf(format, args...)})
}

// guard carries out f, and tells a refusal as a problem of a node.
func (b *builder) guard(n *wire.Node, f func()) (ok bool) {
	before := len(b.g.Mistakes())
	p := Problem{}
	if n != nil {
		p.Node, p.Op = n.Name, n.Op
		if p.Node == "" && len(n.Outputs) > 0 {
			p.Node = n.Outputs[0]
		}
	}
	defer func() {
		if r := recover(); r != nil {
			why, isRefusal := r.(refusal)
			if !isRefusal {
				why = refusal(fmt.Sprintf("its operands or attributes are not those that the operator has (%v)", r))
			}
			p.Reason, ok = string(why), false
		}
		if list := b.g.Mistakes(); len(list) > before {
			p.Reason, ok = list[before].Text(""), false
		}
		if !ok {
			b.problems = append(b.problems, p)
		}
	}()
	f()
	return true
}

// constants are what a graph has in the file.
func (b *builder) constants(g *wire.Graph, s *scope) {
	for _, t := range g.Initializers {
		s.values[t.Name] = b.ofTensor(t, s.depth == 0)
	}
	for _, t := range g.Sparse {
		b.guard(nil, func() { s.values[t.Values.Name] = b.ofArray(dense(b, t)) })
	}
}

// nodes builds nodes in order. What needs the result of one that failed is left out.
func (b *builder) nodes(list []*wire.Node, s *scope) {
	for _, n := range inOrder(list) {
		operands, ok := b.operands(n, s)
		if !ok {
			b.fail(n, s)
			continue
		}
		if !b.guard(n, func() { b.apply(n, operands, s) }) {
			b.fail(n, s)
		}
	}
}

// fail marks results as such of which the reason was told.
func (b *builder) fail(n *wire.Node, s *scope) {
	for _, name := range n.Outputs {
		s.values[name] = nil
	}
}

// operands are the values of a node's operands, nil where one is left out.
func (b *builder) operands(n *wire.Node, s *scope) (list []*value, ok bool) {
	for _, name := range n.Inputs {
		if name == "" {
			list = append(list, nil)
			continue
		}
		v, found := s.find(name)
		if !found {
			b.guard(n, func() { refuse("its operand %q is not computed before it", name) })
			return nil, false
		}
		if v == nil {
			return nil, false
		}
		if v == absent {
			v = nil
		}
		list = append(list, v)
	}
	return list, true
}

// absent is what a function's operand is that its call leaves out.
var absent = &value{isNone: true}

// follow notes which results are their first operand in another form, or with a number added.
func (c *call) follow(results []*value) {
	if len(results) != 1 || results[0] == nil || !c.has(0) {
		return
	}
	y, x := results[0], c.operands[0]
	if y.node == nil || !y.node.DType().IsInt() {
		return
	}
	by := 0
	switch c.from.Op {
	case "Add", "Sub":
		if !c.has(1) || c.operands[1].known == nil && c.operands[1].elements == nil && c.operands[1].sizes == nil {
			return
		}
		s, known := c.sizesOf(c.operands[1])
		if !known || len(s.dims) != 1 || !s.areNumbers() || s.by != 1 {
			return
		}
		if by = s.numbers()[0]; c.from.Op == "Sub" {
			by = -by
		}
	case "Cast", "Unsqueeze", "Squeeze", "Reshape":
	default:
		return
	}
	y.base, y.offset = x, by
	if x.base != nil {
		y.base, y.offset = x.base, x.offset+by
	}
}

// apply builds one node.
func (b *builder) apply(n *wire.Node, operands []*value, s *scope) {
	if b.applied++; b.applied > maxApplied {
		refuse("functions and loops of the model expand to more than %d nodes", maxApplied)
	}
	for len(operands) > 0 && operands[len(operands)-1] == nil {
		operands = operands[:len(operands)-1]
	}
	c := &call{builder: b, g: b.g, from: n, operands: operands, scope: s}
	c.domain = domain(n.Domain)
	c.version = s.versions[c.domain]
	var results []*value
	b.g.InScope(b.scopeOf(n), func() {
		var in []node
		for _, v := range operands {
			if v.isTensor() && v.node != nil {
				in = append(in, v.node)
			}
		}
		defer b.g.BeginCall(n.Op, nil, in...)()
		results = c.results()
	})
	for i, name := range n.Outputs {
		switch {
		case name == "":
		case i >= len(results) || results[i] == nil:
			refuse("its result %d is not supported", i)
		default:
			s.values[name] = results[i]
		}
	}
	c.follow(results)
	c.noteRamp(results)
}

// scopeOf is the scope of a node whose name is a path, as PyTorch writes that of a module: "/layer1/conv1/Conv", or
// "/layers/layers.3/conv/Conv" where a module has the name of the one around it before its own.
func (b *builder) scopeOf(n *wire.Node) string {
	path, last := b.root, ""
	parts := strings.Split(strings.Trim(n.Name, "/"), "/")
	for _, part := range parts[:len(parts)-1] {
		whole := part
		if rest, isBelow := strings.CutPrefix(part, last+graph.ScopeSeparator); isBelow && last != "" {
			part = rest
		}
		path, last = below(path, part), whole
	}
	return path
}

// below joins the names of scopes.
func below(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + graph.ScopeSeparator + name
}
