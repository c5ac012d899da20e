package difftest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compiled returns what imports packages of which the go command has compiled a list and all that they need.
func compiled(t *testing.T, fset *token.FileSet, packages ...string) types.Importer {
	args := append([]string{"list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)
	list := exec.Command("go", args...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// TestSourcesCompile checks the types of programs as they are written: of many, and of one that is made small.
func TestSourcesCompile(t *testing.T) {
	count := uint64(300)
	if testing.Short() {
		count = 100
	}
	const module = "github.com/broadloom/broadloom/"
	fset := token.NewFileSet()
	config := types.Config{
		Importer: compiled(t, fset, "context", "fmt", "math", module+"autodiff", module+"exec", module+"graph",
			module+"half", module+"ops", module+"optim")}
	compile := func(source string) error {
		file, err := parser.ParseFile(fset, "main.go", source, 0)
		if err == nil {
			_, err = config.Check("main", fset, []*ast.File{file}, nil)
		}
		return err
	}
	for seed := range count {
		p := Generate(seed)
		require.NoError(t, compile(Source(p, int(seed)%len(p.Bindings))), "program %d", seed)
	}
	require.Error(t, compile("package main\n\nfunc main() { x := 1 }\n"), "nothing is checked")
}
