package findings

import (
	"bytes"
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/broadloom/broadloom/shapeinfer"
)

// Place is a place in a file. Lines and columns are counted from 1, columns in bytes; they are 0 if unknown.
type Place struct {
	File         string // full path
	Line, Column int
}

// PlaceOf returns a place of a report.
func PlaceOf(p shapeinfer.PlaceJSON) Place { return Place{p.File, p.Line, p.Column} }

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

var placed = regexp.MustCompile(`^(.+?\.go):(\d+)(?::(\d+))?: (?s:(.*))$`)

// Placed splits a text such as "models/net.go:12:3: undefined: x" into its place and its message. File names are
// relative to a directory. ok is false if the text does not begin with a place.
func Placed(dir, text string) (at Place, message string, ok bool) {
	m := placed.FindStringSubmatch(text)
	if m == nil {
		return Place{}, text, false
	}
	at.File = m[1]
	if !filepath.IsAbs(at.File) {
		at.File = filepath.Join(dir, at.File)
	}
	at.Line, _ = strconv.Atoi(m[2])
	at.Column, _ = strconv.Atoi(m[3])
	return at, m[4], true
}

// codePoints returns the column in characters, or 0 if it is unknown.
func (p Place) codePoints() int {
	if p.Column < 1 {
		return 0
	}
	text, err := os.ReadFile(p.File)
	if err != nil {
		return 0
	}
	lines := bytes.Split(text, []byte("\n"))
	if p.Line < 1 || p.Line > len(lines) || p.Column > len(lines[p.Line-1])+1 {
		return 0
	}
	return utf8.RuneCount(lines[p.Line-1][:p.Column-1]) + 1
}

// below returns a file's path relative to a directory that contains it, with slashes.
func below(dir, file string) (relative string, ok bool) {
	relative, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(relative) {
		return filepath.ToSlash(file), false
	}
	return filepath.ToSlash(relative), true
}

// fileURI returns the URI of a file or, with a slash at its end, of a directory.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive's letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
