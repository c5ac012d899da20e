package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/cmd/broadloom/modelprofile"
)

var profileCommand = command{
	name: "profile", args: "[flags] [packages or files]",
	summary: "run models on random inputs and print the cost of their kernels",
	help: `Profile compiles each model, runs it on random inputs, and prints its kernels: their times, the
bytes that they move and the operations that they compute, both beside what this machine does at
most; and the ten that take the most time, with the lines of the model that they come from. A model
is a function that gives a graph, with a mark above it:

	//broadloom:model
	func classifier() *graph.Graph { … }

A function that needs arguments, or a method, has the call in its mark:
//broadloom:model NewNet(3, 64).Graph()

Packages are named as for go build; the default is the package in this directory. A file whose
name ends with .onnx is a model too. Floating-point inputs are normally distributed, integers are zeros. Updates of parameters are carried out.

With -trace it writes when each kernel ran, for ui.perfetto.dev or chrome://tracing.
`,
	run: profileModels,
}

var profileAction = models.Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelprofile",
	Func: "Profile", Run: modelprofile.Profile}

func profileModels(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	var names pattern
	bound := sizes{}
	f.Var(&names, "run", "profile only models whose names match the `regexp`")
	f.Var(bound, "size", "the value of a named size, as `name=number`; repeatable; others get typical values")
	runs := f.Int("runs", 20, "how often a model runs; the shortest time of each kernel counts")
	threads := f.Int("threads", runtime.GOMAXPROCS(0), "the number of threads")
	trace := f.String("trace", "", "the `file` for a trace, of one model")
	timeout := f.Duration("timeout", 5*time.Minute, "the time that a model may take")
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	fail := func(format string, args ...any) int {
		fmt.Fprintf(stderr, "broadloom: "+format+"\n", args...)
		return exitFailed
	}
	if *runs < 1 || *threads < 1 {
		return fail("-runs is %d and -threads %d: both must be at least 1", *runs, *threads)
	}
	if err := checkFile("trace", *trace); err != nil {
		return fail("%v", err)
	}
	outcomes, problems := runModels(f.Args(), &names, models.Options{
		Action: profileAction, Args: modelprofile.Args{
			Sizes: bound, Runs: *runs, Threads: *threads, Trace: *trace != ""},
		Timeout: *timeout, Output: stderr, Sizes: bound})
	if *trace != "" && len(outcomes) > 1 {
		return fail("-trace names one file, but there are %d models: choose one with -run", len(outcomes))
	}
	if unknown := sizesOf(outcomes, problems, bound, modelprofile.DimsOf); len(unknown) > 0 {
		outcomes, problems = nil, unknown
	}
	return writeOutcomes(outcomes, problems, func(o models.Outcome) error { return writeProfile(o, *trace, stdout) },
		stderr)
}

// writeProfile writes the measurements of a model.
func writeProfile(o models.Outcome, trace string, stdout io.Writer) error {
	if o.Failure != "" {
		return fmt.Errorf("it could not be profiled: %s", o.Failure)
	}
	var r modelprofile.Result
	if err := json.Unmarshal(o.Result, &r); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %s", o.Name(), r.Report)
	if len(r.Usual) > 0 {
		fmt.Fprintf(stdout, "\nno -size gives %s\n", strings.Join(r.Usual, ", "))
	}
	fmt.Fprintln(stdout)
	if trace == "" {
		return nil
	}
	return os.WriteFile(trace, r.Trace, 0o644)
}
