package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/cmd/broadloom/modeldraw"
	"github.com/broadloom/broadloom/viz"
	"github.com/broadloom/broadloom/viz/svg"
)

var drawCommand = command{
	name: "draw", args: "[flags] [packages or files]", summary: "draw the models of packages",
	help: `Draw writes a picture of every model, also of one with mistakes. A model is a function
that gives a graph, with a mark above it:

	//broadloom:model
	func classifier() *graph.Graph { … }

A function that needs arguments, or a method, has the call in its mark:
//broadloom:model NewNet(3, 64).Graph()

Packages are named as for go build; the default is the package in this directory. A file whose
name ends with .onnx is a model too. Formats:

	html   a page that works by itself: passes, picture, kernels, memory, mistakes
	svg    drawn with Graphviz's program dot, or without it where it is not installed or fails
	png    drawn with dot
	pdf    drawn with dot, for papers
	dot    Graphviz's language
	text   one value a line, for grep and diff
	json   for Google's Model Explorer

Without -o, the file is called after the model; "-o -" writes to standard output.
`,
	data: true,
	run:  drawModels,
}

var drawAction = models.Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modeldraw", Func: "Draw",
	Run: modeldraw.Draw}

// drawFormats lists the formats with the one that the model's own program writes.
var drawFormats = map[string]string{"html": "html", "svg": "sketch", "png": "sketch", "pdf": "sketch", "dot": "dot",
	"text": "text", "json": "json"}

func drawModels(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	var a modeldraw.Args
	bound := sizes{}
	out := f.String("o", "", "the `file` to write, of one model")
	format := f.String("format", "", "html, svg, png, pdf, dot, text or json; without it, the file's extension or svg")
	var names pattern
	f.Var(&names, "run", "draw only models whose names match the `regexp`")
	timeout := f.Duration("timeout", time.Minute, "the time that a model may take")
	fold := f.String("fold", "",
		"draw the scopes that match one of these `patterns`, with commas between, as one card each")
	limit := f.Int("limit", 400, "the number of boxes past which scopes are folded; 0 is no limit")
	f.Var(bound, "size", "the value of a named size, for figures in bytes, as `name=number`; repeatable")
	f.BoolVar(&a.Compiled, "compiled", false, "draw the compiled model: kernels and buffers; a page always does")
	f.BoolVar(&a.Kernels, "kernels", false, "draw each kernel as one card; with -compiled")
	f.BoolVar(&a.NoGradient, "nogradient", false, "leave gradients out")
	f.BoolVar(&a.LeftToRight, "lr", false, "draw from left to right")
	f.BoolVar(&a.Lines, "lines", false, "show files and lines")
	f.StringVar(&a.Around, "around", "", "draw only what is near the value of this `label`, such as loss or v12")
	f.IntVar(&a.Radius, "radius", 2, "the maximum distance in operands or users; with -around")
	f.StringVar(&a.Theme, "theme", "light", "light, dark or print")
	f.StringVar(&a.Title, "title", "", "the title, instead of the graph's name")
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	fail := func(format string, args ...any) int {
		fmt.Fprintf(stderr, "broadloom: "+format+"\n", args...)
		return exitFailed
	}
	if *format == "" {
		*format = formatOf(*out)
	}
	inner, known := drawFormats[*format]
	if !known {
		return fail("there is no format %q; formats are html, svg, png, pdf, dot, text and json", *format)
	}
	if *fold != "" {
		a.Fold = strings.Split(*fold, ",")
	}
	a.Format, a.Limit, a.Sizes, a.Compiled = inner, limit, bound, a.Compiled || inner == "html"
	if err := checkDraw(f, a, *out); err != nil {
		return fail("%v", err)
	}
	d := drawer{args: a, format: *format, out: *out, stdout: stdout, stderr: stderr}
	outcomes, problems := runModels(f.Args(), &names, models.Options{
		Action: drawAction, Args: a, Timeout: *timeout, Output: stderr, Sizes: bound})
	if *out != "" && len(outcomes) > 1 {
		return fail("-o names one file, but there are %d models: choose one with -run", len(outcomes))
	}
	if unknown := sizesOf(outcomes, problems, bound, modeldraw.DimsOf); len(unknown) > 0 {
		outcomes, problems = nil, unknown
	}
	return writeOutcomes(outcomes, problems, d.write, stderr)
}

// checkDraw reports mistakes in flags before a model is built.
func checkDraw(f *flag.FlagSet, a modeldraw.Args, out string) error {
	switch {
	case *a.Limit < 0 || a.Radius < 0:
		return fmt.Errorf("-limit is %d and -radius %d: both must be at least 0", *a.Limit, a.Radius)
	case given(f, "radius") && a.Around == "":
		return errors.New("-radius needs -around")
	case a.Kernels && !a.Compiled:
		return errors.New("-kernels needs -compiled")
	}
	for _, pattern := range a.Fold {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("-fold %s: %w; patterns are those of Go's path.Match, such as block*", pattern, err)
		}
	}
	return checkFile("o", out)
}

