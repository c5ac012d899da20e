// Package modelprogram compiles the models of users, for commands that draw, run and export them.
package modelprogram

import (
	"errors"
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// ErrMistakes is the error of a command that needs a model without mistakes.
var ErrMistakes = errors.New("the model has mistakes: run broadloom check")

// Compile compiles a graph for its [Roots]. It returns the errors of [exec.Compile].
func Compile(g *graph.Graph) (*exec.Program, error) {
	outputs, updates, err := Roots(g)
	if err != nil {
		return nil, err
	}
	return exec.Compile(g, exec.Outputs(outputs...), exec.Updates(updates...))
}

// Unbound says what is wrong with the sizes that a command was given, in place of the line of the command that bound
// them. Other errors stay as they are.
func Unbound(err error) error {
	unmet, is := errors.AsType[*shapeinfer.BindError](err)
	if !is {
		return err
	}
	return fmt.Errorf("error %s: the sizes given do not meet what the model requires: %s", graph.CodeBinding,
		strings.ReplaceAll(strings.Join(unmet.Problems, "\n"), "\n", "\n      "))
}

// NothingError is the error of a model that computes nothing: exec.Compile would name the line of the command.
type NothingError struct{ Graph string }

// Error implements error.
func (e NothingError) Error() string {
	return fmt.Sprintf(
		"graph %q has no operations, so there is nothing to compute: a function under //broadloom:model must return the graph that it built",
		e.Graph)
}

// Roots returns what a model is for: the results, which nothing reads, and the updates. Where there are none, the error
// is a [NothingError].
func Roots(g *graph.Graph) (outputs, updates []*graph.Node, err error) {
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
		case n.IsInternalToLoop():
		case n.Op().Class == graph.Update:
			updates = append(updates, n)
		case n.Origin() != nil && n.GradientOf() == nil && n.Name() == "":
			// what the rule of a gradient made and nobody asked for
		case !read[i] && n.Op().Class != graph.Source:
			outputs = append(outputs, n)
		}
	}
	if len(outputs) == 0 && len(updates) == 0 {
		return nil, nil, NothingError{g.Name()}
	}
	return outputs, updates, nil
}
