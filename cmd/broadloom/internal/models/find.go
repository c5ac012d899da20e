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
	Imports               []Import // what the calls of marks need
	Problems              []string // marks that are not understood, with file and line
}

// Model is a marked function, or a call in its mark.
type Model struct {
	Name string // of the function, or the call of the mark
	File string // full path
	Line int
	// Code is an expression of a *graph.Graph, or of that and an error.
	Code string
}

// listed is go list's description of a package.
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
	for _, p := range patterns {
		if strings.HasSuffix(p, ".go") {
			folder := filepath.Dir(p)
			if filepath.IsLocal(folder) && folder != "." {
				folder = "./" + filepath.ToSlash(folder)
			}
			return nil, fmt.Errorf("%s is a file: name its package, %s", p, folder)
		}
	}
	lists, err := list(ctx, dir,
		append([]string{"-e", "-json=Dir,ImportPath,Name,GoFiles,CgoFiles,Error", "--"}, patterns...)...)
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

// readFile records the marked functions of a file, and the marks that are at no function.
func (p *Package) readFile(fset *token.FileSet, f *ast.File) {
	marks := map[token.Pos]string{} // with what stands behind each
	for _, group := range f.Comments {
		for _, c := range group.List {
			switch call, ok := cutMark(c.Text); {
			case ok:
				marks[c.Pos()] = call
			case isNearlyMark(c.Text):
				p.problem(fset.Position(c.Pos()), fmt.Sprintf(
					"%q marks no model: the mark is %s, without spaces", c.Text, Directive))
			}
		}
	}
	for _, d := range f.Decls {
		fn, isFunc := d.(*ast.FuncDecl)
		if !isFunc || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			call, ok := marks[c.Pos()]
			if !ok {
				continue
			}
			delete(marks, c.Pos())
			if call == "" {
				p.add(fn, fset.Position(fn.Pos()))
				continue
			}
			at := fset.Position(c.Pos())
			at.Column += strings.Index(c.Text, call)
			p.addCall(call, at, f.Imports)
		}
	}
	for pos := range marks {
		p.problem(fset.Position(pos), Directive+" must be in the comment above a function")
	}
}

// add records a marked function.
func (p *Package) add(fn *ast.FuncDecl, at token.Position) {
	code, ok := callOf(fn)
	if !ok {
		example := fn.Name.Name + "(…)"
		if fn.Recv != nil {
			example = "NewNet(…)." + example
		}
		p.problem(
			at,
			fmt.Sprintf(
				"%s is marked as a model: it must be a function without arguments that returns a *graph.Graph, or one that takes only a *graph.Graph; "+
					"for others write a call that returns a *graph.Graph in the mark, such as %s %s", fn.Name.Name,
				Directive, example))
		return
	}
	p.Models = append(p.Models, Model{Name: fn.Name.Name, File: at.Filename, Line: at.Line, Code: code})
}

func (p *Package) problem(at token.Position, text string) {
	p.Problems = append(p.Problems, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, text))
}
