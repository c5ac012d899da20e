package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/cmd/broadloom/modelexport"
	"github.com/broadloom/broadloom/stablehlo"
)

var exportCommand = command{
	name: "export", args: "[flags] [packages]",
	summary: "write models for XLA, which broadloom launch runs, or for ONNX",
	help: `Export writes a folder for every model: the program in StableHLO, the language of XLA, its signature,
and its parameters. It computes what nothing in the model reads, such as a loss, and carries out all
updates, such as an optimiser's; with -forward, neither updates nor gradients. A model is a function that
gives a graph, with a mark above it:

	//broadloom:model
	func classifier() *graph.Graph { … }

A function that needs arguments, or a method, has the call in its mark:
//broadloom:model NewNet(3, 64).Graph()

Packages are named as for go build; the default is the package in this directory. Every named size is
given its number with -size. Without -o, the folder is called after the model: classifier.export. A folder
of an earlier export is replaced, once the new one is whole; no other one is.

With -format onnx, a model of ONNX is written in place of a folder: classifier.onnx, for batches of any
size unless -size says one. Its inputs are what updates write, too, and its outputs their new values.

A program for many devices is exported by Plan.Export of package reach.
`,
	run: exportModels,
}

var exportAction = models.Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelexport", Func: "Export"}

func exportModels(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	var names pattern
	var a modelexport.Args
	bound := sizes{}
	out := f.String("o", "", "the `folder`, or file, to write, of one model")
	format := f.String("format", "stablehlo", "stablehlo or onnx")
	f.Var(&names, "run", "export only models whose names match the `regexp`")
	f.Var(bound, "size", "the value of a named size, as `name=number`; repeatable")
	f.BoolVar(&a.Forward, "forward", false, "leave updates and gradients out")
	f.StringVar(&a.Params, "params", "", "a `file` of parameters, as safetensors or .npz, instead of the first values")
	f.Uint64Var(&a.Seed, "seed", 0, "of first values that are random")
	timeout := f.Duration("timeout", 5*time.Minute, "the time that a model may take")
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	x := exporter{out: *out, stdout: stdout, isONNX: *format == "onnx"}
	a.ONNX = x.isONNX
	fail := func(err error) int {
		fmt.Fprintln(stderr, "broadloom:", err)
		return exitFailed
	}
	if !x.isONNX && *format != "stablehlo" {
		return fail(fmt.Errorf("there is no format %q: there are stablehlo and onnx", *format))
	}
	if err := x.stage(&a); err != nil {
		return fail(err)
	}
	defer os.RemoveAll(a.Dir)
	signal.Ignore(syscall.SIGPIPE) // a reader that has gone away must not keep it from being removed
	a.Sizes = bound
	outcomes, problems := runModels(f.Args(), &names, models.Options{
		Action: exportAction, Args: a, Timeout: *timeout, Output: stderr})
	if *out != "" && len(outcomes) > 1 {
		return fail(fmt.Errorf("-o names one folder, but there are %d models: choose one with -run", len(outcomes)))
	}
	if unknown := sizesOf(outcomes, problems, bound, modelexport.DimsOf); len(unknown) > 0 {
		outcomes, problems = nil, unknown
	}
	return writeOutcomes(outcomes, problems, x.write, stderr)
}

// exporter puts the folders that models have written into their places.
type exporter struct {
	out    string
	isONNX bool
	stdout io.Writer
	names  fileNames
}

// stage makes a directory next to the requested folders. These keep their contents until the new ones are complete.
func (x *exporter) stage(a *modelexport.Args) (err error) {
	parent := filepath.Dir(filepath.Clean(x.out))
	if a.Params != "" {
		if a.Params, err = filepath.Abs(a.Params); err != nil {
			return err
		}
	}
	if parent, err = filepath.Abs(parent); err != nil {
		return err
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	a.Dir, err = os.MkdirTemp(parent, ".export-")
	return err
}

func (x *exporter) write(o models.Outcome) error {
	if o.Failure != "" {
		return fmt.Errorf("it could not be exported: %s", o.Failure)
	}
	var r modelexport.Result
	if err := json.Unmarshal(o.Result, &r); err != nil {
		return err
	}
	to, ext, move := x.out, ".export", stablehlo.Move
	if x.isONNX {
		ext, move = ".onnx", moveONNX
	}
	if to == "" {
		to = x.names.next(o, ext)
	}
	if err := move(r.Folder, to); err != nil {
		return err
	}
	fmt.Fprintln(x.stdout, to)
	return nil
}

// moveONNX moves a model out of a folder to its path, after the file of its parameters, which keeps its name.
func moveONNX(folder, path string) error {
	list, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Name() != modelexport.ONNXFile {
			if err := os.Rename(filepath.Join(folder, f.Name()), filepath.Join(filepath.Dir(path), f.Name())); err !=
				nil {
				return err
			}
		}
	}
	return os.Rename(filepath.Join(folder, modelexport.ONNXFile), path)
}
