package rewrite

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Awaited lists the values that must be computed before the memory under a view is read.
func Awaited(n *graph.Node) (list []*graph.Node) {
	for ; alias.IsView(n); n = n.In(0) {
		if n.Op().Waits {
			list = append(list, n.In(len(n.Operands())-1))
		}
	}
	return list
}
