package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/suite"
)

// findPeers points the peers to Pythons for the tests: those that the environment names, or those
// beside the repository.
func findPeers(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts interpreters")
	}
	beside, err := filepath.Abs("../../../shared/peers/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath(beside); err == nil && os.Getenv(torchPython) == "" {
		t.Setenv(torchPython, beside)
	}
}

// bySGD is a workload that trains by SGD if it trains at all: Adam would hide the magnitudes of gradients.
func bySGD(w suite.Workload) suite.Workload {
	if w.Optimizer != "" {
		w.Optimizer = suite.SGD
	}
	return w
}

// TestPeersComputeTheSame compares results and, by a step of SGD, all gradients.
func TestPeersComputeTheSame(t *testing.T) {
	findPeers(t)
	for _, name := range []string{"torch", "jax", "onnxruntime"} {
		p, err := choosePeers(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			small, _ := suite.Lookup("chain_64_fwd")
			if theirs, err := p[0].start(t.Context(), options{threads: 2}, small, small.Inputs()); err != nil {
				t.Skip(err)
			} else {
				theirs.Close()
			}
			for _, w := range suite.All() {
				t.Run(w.Name, func(t *testing.T) { computesTheSame(t, p[0], bySGD(w)) })
			}
		})
	}
}

func computesTheSame(t *testing.T, p peer, w suite.Workload) {
	if !bytes.Contains(p.script, fmt.Appendf(nil, "%q: ", w.Kind)) {
		t.Skip("no program of this side names it") // an interpreter would take seconds to say so
	}
	in := w.Inputs()
	theirs, err := p.start(t.Context(), options{threads: 2}, w, in)
	if u := (unable{}); errors.As(err, &u) && u.says {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	ours, err := broadloom.New(w, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := ours.Step(); err != nil {
		t.Fatal(err)
	}
	if err := (options{}).agree(w, ours, theirs); err != nil {
		t.Error(err)
	}
}

// TestMemoryIsNoMoreThanPyTorchs compares the arena of training steps with the most that
// PyTorch's allocator holds during one.
func TestMemoryIsNoMoreThanPyTorchs(t *testing.T) {
	findPeers(t)
	for _, w := range suite.All() {
		if w.Kind != suite.GPT && w.Kind != suite.ResNet {
			continue
		}
		in := w.Inputs()
		theirs, err := peers[0].start(t.Context(), options{threads: 2}, w, in)
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
		if arena > peak {
			t.Errorf("%s: an arena of %d bytes; PyTorch takes %d", w.Name, arena, peak)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{{"extra"}, {"-peers", "torch,tea"}, {"-threads", "0"}, {"-rounds", "0"},
		{"-sample", "0s"}, {"-patience", "0s"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
