package doctest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// link is a link or a picture of Markdown: its target is relative, or an address.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksInDocumentsLead keeps documents from linking to files and headings that are not there.
func TestLinksInDocumentsLead(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, name := range append(documentFiles(t, root), "CONTRIBUTING.md", "RATIONALE.md", "bench/README.md") {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(withoutBlocks(string(text)), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(found[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			there, err := os.Stat(filepath.Join(root, filepath.FromSlash(target)))
			if !assert.NoError(t, err, "%s: %s", name, found[0]) || anchor == "" || there.IsDir() {
				continue
			}
			linked, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(target)))
			require.NoError(t, err)
			assert.Contains(t, anchors(string(linked)), anchor, "%s: %s", name, found[0])
		}
	}
}

// TestComparisonsSayEachThingOnce keeps tables of what others call something from having two rows for one name.
func TestComparisonsSayEachThingOnce(t *testing.T) {
	root := filepath.Join("..", "..")
	row := regexp.MustCompile("(?m)^\\| (`[^`]+`)[^|]*\\|")
	for _, name := range documentFiles(t, root) {
		if path.Dir(name) != "docs/from" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, found := range row.FindAllStringSubmatch(string(text), -1) {
			assert.False(t, seen[found[1]], "%s has two rows for %s", name, found[1])
			seen[found[1]] = true
		}
	}
}

// withoutBlocks returns a document without its blocks of code.
func withoutBlocks(text string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, fence) {
			inside = !inside
		} else if !inside {
			out.WriteString(line)
		}
	}
	return out.String()
}

// anchors returns the names by which GitHub lets one link to the headings of a document.
func anchors(text string) (names []string) {
	for line := range strings.Lines(withoutBlocks(text)) {
		heading, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !is || !strings.HasPrefix(line, "#") {
			continue
		}
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading)))
	}
	return names
}
