package opref

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
)

// The rows are derived once for all tests that look things up.
var (
	layerRows = sync.OnceValues(LayerRows)
	allRows   = sync.OnceValues(All)
)

// TestLayersRun compiles every example of a layer, an initialiser, an optimiser or a schedule, and runs it.
func TestLayersRun(t *testing.T) {
	texts, err := calls()
	require.NoError(t, err)
	for name, table := range parts {
		for i, p := range table {
			t.Run(texts[name][i], func(t *testing.T) {
				t.Parallel()
				b, err := p.build()
				require.NoError(t, err)
				outputs := b.results
				if len(outputs) == 0 {
					outputs = b.updates[:1]
				}
				prog, err := exec.Compile(b.g, exec.Outputs(outputs...), exec.Updates(b.updates...),
					exec.OnWarning(nil))
				require.NoError(t, err)
				var options []exec.SessionOption
				for _, name := range b.g.DimNames() {
					options = append(options, exec.Size(name, 4))
				}
				feed := exec.Feed{}
				for _, x := range b.g.Inputs() {
					count, shape := 1, make([]int, x.Rank())
					for i, d := range x.Shape() {
						v, err := d.Eval(func(string) (int64, bool) { return 4, true })
						require.NoError(t, err)
						shape[i] = int(v)
						count *= int(v)
					}
					feed[x] = exec.Array{Shape: shape, Data: values(x.DType(), count, shape)}
				}
				_, err = prog.NewSession(options...).Run(t.Context(), feed)
				require.NoError(t, err)
			})
		}
	}
}

// made are the types whose makers have rows, with the packages that they are made in.
var made = regexp.MustCompile(
	`^(\*?(BatchNorm|Bilinear|Conv|Embedding|EmbeddingBag|Linear|MultiHeadAttention|Norm|PRelu|Positions|Recurrent|RecurrentCell|ConvLSTMCell|AdaptiveLogSoftmax|EncoderDecoder|Transformer\w*|Plateau)|Layer|Optimizer|Schedule|Averages|graph\.Initializer)$`)

// TestEveryLayerHasARow finds a layer, an initialiser, an optimiser or a schedule that the reference lacks.
func TestEveryLayerHasARow(t *testing.T) {
	rows, err := layerRows()
	require.NoError(t, err)
	has := map[string]bool{}
	for _, r := range rows {
		has[r.Name] = true
		assert.NotEmpty(t, r.Doc, r.Name)
	}
	for _, folder := range []string{"nn", "optim"} {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				fn, is := d.(*ast.FuncDecl)
				if is && fn.Recv == nil && fn.Name.IsExported() && fn.Type.Results != nil &&
					made.MatchString(typeText(fn.Type.Results.List[0].Type)) {
					assert.True(t, has[folder+"."+fn.Name.Name],
						"%s.%s has no row: add one to the tables of this package", folder, fn.Name.Name)
				}
			}
		}
	}
}

// typeText writes a plain type.
func typeText(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return "*" + typeText(x.X)
	case *ast.SelectorExpr:
		return typeText(x.X) + "." + x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// TestLayerPage says when the page is stale.
func TestLayerPage(t *testing.T) {
	rows, err := layerRows()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "layers.md"))
	require.NoError(t, err)
	if LayerPage(rows) != string(text) {
		t.Error("docs/layers.md is stale: go generate ./internal/opref writes it")
	}
}
