package main

import (
	"context"
	"strings"
	"testing"

	"github.com/broadloom/broadloom/graph"
)

// TestStepsRun measures two short steps without PyTorch: each gives a row with a time.
func TestStepsRun(t *testing.T) {
	for _, s := range []step{{graph.Float32, 1, 4, 2, 1, 32}, {graph.BFloat16, 2, 4, 4, 3, 32}} {
		var out strings.Builder
		opts, err := parse([]string{"-rounds", "1", "-sample", "1us"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.measure(context.Background(), opts, nil, &out); err != nil {
			t.Fatal(err)
		}
		if row := out.String(); strings.Count(row, "|") != 7 || !strings.Contains(row, s.String()) {
			t.Errorf("the row of %s is %q", s, row)
		}
	}
}
