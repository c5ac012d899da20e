package opref

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestEveryFunctionHasARow finds an operation that the reference lacks: an entry that users call, or
// an exported function that returns values.
func TestEveryFunctionHasARow(t *testing.T) {
	rows := map[string]bool{}
	for _, f := range ops.Functions() {
		rows[f.Name] = true
	}
	for _, op := range ops.Entries() {
		if op.OutOfPlace == nil && unicode.IsUpper(rune(op.Func[0])) {
			assert.True(t, rows[op.Func],
				"entry %q has no Ref: give it what the reference tells (docs/adding-an-operation.md)", op.Name)
		}
	}
	for _, name := range builders(t) {
		assert.True(t, rows[name], "ops.%s is in no row of the reference: note it with composed (ops/reference.go)",
			name)
	}
}

// notOperations are functions of package ops that return values and are none.
var notOperations = map[string]bool{"Apply": true}

// builders lists the exported functions of package ops whose first result is a value or a list of such.
func builders(t *testing.T) (names []string) {
	files, err := filepath.Glob(filepath.Join("..", "..", "ops", "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || notOperations[fn.Name.Name] || fn.Type.Results == nil {
				continue
			}
			result := fn.Type.Results.List[0].Type
			if list, is := result.(*ast.ArrayType); is {
				result = list.Elt
			}
			if star, is := result.(*ast.StarExpr); is {
				if s, is := star.X.(*ast.SelectorExpr); is && s.Sel.Name == "Node" {
					names = append(names, fn.Name.Name)
				}
			}
		}
	}
	require.NotEmpty(t, names)
	return names
}

// TestRowsAreWhole expects every example to be accepted, and every gradient or the reason for none.
func TestRowsAreWhole(t *testing.T) {
	for _, f := range ops.Functions() {
		t.Run(f.Name, func(t *testing.T) {
			n, err := Shown(f)
			require.NoError(t, err)
			r, err := Of(f)
			require.NoError(t, err)
			assert.NotEmpty(t, r.Doc)
			assert.NotEmpty(t, r.DTypes)
			assert.True(t, strings.HasPrefix(r.Call, f.Name+"("), "the example of %s is the call %s", f.Name, r.Call)
			if f.Op == nil || f.NoGradient != "" || !n.DType().IsFloat() {
				return
			}
			assert.True(t, f.Op.Grad != nil || f.Op.Expand != nil, "%s has no gradient: say why in Ref.NoGradient",
				f.Name)
			assert.NotEqual(t, "", r.Gradient)
		})
	}
}

// TestFlatOperationsSayWhy finds entries whose gradient is nothing although values would have one.
func TestFlatOperationsSayWhy(t *testing.T) {
	for _, f := range ops.Functions() {
		n, err := Shown(f)
		require.NoError(t, err)
		if f.Op == nil || f.Op.Grad == nil || f.NoGradient != "" || !n.DType().IsFloat() || n.Op() != f.Op {
			continue
		}
		floats, flows := 0, 0
		dy := n.Graph().Input("dy", n.DType(), n.Shape()...)
		for i, x := range n.Operands() {
			if x.DType().IsFloat() {
				floats++
				var dx *graph.Node
				n.Graph().At(n, func() { dx = f.Op.Grad(n, dy, i) })
				if dx != nil {
					flows++
				}
			}
		}
		assert.True(t, floats == 0 || flows > 0, "no gradient flows through %s: say why in Ref.NoGradient", f.Name)
	}
}

// TestPage says when the page is stale.
func TestPage(t *testing.T) {
	rows, err := Rows()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	require.NoError(t, err)
	if Page(rows) != string(text) {
		t.Error("docs/operations.md is stale: go generate ./internal/opref writes it")
	}
}

// TestFind expects words anywhere in a row, and the row of that name first.
func TestFind(t *testing.T) {
	rows, err := Rows()
	require.NoError(t, err)
	assert.Equal(t, "Exp", Find(rows, "exp")[0].Name)
	found := Find(rows, "torch.bmm torch.matmul tanh")
	assert.Empty(t, found)
	assert.Empty(t, Find(rows, "torch.foo.bar"), "no part of Barrier")
	assert.Equal(t, "MatMul", Find(rows, "torch.matmul")[0].Name)
	assert.Equal(t, "Outer", Find(rows, "OuterProd")[0].Name)
	assert.Equal(t, "MaskedFill", Find(rows, "torch.Tensor.masked_fill")[0].Name)
}

// TestExamplesRun compiles every example and runs it with small sizes.
func TestExamplesRun(t *testing.T) {
	for _, f := range ops.Functions() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			n, err := Shown(f)
			require.NoError(t, err)
			prog, err := exec.Compile(n.Graph(), exec.Outputs(n), exec.OnWarning(nil))
			require.NoError(t, err)
			require.Empty(t, prog.Warnings(), "an example of what is meant to be written")
			sizes := func(string) (int64, bool) { return 3, true }
			feed := exec.Feed{}
			for _, x := range n.Graph().Inputs() {
				count, shape := 1, make([]int, x.Rank())
				for i, d := range x.Shape() {
					v, err := d.Eval(sizes)
					require.NoError(t, err)
					shape[i] = int(v)
					count *= int(v)
				}
				feed[x] = exec.Array{Shape: shape, Data: values(x.DType(), count, shape)}
			}
			var options []exec.SessionOption
			for _, name := range n.Graph().DimNames() {
				options = append(options, exec.Size(name, 3))
			}
			_, err = prog.NewSession(options...).Run(t.Context(), feed)
			require.NoError(t, err)
		})
	}
}

// values are numbers that every operation takes: zeros and ones for whole numbers, and shares. Square matrices have
// ones on their diagonals, and positive-definite lower triangles.
func values(t graph.DType, count int, shape []int) any {
	numbers := make([]float64, count)
	last := len(shape) - 1
	isSquare := last >= 1 && shape[last] == shape[last-1]
	for i := range numbers {
		switch {
		case !t.IsFloat():
			numbers[i] = float64(i % 2)
		case isSquare && i%shape[last] == i/shape[last]%shape[last]:
			numbers[i] = 1
		default:
			numbers[i] = float64(i%5+1) / 8
		}
	}
	return reference.FromFloats(t, numbers, count).Data
}
