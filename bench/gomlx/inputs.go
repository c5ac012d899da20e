package gomlx

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/broadloom/broadloom/bench/suite"
)

// inputs are the arguments of the graph that is being built, by name.
type inputs struct {
	nodes map[string]*graph.Node
}

// newInputs names the nodes after their tensors.
func newInputs(ts []*suite.Tensor, nodes []*graph.Node) *inputs {
	in := &inputs{nodes: make(map[string]*graph.Node, len(ts))}
	for i, t := range ts {
		in.nodes[t.Name] = nodes[i]
	}
	return in
}

// get finds an argument; a wrong name is a mistake in a builder.
func (in *inputs) get(name string) *graph.Node {
	n, ok := in.nodes[name]
	if !ok {
		panic(fmt.Sprintf("gomlx: no input %q", name))
	}
	return n
}

// has says whether there is such an argument.
func (in *inputs) has(name string) bool { return in.nodes[name] != nil }

// row finds a vector and gives it the rank of the other operand, since GoMLX broadcasts between equal ranks only.
func (in *inputs) row(name string, rank int) *graph.Node {
	return graph.ExpandLeftToRank(in.get(name), rank)
}
