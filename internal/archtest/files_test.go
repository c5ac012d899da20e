package archtest

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fileName is the name of a file in a comment, or of several: simd*.go.
var fileName = regexp.MustCompile(`[a-z][a-z0-9_*]*\.go\b`)

// TestPackagesWalkTheirFiles expects the comment of each package to name every file, so that a
// reader finds the way, and no file that there is not. A package of one file needs no such walk, and
// everybody looks for main.go.
func TestPackagesWalkTheirFiles(t *testing.T) {
	for name, p := range packages(t) {
		files := slices.Concat(p.GoFiles, p.IgnoredGoFiles)
		files = slices.DeleteFunc(files, func(f string) bool {
			return f == "doc.go" || f == "main.go" || strings.HasSuffix(f, "_test.go")
		})
		if len(files) < 2 {
			continue
		}
		named := fileName.FindAllString(commentOf(t, p), -1)
		for _, file := range files {
			assert.True(t, slices.ContainsFunc(named, func(n string) bool { return isNamed(n, file) }),
				"the comment of package %s does not say what %s is for", name, file)
		}
		for _, n := range named {
			assert.True(t, n == "main.go" || slices.ContainsFunc(files, func(file string) bool {
				return isNamed(n, file)
			}), "the comment of package %s names %s, which it does not have", name, n)
		}
	}
}

func isNamed(pattern, file string) bool {
	ok, err := path.Match(pattern, file)
	return ok && err == nil
}

// commentOf returns the comments above the package clauses of a package.
func commentOf(t *testing.T, p listed) (text string) {
	for _, file := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil,
			parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		text += f.Doc.Text()
	}
	return text
}
