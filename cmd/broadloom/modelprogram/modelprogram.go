// Package modelprogram compiles the models of users, for commands that draw and run them.
package modelprogram

import (
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Compile compiles a graph for what nothing reads: its results and its updates. It returns the
// errors of [exec.Compile].
func Compile(g *graph.Graph) (*exec.Program, error) {
	read := make([]bool, len(g.Nodes()))
	for _, n := range g.Nodes() {
		for _, x := range n.Operands() {
			// A value that only gradients read, such as a loss, is a result all the same.
			if n.Origin() == nil || x.Origin() != nil {
				read[x.ID()] = true
			}
		}
	}
	var outputs, updates []*graph.Node
	for i, n := range g.Nodes() {
		switch {
		case n.Op().Class == graph.Update:
			updates = append(updates, n)
		case !read[i] && n.Op().Class != graph.Source:
			outputs = append(outputs, n)
		}
	}
	return exec.Compile(g, exec.Outputs(outputs...), exec.Updates(updates...))
}
