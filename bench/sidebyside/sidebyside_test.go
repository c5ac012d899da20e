package sidebyside

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// clock is a side whose calls take a set time.
type clock struct {
	one    time.Duration
	asked  []int
	turned *[]string
	name   string
}

func (c *clock) Time(calls int) (time.Duration, error) {
	c.asked = append(c.asked, calls)
	*c.turned = append(*c.turned, c.name)
	return time.Duration(calls) * c.one, nil
}

func TestSidesTakeTurns(t *testing.T) {
	var turned []string
	fast := &clock{one: 10 * time.Microsecond, turned: &turned, name: "fast"}
	slow := &clock{one: 30 * time.Millisecond, turned: &turned, name: "slow"}
	timings, err := Rule{Rounds: 3, Sample: 10 * time.Millisecond}.ByTurns(fast, slow)
	if err != nil {
		t.Fatal(err)
	}
	if got := fast.asked[len(fast.asked)-1]; got != 1000 {
		t.Errorf("a sample of 10 ms makes %d calls of 10 µs", got)
	}
	if got := slow.asked[len(slow.asked)-1]; got != 1 {
		t.Errorf("a sample of 10 ms makes %d calls of 30 ms", got)
	}
	order := strings.Join(turned[len(turned)-12:], " ")
	if want := strings.TrimSpace(strings.Repeat("fast fast slow slow ", 3)); order != want {
		t.Errorf("order %s, want %s", order, want)
	}
	for i, want := range []float64{10e-6, 30e-3} {
		if math.Abs(timings[i].Min-want) > 1e-12 || math.Abs(timings[i].Median-want) > 1e-12 {
			t.Errorf("timing %+v, want %v", timings[i], want)
		}
	}
}

// doubled is a task for which the stand-ins for Python know the answer.
func doubled() Task {
	return Task{
		Name: "doubled", DType: graph.Float32, Flops: 4, Request: Request{"doubled": 4}, Shapes: [][]int{{4}},
		Build: func(in []*graph.Node) *graph.Node { return ops.Add(in[0], in[0]) },
	}
}

// standIn writes a shell script that takes the place of Python.
func standIn(t *testing.T, script string) Options {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	file := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	opts, err := parsed([]string{"-python", file, "-rounds", "1", "-sample", "1ms"})
	if err != nil {
		t.Fatal(err)
	}
	return opts
}

func TestTable(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	opts := standIn(t, `read task; echo '{"check": 4.5}'; while read calls; do echo '{"seconds": 1}'; done`)
	var out strings.Builder
	if err := run(t.Context(), opts, "NumPy", []Task{doubled()}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^\| doubled \| [0-9.]+ \| 0\.0+4\d* \| [0-9.]+ \| [0-9.]+ \| (\d+ %|–) \|$`,
		"geometric mean of 1 ratios", "below 1: 0; worst: .* doubled"} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

func TestPythonThatFails(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for script, want := range map[string]string{
		`read task; echo '{"check": 5}'`:                           "the mean magnitude of the results is 4.5, and 5 in Python",
		`echo "Traceback" >&2; echo "no module numpy" >&2; exit 1`: "no module numpy",
		`read task; echo nonsense`:                                 "invalid character",
	} {
		err := run(t.Context(), standIn(t, script), "NumPy", []Task{doubled()}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "doubled") {
			t.Errorf("%s: error %v, want %q", script, err, want)
		}
	}
}

func TestWithoutPython(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	opts, err := parsed([]string{"-rounds", "1", "-sample", "1ms", "-only", "doub"})
	if err != nil {
		t.Fatal(err)
	}
	other := doubled()
	other.Name = "other"
	var out strings.Builder
	if err := run(t.Context(), opts, "NumPy", []Task{doubled(), other}, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "| doubled |") || strings.Contains(text, "other") ||
		strings.Contains(text, "NumPy") {
		t.Error(text)
	}
}

// parsed are the options of a command line.
func parsed(args []string) (Options, error) {
	return ParseOptions("bench", 10*time.Millisecond, args, io.Discard)
}

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{{"extra"}, {"-threads", "0"}, {"-rounds", "0"}, {"-sample", "0s"}} {
		if _, err := parsed(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
