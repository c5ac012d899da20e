package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What an operation is called says nothing about it: a user may call one of their own "mul".
// So only functions that write text read names, and none of them decides by one. Nor does
// a pass ask whether fixed arguments are those of an entry.

// namers are the functions outside of package graph that read the Name of an operation.
var namers = map[string]string{
	"autodiff.(*reversePass).endless":           "a message",
	"autodiff.(*reversePass).ask":               "a message",
	"autodiff.(*reversePass).expand":            "a message",
	"autodiff.(*reversePass).refuseRule":        "a message",
	"exec/internal/fusion.(*Group).String":      "the text of a kernel",
	"exec.operations":                           "a line of a profile",
	"exec.(*Profile).kernelsTold":               "a trace",
	"exec/internal/lower.(*Program).lowerGroup": "a message",
	"internal/page.NewColumn":                   "a page",
	"internal/difftest.(*checker).refused":      "the text of a finding",
	"ops.newInPlace":                            "names the writing twin",
	"ops.reduction":                             "the word of messages",
	"viz.(*graphModel).value":                   "a picture",
}

// finders are the functions that look an operation up by the name that their caller gives.
var finders = map[string]string{
	"ops.Lookup":  "finds an entry by its name",
	"ops.Entries": "sorts entries by name",
}

// deciders are the packages whose functions compare texts.
var deciders = []string{"strings", "slices", "maps", "regexp", "bytes", "cmp", "path"}

// reading is a place where a field of an operation that is text is read.
type reading struct {
	at       token.Position
	function string // as in namers
	field    string
	decides  bool // something depends on the text
}

// readings finds where a package reads the text of operations.
func readings(path string, fset *token.FileSet, files []*ast.File, info *types.Info) (list []reading) {
	for _, file := range files {
		function, stack := "", []ast.Node{}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			switch n := n.(type) {
			case *ast.FuncDecl:
				function = path + "." + nameOf(n)
			case *ast.GenDecl:
				if len(stack) == 2 {
					function = path
				}
			case *ast.SelectorExpr:
				if field := textOfOperation(info, n); field != "" {
					list = append(list, reading{fset.Position(n.Sel.Pos()), function, field, decides(info, stack)})
				}
				if path != "ops" && isKnownAttrs(info, n, stack[len(stack)-2]) {
					list = append(list, reading{fset.Position(n.Sel.Pos()), function, "Attrs", true})
				}
			}
			return true
		})
	}
	return list
}

// nameOf returns a function's name with its receiver.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return fmt.Sprintf("(%s).%s", types.ExprString(f.Recv.List[0].Type), f.Name.Name)
}

// textOfOperation returns the field that a selector reads of a graph.Op, if it is text.
func textOfOperation(info *types.Info, s *ast.SelectorExpr) string {
	selected := info.Selections[s]
	if selected == nil || selected.Kind() != types.FieldVal {
		return ""
	}
	t := selected.Recv()
	if p, is := types.Unalias(t).(*types.Pointer); is {
		t = p.Elem()
	}
	named, is := types.Unalias(t).(*types.Named)
	if !is || named.Obj().Name() != "Op" || named.Obj().Pkg().Path() != module+"/graph" {
		return ""
	}
	if basic, is := selected.Type().(*types.Basic); !is || basic.Kind() != types.String {
		return ""
	}
	return s.Sel.Name
}

// isKnownAttrs reports whether a selector is the type of an entry's fixed arguments, in the
// question whether some arguments are of it.
func isKnownAttrs(info *types.Info, s *ast.SelectorExpr, around ast.Node) bool {
	of, is := info.Uses[s.Sel].(*types.TypeName)
	if !is || of.Pkg().Path() != module+"/ops" || !strings.HasSuffix(of.Name(), "Attrs") {
		return false
	}
	switch around.(type) {
	case *ast.TypeAssertExpr, *ast.CaseClause:
		return true
	}
	return false
}

// decides reports whether the last node of a stack is compared with something, switched on,
// looked up in a map, or handed to a function that compares texts.
func decides(info *types.Info, stack []ast.Node) bool {
	for i := len(stack) - 1; i > 0; i-- {
		inner, outer := stack[i], stack[i-1]
		switch o := outer.(type) {
		case *ast.BinaryExpr:
			if o.Op != token.ADD {
				return true
			}
		case *ast.SwitchStmt, *ast.CaseClause:
			return true
		case *ast.IndexExpr:
			return o.Index == inner
		case *ast.CallExpr:
			s, is := ast.Unparen(o.Fun).(*ast.SelectorExpr)
			if !is {
				return false
			}
			called := info.Uses[s.Sel]
			return called != nil && called.Pkg() != nil && slices.Contains(deciders, called.Pkg().Path())
		case ast.Stmt, *ast.CompositeLit, *ast.FuncLit:
			return false
		}
	}
	return false
}

