package axisflow

import (
	"cmp"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Flow follows axes from their sources through the nodes of a graph. Values are analysed when they are first
// requested.
type Flow struct {
	g         *graph.Graph
	sources   []graph.AxisOf
	inputs    int // number of sources that are axes of inputs, if those of weights are united
	begin     map[*graph.Node]Value
	known     []bool // by node ID; nil before the first use
	values    []Value
	templates templates
	indices   indices
	loops     map[*graph.Region]*loopFlow // nil before the first loop
	depth     int                         // nesting depth of composites
}

// NewFlow makes a flow through a graph, from source axes.
func NewFlow(g *graph.Graph, sources ...graph.AxisOf) *Flow {
	f := newFlow(g)
	for i, s := range sources {
		f.addSource(s, i)
	}
	return f
}

// From makes a flow through the same graph from other axes. Both share templates of composite operations.
func (f *Flow) From(sources ...graph.AxisOf) *Flow {
	made := NewFlow(f.g, sources...)
	made.templates = f.templates
	return made
}

func newFlow(g *graph.Graph) *Flow {
	return &Flow{g: g, begin: map[*graph.Node]Value{}, templates: templates{}, indices: indices{}}
}

// addSource makes an axis a source with a number. Several axes may be one source.
func (f *Flow) addSource(s graph.AxisOf, number int) {
	if number == len(f.sources) {
		f.sources = append(f.sources, s)
	}
	if s.Node.Shape()[s.Axis] == 1 {
		return // an axis of size 1 has no positions to follow
	}
	f.begin[s.Node] = f.begin[s.Node].either(Value{whole(number, s.Axis, s.Node.Shape()[s.Axis])})
}

// Source returns the source with a number.
func (f *Flow) Source(number int) graph.AxisOf { return f.sources[number] }

// Value returns how a node's value depends on the source axes.
func (f *Flow) Value(n *graph.Node) Value {
	if f.known == nil {
		f.known, f.values = make([]bool, len(f.g.Nodes())), make([]Value, len(f.g.Nodes()))
	}
	if !f.known[n.ID()] {
		f.follow(n)
	}
	return f.values[n.ID()]
}

// follow evaluates a node and all its dependencies, operands first.
func (f *Flow) follow(n *graph.Node) {
	wanted := []*graph.Node{n}
	f.known[n.ID()] = true
	for i := 0; i < len(wanted); i++ {
		for _, x := range slices.Concat(wanted[i].Operands(), f.carriedBy(wanted[i])) {
			if x != nil && x.Graph() == n.Graph() && !f.known[x.ID()] {
				f.known[x.ID()] = true
				wanted = append(wanted, x)
			}
		}
	}
	byID := func(a, b *graph.Node) int { return cmp.Compare(a.ID(), b.ID()) }
	slices.SortFunc(wanted, byID)
	for i := 0; i < len(wanted); i++ {
		x := wanted[i]
		f.values[x.ID()] = f.evaluate(x)
		if a, is := x.Loop(); !is || a.Role != graph.LoopEnd || x.Err() != nil {
			continue
		}
		if first, changed := f.again(x); changed {
			i, _ = slices.BinarySearchFunc(wanted, first, byID)
			i--
		}
	}
}

// evaluate evaluates a node from its operands.
func (f *Flow) evaluate(n *graph.Node) Value {
	if v, is := f.begin[n]; is || len(n.Operands()) == 0 {
		return v
	}
	v := f.fromOperands(n)
	if f.inputs > 0 {
		return f.united(v)
	}
	return v
}

func (f *Flow) fromOperands(n *graph.Node) Value {
	in := make([]Value, len(n.Operands()))
	any := false
	for i, x := range n.Operands() {
		if x != nil && x.Graph() == n.Graph() {
			in[i] = f.values[x.ID()]
			any = any || len(in[i]) > 0
		}
	}
	if !any && n.Op().Class != graph.Loop {
		return nil
	}
	return f.apply(n, in)
}

// apply evaluates a node from the given values of its operands.
func (f *Flow) apply(n *graph.Node, in []Value) (v Value) {
	defer func() {
		if recover() != nil { // the operation fails: the check tells the user
			v = scrambled(in)
		}
	}()
	if !n.Judged() || n.Err() != nil {
		return scrambled(in)
	}
	switch n.Op().Class {
	case graph.Elementwise, graph.Update:
		return elementwise(n, in)
	case graph.Reduce:
		return reduction(n, in[0])
	case graph.Movement:
		return movement(n, in)
	case graph.Contract:
		return product(n, in)
	case graph.Gather:
		return f.gather(n, in)
	case graph.Composite:
		return f.composite(n, in)
	case graph.Function:
		return function(n, in)
	case graph.Version:
		return version(n, in)
	case graph.Loop:
		return f.looped(n, in)
	}
	return scrambled(in)
}
