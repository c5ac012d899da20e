package models

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"

	"github.com/broadloom/broadloom/cmd/broadloom/modelrun"
	"github.com/broadloom/broadloom/internal/syntax"
)

// Import is an import of a file with a mark, under the name that the mark uses.
type Import struct{ Name, Path string }

// addCall records the call in a mark. Its imports are those of the file.
func (p *Package) addCall(text string, at token.Position, imports []*ast.ImportSpec) {
	e, err := parseCall(text)
	if err != nil {
		p.problem(
			at,
			fmt.Sprintf(
				"%s %s: the text after the mark must be a call that returns a *graph.Graph, such as classifier(10): %v",
				Directive, text, err))
		return
	}
	text = text[e.Pos()-1 : e.End()-1] // no comment behind it
	for _, i := range used(e, imports) {
		other := slices.IndexFunc(p.Imports, func(o Import) bool { return o.Name == i.Name })
		switch {
		case other < 0:
			p.Imports = append(p.Imports, i)
		case p.Imports[other] != i:
			p.problem(
				at,
				fmt.Sprintf(
					"%s %s: %s is %q here, and %q in another mark of the package: import one of them under another name",
					Directive, text, i.Name, i.Path, p.Imports[other].Path))
			return
		}
	}
	// The compiler's messages tell the mark's place.
	code := fmt.Sprintf("/*line %s:%d:%d*/%s/*line %s:1:1*/", at.Filename, at.Line, at.Column, text, modelrun.HookFile)
	p.Models = append(p.Models, Model{Name: text, File: at.Filename, Line: at.Line, Code: code})
}

// parseCall parses a call, with positions that count from 1.
func parseCall(text string) (*ast.CallExpr, error) {
	e, err := parser.ParseExprFrom(token.NewFileSet(), "", text, 0)
	var list scanner.ErrorList
	if errors.As(err, &list) {
		return nil, errors.New(list[0].Msg) // without its place
	}
	call, isCall := e.(*ast.CallExpr)
	if !isCall {
		return nil, errors.New("this is not a call")
	}
	return call, nil
}

// used returns those imports that an expression names.
func used(e ast.Expr, imports []*ast.ImportSpec) (list []Import) {
	names := map[string]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	for _, spec := range imports {
		if name, of := syntax.Import(spec); names[name] {
			list = append(list, Import{name, of})
		}
	}
	return list
}

// callOf returns the call of a function that can be a model's by itself: it takes nothing, or the graph
// to fill, which is called after it. The compiler has the last word.
func callOf(fn *ast.FuncDecl) (code string, ok bool) {
	name, t := fn.Name.Name, fn.Type
	if fn.Recv != nil || t.TypeParams != nil || name == "_" || name == "init" {
		return "", false
	}
	results := types(t.Results)
	givesGraph := len(results) == 1 && isGraph(results[0]) ||
		len(results) == 2 && isGraph(results[0]) && isError(results[1])
	graph := fmt.Sprintf("broadloomGraph.New(%q)", name)
	switch params := types(t.Params); {
	case len(params) == 0:
		return name + "()", givesGraph
	case len(params) > 1 || !isGraph(params[0]):
		return "", false
	case givesGraph:
		return fmt.Sprintf("%s(%s)", name, graph), true
	case len(results) > 0 && isError(results[len(results)-1]):
		assigned := ""
		for range results[1:] {
			assigned += "_, "
		}
		return fmt.Sprintf("func() (*broadloomGraph.Graph, error) { g := %s; %serr := %s(g); return g, err }()", graph,
			assigned, name), true
	}
	return fmt.Sprintf("func() *broadloomGraph.Graph { g := %s; %s(g); return g }()", graph, name), true
}

// types returns the types of a list of parameters or results, one for each.
func types(fields *ast.FieldList) (list []ast.Expr) {
	if fields == nil {
		return nil
	}
	for _, f := range fields.List {
		list = append(list, slices.Repeat([]ast.Expr{f.Type}, max(len(f.Names), 1))...)
	}
	return list
}

func isError(t ast.Expr) bool {
	id, isName := t.(*ast.Ident)
	return isName && id.Name == "error"
}

func isGraph(t ast.Expr) bool {
	star, isPointer := t.(*ast.StarExpr)
	if !isPointer {
		return false
	}
	switch x := star.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Graph"
	case *ast.Ident:
		return x.Name == "Graph"
	}
	return false
}
