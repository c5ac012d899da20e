package graph

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/broadloom/broadloom/internal/overlay"
	"github.com/broadloom/broadloom/internal/syntax"
)

// This file reads the user's source when a message is written: its lines, and its calls from the
// syntax tree. A program runs without its source too; messages then tell less.

// sourceFile is a file of the user's program.
type sourceFile struct {
	changed time.Time
	size    int64
	lines   []string
	calls   map[lineCall][]sourceCall
}

// lineCall is a line and the name of a function that is called there.
type lineCall struct {
	line int
	name string
}

// sourceCall is a call in the source: the column, counted from 1, in which it begins.
type sourceCall struct{ column int }

var sourceFiles sync.Map // of *sourceFile, by path

// readSource returns a file, or nil where it cannot be read. A file that has changed is read anew.
func readSource(path string) *sourceFile {
	stored := overlay.Path(path)
	info, err := os.Stat(stored)
	if err != nil || info.IsDir() {
		return nil
	}
	if known, ok := sourceFiles.Load(path); ok {
		if f := known.(*sourceFile); f.size == info.Size() && f.changed.Equal(info.ModTime()) {
			return f
		}
	}
	text, err := os.ReadFile(stored)
	if err != nil {
		return nil
	}
	f := &sourceFile{changed: info.ModTime(), size: info.Size(), lines: strings.Split(string(text), "\n")}
	f.findCalls(path, text)
	sourceFiles.Store(path, f)
	return f
}

// findCalls notes all calls of functions that have a name, in the order in which they return. Of
// source with errors it notes what can be understood.
func (f *sourceFile) findCalls(path string, text []byte) {
	f.calls = map[lineCall][]sourceCall{}
	files := token.NewFileSet()
	tree, _ := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if tree == nil {
		return
	}
	var open []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n != nil {
			open = append(open, n)
			return true
		}
		last := len(open) - 1
		if call, is := open[last].(*ast.CallExpr); is {
			f.note(files, call)
		}
		open = open[:last]
		return true
	})
}

// note adds a call to the line that the compiler gives it: that of the function's name.
func (f *sourceFile) note(files *token.FileSet, call *ast.CallExpr) {
	name := syntax.CalledName(call.Fun)
	if name == nil {
		return
	}
	// Lines and columns of the file itself: a //line comment leads elsewhere.
	at, begin := files.PositionFor(name.Pos(), false), files.PositionFor(call.Pos(), false)
	if begin.Line != at.Line {
		begin = at
	}
	key := lineCall{at.Line, name.Name}
	f.calls[key] = append(f.calls[key], sourceCall{begin.Column})
}

// Source returns the trimmed text of the frame's line, or "" if the file cannot be read.
func (f Frame) Source() string { return strings.TrimSpace(sourceLine(f.File, f.Line)) }

// sourceLine returns one line of a file, or "" where it cannot be read.
func sourceLine(file string, line int) string {
	f := readSource(file)
	if f == nil || line < 1 || line > len(f.lines) {
		return ""
	}
	return strings.TrimSuffix(f.lines[line-1], "\r")
}
