package main

import (
	"testing"

	"github.com/broadloom/broadloom/graph"
)

// TestTasksAreBuilt builds the graphs of all tasks, each of which has a name of its own.
func TestTasksAreBuilt(t *testing.T) {
	list, err := examples(graph.Float32, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 500 {
		t.Errorf("%d examples of the reference", len(list))
	}
	seen := map[string]bool{}
	for _, task := range append(list, table()...) {
		if seen[task.name] {
			t.Errorf("two tasks %s", task.name)
		}
		seen[task.name] = true
		results, updates, err := task.build()
		if err != nil {
			t.Errorf("%s: %v", task.name, err)
			continue
		}
		if err := append(results, updates...)[0].Graph().Err(); err != nil {
			t.Errorf("%s: %v", task.name, err)
		}
	}
}
