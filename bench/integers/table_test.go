package main

import "testing"

// TestTable looks for different tasks.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, task := range tasks() {
		if seen[task.Name] {
			t.Errorf("%s is there twice", task.Name)
		}
		seen[task.Name] = true
		if len(task.DTypes) != len(task.Shapes) {
			t.Errorf("%s has %d dtypes for %d inputs", task.Name, len(task.DTypes), len(task.Shapes))
		}
	}
}
