// Package testmodel has layers of package nn as functions, for tests of the code around them: the
// input width is that of the value.
//
// testmodel.go has them.
package testmodel

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
)

// Linear declares a linear layer of that name and applies it to x, [..., in]: the result is
// [..., out].
func Linear[Out nn.Size](g *graph.Graph, name string, x *graph.Node, out Out) *graph.Node {
	in := graph.Dim(1)
	if x.Judged() && x.Rank() > 0 {
		in = x.Shape()[x.Rank()-1]
	}
	return nn.NewLinear(g, name, in, out).Apply(nn.Evaluation(g), x)
}
