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
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
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
				runParts(t, b.g, outputs, b.updates)
			})
		}
	}
}

// runParts compiles what examples have built, and runs it with sizes of 4.
func runParts(t *testing.T, g *graph.Graph, outputs, updates []*graph.Node) {
	prog, err := exec.Compile(g, exec.Outputs(outputs...), exec.Updates(updates...), exec.OnWarning(nil))
	require.NoError(t, err)
	var options []exec.SessionOption
	for _, name := range g.DimNames() {
		options = append(options, exec.Size(name, 4))
	}
	feed := exec.Feed{}
	for _, x := range g.Inputs() {
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
}

// TestLayersWithinAutocast trains the layers in mixed precision, on values of Float32 and of BFloat16.
func TestLayersWithinAutocast(t *testing.T) {
	texts, err := calls()
	require.NoError(t, err)
	for name, table := range parts {
		for i, p := range table {
			show, is := p.show.(showing)
			if !is {
				continue
			}
			for _, of := range []graph.DType{graph.Float32, graph.BFloat16} {
				t.Run(texts[name][i]+" "+of.String(), func(t *testing.T) {
					t.Parallel()
					g := graph.New("autocast")
					pass, in := nn.Training(g), p.operands(&graph.Example{Graph: g, DType: graph.Float32})
					for k, x := range in {
						if x != nil && x.DType().IsFloat() {
							in[k] = ops.Cast(x, of)
						}
					}
					var y *graph.Node
					g.Autocast(graph.BFloat16, func() { y = show(g, pass, in[0], in[1], in[2]) })
					require.NoError(t, g.Err())
					updates := pass.Updates()
					if loss := ops.Sum(ops.Cast(y, graph.Float32)); len(optim.Trainable(g)) > 0 {
						updates = append(optim.SGD(0.1).Minimize(loss), updates...)
					}
					require.NoError(t, g.Err())
					runParts(t, g, []*graph.Node{y}, updates)
				})
			}
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
