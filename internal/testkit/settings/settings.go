// Package settings runs a test's computation again in processes with other settings, since
// the instruction set and the use of machine code are chosen when a process starts.
package settings

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The environment of a process that computes for a test, and the marks around its result.
const (
	asked = "BROADLOOM_TEST_COMPUTES"
	begin = "<<result "
	end   = " result>>"
)

// Sets lists the settings: every instruction set (if the machine lacks one, the next smaller one runs), with machine
// code made at run time and without, on few and on more threads than there may be processors, and with a garbage
// collector that never rests.
func Sets() [][]string {
	var sets [][]string
	for _, isa := range []string{"portable", "avx2", "avx512"} {
		for _, jit := range []string{"0", "1"} {
			if isa == "portable" && jit == "1" {
				continue // there is no machine code to make
			}
			for _, threads := range []string{"2", "8"} {
				sets = append(sets, []string{"BROADLOOM_ISA=" + isa, "BROADLOOM_JIT=" + jit, "GOMAXPROCS=" + threads})
			}
		}
	}
	return append(sets, []string{"GOGC=1", "GOMAXPROCS=1"})
}

// Same requires that a top-level test computes the same text under all settings: here, and in processes of the test
// binary that run only this test.
func Same(t *testing.T, compute func() string) {
	t.Helper()
	if os.Getenv(asked) != "" {
		fmt.Print(begin, compute(), end)
		return
	}
	if testing.Short() {
		t.Skip("starts a process for each setting")
	}
	want := compute()
	for _, set := range Sets() {
		got, err := elsewhere(t, set)
		if err != nil {
			t.Errorf("%v: %v", set, err)
			continue
		}
		if line, w, g := difference(want, got); line > 0 {
			t.Errorf("%v: line %d is %q, want %q", set, line, g, w)
		}
	}
}

// elsewhere returns the result of a process with these settings.
func elsewhere(t *testing.T, set []string) (string, error) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(append(os.Environ(), asked+"=1"), set...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), begin)
	got, _, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("no result in %q", out)
	}
	return got, nil
}

// difference finds the first line, from 1, in which two texts differ; 0 if they are equal.
func difference(want, got string) (line int, w, g string) {
	ws, gs := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(ws), len(gs)) {
		w, g = "", ""
		if i < len(ws) {
			w = ws[i]
		}
		if i < len(gs) {
			g = gs[i]
		}
		if w != g {
			return i + 1, w, g
		}
	}
	return 0, "", ""
}
