package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/findings"
	"github.com/broadloom/broadloom/graph"
)

// format is a flag: the form in which a check writes its findings.
type format string

// outcome is the result of a check.
type outcome struct {
	dir      string // the working directory
	strict   bool   // warnings count as errors
	found    []checked
	problems []string // what kept the command from checking models
}

// formats write the result of a check.
var formats = map[format]func(w io.Writer, o outcome) error{
	"text": writeText, "json": writeJSON, "sarif": writeSARIF, "github": writeGitHub,
}

// String returns the flag's value.
func (f *format) String() string { return string(*f) }

// Set reads the name of a format.
func (f *format) Set(name string) error {
	if formats[format(name)] == nil {
		return errors.New("there are github, json, sarif and text")
	}
	*f = format(name)
	return nil
}

func writeText(w io.Writer, o outcome) error {
	for _, c := range o.found {
		c.print(w, o.strict)
	}
	return nil
}

func writeJSON(w io.Writer, o outcome) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"models": o.found, "problems": o.problems})
}

func writeSARIF(w io.Writer, o outcome) error {
	complete := checkStatus(o.found, o.problems, o.strict) != exitFailed
	return findings.WriteSARIF(w, o.root(), version(), o.findings(), complete)
}

func writeGitHub(w io.Writer, o outcome) error {
	return findings.WriteGitHub(w, o.root(), o.findings())
}

// root returns the directory that files are named relative to: in GitHub Actions that of the
// repository, else the working directory.
func (o outcome) root() string {
	if root := os.Getenv("GITHUB_WORKSPACE"); root != "" {
		return root
	}
	return o.dir
}

// findings returns the findings of all models, and the problems.
func (o outcome) findings() (list []findings.Finding) {
	for _, c := range o.found {
		list = append(list, c.findings()...)
	}
	for _, p := range o.problems {
		list = append(list, findings.OfProblem(o.dir, p)...)
	}
	return findings.Merge(list)
}

// findings returns the findings of a model.
func (c checked) findings() (list []findings.Finding) {
	if c.Failure != "" {
		list = append(list, findings.OfFailure(c.outcome))
		if c.Report != nil {
			list = append(list, findings.OfReport(*c.Report)...)
		}
		return list
	}
	for i, text := range c.Unbound {
		at := findings.PlaceOf(c.UnboundAt[i])
		if at.File == "" {
			at = findings.Place{File: c.File, Line: c.Line}
		}
		first, rest, _ := strings.Cut(text, "\n")
		list = append(list, findings.Finding{Code: string(graph.CodeBinding), At: at, Detail: rest,
			Message: fmt.Sprintf("the sizes given do not meet what %s requires: %s", c.Model, first)})
	}
	return append(list, findings.OfReport(*c.Report)...)
}
