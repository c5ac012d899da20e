package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/suite"
)

// interpreter finds a Python for the tests: BROADLOOM_PYTHON, or one beside the repository.
func interpreter(t *testing.T) string {
	t.Helper()
	beside, err := filepath.Abs("../../../shared/peers/python")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{os.Getenv("BROADLOOM_PYTHON"), beside} {
		if _, err := exec.LookPath(path); err == nil {
			return path
		}
	}
	t.Skip("no Python; BROADLOOM_PYTHON may name one that has PyTorch")
	return ""
}

// TestPyTorchComputesTheSame compares results and, by a step of SGD, all gradients. Adam would
// hide their magnitudes.
func TestPyTorchComputesTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("starts interpreters")
	}
	python := interpreter(t)
	for _, w := range suite.All() {
		if _, ok := kinds[w.Kind]; !ok {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			if w.Optimizer != "" {
				w.Optimizer = suite.SGD
			}
			in := w.Inputs()
			theirs, err := startTorch(t.Context(), python, 2, "eager", w, in)
			if err != nil {
				t.Skipf("this Python lacks PyTorch: %v", err)
			}
			defer theirs.Close()
			ours, err := broadloom.New(w, in)
			if err != nil {
				t.Fatal(err)
			}
			if err := ours.Step(); err != nil {
				t.Fatal(err)
			}
			if err := agree(ours, theirs); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMemoryIsNoMoreThanPyTorchs compares the arena of training steps with the most that
// PyTorch's allocator holds during one. GPT's may have 1 % more: its arena loses 2 % of what
// lives at once to gaps.
func TestMemoryIsNoMoreThanPyTorchs(t *testing.T) {
	if testing.Short() {
		t.Skip("starts interpreters")
	}
	python := interpreter(t)
	for _, w := range suite.All() {
		if w.Kind != suite.GPT && w.Kind != suite.ResNet {
			continue
		}
		in := w.Inputs()
		theirs, err := startTorch(t.Context(), python, 2, "eager", w, in)
		if err != nil {
			t.Skipf("this Python lacks PyTorch: %v", err)
		}
		defer theirs.Close()
		ours, err := broadloom.New(w, in)
		if err != nil {
			t.Fatal(err)
		}
		arena, err := ours.Peak()
		if err != nil {
			t.Fatal(err)
		}
		peak, err := theirs.peak()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB, PyTorch %.1f MB", w.Name, float64(arena)/1e6, float64(peak)/1e6)
		if arena > peak+peak/100 {
			t.Errorf("%s: an arena of %d bytes; PyTorch takes %d", w.Name, arena, peak)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{{"extra"}, {"-mode", "fast"}, {"-threads", "0"}, {"-rounds", "0"}, {"-sample", "0s"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