// bad returns what is wrong with a reading, or nothing.
func (r reading) bad() string {
	switch {
	case finders[r.function] != "":
		return ""
	case r.decides:
		return fmt.Sprintf(
			"%s: %s decides by an operation's %s: ask for a fact that the operation states (see graph.Op)", r.at,
			r.function, r.field)
	case r.field == "Name" && namers[r.function] == "":
		return fmt.Sprintf("%s: %s reads an operation's Name: where it is for a text, add the function to namers", r.at,
			r.function)
	}
	return ""
}

// exports returns the file of compiled declarations of every package that the module needs.
func exports(t *testing.T) map[string]string {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-export", "-deps", "-json=ImportPath,Export", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	require.NoError(t, err)
	files := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		files[p.ImportPath] = p.Export
	}
}

// checker type-checks packages of the module.
type checker struct {
	fset *token.FileSet
	imp  types.Importer
}

func newChecker(t *testing.T) checker {
	files, fset := exports(t), token.NewFileSet()
	return checker{fset, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})}
}

func (c checker) readings(t *testing.T, path string, files []*ast.File) []reading {
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Uses: map[*ast.Ident]types.Object{}}
	_, err := (&types.Config{Importer: c.imp}).Check(module+"/"+path, c.fset, files, info)
	require.NoError(t, err)
	return readings(path, c.fset, files, info)
}

func TestNamesOfOperations(t *testing.T) {
	c := newChecker(t)
	t.Run("nothing decides by them", func(t *testing.T) { nothingDecides(t, c) })
	t.Run("deciding is seen", func(t *testing.T) { decidingIsSeen(t, c) })
}

func nothingDecides(t *testing.T, c checker) {
	used := map[string]bool{}
	for path, p := range packages(t) {
		if path == "graph" || !slices.Contains(p.Imports, module+"/graph") {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, f)
		}
		for _, r := range c.readings(t, path, files) {
			assert.Empty(t, r.bad())
			used[r.function] = true
		}
	}
	for _, list := range []map[string]string{namers, finders} {
		for function := range list {
			assert.True(t, used[function], "%s reads no operation's name any more: take it off the list", function)
		}
	}
}

// The rule sees each way to decide by a name, and lets texts be written.
func decidingIsSeen(t *testing.T, c checker) {
	for body, wrong := range map[string]bool{
		`_ = n.Op().Name == "mul"`:                                   true,
		`_ = "mul" != n.Op().Name`:                                   true,
		`op := n.Op(); _ = op.Name+"_" < "x"`:                        true,
		`switch n.Op().Name { case "mul": }`:                         true,
		`switch { case n.Op().Func == "Mul": }`:                      true,
		`switch s { case n.Op().Name: }`:                             true,
		`_ = map[string]int{}[n.Op().Name]`:                          true,
		`_ = strings.HasPrefix(n.Op().Name, "m")`:                    true,
		`_ = slices.Contains([]string{"mul"}, (n.Op().Name))`:        true,
		`_ = slices.Contains([]*graph.Op{}, n.Op())`:                 false,
		`_ = n.Attrs().(ops.PadAttrs)`:                               true,
		`switch n.Attrs().(type) { case ops.PadAttrs: }`:             true,
		`_ = ops.PadAttrs{}`:                                         false,
		`name := n.Op().Name; _ = name == "mul"`:                     true, // a name is read where no text is written
		`_ = n.Op() == ops.Lookup("mul")`:                            false,
		`_ = fmt.Sprintf("%s is wrong", n.Op().Func)`:                false,
		`_ = "the gradient of " + n.Op().Func`:                       false,
		`_ = n.Name() == "mul" && n.Op().Class == graph.Elementwise`: false,
	} {
		src := "package p\nimport (\"fmt\"; \"slices\"; \"strings\"; \"" + module + "/graph\"; \"" + module +
			"/ops\")\n" +
			"var _, _, _, _ = fmt.Sprint, slices.Max[[]int], strings.Cut, ops.Add\nfunc f(n *graph.Node, s string) {\n" +
			body + "\n}\n"
		f, err := parser.ParseFile(c.fset, "p.go", src, parser.SkipObjectResolution)
		require.NoError(t, err, body)
		var told []string
		for _, r := range c.readings(t, "p", []*ast.File{f}) {
			if r.bad() != "" {
				told = append(told, r.bad())
			}
		}
		assert.Equal(t, wrong, len(told) > 0, "%s: %v", body, told)
	}
}
