package stablehlo

import (
	"errors"
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/translate"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Module is a program in StableHLO. It does not change.
type Module struct {
	name       string
	main       *block
	attributes []string // of the module
	prelude    []string // operations before the program
	signature  Signature
	inputs     []*graph.Node // the arguments, in their order
	arguments  [][]string    // their attributes
	results    [][]string    // those of the results
}

func (m *Module) argumentAttributes(i int) []string { return m.arguments[i] }
func (m *Module) resultAttributes(i int) []string   { return m.results[i] }

// Option says what is exported, and how.
type Option func(*request)

type request struct {
	outputs, updates []*graph.Node
	sizes            shapeinfer.Sizes
	annotate         func(*graph.Node) string
	prelude          []string
	attributes       []string
}

// Outputs names the results of the program.
func Outputs(nodes ...*graph.Node) Option {
	return func(r *request) { r.outputs = append(r.outputs, nodes...) }
}

// Updates names in-place writes that the program carries out, such as an optimiser's.
func Updates(nodes ...*graph.Node) Option {
	return func(r *request) { r.updates = append(r.updates, nodes...) }
}

// Bind gives named sizes their numbers. A module has fixed sizes: all names that the program needs must be bound.
func Bind(sizes shapeinfer.Sizes) Option {
	return func(r *request) {
		for name, n := range sizes {
			r.sizes[name] = n
		}
	}
}

// Annotate calls sharding with the inputs, parameters and computed values of the graph. If it returns a text, such as
// `#sdy.sharding<@mesh, [{"data"}, {}]>`, the value is annotated with it: an argument, and the result that replaces it,
// get the attribute sdy.sharding; a computed value gets a constraint.
func Annotate(sharding func(n *graph.Node) string) Option {
	return func(r *request) { r.annotate = sharding }
}

// Prelude puts operations before the program, such as the mesh that annotations speak of.
func Prelude(lines ...string) Option {
	return func(r *request) { r.prelude = append(r.prelude, lines...) }
}

// Attribute gives the module an attribute, such as mhlo.num_partitions with the text "8 : i32".
func Attribute(name, text string) Option {
	return func(r *request) { r.attributes = append(r.attributes, name+" = "+text) }
}

// Export writes the program that computes outputs and carries out updates of a graph. The error contains every mistake
// of the graph, as that of exec.Compile, or says at the user's line which operation has no form in StableHLO, and what
// to do.
func Export(g *graph.Graph, opts ...Option) (*Module, error) {
	r := request{sizes: shapeinfer.Sizes{}}
	for _, o := range opts {
		if o != nil {
			o(&r)
		}
	}
	if g == nil {
		return nil, errors.New("stablehlo: the graph is nil")
	}
	defer g.KeepSizes()()
	sizes, err := r.check(g)
	if err != nil {
		return nil, err
	}
	e := newExporter(sizes, r.annotate)
	m, err := e.module(g, r)
	if err != nil {
		return nil, fmt.Errorf("stablehlo: %w", err)
	}
	return m, nil
}

// check judges the program and binds its sizes.
func (r *request) check(g *graph.Graph) (shapeinfer.Sizes, error) {
	if err := translate.CheckRoots(g, r.outputs, r.updates); err != nil {
		return nil, fmt.Errorf("stablehlo: %w", err)
	}
	roots := translate.Roots(r.outputs, r.updates)
	report := shapeinfer.CheckProgram(g, roots...)
	if err := report.Err(); err != nil {
		return nil, err
	}
	return shapeinfer.BindProgram(g, roots, nil, report.Requirements, r.sizes)
}
