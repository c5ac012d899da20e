// Package gradcut finds where the flow of gradients from a result to a value on which it depends is cut.
package gradcut

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Stops reports whether no gradient flows through a node, not even one of zeros. It is an ops.StopGradient, or its
// result has integers or truth values.
func Stops(n *graph.Node) bool {
	return ops.StopsGradient(n) || !n.DType().IsFloat() && n.Op().Class != graph.Loop
}

// maxTold bounds how many nodes a message names.
const maxTold = 3

// Between explains why no gradient flows from y to x: a line for each node that cuts a path, the first one on the path.
// It is empty if there is no path, or gradients flow along one.
func Between(y, x *graph.Node) (lines []string) {
	if x.Graph() != y.Graph() || x.ID() > y.ID() {
		return nil
	}
	nodes := y.Graph().Nodes()[x.ID() : y.ID()+1]
	leads := map[*graph.Node]bool{y: true} // to y
	for _, n := range slices.Backward(nodes) {
		if leads[n] {
			for _, in := range n.Operands() {
				leads[in] = true
			}
		}
	}
	reached, cuts := map[*graph.Node]bool{x: true}, 0
	for _, n := range nodes {
		if !leads[n] || !slices.ContainsFunc(n.Operands(), func(in *graph.Node) bool { return reached[in] }) {
			continue
		}
		if !Stops(n) {
			reached[n] = true
			continue
		}
		if cuts++; cuts <= maxTold {
			lines = append(lines, line(n))
		}
	}
	if reached[y] {
		return nil
	}
	if more := cuts - maxTold; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// line says why no gradient flows through a node, and where it was made.
func line(n *graph.Node) string {
	if ops.StopsGradient(n) {
		return fmt.Sprintf("%s, made at %s, cuts the way", n.Called(), n.Pos())
	}
	return fmt.Sprintf("%s, made at %s, has dtype %s, through which no gradient flows", n.Called(), n.Pos(), n.DType())
}
