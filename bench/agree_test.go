package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/broadloom/broadloom/bench/suite"
)

// agreement is by how much an element may differ, relative to the largest of
// its result: the sums are long and in float32.
const agreement = 1e-3

// patience is how long a library gets for a workload's few calls.
const patience = 2 * time.Minute

// TestPeersAgree runs every workload with every library that can express it,
// and compares what the first and the fourth call compute. In the fourth, a
// training workload has changed its parameters three times.
func TestPeersAgree(t *testing.T) {
	for _, w := range suite.All() {
		t.Run(w.Name, func(t *testing.T) {
			if testing.Short() && w.Inputs().Tensors[0].Len() > 1<<16 {
				t.Skip("large")
			}
			var first string
			var want [][]float32
			for _, p := range allPeers {
				got := calls(t, p, w)
				if got == nil {
					continue
				}
				if want == nil {
					first, want = p.Name(), got
					continue
				}
				compare(t, first, want, p.Name(), got)
			}
		})
	}
}

// calls returns the results of the first and of the fourth call, one behind the
// other; nil where the library cannot express the workload.
func calls(t *testing.T, p suite.Peer, w suite.Workload) [][]float32 {
	type outcome struct {
		results [][]float32
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		results, err := twice(p, w)
		done <- outcome{results, err}
	}()
	select {
	case o := <-done:
		if errors.Is(o.err, suite.ErrNotExpressible) {
			return nil
		}
		if o.err != nil {
			t.Fatalf("%s: %v", p.Name(), o.err)
		}
		return o.results
	case <-time.After(patience):
		t.Logf("%s: no result after %v", p.Name(), patience)
		return nil
	}
}

// twice makes four calls, and copies the results of the first and the last. Broadloom's then allocate nothing.
func twice(p suite.Peer, w suite.Workload) ([][]float32, error) {
	program, err := p.Prepare(w, w.Inputs(), suite.Config{Threads: 2})
	if err != nil {
		return nil, err
	}
	var kept [][]float32
	for call := range 1 + warmups {
		if err := program.Step(); err != nil {
			return nil, err
		}
		if call != 0 && call != warmups {
			continue
		}
		results, err := program.Results()
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			kept = append(kept, slices.Clone(r))
		}
	}
	if p.Name() == "broadloom" {
		err = allocatesNothing(program)
	}
	return kept, err
}

// allocatesNothing makes calls until one allocates nothing: each of the process's workers may in the first call that it
// takes part in.
func allocatesNothing(program suite.Program) (err error) {
	var n float64
	for range 20 {
		if n = testing.AllocsPerRun(1, func() { err = program.Step() }); n == 0 || err != nil {
			return err
		}
	}
	return fmt.Errorf("a call allocates %v times", n)
}

// compare reports the first element in which two libraries differ too much.
func compare(t *testing.T, nameA string, a [][]float32, nameB string, b [][]float32) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%s has %d results, %s %d", nameA, len(a), nameB, len(b))
	}
	for i := range a {
		if len(a[i]) != len(b[i]) {
			t.Fatalf("result %d: %s has %d elements, %s %d", i, nameA, len(a[i]), nameB, len(b[i]))
		}
		var largest float64
		for _, v := range a[i] {
			largest = max(largest, math.Abs(float64(v)))
		}
		for j := range a[i] {
			if diff := math.Abs(float64(a[i][j]) - float64(b[i][j])); !(diff <= agreement*largest) {
				t.Fatalf("result %d, element %d: %s has %g, %s %g", i, j, nameA, a[i][j], nameB, b[i][j])
			}
		}
	}
}
