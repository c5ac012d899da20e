package gorgonia

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/bench/suite"
)

// inputs are the leaves of a graph, by name.
type inputs struct {
	nodes map[string]*G.Node
}

// newInputs makes a leaf with a value for every input. Values are copies, since
// solvers write into them. Class numbers become one-hot rows.
func newInputs(g *G.ExprGraph, in *suite.Inputs) *inputs {
	leaves := &inputs{nodes: make(map[string]*G.Node, len(in.Tensors))}
	for _, t := range in.Tensors {
		if t.Int != nil {
			t = t.OneHot()
		}
		value := tensor.New(tensor.WithShape(t.Shape...), tensor.WithBacking(slices.Clone(t.Float)))
		leaves.nodes[t.Name] = G.NewTensor(g, G.Float32, len(t.Shape),
			G.WithShape(t.Shape...), G.WithName(t.Name), G.WithValue(value))
	}
	return leaves
}

// get finds a leaf; a wrong name is a mistake in a builder.
func (in *inputs) get(name string) *G.Node {
	n, ok := in.nodes[name]
	if !ok {
		panic(fmt.Sprintf("gorgonia: no input %q", name))
	}
	return n
}

// has says whether there is such a leaf.
func (in *inputs) has(name string) bool { return in.nodes[name] != nil }

// list finds the leaves of several tensors.
func (in *inputs) list(ts []*suite.Tensor) G.Nodes {
	nodes := make(G.Nodes, len(ts))
	for i, t := range ts {
		nodes[i] = in.get(t.Name)
	}
	return nodes
}
