package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/importer"
)

// Built is the graph built from a model.
type Built struct {
	Graph  *graph.Graph
	model  *Model
	result *importer.Result
}

// policy is that of a graph that comes from a file: what looks like a slip in a program that somebody writes is meant
// there, and names of sizes that meet are the same size, which is checked when they are bound.
var policy = graph.Policy{Names: graph.Unify, MutualExpand: graph.AllowSilently, FixedName: graph.AllowSilently,
	SecondWrite: graph.AllowSilently,
	AxisMixing:  graph.AllowSilently, TargetShape: graph.AllowSilently, GivenProbabilities: graph.AllowSilently,
	ReducedAxis: graph.AllowSilently,
	VectorAxis:  graph.AllowSilently, OverExamples: graph.AllowSilently, AttentionOverExamples: graph.AllowSilently,
	ExamplePositions: graph.AllowSilently, OnePosition: graph.AllowSilently, MaskedRows: graph.AllowSilently,
	KeptWeights: graph.AllowSilently,
	OtherOrder:  graph.AllowSilently, WholeBatch: graph.AllowSilently}

// Build makes a graph of the model. The error is a *[BuildError] with every node that could not be built, or says
// which option is wrong.
func (m *Model) Build(opts ...Option) (*Built, error) {
	if m == nil || m.model == nil {
		return nil, errors.New("onnx: the model is nil")
	}
	if err := m.isOpen(); err != nil {
		return nil, err
	}
	r := request{Request: importer.Request{
		Sizes: map[string]int{}, Empty: map[string]bool{}, Shapes: map[string]graph.Shape{},
		Given: map[string]*graph.Node{},
		Bound: map[string]exec.Array{}, External: m.external}}
	for _, o := range opts {
		if o != nil {
			o(&r)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	given := slices.Collect(maps.Values(r.Given))
	if r.Request.Seed != nil {
		given = append(given, r.Request.Seed)
	}
	for _, n := range given {
		switch {
		case r.Graph == nil:
			r.Graph = n.Graph()
		case r.Graph != n.Graph():
			return nil, fmt.Errorf("onnx: %s belongs to another graph", n.Label())
		}
	}
	if r.Graph == nil {
		r.Graph = graph.New(m.Name(), graph.WithPolicy(policy))
	}
	var result *importer.Result
	var problems []Problem
	r.Graph.FromHere(func() { result, problems = importer.Import(m.model, r.Request) })
	if len(problems) > 0 {
		return nil, &BuildError{Model: m.path, Problems: problems}
	}
	return &Built{Graph: r.Graph, model: m, result: result}, nil
}

// Problem is a node of a model that could not be built, and why.
type Problem = importer.Problem

// BuildError lists the nodes of a model that could not be built. Problems that only follow from these are left out.
type BuildError struct {
	Model    string // the file, or ""
	Problems []Problem
}

// maxTold is how many problems an error writes out.
const maxTold = 20

// Error lists the problems; equal ones appear once.
func (e *BuildError) Error() string {
	var b strings.Builder
	b.WriteString("onnx: ")
	if e.Model != "" {
		b.WriteString(e.Model + ": ")
	}
	if len(e.Problems) == 1 {
		b.WriteString(textOf(e.Problems[0]))
		return b.String()
	}
	fmt.Fprintf(&b, "%d parts of the model cannot be built:", len(e.Problems))
	type kind struct{ op, reason string }
	told, count := map[kind]bool{}, map[kind]int{}
	for _, p := range e.Problems {
		count[kind{p.Op, p.Reason}]++
	}
	for _, p := range e.Problems {
		k := kind{p.Op, p.Reason}
		if told[k] {
			continue
		}
		told[k] = true
		if len(told) > maxTold {
			b.WriteString("\n  and others")
			break
		}
		b.WriteString("\n  " + strings.ReplaceAll(textOf(p), "\n", "\n  "))
		if n := count[k]; n > 1 {
			fmt.Fprintf(&b, " (and %d more such nodes)", n-1)
		}
	}
	return b.String()
}

func textOf(p Problem) string {
	if p.Node == "" {
		return p.Reason
	}
	return fmt.Sprintf("%s %q: %s", p.Op, p.Node, p.Reason)
}

// Input returns the node of an input, or nil if the model has none with that name.
func (b *Built) Input(name string) *graph.Node { return named(b.all().Inputs, name) }

// all is what was built; of nil nothing.
func (b *Built) all() *importer.Result {
	if b == nil || b.result == nil {
		return &importer.Result{}
	}
	return b.result
}

// Output returns the node of an output, or nil if there is none with that name. The parts of a sequence output y are
// called "y.0", "y.1" and so on.
func (b *Built) Output(name string) *graph.Node {
	for _, out := range b.all().Outputs {
		if out.Name == name {
			return out.Node
		}
	}
	return nil
}

// Count returns how many elements an output has along an axis, an Int64 scalar, if that depends on values: the output
// is as long as it can be, with zeros behind so many elements. It is nil for outputs whose sizes depend on those of the
// inputs alone.
func (b *Built) Count(output string) (count *graph.Node, axis int) {
	for _, out := range b.all().Outputs {
		if out.Name == output {
			return out.Count, out.Axis
		}
	}
	return nil, 0
}

func named(list []importer.Named, name string) *graph.Node {
	for _, n := range list {
		if n.Name == name {
			return n.Node
		}
	}
	return nil
}

// Inputs returns the nodes of the inputs, in the model's order.
func (b *Built) Inputs() []*graph.Node { return nodesOf(b.all().Inputs) }

// Outputs returns the nodes of the outputs, in the model's order.
func (b *Built) Outputs() (nodes []*graph.Node) {
	for _, out := range b.all().Outputs {
		nodes = append(nodes, out.Node)
	}
	return nodes
}

func nodesOf(list []importer.Named) (nodes []*graph.Node) {
	for _, n := range list {
		nodes = append(nodes, n.Node)
	}
	return nodes
}

// Params returns the parameters made from the model's tensors. [Built.Load] sets their values.
func (b *Built) Params() (nodes []*graph.Node) {
	for _, p := range b.all().Params {
		nodes = append(nodes, p.Node)
	}
	return nodes
}
