package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place is a file or folder of the module in a document, and a function, method or type of it:
// `exec/session.go` or `exec/session.go:Session.Run`.
var place = regexp.MustCompile("`([a-z][a-z0-9_]*(?:/[A-Za-z0-9_.-]+)+)(?::([A-Za-z0-9_.]+))?`")

// TestPlacesInDocumentsExist keeps documents from naming what has been moved or renamed.
func TestPlacesInDocumentsExist(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, name := range append(documentFiles(t, root), "CONTRIBUTING.md", "RATIONALE.md", "bench/README.md") {
		file := filepath.Join(root, filepath.FromSlash(name))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range place.FindAllStringSubmatch(string(text), -1) {
			first, _, _ := strings.Cut(found[1], "/")
			if _, err := os.Stat(filepath.Join(root, first)); err != nil {
				continue // a package of somebody else
			}
			path := filepath.Join(root, filepath.FromSlash(found[1]))
			if _, err := os.Stat(path); !assert.NoError(t, err, "%s: %s", file, found[0]) || found[2] == "" {
				continue
			}
			assert.True(t, declares(t, path, found[2]), "%s: %s declares no %s", file, found[1], found[2])
		}
	}
}

// declares reports whether a file declares a function, a type or a variable, or a method as
// "Type.Method".
func declares(t *testing.T, path, name string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if receiverOf(d)+d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if declared(s, name) {
					return true
				}
			}
		}
	}
	return false
}

// receiverOf returns "Type." of a method, and nothing of a function.
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	return typ.(*ast.Ident).Name + "."
}

func declared(s ast.Spec, name string) bool {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Name.Name == name
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name == name {
				return true
			}
		}
	}
	return false
}
