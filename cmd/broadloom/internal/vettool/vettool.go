// Package vettool makes the command a tool of go vet: "go vet -vettool=$(which broadloom) ./..." reports mistakes in
// the models of the vetted packages.
package vettool

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/findings"
	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/graph"
)

// IsAsked reports whether arguments are those by which go vet calls a tool: a question after
// its version or its flags, or the description of a package.
func IsAsked(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return last == "-flags" || last == "-V=full" || strings.HasSuffix(last, ".cfg")
}

// Check returns the findings of all models in the package of a directory.
type Check func(dir string, timeout time.Duration) []findings.Finding

// Main answers go vet, and ends the process.
func Main(check Check) { unitchecker.Main(analyzer(check)) }

func analyzer(check Check) *analysis.Analyzer {
	a := &analysis.Analyzer{Name: "shapes",
		Doc: "check the shapes of models\n\nA model is a function with a mark above it: //broadloom:model. " +
			"Its graph is built and checked, without data."}
	timeout := a.Flags.Duration("timeout", time.Minute, "the time that a model may take")
	warnings := a.Flags.Bool("warnings", true, "report warnings too")
	a.Run = func(pass *analysis.Pass) (any, error) {
		at := marked(pass)
		if !at.IsValid() {
			return nil, nil
		}
		r := reporter{pass: pass, elsewhere: at}
		for _, f := range check(filepath.Dir(pass.Fset.Position(at).Filename), *timeout) {
			if f.Severity == graph.Error || f.Severity == graph.Warning && *warnings {
				r.report(f)
			}
		}
		return nil, nil
	}
	return a
}

// marked returns the place of a package's first mark of a model.
func marked(pass *analysis.Pass) token.Pos {
	for _, f := range pass.Files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if models.IsMark(c.Text) { // a wrong one is reported too
					return c.Pos()
				}
			}
		}
	}
	return token.NoPos
}

// reporter reports findings of a package.
type reporter struct {
	pass      *analysis.Pass
	elsewhere token.Pos // stands for places outside of the package
}

func (r reporter) report(f findings.Finding) {
	message := fmt.Sprintf("%s %s: %s", f.Severity, f.Code, strings.ReplaceAll(f.Text(), "\n", "\n\t"))
	pos, ok := r.pos(f.At)
	if !ok {
		pos = r.elsewhere
		if f.At.File != "" {
			message = fmt.Sprintf("%s:%d: %s", f.At.File, f.At.Line, message)
		}
	}
	r.pass.Report(analysis.Diagnostic{Pos: pos, Category: f.Code, Message: message})
}

// pos returns a place in the files of the package.
func (r reporter) pos(at findings.Place) (pos token.Pos, ok bool) {
	for _, f := range r.pass.Files {
		file := r.pass.Fset.File(f.FileStart)
		if name, err := filepath.Abs(file.Name()); err != nil || name != at.File || at.Line < 1 ||
			at.Line > file.LineCount() {
			continue
		}
		pos = file.LineStart(at.Line)
		if end := file.Pos(file.Size()); at.Column > 0 && pos+token.Pos(at.Column-1) <= end {
			pos += token.Pos(at.Column - 1)
		}
		return pos, true
	}
	return token.NoPos, false
}
