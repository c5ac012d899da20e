// Package composite calls the functions that expand composite operations, and reports errors in their results.
package composite

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/internal/prove"
)

// Write calls the Expand of n, or a function like it, with a copy of n's operands. It returns the result or what the
// call did wrong, as the predicate of a sentence whose subject is the function: "panics at ops.go:12: …".
func Write(expand func(n *graph.Node, in []*graph.Node) *graph.Node, n *graph.Node) (y *graph.Node, wrong string) {
	defer func() {
		if p := recover(); p != nil {
			y, wrong = nil, panicked.Text(p)
		}
	}()
	was := slices.Clone(n.Operands())
	y = expand(n, slices.Clone(was))
	if !slices.Equal(n.Operands(), was) {
		copy(n.Operands(), was)
		return nil, "writes the operands of its node: it must change a copy, slices.Clone(n.Operands())"
	}
	return y, ""
}

// Mismatch returns, in the form of [Write], how a result differs from what its node must be, or "". A refused result
// matches: its own mistake has been reported.
func Mismatch(y, n *graph.Node) string {
	switch {
	case y == nil || y.Graph() != n.Graph():
		return "returns no node of its graph"
	case !y.Judged():
		return ""
	case y.DType() != n.DType():
		return fmt.Sprintf("returns dtype %s, but Infer says %s", y.DType(), n.DType())
	case prove.NewProver(n.Graph().Bounds).Differ(y.Shape(), n.Shape()):
		return fmt.Sprintf("gives shape %s, but Infer says %s", y.Shape(), n.Shape())
	}
	return ""
}
