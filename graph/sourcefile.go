package graph

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/broadloom/broadloom/internal/overlay"
	"github.com/broadloom/broadloom/internal/syntax"
)

// This file reads the user's source when a message needs it: its lines, and its calls from the syntax tree. A program
// runs without its source too; its messages then say less.

// sourceFile is a file of the user's program.
type sourceFile struct {
	changed time.Time
	size    int64
	lines   []string
	calls   map[int][]sourceCall // by line, in the order in which they return
}

// sourceCall is a call in the source, on the line that the compiler gives it: that of the function's name.
type sourceCall struct {
	function   string
	ofVariable bool // the function may be the value of a variable or a field
	column     int  // in which it begins, counted from 1
	use        resultUse
	text       string // as it is written, or the beginning of that
}

// resultUse is what a statement does with the result of a call.
type resultUse struct {
	variable string // to which it is assigned
	returned bool   // as the only result of the function around the call
}

var sourceFiles sync.Map // of *sourceFile, by path

// Source returns the trimmed text of the frame's line, or "" if the file cannot be read.
func (f Frame) Source() string {
	source := readSource(f.File)
	if source == nil || f.Line < 1 || f.Line > len(source.lines) {
		return ""
	}
	return strings.TrimSpace(source.lines[f.Line-1])
}

// callsAt lists the calls of a function on a line of the source, in the order in which they return. A function literal
// is called by the name of a variable or a field.
func callsAt(file string, line int, function string) (calls []sourceCall) {
	f := readSource(file)
	if f == nil || function == "" {
		return nil
	}
	for _, c := range f.calls[line] {
		if c.function == function || isLiteral(function) && c.ofVariable {
			calls = append(calls, c)
		}
	}
	return calls
}

// isLiteral reports whether a function's name is one that the compiler made up for a function literal, such as func1.
func isLiteral(function string) bool {
	return strings.Trim(strings.TrimPrefix(function, "func"), "0123456789") == ""
}

// readSource returns a file, or nil if it cannot be read. A file that has changed is read again.
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
	f := &sourceFile{changed: info.ModTime(), size: info.Size(), lines: strings.Split(string(text), "\n"),
		calls: map[int][]sourceCall{}}
	f.findCalls(path, text)
	sourceFiles.Store(path, f)
	return f
}

// findCalls notes the calls of functions that have a name. If the source has errors, it notes what can be parsed.
func (f *sourceFile) findCalls(path string, text []byte) {
	files := token.NewFileSet()
	tree, _ := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if tree == nil {
		return
	}
	uses, packages := map[*ast.CallExpr]resultUse{}, syntax.Imported(tree)
	var open []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n != nil {
			open = append(open, n)
			noteUses(uses, n)
			return true
		}
		if call, is := open[len(open)-1].(*ast.CallExpr); is {
			f.note(files, text, call, syntax.MayCallVariable(call, packages), uses[call])
		}
		open = open[:len(open)-1]
		return true
	})
}

// noteUses notes what a statement does with the results of calls.
func noteUses(uses map[*ast.CallExpr]resultUse, n ast.Node) {
	if r, is := n.(*ast.ReturnStmt); is && len(r.Results) == 1 {
		noteUse(uses, r.Results[0], resultUse{returned: true})
	}
	for name, value := range syntax.Assigned(n) {
		if name.Name != "_" {
			noteUse(uses, value, resultUse{variable: name.Name})
		}
	}
}

// noteUse notes what is done with the value of an expression, if it is the result of a call.
func noteUse(uses map[*ast.CallExpr]resultUse, value ast.Expr, use resultUse) {
	call, is := ast.Unparen(value).(*ast.CallExpr)
	if !is {
		return
	}
	uses[call] = use
	name := syntax.CalledName(call.Fun)
	switch {
	case name == nil:
	case slices.Contains(returnOperand, name.Name) && len(call.Args) > 0:
		noteUse(uses, call.Args[0], use)
	case slices.Contains(returnReceiver, name.Name):
		if method, is := ast.Unparen(call.Fun).(*ast.SelectorExpr); is {
			noteUse(uses, method.X, use)
		}
	}
}

// Functions that return their first argument, and methods that return their receiver.
var (
	returnOperand  = []string{"Gives", "Expect", "ExpectShape"}
	returnReceiver = []string{"Named", "Silence"}
)

// maxCall bounds the text of a call that names a value.
const maxCall = 40

// note adds a call to its line.
func (f *sourceFile) note(files *token.FileSet, source []byte, call *ast.CallExpr, ofVariable bool, use resultUse) {
	name := syntax.CalledName(call.Fun)
	if name == nil {
		return
	}
	// Positions in the file itself: //line comments are ignored.
	at, begin := files.PositionFor(name.Pos(), false), files.PositionFor(call.Pos(), false)
	if begin.Line != at.Line {
		begin = at
	}
	from, to := files.PositionFor(call.Pos(), false).Offset, files.PositionFor(call.End(), false).Offset
	text := strings.Join(strings.Fields(string(source[min(from, len(source)):min(to, len(source))])), " ")
	if runes := []rune(text); len(runes) > maxCall {
		text = string(runes[:maxCall]) + "…)"
	}
	f.calls[at.Line] = append(f.calls[at.Line], sourceCall{name.Name, ofVariable, begin.Column, use, text})
}
