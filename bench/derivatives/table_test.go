package main

import (
	"fmt"
	"testing"

	"github.com/broadloom/broadloom/graph"
)

// TestTasksAreBuilt builds the graphs of all tasks, each of which has a name of its own and says nothing of a mistake.
func TestTasksAreBuilt(t *testing.T) {
	seen := map[string]bool{}
	for _, task := range tasks() {
		g := graph.New(task.Name)
		var in []*graph.Node
		for i, shape := range task.Shapes {
			in = append(in, g.Input(fmt.Sprint("x", i), task.DType, graph.MakeShape(shape...)...))
		}
		y := task.Build(in)
		if err := g.Err(); err != nil || len(g.Warnings()) > 0 {
			t.Errorf("%s: %v %v", task.Name, err, g.Warnings())
		}
		if seen[task.Name] || task.Flops <= 0 || y.Rank() == 0 {
			t.Errorf("%s is there twice, or measures nothing", task.Name)
		}
		seen[task.Name] = true
	}
}
