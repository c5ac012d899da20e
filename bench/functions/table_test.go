package main

import "testing"

// TestTable looks for different tasks, each with inputs.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, task := range tasks() {
		if seen[task.Name] || len(task.Shapes) == 0 || task.Flops <= 0 {
			t.Errorf("%s is there twice, or measures nothing", task.Name)
		}
		seen[task.Name] = true
	}
	if len(seen) != len(tasks()) || len(seen) < 130 {
		t.Errorf("%d tasks", len(seen))
	}
}
