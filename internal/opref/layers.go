package opref

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// part is a layer, an initialiser, an optimiser or a schedule in the reference. Its name is that of the function that
// its example calls first.
type part struct {
	doc                           string
	torch, jax, keras, flax, onnx string // names there: of JAX jax.nn's, of flax optax's too
	in                            string // operands of an example: "n 4", "int64 n t; n t 4"
	show                          any    // one of the types below, a function of one return statement
}

// The forms of examples.
type (
	showing     = func(g *graph.Graph, p *nn.Pass, x, y, z *graph.Node) *graph.Node
	starting    = func() graph.Initializer
	optimiser   = func() optim.Optimizer
	measuring   = func(g *graph.Graph) optim.Optimizer
	scheduling  = func() optim.Schedule
	averaging   = func(params, steps []*graph.Node) optim.Averages
	clipping    = func(params, grads []*graph.Node) []*graph.Node
	clippingTwo = func(params, grads []*graph.Node) ([]*graph.Node, *graph.Node)
)

// parts are the tables, by the names of their variables.
var parts = map[string][]part{"layerTable": layerTable, "cellTable": cellTable, "poolTable": poolTable,
	"firstTable": firstTable, "optimTable": optimTable}

//go:embed *table.go
var tableFiles embed.FS

// calls are the examples of each table, as in the source.
var calls = sync.OnceValues(func() (map[string][]string, error) {
	found := map[string][]string{}
	files, err := tableFiles.ReadDir(".")
	for _, f := range files {
		text, failed := tableFiles.ReadFile(f.Name())
		if failed != nil {
			return nil, failed
		}
		set := token.NewFileSet()
		file, failed := parser.ParseFile(set, f.Name(), text, parser.SkipObjectResolution)
		if failed != nil {
			return nil, failed
		}
		ast.Inspect(file, func(n ast.Node) bool {
			v, is := n.(*ast.ValueSpec)
			if !is || len(v.Values) != 1 {
				return true
			}
			ast.Inspect(v.Values[0], func(n ast.Node) bool {
				if fn, is := n.(*ast.FuncLit); is {
					found[v.Names[0].Name] = append(found[v.Names[0].Name], returned(set, fn))
				}
				_, isFunction := n.(*ast.FuncLit)
				return !isFunction
			})
			return false
		})
	}
	return found, err
})

// returned is the source text of the last statement's result of a function.
func returned(set *token.FileSet, fn *ast.FuncLit) string {
	last, is := fn.Body.List[len(fn.Body.List)-1].(*ast.ReturnStmt)
	if !is || len(last.Results) == 0 {
		return ""
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, set, last.Results[0]); err != nil {
		return ""
	}
	return b.String()
}

// firstName is the function that an example calls first.
var firstName = regexp.MustCompile(`\b(?:nn|optim)\.(?:New)?[A-Z]\w*`)

