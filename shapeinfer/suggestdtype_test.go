package shapeinfer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// report returns the text of the report on a program that has one error.
func report(t *testing.T, build func(g *graph.Graph)) string {
	t.Helper()
	g := graph.New("g")
	build(g)
	r := shapeinfer.Check(g)
	require.Len(t, r.Errors, 1, "%s", r)
	return r.String()
}

// A message about dtypes shows those of all operands, and a conversion that can be written where the user called.
func TestDTypesAreShownWithAConversion(t *testing.T) {
	for _, c := range []struct {
		build func(g *graph.Graph)
		shows []string // words of a line of the table each
		help  string
	}{
		{func(g *graph.Graph) {
			nn.NewLinear(g, "fc", 3, 4).Apply(nn.Training(g), g.Input("x", graph.Float64, 2, 3))
		}, []string{"x float64", "fc.weight float32"}, "Cast(x, graph.Float32))"},
		{func(g *graph.Graph) {
			nn.NewLinear(g, "fc", 3, 4).Apply(nn.Training(g), g.Input("x", graph.Float64, 2, 3))
		}, nil, "the option nn.DType(graph.Float64)"},
		{func(g *graph.Graph) {
			ops.Dropout(g.Input("x", graph.Uint8, 3), 0.5, g.Input("seed", graph.Int64))
		}, []string{"x uint8", "seed int64"}, "Dropout(Cast(x, graph.Float32), 0.5, seed)"},
		{func(g *graph.Graph) {
			ops.MaskedFill(g.Input("x", graph.Float32, 3), g.Input("mask", graph.Int64, 3), graph.Num(0))
		}, []string{"mask int64"}, "MaskedFill(x, Cast(mask, graph.Bool), 0)"},
		{func(g *graph.Graph) { ops.OneHot(g.Input("y", graph.Float32, 3), 10, graph.Float32) },
			[]string{"y float32"}, "OneHot(Cast(y, graph.Int64), 10, graph.Float32), which drops fractions"},
		{func(g *graph.Graph) {
			q, k := g.Input("q", graph.Float32, 2, 3, 4), g.Input("k", graph.Float64, 2, 3, 4)
			ops.ScaledDotProductAttention(q, k, k)
		}, []string{"q float32", "k float64"}, "ScaledDotProductAttention(Cast(q, graph.Float64), k, k)"},
		{func(g *graph.Graph) { ops.QR(g.Input("a", graph.Int32, 3, 3)) }, []string{"a int32"},
			"QR(Cast(a, graph.Float32))"},
		{func(g *graph.Graph) {
			ops.Where(g.Input("c", graph.Float32, 3), g.Input("x", graph.Float32, 3), graph.Num(0))
		}, []string{"c float32"}, "Where(Cast(c, graph.Bool), x, 0)"},
		{func(g *graph.Graph) {
			x, u := g.Input("x", graph.Float32, 9, 4), g.Input("u", graph.Int64, 1, 4)
			ops.DynamicUpdateSlice(x, u, g.Input("i", graph.Int64), graph.Num(0))
		}, []string{"x float32", "u int64"}, "DynamicUpdateSlice(x, Cast(u, graph.Float32), i, 0)"},
		{func(g *graph.Graph) {
			labels := ops.OneHot(g.Input("y", graph.Int64, 2), 5, graph.Int64)
			ops.CrossEntropy(g.Input("x", graph.Float32, 2, 5), labels)
		}, []string{"x float32", "labels int64"}, "CrossEntropy(x, Cast(labels, graph.Float32))"},
	} {
		text := report(t, c.build)
		lines := strings.Split(text, "\n")
		for _, words := range c.shows {
			assert.True(t, anyLine(lines, strings.Fields(words)), "%s: in\n%s", words, text)
		}
		help := append([]string{"help:"}, strings.Fields(c.help)...)
		assert.True(t, anyLine(lines, help), "%s: in\n%s", c.help, text)
	}
}

// anyLine reports whether a line has all words.
func anyLine(lines []string, words []string) bool {
	for _, l := range lines {
		has := true
		for _, w := range words {
			has = has && strings.Contains(l, w)
		}
		if has {
			return true
		}
	}
	return false
}

// An operand of the wrong dtype is one mistake, also where several parts of the call read it; the conversion cures all.
func TestAWrongDTypeIsOneMistakePerCall(t *testing.T) {
	for help, build := range map[string]func(g *graph.Graph){
		"Huber(Cast(x, graph.Float32), y, 1)": func(g *graph.Graph) {
			ops.Huber(g.Input("x", graph.Bool, 3), g.Input("y", graph.Int64, 3), 1)
		},
		"InstanceNorm(Cast(x, graph.Float32), w, w, 1e-05)": func(g *graph.Graph) {
			w := g.Param("w", graph.Float32, 3)
			ops.InstanceNorm(g.Input("x", graph.Int64, 2, 3, 4), w, w, 1e-5)
		},
		"MultiDot(x, Cast(y, graph.Float32), z)": func(g *graph.Graph) {
			x, z := g.Input("x", graph.Float32, 2, 3), g.Input("z", graph.Float32, 4)
			ops.MultiDot(x, g.Input("y", graph.Float64, 3, 4), z)
		},
	} {
		assert.Contains(t, report(t, build), help)
		g := graph.New("g")
		build(g)
		assert.Len(t, g.Mistakes(), 1, help)
	}
}

// A number of Go's float64 makes indices floating-point: the message says so.
func TestAFloatOfGoAmongIndices(t *testing.T) {
	text := report(t, func(g *graph.Graph) {
		row := ops.FloorDiv(g.Input("at", graph.Int64, 3), graph.Num(7.0))
		ops.Take(g.Input("t", graph.Float32, 9, 4), 0, row)
	})
	assert.Contains(t, text, "write the number in row as an int, graph.Num(7)")
	text = report(t, func(g *graph.Graph) {
		half := ops.Div(g.Input("at", graph.Int64, 3), graph.Num(2.0)) // a quotient, which is no integer
		ops.Take(g.Input("t", graph.Float32, 9, 4), 0, half)
	})
	assert.NotContains(t, text, "as an int")
}