// formatOf returns the format that a file's name implies.
func formatOf(file string) string {
	switch ext := strings.TrimPrefix(filepath.Ext(file), "."); ext {
	case "htm":
		return "html"
	case "txt":
		return "text"
	case "gv":
		return "dot"
	case "":
		return "svg"
	default:
		return ext
	}
}

// runModels runs an action on the models of packages whose names match. An interrupt ends it, and leaves no files
// behind.
func runModels(patterns []string, names *pattern, o models.Options) (outcomes []models.Outcome, problems []string) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, []string{err.Error()}
	}
	o.Match = names.matches
	ctx, stop := untilStopped()
	defer stop()
	files, patterns := apart(patterns)
	if len(files) > 0 {
		if outcomes, problems = runFiles(ctx, files, o); len(patterns) == 0 {
			return outcomes, problems
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	packages, err := models.Find(ctx, dir, patterns)
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, pkg := range packages {
		for _, p := range pkg.Problems {
			problems = append(problems, relative(dir, p))
		}
		list, err := models.Run(ctx, pkg, o)
		if ctx.Err() != nil {
			return nil, []string{"interrupted"}
		}
		if err != nil {
			problems = append(problems, err.Error())
		}
		outcomes = append(outcomes, list...)
	}
	if len(outcomes) == 0 && len(problems) == 0 {
		problems = append(problems, names.none(packages))
	}
	return outcomes, problems
}

// writeOutcomes writes each outcome, then all problems, and returns the command's exit status.
func writeOutcomes(outcomes []models.Outcome, problems []string, write func(models.Outcome) error,
	stderr io.Writer) int {
	for _, o := range outcomes {
		if err := write(o); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", o.Name(), err))
		}
	}
	for _, p := range problems {
		fmt.Fprintln(stderr, "broadloom: "+p)
	}
	if len(problems) > 0 {
		return exitFailed
	}
	return exitOK
}

// drawer writes the pictures of models.
type drawer struct {
	args        modeldraw.Args
	format, out string
	stdout      io.Writer
	stderr      io.Writer
	names       fileNames
}

func (d *drawer) write(o models.Outcome) error {
	if o.Failure != "" {
		return fmt.Errorf("it could not be drawn: %s", o.Failure)
	}
	var r modeldraw.Result
	if err := json.Unmarshal(o.Result, &r); err != nil {
		return err
	}
	for _, note := range r.Notes {
		fmt.Fprintf(d.stderr, "broadloom: %s: %s\n", o.Name(), note)
	}
	if len(r.Usual) > 0 {
		fmt.Fprintf(d.stderr, "broadloom: %s: no -size gives %s\n", o.Name(), strings.Join(r.Usual, ", "))
	}
	data, err := d.render(o, r.Data)
	if err != nil {
		return err
	}
	if d.out == "-" {
		_, err = d.stdout.Write(data)
		return err
	}
	file := d.file(o)
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return err
	}
	fmt.Fprintln(d.stdout, file)
	return nil
}

// render makes the picture of a model if its own program did not. It reports which form of the picture was drawn if
// that is not the best one.
func (d *drawer) render(o models.Outcome, data []byte) (picture []byte, err error) {
	if drawFormats[d.format] != "sketch" {
		return data, nil
	}
	var k viz.Sketch
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, err
	}
	var trouble []error
	ctx, stop := untilStopped()
	defer stop()
	switch d.format {
	case "png":
		picture, trouble, err = k.PNG(ctx)
	case "pdf":
		picture, trouble, err = k.PDF(ctx)
	default:
		picture, trouble, err = k.SVG(ctx, svg.Render)
	}
	if errors.Is(err, viz.ErrNoGraphviz) { // its words are for programs
		err = fmt.Errorf(
			"%s is drawn by Graphviz's program dot, which was not found: install the package graphviz, or write svg or html, which need nothing",
			d.format)
	}
	if err == nil && len(trouble) > 0 {
		for _, t := range trouble {
			fmt.Fprintf(d.stderr, "broadloom: %s: %v\n", o.Name(), t)
		}
		fmt.Fprintf(d.stderr, "broadloom: %s: the picture was drawn %s\n", o.Name(), k.FormName(len(trouble)))
	}
	return picture, err
}

// file returns the name of a model's file.
func (d *drawer) file(o models.Outcome) string {
	switch {
	case d.out != "":
		return d.out
	case d.format == "text":
		return d.names.next(o, ".txt")
	}
	return d.names.next(o, "."+d.format)
}

// fileNames are the names of files that were given to models.
type fileNames []string

// next returns a name for a model's file; models of the same name in several packages are numbered.
func (f *fileNames) next(o models.Outcome, ext string) string {
	// The name can be a call, such as net.New("small", 64).
	words := strings.FieldsFunc(o.Model.Name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	name := strings.Join(words, "-")
	file := name + ext
	for n := 2; slices.Contains(*f, file); n++ {
		file = fmt.Sprintf("%s-%d%s", name, n, ext)
	}
	*f = append(*f, file)
	return file
}
