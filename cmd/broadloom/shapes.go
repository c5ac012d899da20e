package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/cmd/broadloom/modelshapes"
)

var shapesCommand = command{
	name: "shapes", args: "[flags] [packages]",
	summary: "print the shapes of all values of models, next to their source",
	help: `Shapes lists each line of the source that makes values of a model, with their shapes, and the
shapes that functions take and give (package contract). A model is a function that gives a graph,
with a mark above it:

	//broadloom:model
	func classifier() *graph.Graph { … }

A function that needs arguments, or a method, has the call in its mark:
//broadloom:model NewNet(3, 64).Graph()

Packages are named as for go build; the default is the package in this directory. With -markdown it
writes tables for documentation, with -json one object for machines.

The exit status is
	0 where all models have shapes without mistakes
	1 where a model has mistakes: broadloom check tells them
	2 where a model could not be checked, or the command was called wrongly
`,
	run: shapes,
}

var shapesAction = models.Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelshapes", Func: "Tell"}

// shaped is a model with its values, in the JSON form of the command.
type shaped struct {
	Package string       `json:"package"`
	Model   string       `json:"model"`
	Errors  int          `json:"errors"` // mistakes of the model
	Lines   []shapedLine `json:"lines"`
	Failure string       `json:"failure,omitempty"` // why there are none
}

// shapedLine is a line of the source with the values that it makes.
type shapedLine struct {
	File   string        `json:"file"` // full path
	Line   int           `json:"line"`
	Source string        `json:"source,omitempty"` // its text
	Values []shapedValue `json:"values"`
}

// shapedValue is a value of a line.
type shapedValue struct {
	Call     string `json:"call"`               // the function that returned it, or that promises its shape
	Column   int    `json:"column,omitempty"`   // of the call, counted in bytes from 1
	DType    string `json:"dtype"`              // such as "float32"
	Shape    string `json:"shape"`              // such as "[batch, 128]"
	Promised string `json:"promised,omitempty"` // the form of a promise: "b t d"
	By       string `json:"by,omitempty"`       // the function that promises it
}

func shapes(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	asJSON := f.Bool("json", false, "write one JSON object")
	asMarkdown := f.Bool("markdown", false, "write tables in Markdown")
	var names pattern
	f.Var(&names, "run", "print only models whose names match the `regexp`")
	timeout := f.Duration("timeout", time.Minute, "the time that a model may take")
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	outcomes, problems := runModels(f.Args(), &names, models.Options{
		Action: shapesAction, Timeout: *timeout, Output: stderr})
	list := []shaped{}
	status := exitOK
	for _, o := range outcomes {
		s := readShapes(o)
		list = append(list, s)
		switch {
		case s.Failure != "":
			problems = append(problems, fmt.Sprintf("%s: %s", o.Name(), s.Failure))
		case s.Errors > 0:
			status = exitErrors
		}
	}
	switch dir, err := os.Getwd(); {
	case *asJSON:
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]any{"models": list, "problems": append([]string{}, problems...)}); err != nil {
			problems = append(problems, err.Error())
		}
	case err != nil:
		problems = append(problems, err.Error())
	default:
		for _, s := range list {
			s.print(stdout, dir, *asMarkdown)
		}
	}
	for _, p := range problems {
		fmt.Fprintln(stderr, "broadloom: "+p)
		status = exitFailed
	}
	return status
}

// readShapes reads the result of a model's program, line by line.
func readShapes(o models.Outcome) shaped {
	s := shaped{Package: o.Package.ImportPath, Model: o.Model.Name, Lines: []shapedLine{}, Failure: o.Failure}
	if s.Failure != "" {
		return s
	}
	var r modelshapes.Result
	if err := json.Unmarshal(o.Result, &r); err != nil {
		s.Failure = err.Error()
		return s
	}
	s.Errors = r.Errors
	files := map[string][]string{}
	for _, v := range r.Values {
		if n := len(s.Lines); n == 0 || s.Lines[n-1].File != v.File || s.Lines[n-1].Line != v.Line {
			s.Lines = append(s.Lines, shapedLine{File: v.File, Line: v.Line, Source: sourceOf(files, v.File, v.Line)})
		}
		at := &s.Lines[len(s.Lines)-1]
		at.Values = append(at.Values, shapedValue{v.Call, v.Column, v.DType, v.Shape, v.Promised, v.By})
	}
	return s
}

// sourceOf returns a line of a file, or "" if it cannot be read.
func sourceOf(files map[string][]string, file string, line int) string {
	lines, known := files[file]
	if !known {
		text, err := os.ReadFile(file)
		if err == nil {
			lines = strings.Split(string(text), "\n")
		}
		files[file] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// print writes the lines of a model, file by file.
func (s shaped) print(w io.Writer, dir string, markdown bool) {
	heading, write := "%s.%s\n", writeLines
	if markdown {
		heading, write = "### %s.%s\n", writeTable
	}
	fmt.Fprintf(w, heading, s.Package, s.Model)
	for lines := s.Lines; len(lines) > 0; {
		end := slices.IndexFunc(lines, func(l shapedLine) bool { return l.File != lines[0].File })
		if end < 0 {
			end = len(lines)
		}
		write(w, relative(dir, lines[0].File), lines[:end])
		lines = lines[end:]
	}
	if s.Errors > 0 {
		fmt.Fprintln(w, "\nthe model has mistakes: run broadloom check")
	}
	fmt.Fprintln(w)
}

// maxSource bounds the text of a source line in a listing.
const maxSource = 72

// writeLines writes lines with the shapes next to them, in columns.
func writeLines(w io.Writer, file string, lines []shapedLine) {
	fmt.Fprintf(w, "  %s\n", file)
	width := 0
	for i, l := range lines {
		if text := []rune(l.Source); len(text) > maxSource {
			lines[i].Source = string(text[:maxSource-1]) + "…"
		}
		width = max(width, len([]rune(lines[i].Source)))
	}
	for _, l := range lines {
		fmt.Fprintf(w, "%6d  %-*s   %s\n", l.Line, width, l.Source, l.shapes())
	}
}

// writeTable writes lines as a table in Markdown.
func writeTable(w io.Writer, file string, lines []shapedLine) {
	fmt.Fprintf(w, "\n| %s | source | shape |\n| ---: | --- | --- |\n", file)
	for _, l := range lines {
		fmt.Fprintf(w, "| %d | %s | %s |\n", l.Line, markdownCode(l.Source), markdownCode(l.shapes()))
	}
}

// markdownCode writes a text as code in a cell of a table.
func markdownCode(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ReplaceAll(text, "|", "\\|")
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// shapes lists the values of a line. If they differ, each has its call's name before it.
func (l shapedLine) shapes() string {
	var words []string
	for _, v := range l.Values {
		word := v.DType + v.Shape
		if !slices.ContainsFunc(l.Values, func(other shapedValue) bool { return other.DType+other.Shape != word }) {
			return word
		}
		if word = v.Call + " " + word; !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}
