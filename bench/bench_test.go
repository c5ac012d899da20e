package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/broadloom/broadloom/bench/record"
)

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"-threads", "0"}, {"-isa", "sse"}, {"-peer", "numpy"}, {"-only", "nothing"}, {"-child", "chain"}, {"extra"},
	} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

func TestChildArgsSurviveParse(t *testing.T) {
	opts, err := parse([]string{"-threads", "1", "-peer", "gorgonia", "-min-time", "0.25", "-isa", "avx2"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(opts.childArgs(opts.peers[0], opts.workloads[3]), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !got.child || got.workloads[0].Name != opts.workloads[3].Name || got.config != opts.config ||
		got.minTime != opts.minTime {
		t.Errorf("got %+v, want the settings of %+v", got, opts)
	}
}

func TestChildMeasures(t *testing.T) {
	opts, err := parse([]string{"-child", "logreg_16_b32_sgd", "-peer", "gomlx", "-min-time", "0.01"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var out bytes.Buffer
	if err := child(opts, &out); err != nil {
		t.Fatal(err)
	}
	records, err := record.Read(&out)
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	r := records[0]
	if r.Error != "" || r.Ms <= 0 || r.MinMs > r.Ms || r.FirstS <= 0 || r.Loss == nil || r.Allocs == nil {
		t.Errorf("record %+v", r)
	}
}

// TestInstructionSet expects one that was asked for to be used.
func TestInstructionSet(t *testing.T) {
	out, err := exec.Command("go", "run", ".", "-isa", "portable", "-only", "logreg_16_b32_sgd", "-min-time",
		"0.01").Output()
	if err != nil {
		t.Fatal(err)
	}
	records, err := record.Read(bytes.NewReader(out))
	if err != nil || len(records) != 1 || records[0].Mode != "portable" {
		t.Errorf("%q, %v", out, err)
	}
}

// TestParentOutlives returns the parent processes that hang, crash, or print
// nonsense.
func TestParentOutlives(t *testing.T) {
	for script, want := range map[string]string{
		"exec sleep 60": "no result after",
		"echo goroutine 1 >&2; echo panic: all is lost >&2; echo main.go:1 >&2; exit 2": "panic: all is lost",
		"echo hello": "printed 0 records",
	} {
		self := filepath.Join(t.TempDir(), "self")
		if err := os.WriteFile(self, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		opts, err := parse([]string{"-min-time", "0", "-timeout", "200ms"}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = spawn(context.Background(), self, opts, opts.peers[0], opts.workloads[0])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", script, err, want)
		}
		if time.Since(start) > 10*time.Second {
			t.Errorf("%q took %v", script, time.Since(start))
		}
	}
}

func TestVersions(t *testing.T) {
	var out bytes.Buffer
	if err := writeVersions(&out, allPeers); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"machine\t", runtime.Version(), "gomlx v", "gorgonia v"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}
