package models

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// head returns the parts of a directory's Go files that the go command reads: their names, the text above their package
// clauses, and their imports.
func head(dir string, overlay Overlay) string {
	names := map[string]bool{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names[filepath.Join(dir, e.Name())] = true
	}
	for file := range overlay {
		names[file] = filepath.Dir(file) == dir
	}
	var list []string
	for file, isHere := range names {
		if !isHere || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		list = append(list, file+"\n"+headOf(file, overlay))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func headOf(file string, overlay Overlay) string {
	text, err := overlay.read(file)
	if err != nil {
		return ""
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err.Error()
	}
	words := []string{f.Name.Name}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && (strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "// +build")) {
				words = append(words, c.Text)
			}
		}
	}
	for _, i := range f.Imports {
		words = append(words, i.Path.Value)
	}
	return strings.Join(words, "\n")
}
