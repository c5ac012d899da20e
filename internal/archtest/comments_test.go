package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCommentsNameWhatTheyStandAbove expects a comment that begins with a small letter to begin with a name that is
// declared below it: one that has been changed would stay in its comment else.
func TestCommentsNameWhatTheyStandAbove(t *testing.T) {
	for _, p := range packages(t) {
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil,
				parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			for i, d := range f.Decls {
				doc, names := declared(d)
				word, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
				word = strings.TrimRight(word, ",.:;'s")
				if first, _ := utf8.DecodeRuneInString(word); !unicode.IsLower(first) {
					continue
				}
				if i+1 < len(f.Decls) { // several may share a comment
					_, next := declared(f.Decls[i+1])
					names = append(names, next...)
				}
				assert.True(t, slices.ContainsFunc(names, func(name string) bool {
					return strings.HasPrefix(name, word)
				}),
					"%v: the comment begins with %q, which is not declared below it", fset.Position(d.Pos()), word)
			}
		}
	}
}

// declared returns the comment above a declaration, and the names that it declares.
func declared(d ast.Decl) (doc *ast.CommentGroup, names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc, []string{d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
		return d.Doc, names
	}
	return nil, nil
}
