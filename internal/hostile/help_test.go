package hostile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	gostrings "strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// library lists the packages whose names users write.
var library = slices.Concat(packages, []string{"viz/svg"})

// parse reads a package without its tests.
func parse(t *testing.T, pkg string) []*ast.File {
	names, err := filepath.Glob(filepath.Join("..", "..", pkg, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if gostrings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		files = append(files, file)
	}
	require.NotEmpty(t, files, pkg)
	return files
}

// exported lists the exported names of a package, and those of methods and fields, which
// have no package in front in a text.
func exported(t *testing.T, pkg string) (names, functions, members []string) {
	for _, file := range parse(t, pkg) {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv != nil:
					members = append(members, d.Name.Name)
				default:
					names, functions = append(names, d.Name.Name), append(functions, d.Name.Name)
				}
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.TypeSpec:
						names = append(names, n.Name.Name)
					case *ast.ValueSpec:
						for _, name := range n.Names {
							names = append(names, name.Name)
						}
					case *ast.Field:
						for _, name := range n.Names {
							members = append(members, name.Name)
						}
					}
					return true
				})
			}
		}
	}
	return names, functions, members
}

// TestFunctionsAreAll sees to it that the table has every exported function.
func TestFunctionsAreAll(t *testing.T) {
	for _, pkg := range packages {
		_, want, _ := exported(t, pkg)
		var have []string
		for _, f := range functions[pkg] {
			have = append(have, gostrings.TrimPrefix(nameOf(reflect.ValueOf(f)), filepath.Base(pkg)+"."))
		}
		slices.Sort(want)
		slices.Sort(have)
		assert.Equal(t, slices.Compact(want), have, pkg)
	}
}

// mention is a name of the library in a text: ops.Sum, Graph.Scalar, batch.Plus(1); or one of another library, with its
// path.
var mention = regexp.MustCompile(`\b((?:\w+\.)*)(\w+)\.([A-Z]\w*)`)

// TestTextsNameWhatExists reads all texts of the library, and of its commands, and looks up
// each name in them.
func TestTextsNameWhatExists(t *testing.T) {
	known, all := map[string][]string{}, []string(nil)
	for _, pkg := range library {
		names, _, members := exported(t, pkg)
		known[filepath.Base(pkg)] = names
		all = append(all, members...)
	}
	count := 0
	for _, pkg := range slices.Concat(library, []string{"cmd/broadloom"}) {
		for _, file := range parse(t, pkg) {
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
					text, err := strconv.Unquote(literal.Value)
					require.NoError(t, err)
					for _, m := range mention.FindAllStringSubmatch(text, -1) {
						count++
						if root, _, inside := gostrings.Cut(m[1], "."); inside && foreign[root] {
							continue
						}
						if names, isPackage := known[m[2]]; isPackage {
							assert.Contains(t, names, m[3], "%s: %q", pkg, text)
						} else if !foreign[m[2]] {
							assert.Contains(t, all, m[3], "%s: %q", pkg, text)
						}
					}
				}
				return true
			})
		}
	}
	require.Greater(t, count, 20)
}

// foreign are words before a dot that are not the library's.
var foreign = map[string]bool{"torch": true, "torchvision": true, "timm": true, "keras": true, "distributions": true,
	"math": true, "document": true, "Math": true, "tensor": true, "time": true, "Tensor": true, "os": true,
	"bytes": true, "path": true}

// TestOperationsAreFunctions looks up the function by which messages call each operation. Those
// without one have a name in lower case, and messages call them by the function that was called.
func TestOperationsAreFunctions(t *testing.T) {
	_, functions, _ := exported(t, "ops")
	for _, op := range ops.Entries() {
		if op.OutOfPlace == nil && !gostrings.HasPrefix(op.Func, gostrings.ToLower(op.Func[:1])) {
			assert.Contains(t, functions, op.Func, "the operation %q", op.Name)
		}
	}
	g := graph.New("g")
	ops.BatchNormInference(g.Input("x", graph.Float32, 2, 3), g.Input("mean", graph.Float32, 4),
		g.Input("variance", graph.Float32, 3), nil, nil, 1e-5)
	text := g.Err().Error()
	assert.Contains(t, text, "BatchNormInference(x, mean, variance, nil, nil, 1e-05): ")
	assert.NotContains(t, gostrings.ToLower(text), "perchannel")
}
