package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Package is a package with models.
type Package struct {
	Dir, ImportPath, Name string
	Models                []Model
	Problems              []string // marks that are not understood, with file and line
}

// Model is a marked function.
type Model struct {
	Name     string
	File     string // full path
	Line     int
	HasError bool // it gives an error too
}

// listed is what go list says of a package.
type listed struct {
	Dir, ImportPath, Name string
	GoFiles, CgoFiles     []string
	Error                 *struct{ Err string }

	Export   string // the file with what the compiler made of it
	Standard bool
	Module   *struct {
		GoVersion, GoMod string
		Main             bool
		Replace          *struct{ Version string }
		Version          string
	}
	SFiles, HFiles, CFiles, SysoFiles, EmbedPatterns []string
}

// Find lists the packages that patterns name, as go build understands them, seen from a
// directory.
func Find(ctx context.Context, dir string, patterns []string) ([]Package, error) {
	lists, err := list(ctx, dir, append([]string{"-e", "-json=Dir,ImportPath,Name,GoFiles,CgoFiles,Error", "--"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var packages []Package
	for _, l := range lists {
		if l.Error != nil && len(l.GoFiles) == 0 {
			return nil, errors.New(strings.TrimSpace(l.Error.Err))
		}
		p, err := read(l, nil)
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// list runs go list in a directory.
func list(ctx context.Context, dir string, args ...string) (lists []listed, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		switch err := d.Decode(&l); {
		case errors.Is(err, io.EOF):
			return lists, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		lists = append(lists, l)
	}
}

// read looks for marks in the files of a package.
func read(l listed, o Overlay) (Package, error) {
	p := Package{Dir: l.Dir, ImportPath: l.ImportPath, Name: l.Name}
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles) {
		fset := token.NewFileSet()
		file := filepath.Join(l.Dir, name)
		text, err := o.read(file)
		if err != nil {
			return p, err
		}
		f, err := parser.ParseFile(fset, file, text, parser.ParseComments)
		if err != nil {
			return p, &BuildError{ImportPath: l.ImportPath, Output: syntaxErrors(err)}
		}
		p.readFile(fset, f)
	}
	slices.Sort(p.Problems)
	return p, nil
}

// readFile notes the marked functions of a file, and the marks that are at no function.
func (p *Package) readFile(fset *token.FileSet, f *ast.File) {
	marks := map[token.Pos]bool{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			switch {
			case isMark(c.Text):
				marks[c.Pos()] = true
			case isNearlyMark(c.Text):
				p.problem(fset.Position(c.Pos()), fmt.Sprintf("%q marks no model: the mark is %s, without spaces", c.Text, Directive))
			}
		}
	}
	for _, d := range f.Decls {
		fn, isFunc := d.(*ast.FuncDecl)
		if !isFunc || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			if marks[c.Pos()] {
				delete(marks, c.Pos())
				p.add(fn, fset.Position(fn.Pos()))
			}
		}
	}
	for pos := range marks {
		p.problem(fset.Position(pos), Directive+" must stand in the comment above a function")
	}
}

// add notes a marked function.
func (p *Package) add(fn *ast.FuncDecl, at token.Position) {
	hasError, ok := signature(fn)
	if !ok {
		p.problem(at, fn.Name.Name+" is marked as a model: it must be a function without arguments that gives a *graph.Graph; mark one that calls it with what it needs")
		return
	}
	p.Models = append(p.Models, Model{Name: fn.Name.Name, File: at.Filename, Line: at.Line, HasError: hasError})
}

func (p *Package) problem(at token.Position, text string) {
	p.Problems = append(p.Problems, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, text))
}

// signature reports whether a function can be a model's; the compiler has the last word.
func signature(fn *ast.FuncDecl) (hasError, ok bool) {
	t := fn.Type
	if fn.Recv != nil || t.TypeParams != nil || t.Params.NumFields() > 0 || fn.Name.Name == "_" || fn.Name.Name == "init" {
		return false, false
	}
	var results []ast.Expr
	if t.Results != nil {
		for _, f := range t.Results.List {
			results = append(results, slices.Repeat([]ast.Expr{f.Type}, max(len(f.Names), 1))...)
		}
	}
	switch len(results) {
	case 2:
		id, isName := results[1].(*ast.Ident)
		return true, isGraph(results[0]) && isName && id.Name == "error"
	case 1:
		return false, isGraph(results[0])
	}
	return false, false
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
