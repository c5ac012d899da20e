package archtest

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	maxColumns = 120 // of a line
	tabColumns = 4
	// maxBesides is how many columns a line may have besides a long string, which is easier to search for in one piece.
	maxBesides = 100
)

// TestLinesAreShort reads all Go files of the repository, those of tests and of the other modules among them.
func TestLinesAreShort(t *testing.T) {
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		for _, line := range longLines(text) {
			assert.Fail(t, "a line is too long", "%s:%d has more than %d columns: break it", path, line, maxColumns)
		}
		return nil
	})
	require.NoError(t, err)
}

// longLines lists the numbers of the lines that are too long.
func longLines(text []byte) (long []int) {
	whole := widestWholes(text)
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "// want ") // a mark of the tests of mistakes stands in the line of the mistake
		if w := columns(line); w > maxColumns && w-whole[i+1] > maxBesides {
			long = append(long, i+1)
		}
	}
	return long
}

// widestWholes gives the columns of the widest piece of each line that cannot be broken, or should not be: strings and
// directives.
func widestWholes(text []byte) map[int]int {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	widest := map[int]int{}
	for {
		pos, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return widest
		case kind != token.STRING && kind != token.COMMENT:
			continue
		case kind == token.COMMENT && strings.HasPrefix(literal, "// "):
			continue
		}
		first := file.Position(pos).Line
		for i, line := range strings.Split(literal, "\n") {
			widest[first+i] = max(widest[first+i], columns(line))
		}
	}
}

// columns is the width of a line.
func columns(line string) int { return len([]rune(line)) + (tabColumns-1)*strings.Count(line, "\t") }

func TestLongLinesAreFound(t *testing.T) {
	word := strings.Repeat("x", 70)
	for name, c := range map[string]struct {
		text string
		long []int
	}{
		"short":          {"package p\n\nvar a = 1\n", nil},
		"tabs":           {"package p\n\nvar (\n" + strings.Repeat("\t", 25) + "a = b + 123456789012\n)\n", nil},
		"more tabs":      {"package p\n\nvar (\n" + strings.Repeat("\t", 26) + "a = b + 123456789012\n)\n", []int{4}},
		"a string":       {"package p\n\nvar a = \"" + word + word + "\"\n", nil},
		"runes":          {"package p\n\n// " + strings.Repeat("é", 117) + "\n", nil},
		"a comment":      {"package p\n\n// " + word + " " + word + "\n", []int{3}},
		"a directive":    {"package p\n\n//go:generate " + word + word + "\n", nil},
		"several lines":  {"package p\n\nvar a = `\n" + word + word + "\n`\n", nil},
		"a mark":         {"package p\n\nvar a = 1 // want error " + word + word + "\n", nil},
		"beside strings": {"package p\n\nvar a = \"" + word + "\" + " + word + " + " + word + "\n", []int{3}},
	} {
		assert.Equal(t, c.long, longLines([]byte(c.text)), name)
	}
}
