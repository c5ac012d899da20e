package mistakes_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A program builds a graph. What the check must say of it stands at the lines of its
// source where that must be said:
//
//	diff := ops.Sub(pred, y) // want warning BL202 "Squeeze(pred, -1)" !"Transpose"
//
// The words are the severity and the code, then texts that the message has, and texts, behind
// an exclamation mark, that it has not. Several items of a line are separated by "and". A
// program without such comments is right: nothing is said of it, no note either.
type program func(g *graph.Graph)

// programs are all that files of this package have added.
var programs []program

// add adds programs to the table; a file calls it in the declaration of a variable.
func add(list ...program) bool {
	programs = append(programs, list...)
	return true
}

// wanted is an item that a report must have.
type wanted struct {
	line          int
	kind          string // "warning BL202"
	texts, others []string
}

var (
	wantComment = regexp.MustCompile(`^// want (.*)$`)
	wantItem    = regexp.MustCompile(`^(error|warning|note) (BL\d+)((?: !?"[^"]*")*)(?: and |$)`)
	wantText    = regexp.MustCompile(`(!?)"([^"]*)"`)
)

// readWanted returns what the comments of a file want, by the names of functions.
func readWanted(file string) (map[string][]wanted, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	all := map[string][]wanted{}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			if m := wantComment.FindStringSubmatch(c.Text); m != nil {
				items, err := parseWanted(m[1], fset.Position(c.Pos()).Line)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", fset.Position(c.Pos()), err)
				}
				in := functionAt(parsed, c.Pos())
				all[in] = append(all[in], items...)
			}
		}
	}
	return all, nil
}

func parseWanted(text string, line int) (items []wanted, err error) {
	for text != "" {
		m := wantItem.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%q is no item such as: warning BL202 \"text\"", text)
		}
		w := wanted{line: line, kind: m[1] + " " + m[2]}
		for _, t := range wantText.FindAllStringSubmatch(m[3], -1) {
			if t[1] == "" {
				w.texts = append(w.texts, t[2])
			} else {
				w.others = append(w.others, t[2])
			}
		}
		items, text = append(items, w), text[len(m[0]):]
	}
	return items, nil
}

func functionAt(f *ast.File, pos token.Pos) string {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= pos && pos < fn.End() {
			return fn.Name.Name
		}
	}
	return ""
}

// items are all things that a report says.
func items(r *shapeinfer.Report) []*graph.Mistake {
	return slices.Concat(r.Errors, r.Warnings, r.Notes)
}

// isAt reports whether a mistake has the wanted severity, code and line.
func (w wanted) isAt(m *graph.Mistake, file string) bool {
	f, _ := m.Place().Frame()
	return f.Line == w.line && f.File == file && m.Severity.String()+" "+string(m.Code) == w.kind
}

// checkReport compares a report with the comments.
func checkReport(t *testing.T, r *shapeinfer.Report, want []wanted, file string) {
	left := items(r)
	for _, w := range want {
		at := slices.IndexFunc(left, func(m *graph.Mistake) bool { return w.isAt(m, file) })
		if at < 0 {
			t.Errorf("%s:%d: %s is missing", filepath.Base(file), w.line, w.kind)
			continue
		}
		text := left[at].Error()
		for _, part := range w.texts {
			if !strings.Contains(text, part) {
				t.Errorf("%q is missing in\n%s", part, text)
			}
		}
		for _, part := range w.others {
			if strings.Contains(text, part) {
				t.Errorf("%q is wrong in\n%s", part, text)
			}
		}
		left = slices.Delete(left, at, at+1)
	}
	for _, m := range left {
		t.Errorf("not wanted:\n%s", m)
	}
}

func TestPrograms(t *testing.T) {
	files := map[string]map[string][]wanted{}
	for _, p := range programs {
		f := runtime.FuncForPC(reflect.ValueOf(p).Pointer())
		file, _ := f.FileLine(f.Entry())
		name := f.Name()[strings.LastIndexByte(f.Name(), '.')+1:]
		if files[file] == nil {
			want, err := readWanted(file)
			require.NoError(t, err)
			files[file] = want
		}
		t.Run(name, func(t *testing.T) {
			g := graph.New(name)
			p(g)
			checkReport(t, shapeinfer.Check(g), files[file][name], file)
		})
	}
}

// A table that finds nothing wrong with a program that is would be worth nothing.
func TestWantedIsCompared(t *testing.T) {
	_, err := parseWanted("warning BL202 and", 1)
	require.Error(t, err)
	got, err := parseWanted(`warning BL202 "a, b" !"c" and note BL401`, 7)
	require.NoError(t, err)
	require.Equal(t, []wanted{{line: 7, kind: "warning BL202", texts: []string{"a, b"}, others: []string{"c"}},
		{line: 7, kind: "note BL401"}}, got)
}
