package export

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
	"github.com/broadloom/broadloom/internal/translate"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Request says which part of a graph is exported, and how.
type Request struct {
	Outputs, Updates []*graph.Node
	Sizes            shapeinfer.Sizes
	Opset            int
	Primitives       bool // whether all operations are written as compositions of primitives
	// Param returns the elements of a parameter, row-major, as a slice of its dtype's Go type. If it is nil,
	// parameters are inputs.
	Param func(n *graph.Node) (data any, err error)
}

// The versions of ONNX's operators that a model may use.
const (
	LeastOpset    = 20
	GreatestOpset = 26
)

// Model exports a graph. The error lists every mistake of the graph, or names the user's line of an operation that
// cannot be written in ONNX.
func Model(g *graph.Graph, r Request) (m *wire.Model, err error) {
	if g == nil {
		return nil, errors.New("the graph is nil")
	}
	if r.Opset < LeastOpset || r.Opset > GreatestOpset {
		return nil, fmt.Errorf("opset %d is not supported: only %d to %d", r.Opset, LeastOpset, GreatestOpset)
	}
	defer g.KeepSizes()()
	if err := r.check(g); err != nil {
		return nil, err
	}
	e := newExporter(r)
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, e.Panicked(p)
		}
	}()
	return e.model(g, r)
}

// check judges the program, and its sizes if all are bound.
func (r *Request) check(g *graph.Graph) error {
	if err := translate.CheckRoots(g, r.Outputs, r.Updates); err != nil {
		return err
	}
	roots := translate.Roots(r.Outputs, r.Updates)
	report := shapeinfer.CheckProgram(g, roots...)
	if err := report.Err(); err != nil {
		return err
	}
	for name := range r.Sizes {
		if !slices.Contains(g.DimNames(), name) {
			return fmt.Errorf("graph %q has no size %q: it has %s", g.Name(), name, strings.Join(g.DimNames(), ", "))
		}
	}
	given := len(r.Sizes) > 0
	r.Sizes = maps.Clone(r.Sizes)
	for _, name := range g.DimNames() { // names of numbers
		if n, is := g.Known(graph.SymbolicDim(name)); is {
			if r.Sizes == nil {
				r.Sizes = shapeinfer.Sizes{}
			}
			r.Sizes[name] = n
		}
	}
	if !given {
		return nil
	}
	bound, err := shapeinfer.BindProgram(g, roots, nil, report.Requirements, r.Sizes)
	if err == nil {
		r.Sizes = bound
		return nil
	}
	for _, n := range sources(g, roots) {
		for _, name := range symbolsOf(n.Shape()) {
			if _, is := r.Sizes[name]; !is {
				return nil // they are judged when the model runs
			}
		}
	}
	return err
}

// sources lists the inputs and parameters that roots need.
func sources(g *graph.Graph, roots []*graph.Node) (list []*graph.Node) {
	live := ancestors.Marks(g, roots)
	for _, n := range append(g.Inputs(), g.Params()...) {
		if live[n.ID()] {
			list = append(list, n)
		}
	}
	return list
}

// model exports a whole program.
func (e *exporter) model(g *graph.Graph, r Request) (*wire.Model, error) {
	roots := translate.Roots(r.Outputs, r.Updates)
	e.graph = g
	e.Begin(e, g, roots)
	written := lastWrites(g, roots)
	w := &writer{exporter: e, taken: map[string]bool{}}
	for _, n := range sources(g, roots) {
		e.Node = n
		v := &value{tensor: e.typeOf(n), name: n.Name()}
		w.taken[n.Name()] = true
		e.Set(n, v)
		if written[n] == nil && n.IsParam() && r.Param != nil {
			data, err := r.Param(n)
			if err != nil {
				return nil, err
			}
			v.data = &literal{raw: bytesOf(data)}
			w.params = append(w.params, v)
			continue
		}
		w.inputs = append(w.inputs, v)
	}
	for _, v := range append(w.inputs, w.params...) {
		e.show(v)
	}
	e.Node = nil
	for i, n := range r.Outputs {
		w.output(outputName(n, i), e.Value(n))
	}
	for _, n := range sources(g, roots) {
		if write := written[n]; write != nil {
			w.output(n.Name()+".next", e.memory(write))
		}
	}
	if e.Err != nil {
		return nil, e.Err
	}
	return w.model(g.Name(), r.Opset), nil
}

// outputName returns the name of an output: the node's own, or one by its place.
func outputName(n *graph.Node, i int) string {
	if n.Name() != "" {
		return n.Name()
	}
	return fmt.Sprintf("output_%d", i)
}

// lastWrites returns the last write of the memory of each input and parameter that is written.
func lastWrites(g *graph.Graph, roots []*graph.Node) map[*graph.Node]*graph.Node {
	live, last := ancestors.Marks(g, roots), map[*graph.Node]*graph.Node{}
	for _, n := range g.Nodes() {
		if memory := alias.Storage(n); live[n.ID()] && n.Op().Class == graph.Update &&
			memory.Op().Class == graph.Source {
			last[memory] = n
		}
	}
	return last
}
