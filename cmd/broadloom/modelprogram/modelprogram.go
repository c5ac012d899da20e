// Package modelprogram compiles the models of users, for commands that draw, run and export them.
package modelprogram

import (
	"errors"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// ErrMistakes is what a command says of a model that it needs without mistakes.
var ErrMistakes = errors.New("the model has mistakes: broadloom check tells them")

// Compile compiles a graph for its [Roots]. It returns the errors of [exec.Compile].
func Compile(g *graph.Graph) (*exec.Program, error) {
	outputs, updates := Roots(g)
	return exec.Compile(g, exec.Outputs(outputs...), exec.Updates(updates...))
}

// Roots returns what a model is for: the results, which nothing reads, and the updates.
func Roots(g *graph.Graph) (outputs, updates []*graph.Node) {
	read := make([]bool, len(g.Nodes()))
	for _, n := range g.Nodes() {
		for _, x := range n.Operands() {
			// A value that only gradients read, such as a loss, is a result all the same.
			if n.Origin() == nil || x.Origin() != nil {
				read[x.ID()] = true
			}
		}
	}
	for i, n := range g.Nodes() {
		switch {
		case n.Op().Class == graph.Update:
			updates = append(updates, n)
		case !read[i] && n.Op().Class != graph.Source:
			outputs = append(outputs, n)
		}
	}
	return outputs, updates
}
