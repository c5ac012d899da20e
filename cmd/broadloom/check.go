package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/findings"
	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/cmd/broadloom/modelcheck"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

var checkCommand = command{
	name: "check", args: "[flags] [packages or files]", summary: "check the shapes of the models of packages",
	help: `Check builds the graph of every model and checks its shapes, without data. A model is a
function that gives a graph, with a mark above it:

	//broadloom:model
	func classifier() *graph.Graph { … }

A function that needs arguments, or a method, has the call in its mark:
//broadloom:model NewNet(3, 64).Graph()

Packages are named as for go build; the default is the package in this directory. A file whose
name ends with .onnx is a model too.

The exit status is
	0 where no errors were found; with -strict, no warnings either
	1 where errors were found, or with -strict warnings
	2 where a model could not be checked, or the command was called wrongly
`,
	run: check,
}

var checkAction = models.Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelcheck", Func: "Check",
	Run: modelcheck.Check}

// checked is a model with its mistakes, in the JSON form of the command.
type checked struct {
	Package string                 `json:"package"`
	Model   string                 `json:"model"`
	File    string                 `json:"file"`
	Line    int                    `json:"line"`
	Report  *shapeinfer.ReportJSON `json:"report,omitempty"`
	Unbound []string               `json:"unbound,omitempty"` // requirements that -size does not meet
	// UnboundAt are the places of these requirements.
	UnboundAt []shapeinfer.PlaceJSON `json:"unbound_at,omitempty"`
	Failure   string                 `json:"failure,omitempty"` // why it could not be checked

	outcome models.Outcome
	text    string
	dims    []string
}

// checkFlags are the flags of the command.
type checkFlags struct {
	format  format
	strict  bool
	sizes   sizes
	names   pattern
	timeout time.Duration
}

func check(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	o := checkFlags{format: "text", sizes: sizes{}}
	f.Var(&o.format, "format", "text, json, sarif, or github for the annotations of GitHub Actions")
	f.BoolFunc("json", "the same as -format json", func(string) error { return o.format.Set("json") })
	f.BoolVar(&o.strict, "strict", false, "exit with status 1 on warnings too")
	f.Var(o.sizes, "size", "bind a named size as well, as `name=number`; repeatable")
	f.Var(&o.names, "run", "check only models whose names match the `regexp`")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "the time that a model may take")
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(stderr, "broadloom: %v\n", err)
		return exitFailed
	}
	ctx, stop := untilStopped()
	defer stop()
	found, problems := collect(ctx, dir, f.Args(), o, stderr)
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "broadloom: interrupted")
		return exitFailed
	}
	if err := formats[o.format](stdout, outcome{dir, o.strict, found, problems}); err != nil {
		problems = append(problems, err.Error())
	}
	for _, p := range problems {
		fmt.Fprintln(stderr, "broadloom: "+p)
	}
	return checkStatus(found, problems, o.strict)
}

func checkStatus(found []checked, problems []string, strict bool) int {
	status := exitOK
	if len(problems) > 0 {
		status = exitFailed
	}
	for _, c := range found {
		switch {
		case c.Failure != "":
			status = exitFailed
		case c.isRefused(strict):
			status = max(status, exitErrors)
		}
	}
	return status
}

// collect checks the models of the packages that patterns name, seen from a directory. problems say why some could not
// be checked.
func collect(ctx context.Context, dir string, patterns []string, o checkFlags, output io.Writer) (found []checked,
	problems []string) {
	found, problems = []checked{}, []string{}
	files, patterns := apart(patterns)
	options := models.Options{Action: checkAction, Args: modelcheck.Args{Dir: dir, Sizes: o.sizes},
		Match:   o.names.matches,
		Timeout: o.timeout, Output: output, Sizes: o.sizes}
	outcomes, refused := runFiles(ctx, files, options)
	problems = append(problems, refused...)
	for _, outcome := range outcomes {
		found = append(found, read(outcome, dir))
	}
	var packages []models.Package
	if len(files) == 0 || len(patterns) > 0 {
		if len(patterns) == 0 {
			patterns = []string{"."}
		}
		var err error
		if packages, err = models.Find(ctx, dir, patterns); err != nil {
			return found, append(problems, err.Error())
		}
	}
	for _, pkg := range packages {
		for _, p := range pkg.Problems {
			problems = append(problems, relative(dir, p))
		}
		outcomes, err := models.Run(ctx, pkg, options)
		if err != nil {
			problems = append(problems, err.Error())
		}
		for _, outcome := range outcomes {
			found = append(found, read(outcome, dir))
		}
	}
	if len(found) == 0 && len(problems) == 0 {
		problems = append(problems, o.names.none(packages))
	}
	if len(problems) > 0 {
		return found, problems // a model that could not be built may have the name of any size that is given
	}
	var names []string
	for _, c := range found {
		if c.Failure != "" {
			return found, problems
		}
		names = append(names, c.dims...)
	}
	return found, append(problems, unknownSizes(names, o.sizes)...)
}

