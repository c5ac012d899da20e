package main

import "testing"

// TestTable looks for sixty different products in all layouts and both types.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	kinds := map[string]bool{}
	for _, p := range products {
		name := p.task().Name
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name], kinds[p.layout+p.dtype.String()] = true, true
		if min(p.m, p.n, p.k) < 1 || max(p.m, p.n, p.k) > 4096 {
			t.Errorf("%s is out of range", name)
		}
	}
	if len(seen) != 60 || len(kinds) != 8 {
		t.Errorf("%d products of %d kinds", len(seen), len(kinds))
	}
}
