package stablehlo

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// moduleAttributes adds those that a module has if nothing else is said.
func moduleAttributes(given []string) []string {
	for _, usual := range []string{"mhlo.num_partitions = 1 : i32", "mhlo.num_replicas = 1 : i32"} {
		name, _, _ := strings.Cut(usual, " ")
		has := false
		for _, a := range given {
			has = has || strings.HasPrefix(a, name+" ")
		}
		if !has {
			given = append(given, usual)
		}
	}
	return given
}

// arguments declares the inputs and parameters that the program needs.
func (e *exporter) arguments(m *Module, g *graph.Graph, roots []*graph.Node) {
	live := ancestors.Marks(g, roots)
	for _, n := range append(g.Inputs(), g.Params()...) {
		if !live[n.ID()] {
			continue
		}
		e.Node = n
		t := e.typeOf(n)
		e.Set(n, m.main.argument(t))
		m.inputs = append(m.inputs, n)
		m.arguments = append(m.arguments, e.sharding(n))
		m.signature.Arguments = append(m.signature.Arguments, argumentOf(n, t))
	}
	e.Node = nil
}

// sharding returns the attributes of an argument or a result that the user asks for.
func (e *exporter) sharding(n *graph.Node) []string {
	if e.annotate != nil {
		if text := e.annotate(n); text != "" {
			return []string{"sdy.sharding = " + text}
		}
	}
	return nil
}

// result adds a result.
func (e *exporter) result(m *Module, n *graph.Node, r Result, v *value) {
	r.DType, r.Shape = v.dtype.String(), append([]int{}, v.shape...) // that of a number is [] as text, not null
	m.main.out = append(m.main.out, v)
	m.results = append(m.results, nil)
	if n != nil {
		m.results[len(m.results)-1] = e.sharding(n)
	}
	m.signature.Results = append(m.signature.Results, r)
}

// writes adds the memory of inputs and parameters after the program's writes.
func (e *exporter) writes(m *Module, g *graph.Graph, roots []*graph.Node) {
	live := ancestors.Marks(g, roots)
	last := map[*graph.Node]*graph.Node{} // the last write of each memory
	for _, n := range g.Nodes() {
		if memory := alias.Storage(n); live[n.ID()] && n.Op().Class == graph.Update &&
			memory.Op().Class == graph.Source {
			last[memory] = n
		}
	}
	for i, n := range m.inputs {
		write := last[n]
		if write == nil {
			continue
		}
		at := len(m.main.out)
		m.signature.Arguments[i].DonatedTo = at
		m.arguments[i] = append(m.arguments[i], fmt.Sprintf("tf.aliasing_output = %d : i32", at))
		e.result(m, n, Result{Role: roleOf(n), Name: n.Name()}, e.memory(write))
	}
}

// checks adds the program's claims about elements.
func (e *exporter) checks(m *Module) {
	for _, c := range m.main.checks {
		e.result(m, nil, Result{Role: RoleCheck, Name: c.at.String(), Message: c.message}, c.holds)
	}
}
