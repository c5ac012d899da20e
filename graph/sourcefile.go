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
	assigns map[int]assigned // those of several lines, by the lines on which values begin
}

// lineCall is a line and the name of a function that is called there.
type lineCall struct {
	line int
	name string
}

// sourceCall is a call in the source: the column, counted from 1, in which it begins.
type sourceCall struct{ column int }

// assigned is an assignment, as one line of it shows it: values that begin on other lines are "".
type assigned struct{ names, values []string }

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
	f.findStatements(path, text)
	sourceFiles.Store(path, f)
	return f
}

// findStatements notes all calls of functions that have a name, in the order in which they return, and assignments of
// several lines. Of source with errors it notes what can be understood.
func (f *sourceFile) findStatements(path string, text []byte) {
	f.calls, f.assigns = map[lineCall][]sourceCall{}, map[int]assigned{}
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
		switch n := open[last].(type) {
		case *ast.CallExpr:
			f.note(files, n)
		case *ast.AssignStmt:
			f.noteAssigned(files, text, n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			var names []ast.Expr
			for _, name := range n.Names {
				names = append(names, name)
			}
			f.noteAssigned(files, text, names, n.Values)
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

// noteAssigned notes an assignment to variables whose values begin on several lines.
func (f *sourceFile) noteAssigned(files *token.FileSet, text []byte, to, values []ast.Expr) {
	if len(to) != len(values) {
		return
	}
	names, lines := make([]string, len(to)), make([]int, len(values))
	for i, x := range to {
		names[i] = "_"
		if name, is := x.(*ast.Ident); is {
			names[i] = name.Name
		}
		lines[i] = files.PositionFor(values[i].Pos(), false).Line
	}
	if lines[0] == lines[len(lines)-1] && lines[0] == files.PositionFor(to[0].Pos(), false).Line {
		return // the line shows it
	}
	for _, line := range lines {
		shown := assigned{names, make([]string, len(values))}
		for i, x := range values {
			if lines[i] == line {
				begin, end := files.PositionFor(x.Pos(), false).Offset, files.PositionFor(x.End(), false).Offset
				shown.values[i] = strings.ReplaceAll(string(text[begin:min(end, len(text))]), "\n", " ")
			}
		}
		f.assigns[line] = shown
	}
}

// assignedAt returns the assignment of several lines that has a value beginning on a line.
func assignedAt(file string, line int) (a assigned, ok bool) {
	if f := readSource(file); f != nil {
		a, ok = f.assigns[line]
	}
	return a, ok
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