// LayerRows derives the rows of layers, initialisers, optimisers and schedules, by name.
func LayerRows() ([]Row, error) {
	texts, err := calls()
	if err != nil {
		return nil, err
	}
	var rows []Row
	for name, table := range parts {
		if len(texts[name]) != len(table) {
			return nil, fmt.Errorf("%s has %d parts, and its source %d examples", name, len(table), len(texts[name]))
		}
		for i, p := range table {
			built, err := p.build()
			if err != nil {
				return nil, fmt.Errorf("the example %s is refused: %w", texts[name][i], err)
			}
			names := firstName.FindAllString(texts[name][i], -1)
			if _, is := p.show.(measuring); is { // what the optimiser is given
				names = names[1:]
			}
			r := Row{Name: names[0], Doc: p.doc, Call: texts[name][i], Shapes: built.shapes,
				Names: graph.Names{PyTorch: p.torch, JAX: p.jax, ONNX: p.onnx}, Facts: built.facts(),
				Others: [][2]string{{"Keras", p.keras}, {"Flax", p.flax}}}
			rows = append(rows, r.split())
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return rows, nil
}

// All are the rows of the whole reference, operations first.
func All() ([]Row, error) {
	rows, err := Rows()
	if err != nil {
		return nil, err
	}
	layers, err := LayerRows()
	return append(rows, layers...), err
}

// built is an example that was built.
type built struct {
	g       *graph.Graph
	results []*graph.Node
	updates []*graph.Node
	shapes  string
	isLayer bool
}

// Built is the example of a layer, an optimiser or another entry of the reference that is no operation, as a graph.
type Built struct {
	Name             string // the function that the example calls first, such as "nn.NewLinear"
	Graph            *graph.Graph
	Results, Updates []*graph.Node
}

// Examples builds the examples of all entries of the reference that are no operations.
func Examples() (list []Built, err error) {
	texts, err := calls()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		for i, p := range parts[name] {
			b, err := p.build()
			if err != nil {
				return nil, fmt.Errorf("the example %s is refused: %w", texts[name][i], err)
			}
			list = append(list, Built{firstName.FindString(texts[name][i]), b.g, b.results, b.updates})
		}
	}
	return list, nil
}

func (p part) build() (built, error) {
	g := graph.New("reference")
	b := built{g: g}
	var params []*graph.Node
	var loss *graph.Node
	if _, is := p.show.(showing); !is {
		params = []*graph.Node{g.Param("weight", graph.Float32, 3, 4)}
		loss = ops.Sum(ops.Square(params[0]))
	}
	switch show := p.show.(type) {
	case showing:
		pass := nn.Training(g)
		e := &graph.Example{Graph: g, DType: graph.Float32}
		in := p.operands(e)
		y := show(g, pass, in[0], in[1], in[2])
		b.results, b.updates, b.isLayer = []*graph.Node{y}, pass.Updates(), true
		if err := g.Err(); err != nil {
			return b, err
		}
		b.shapes = shapes(y, e)
	case starting:
		shape := []graph.Dim{4, 4}
		if p.in != "" {
			shape = (&graph.Example{Graph: g}).Shape(strings.Fields(p.in)...)
		}
		b.results = []*graph.Node{g.ParamInit("first", graph.Float32, show(), shape...)}
	case optimiser:
		b.updates = show().Minimize(loss)
	case measuring:
		b.updates = show(g).Minimize(loss)
	case scheduling:
		b.updates = optim.SGD(show()).Minimize(loss)
	case averaging:
		steps := optim.SGD(0.1).Minimize(loss)
		b.updates = append(steps, show(params, steps).Updates()...)
	case clipping:
		b.results = show(params, autodiff.Grad(loss, params))
	case clippingTwo:
		list, one := show(params, autodiff.Grad(loss, params))
		b.results = append(list, one)
	default:
		return b, fmt.Errorf("an example is no %T", p.show)
	}
	return b, g.Err()
}

// operands declares the operands of an example: x, y and z.
func (p part) operands(e *graph.Example) (in [3]*graph.Node) {
	if p.in == "" {
		return in
	}
	for i, text := range strings.Split(p.in, ";") {
		words := strings.Fields(text)
		declare := e.Of
		for _, t := range graph.DTypes() {
			if words[0] == t.String() {
				declare = func(name string, dims ...string) *graph.Node { return e.As(t, name, dims...) }
				words = words[1:]
			}
		}
		in[i] = declare(operandNames[i], words...)
	}
	return in
}

// facts are the declarations and calls of an example.
func (b built) facts() (list [][2]string) {
	var params, states []string
	for _, n := range b.g.Params() {
		text := n.Name() + " " + n.Shape().String()
		switch {
		case n.IsState():
			states = append(states, text)
		case b.isLayer:
			params = append(params, text)
		}
	}
	add := func(title string, words []string) {
		if len(words) > 0 {
			list = append(list, [2]string{title, strings.Join(words, ", ")})
		}
	}
	add("parameters", params)
	add("state", states)
	if b.isLayer {
		add("calls", called(b.results))
	}
	return list
}

// functions are the names of package ops' functions.
var functions = sync.OnceValue(func() map[string]bool {
	is := map[string]bool{}
	for _, op := range ops.Entries() {
		name := op.Func
		is[name] = ast.IsExported(name)
	}
	for _, f := range ops.Functions() {
		is[f.Name] = true
	}
	return is
})

// called lists the functions of package ops from which values are computed, in the order of the calls.
func called(results []*graph.Node) (names []string) {
	seen := map[*graph.Node]bool{}
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		if n = n.Written(); seen[n] || n.IsInput() || n.IsParam() {
			return
		}
		seen[n] = true
		for _, x := range n.Operands() {
			visit(x)
		}
		if fn := n.Op().Func; functions()[fn] && !slices.Contains(names, "ops."+fn) {
			names = append(names, "ops."+fn)
		}
	}
	for _, n := range results {
		visit(n)
	}
	return names
}
