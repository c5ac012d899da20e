package main

import "testing"

// TestTable looks for twenty different layers, each on the images that another one makes.
func TestTable(t *testing.T) {
	type images struct{ channels, size int }
	made := map[images]bool{{3, 224}: true, {64, 56}: true} // the input, and what pooling makes
	seen := map[layer]bool{}
	for _, l := range layers {
		seen[l] = true
		made[images{l.filters, l.places()}] = true
	}
	for _, l := range layers {
		if !made[images{l.channels, l.size}] {
			t.Errorf("nothing makes images for %+v", l)
		}
	}
	if len(seen) != 20 || len(tasks()) != 2*(20+14) {
		t.Errorf("%d layers, %d tasks", len(seen), len(tasks()))
	}
}
