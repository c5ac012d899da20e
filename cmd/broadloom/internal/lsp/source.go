package lsp

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/broadloom/broadloom/cmd/broadloom/modelvalues"
	"github.com/broadloom/broadloom/internal/syntax"
)

// source is a file with its syntax tree.
type source struct {
	lines    []string
	files    *token.FileSet
	tree     *ast.File // nil where nothing was understood
	calls    map[namedLine][]*ast.CallExpr
	assigned map[*ast.CallExpr]*ast.Ident // the variables that take what calls return
	objects  *types.Info                  // made when it is asked for
}

// namedLine is a line and the name of a function that is called there.
type namedLine struct {
	line int
	name string
}

func newSource(file, text string) *source {
	s := &source{lines: strings.Split(text, "\n"), files: token.NewFileSet(),
		calls: map[namedLine][]*ast.CallExpr{}, assigned: map[*ast.CallExpr]*ast.Ident{}}
	s.tree, _ = parser.ParseFile(s.files, file, text, parser.SkipObjectResolution)
	if s.tree == nil {
		return s
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if call, isCall := n.(*ast.CallExpr); isCall {
			if name := syntax.CalledName(call.Fun); name != nil {
				key := namedLine{s.at(name.Pos()).Line, name.Name}
				s.calls[key] = append(s.calls[key], call)
			}
		}
		for id, x := range syntax.Assigned(n) {
			if call, isCall := ast.Unparen(x).(*ast.CallExpr); isCall && id.Name != "_" {
				s.assigned[call] = id
			}
		}
		return true
	})
	return s
}

// at returns a position in the file itself, ignoring //line comments.
func (s *source) at(pos token.Pos) token.Position { return s.files.PositionFor(pos, false) }

// call returns the call of a value, or nil if it is ambiguous.
func (s *source) call(c modelvalues.Call) *ast.CallExpr {
	calls := s.calls[namedLine{c.Line, c.Function}]
	if len(calls) == 1 {
		return calls[0]
	}
	for _, call := range calls {
		if c.Column > 0 && s.at(call.Pos()).Column == c.Column {
			return call
		}
	}
	return nil
}

// begun returns the innermost call that begins at a place, or nil.
func (s *source) begun(line, column int) (found *ast.CallExpr) {
	if s.tree == nil || column < 1 {
		return nil
	}
	for key, calls := range s.calls {
		for _, call := range calls {
			at := s.at(call.Pos())
			name := s.at(syntax.CalledName(call.Fun).Pos())
			if isHere := at.Line == line && at.Column == column ||
				key.line == line && name.Column == column; isHere && (found == nil || call.End() < found.End()) {
				found = call
			}
		}
	}
	return found
}

// span returns the range of a syntax tree's node.
func (s *source) span(n ast.Node) protocol.Range {
	return protocol.Range{Start: s.position(s.at(n.Pos())), End: s.position(s.at(n.End()))}
}

// lineSpan returns the range of the text of a line.
func (s *source) lineSpan(line int) protocol.Range {
	line = min(max(line, 1), len(s.lines))
	text := strings.TrimRight(s.lines[line-1], " \t\r")
	start := len(text) - len(strings.TrimLeft(text, " \t"))
	return protocol.Range{
		Start: s.position(token.Position{Line: line, Column: start + 1}),
		End:   s.position(token.Position{Line: line, Column: len(text) + 1})}
}

// position returns a place as the protocol counts: from 0, and columns in UTF-16.
func (s *source) position(at token.Position) protocol.Position {
	if at.Line < 1 || at.Line > len(s.lines) {
		return protocol.Position{Line: uint32(max(at.Line-1, 0))}
	}
	before := s.lines[at.Line-1][:min(max(at.Column-1, 0), len(s.lines[at.Line-1]))]
	return protocol.Position{Line: uint32(at.Line - 1), Character: uint32(utf16Length(before))}
}

func utf16Length(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// pos returns the place in the syntax tree of a position in the protocol.
func (s *source) pos(p protocol.Position) token.Pos {
	if s.tree == nil || int(p.Line) >= len(s.lines) {
		return token.NoPos
	}
	line, column, units := s.lines[p.Line], 0, 0
	for column < len(line) && units < int(p.Character) {
		r, size := utf8.DecodeRuneInString(line[column:])
		column += size
		units += utf16.RuneLen(r)
	}
	file := s.files.File(s.tree.FileStart)
	return file.LineStart(int(p.Line)+1) + token.Pos(column)
}

// moved maps the lines of this text to those of a later one. The lines before and after the change are the same. Lines
// count from 0; the result is -1 for a line that is gone.
func (s *source) moved(later []string) func(line uint32) int {
	before := 0
	for before < min(len(s.lines), len(later)) && s.lines[before] == later[before] {
		before++
	}
	after := 0
	for after < min(len(s.lines), len(later))-before && s.lines[len(s.lines)-1-after] == later[len(later)-1-after] {
		after++
	}
	return func(line uint32) int {
		switch l := int(line); {
		case l < before:
			return l
		case l >= len(s.lines)-after:
			return l + len(later) - len(s.lines)
		}
		return -1
	}
}

// definition returns the call whose value a variable holds at a place: that of the last assignment
// before it.
func (s *source) definition(id *ast.Ident) (call *ast.CallExpr) {
	if s.objects == nil {
		s.objects = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Error: func(error) {}, Importer: noImports{}}
		conf.Check("p", s.files, []*ast.File{s.tree}, s.objects) // its errors are the compiler's matter
	}
	variable := s.objects.ObjectOf(id)
	for c, name := range s.assigned {
		isBefore := name == id || name.Pos() < id.Pos() && c.End() <= id.Pos()
		if variable != nil && s.objects.ObjectOf(name) == variable && isBefore &&
			(call == nil || name.Pos() > s.assigned[call].Pos()) {
			call = c
		}
	}
	return call
}

// noImports knows no package: the variables of functions are found without.
type noImports struct{}

// Import returns an error.
func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// enclosing returns the nodes of the syntax tree around a place, the outermost first.
func (s *source) enclosing(pos token.Pos) (path []ast.Node) {
	if s.tree == nil || !pos.IsValid() {
		return nil
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || pos > n.End() {
			return false
		}
		path = append(path, n)
		return true
	})
	return slices.Clip(path)
}