// sizesOf reports sizes that no model has. dims reads the sizes of a model from its program's result. Nothing is
// reported if there are problems or failures, since a model that could not be built may have any size.
func sizesOf(outcomes []models.Outcome, problems []string, given sizes,
	dims func(result json.RawMessage) ([]string, error)) []string {
	if len(problems) > 0 || len(outcomes) == 0 {
		return nil
	}
	var names []string
	for _, o := range outcomes {
		list, err := dims(o.Result)
		if o.Failure != "" || err != nil {
			return nil
		}
		names = append(names, list...)
	}
	return unknownSizes(names, given)
}

// unknownSizes complains of sizes that no model has, of those that they have: a misspelt name would bind nothing.
func unknownSizes(names []string, given sizes) (problems []string) {
	slices.Sort(names)
	names = slices.Compact(names)
	for name := range given {
		switch {
		case len(names) == 0:
			problems = append(problems, fmt.Sprintf("-size %s: no model has a size with a name", name))
		case !slices.Contains(names, name):
			problems = append(problems, fmt.Sprintf("-size %s: no model has a size of that name; there are: %s",
				name, strings.Join(names, ", ")))
		}
	}
	slices.Sort(problems)
	return problems
}

func read(o models.Outcome, dir string) checked {
	c := checked{Package: o.Package.ImportPath, Model: o.Model.Name, File: o.Model.File, Line: o.Model.Line,
		Failure: o.Failure, outcome: o}
	if c.Failure != "" {
		at := findings.OfFailure(o).At
		c.text = fmt.Sprintf("%s:%d: error: %s could not be checked: %s", relative(dir, at.File), at.Line, c.Model,
			c.Failure)
		if len(o.Result) == 0 {
			return c
		}
	}
	var r modelcheck.Result
	if err := json.Unmarshal(o.Result, &r); err != nil {
		c.Failure, c.outcome.Failure = err.Error(), err.Error()
		return c
	}
	if c.Failure != "" { // what was recorded until then is most often the cause
		c.Report, c.text = &r.Report, r.Text+"\n"+c.text
		return c
	}
	c.Report, c.Unbound, c.UnboundAt, c.dims = &r.Report, r.Unbound, r.UnboundAt, r.Dims
	c.text = c.unboundText(dir) + r.Text
	return c
}

// unboundText reports each requirement that the given sizes do not meet, at the line that requires it, or else at the
// model's.
func (c checked) unboundText(dir string) string {
	var b strings.Builder
	for i, text := range c.Unbound {
		at := c.UnboundAt[i]
		if at.File == "" {
			at.File, at.Line = c.File, c.Line
		}
		fmt.Fprintf(&b, "%s:%d: error %s: the sizes given do not meet what %s requires: %s\n",
			relative(dir, at.File), at.Line, graph.CodeBinding, c.Model, strings.ReplaceAll(text, "\n", "\n      "))
	}
	return b.String()
}

// isRefused reports whether the model was checked and has errors, or, with strict, warnings.
func (c checked) isRefused(strict bool) bool {
	return len(c.Report.Errors)+len(c.Unbound) > 0 || strict && len(c.Report.Warnings) > 0
}

// print writes the report and a line of the model's name with the verdict.
func (c checked) print(w io.Writer, strict bool) {
	verdict := "ok  "
	if c.Failure != "" || c.isRefused(strict) {
		verdict = "FAIL"
	}
	fmt.Fprintf(w, "%s  %s\n%s\n\n", verdict, c.outcome.Name(), c.text)
}

// relative shortens a path, or a text that starts with one.
func relative(dir, path string) string {
	return strings.TrimPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
