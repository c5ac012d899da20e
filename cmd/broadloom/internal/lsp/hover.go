package lsp

import (
	"context"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/broadloom/broadloom/cmd/broadloom/modelvalues"
	"github.com/broadloom/broadloom/internal/syntax"
)

// Hover returns the value of the variable or the call under the cursor: its dtype and shape, and the values from which
// it was computed.
func (s *server) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	file := p.TextDocument.URI.FsPath()
	known, err := s.current(ctx, file)
	if err != nil || known == nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(s.textOf(file), "\n")
	var texts []string
	var span *protocol.Range
	for _, m := range s.models() {
		if len(m.values[file]) == 0 {
			continue
		}
		source := m.texts.source(file)
		then, ok := source.before(p.Position, lines)
		if !ok {
			continue
		}
		under, call := source.under(then)
		for _, v := range m.values[file] {
			if call == nil || source.call(v.Call) != call {
				continue
			}
			if text := describe(v, under); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
			r := source.span(under)
			r.Start.Line, r.End.Line = p.Position.Line, p.Position.Line
			span = &r
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return &protocol.Hover{
		Contents: &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown,
			Value: strings.Join(shortened(texts), "\n---\n")}, Range: span}, nil
}

// before maps a position of a later text back to this one.
func (s *source) before(p protocol.Position, later []string) (protocol.Position, bool) {
	moved := s.moved(later)
	for line := range s.lines {
		if moved(uint32(line)) == int(p.Line) {
			return protocol.Position{Line: uint32(line), Character: p.Character}, true
		}
	}
	return p, false
}

// under returns the name under a position, and the call that made its value.
func (s *source) under(p protocol.Position) (name *ast.Ident, call *ast.CallExpr) {
	path := s.enclosing(s.pos(p))
	if len(path) == 0 {
		return nil, nil
	}
	name, isName := path[len(path)-1].(*ast.Ident)
	if !isName {
		return nil, nil
	}
	for _, n := range path {
		if c, isCall := n.(*ast.CallExpr); isCall && isOf(name, c.Fun) {
			return name, c
		}
	}
	return name, s.definition(name)
}

// isOf reports whether a name is the function's that an expression calls, or its package's.
func isOf(name *ast.Ident, fun ast.Expr) bool {
	if syntax.CalledName(fun) == name {
		return true
	}
	selector, isSelector := fun.(*ast.SelectorExpr)
	return isSelector && selector.X == ast.Expr(name)
}

// describe writes a value in Markdown.
func describe(v modelvalues.Value, name *ast.Ident) string {
	var b strings.Builder
	fmt.Fprintf(&b, "```go\n%s %s\n```\n%s", name.Name, v.Type, code(v.Made))
	for _, o := range v.Operands {
		fmt.Fprintf(&b, "\n- %s", code(o.Name+" "+o.Type))
		if o.File != "" {
			fmt.Fprintf(&b, " at %s:%d", filepath.Base(o.File), o.Line)
		}
	}
	for _, axis := range v.Axes {
		fmt.Fprintf(&b, "\n- %s", axis)
	}
	return b.String()
}

func code(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }
