package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/bench/suite"
)

// TestProfile looks for every kernel with its time, and their sum.
func TestProfile(t *testing.T) {
	opts, err := parse([]string{"-profile", "-threads", "1", "-only", "logreg,chain_64_fwd"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !opts.profiled {
		t.Fatal("-profile has no effect")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var out bytes.Buffer
	if err := profile(context.Background(), opts, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"chain_64_fwd, 1 thread(s)\n", "logreg_16_b32_sgd, 1 thread(s)\n", "matmul", "µs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

func TestProfileIsCancelled(t *testing.T) {
	opts, err := parse([]string{"-profile", "-only", "logreg"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := profile(ctx, opts, io.Discard); err == nil {
		t.Error("a profile goes on after its context has ended")
	}
}

// TestCopyProgram expects that a copy is made, and not left out as needless.
func TestCopyProgram(t *testing.T) {
	if opts, err := parse([]string{"-bandwidth"}, io.Discard); err != nil || !opts.bandwidth {
		t.Fatal("-bandwidth has no effect", err)
	}
	x := &suite.Tensor{Name: "x", Shape: []int{3}, Float: []float32{1, 2, 3}}
	step, results, err := copyProgram(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	if err := step(); err != nil {
		t.Fatal(err)
	}
	got, err := results()
	if err != nil {
		t.Fatal(err)
	}
	if got[2] != 3 || &got[0] == &x.Float[0] {
		t.Errorf("the copy is %v, at its origin: %v", got, &got[0] == &x.Float[0])
	}
}

func TestBandwidths(t *testing.T) {
	movers := []mover{{"slow", 1e6, nil}, {"fast", 1e6, nil}, {"sum", 3e6, nil}}
	timings := []sidebyside.Timing{{Min: 4e-3, Median: 5e-3}, {Min: 2e-3, Median: 2e-3}, {Min: 12e-3, Median: 13e-3}}
	var out bytes.Buffer
	if err := writeBandwidths(&out, movers, timings); err != nil {
		t.Fatal(err)
	}
	if want := `(?s)slow +1 +4.00 +5.00 +0.2.*fast +1 .*sum +3 .*sum reaches 50 % of the fastest copy`; !regexp.MustCompile(
		want).MatchString(out.String()) {
		t.Errorf("want %s:\n%s", want, out.String())
	}
}
