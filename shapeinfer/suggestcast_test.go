package shapeinfer_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// calls are those of two values, x and y, whose dtypes may not fit.
var calls = map[string]func(g *graph.Graph, x, y *graph.Node){
	"MatMul": func(_ *graph.Graph, x, y *graph.Node) { ops.MatMul(x, y) },
	"Linear": func(_ *graph.Graph, x, y *graph.Node) { ops.Linear(x, y, nil) },
	"Einsum": func(_ *graph.Graph, x, y *graph.Node) { ops.Einsum("ij,jk->ik", x, y) },
	"Conv1D": func(_ *graph.Graph, x, y *graph.Node) {
		ops.Conv1D(ops.Unsqueeze(x, 0), ops.Unsqueeze(y, 2), nil)
	},
	"Add":     func(_ *graph.Graph, x, y *graph.Node) { ops.Add(x, y) },
	"Where":   func(g *graph.Graph, x, y *graph.Node) { ops.Where(g.Input("c", graph.Bool, 4, 4), x, y) },
	"Concat":  func(_ *graph.Graph, x, y *graph.Node) { ops.Concat(0, x, y) },
	"Stack":   func(_ *graph.Graph, x, y *graph.Node) { ops.Stack(0, x, y) },
	"Maximum": func(_ *graph.Graph, x, y *graph.Node) { ops.Maximum(x, y) },
	"ScatterAdd": func(g *graph.Graph, x, y *graph.Node) {
		ops.ScatterAdd(x, 0, g.Input("i", graph.Int64, 4, 4), y)
	},
	"MaskedScatter": func(g *graph.Graph, x, y *graph.Node) { ops.MaskedScatter(x, g.Input("c", graph.Bool, 4, 4), y) },
	"Take":          func(_ *graph.Graph, x, y *graph.Node) { ops.Take(x, 0, y) },
	"Solve":         func(_ *graph.Graph, x, y *graph.Node) { ops.Solve(x, y) },
	"AddInPlace":    func(_ *graph.Graph, x, y *graph.Node) { ops.AddInPlace(ops.Copy(x), y) },
	"CopyInPlace":   func(_ *graph.Graph, x, y *graph.Node) { ops.CopyInPlace(ops.Copy(x), y) },
}

var numbers = []graph.DType{graph.Bool, graph.Uint8, graph.Int8, graph.Int16, graph.Uint16, graph.Int32, graph.Uint32,
	graph.Int64,
	graph.Uint64, graph.Float8E5M2, graph.Float16, graph.BFloat16, graph.Float32, graph.Float64}

var (
	cast  = regexp.MustCompile(`Cast\((?:\w+\()?([xy])(?:, \d)?\)?, graph\.(\w+)\)`)
	tells = regexp.MustCompile(", which (rounds|drops|wraps|keeps)")
)

// A suggested conversion keeps every value, or says what it loses.
func TestSuggestedCastsTellWhatTheyLose(t *testing.T) {
	byName := map[string]graph.DType{}
	for _, d := range numbers {
		byName[d.GoName()] = d
	}
	casts := 0
	for name, call := range calls {
		for _, a := range numbers {
			for _, b := range numbers {
				g := graph.New("g")
				call(g, g.Input("x", a, 4, 4), g.Input("y", b, 4, 4))
				for _, m := range shapeinfer.Check(g).Errors {
					for _, fix := range m.Fixes {
						loses, found := false, cast.FindAllStringSubmatch(fix.Text, -1)
						for _, c := range found {
							loses = loses || !keepsAll(map[string]graph.DType{"x": a, "y": b}[c[1]], byName[c[2]])
						}
						casts += len(found)
						assert.Equal(t, loses, tells.MatchString(fix.Text), "%s of %s and %s: %s", name, a, b, fix.Text)
					}
				}
			}
		}
	}
	require.Greater(t, casts, 1000)
}

// keepsAll says by the numbers themselves whether a dtype has all those of another one.
func keepsAll(from, to graph.DType) bool {
	// The bits of a whole number, and the exponents, that each has.
	type span struct {
		digits, exponent int
		signed, float    bool
	}
	spans := map[graph.DType]span{graph.Bool: {1, 1, false, false}, graph.Uint8: {8, 8, false, false},
		graph.Uint16: {16, 16, false, false},
		graph.Uint32: {32, 32, false, false}, graph.Uint64: {64, 64, false, false}, graph.Int8: {7, 7, true, false},
		graph.Int16: {15, 15, true, false},
		graph.Int32: {31, 31, true, false}, graph.Int64: {63, 63, true, false}, graph.Float8E5M2: {3, 16, true, true},
		graph.Float16:  {11, 16, true, true},
		graph.BFloat16: {8, 128, true, true}, graph.Float32: {24, 128, true, true},
		graph.Float64: {53, 1024, true, true}}
	f, o := spans[from], spans[to]
	return f.digits <= o.digits && f.exponent <= o.exponent && (o.signed || !f.signed) && (o.float || !f.float)
}

// Values of two dtypes meet in the narrowest that has the numbers of both.
func TestSuggestedCasts(t *testing.T) {
	for _, c := range []struct {
		call string
		x, y graph.DType
		want string
	}{
		{"MatMul", graph.Uint8, graph.Int8, "MatMul(Cast(x, graph.Int16), Cast(y, graph.Int16))"},
		{"MatMul", graph.Int8, graph.Int32, "MatMul(Cast(x, graph.Int32), y)"},
		{"MatMul", graph.Int32, graph.Uint32, "MatMul(Cast(x, graph.Int64), Cast(y, graph.Int64))"},
		{"MatMul", graph.Uint64, graph.Int8,
			"MatMul(Cast(x, graph.Int64), Cast(y, graph.Int64)), which wraps around what int64 has no number for"},
		{"MatMul", graph.Float16, graph.BFloat16, "MatMul(Cast(x, graph.Float32), Cast(y, graph.Float32))"},
		{"MatMul", graph.Float32, graph.Int32,
			"MatMul(x, Cast(y, graph.Float32)), which rounds whole numbers beyond ±16777216"},
		{"MatMul", graph.Float16, graph.Uint16, "MatMul(Cast(x, graph.Float32), Cast(y, graph.Float32))"},
		{"Linear", graph.Uint8, graph.Int8, "Linear(Cast(x, graph.Int16), Cast(y, graph.Int16), nil)"},
		{"Where", graph.Int8, graph.Uint16, "Where(c, Cast(x, graph.Int32), Cast(y, graph.Int32))"},
		{"Concat", graph.Uint16, graph.Uint32, "Concat(0, Cast(x, graph.Uint32), y)"},
		{"Take", graph.Uint64, graph.Float32,
			"Take(x, 0, Cast(y, graph.Int64)), which drops fractions, and what is beyond the range of int64"},
		{"Take", graph.Float32, graph.Uint8, "Take(x, 0, Cast(y, graph.Int64))"},
		{"ScatterAdd", graph.Uint8, graph.Int8, "ScatterAdd(Cast(x, graph.Int16), 0, i, Cast(y, graph.Int16))"},
		{"AddInPlace", graph.Int64, graph.Float32,
			"AddInPlace(Copy(x), Cast(y, graph.Int64)), which drops fractions, and what is beyond the range of int64"},
	} {
		g := graph.New("g")
		calls[c.call](g, g.Input("x", c.x, 4, 4), g.Input("y", c.y, 4, 4))
		errors := shapeinfer.Check(g).Errors
		if assert.Len(t, errors, 1, c.want) {
			assert.Contains(t, texts(errors[0].Fixes), c.want)
		}
	}
}

func texts(fixes []graph.Fix) (list []string) {
	for _, f := range fixes {
		list = append(list, f.Text)
	}
	return list
}

// A promotion that is not defined names the dtypes that meet, and not that of a condition.
func TestUndefinedPromotionOfSelection(t *testing.T) {
	g := graph.New("g")
	ops.Where(g.Input("c", graph.Bool, 4), g.Input("x", graph.Int16, 4), g.Input("y", graph.Uint16, 4))
	m := g.Mistakes()[0]
	assert.Contains(t, m.Summary, "attempted to promote Short and UInt16")
	assert.Equal(t, "[convert both: ops.Cast(…, graph.Int32)]", fmt.Sprint(m.Help))
}

// TestMasksAreNoIndices: converted, a mask would name the elements 0 and 1, and nothing would fail.
func TestMasksAreNoIndices(t *testing.T) {
	for name, call := range map[string]func(x, mask *graph.Node) *graph.Node{
		"Take":        func(x, m *graph.Node) *graph.Node { return ops.Take(x, 0, m) },
		"IndexSelect": func(x, m *graph.Node) *graph.Node { return ops.IndexSelect(x, 0, m) },
		"Index":       func(x, m *graph.Node) *graph.Node { return ops.Index(x, m) },
		"IndexPut":    func(x, m *graph.Node) *graph.Node { return ops.IndexPut(x, []*graph.Node{m}, graph.Num(0)) },
		"SegmentSum":  func(x, m *graph.Node) *graph.Node { return ops.SegmentSum(x, 0, m, 2) },
		"Gather":      func(x, m *graph.Node) *graph.Node { return ops.Gather(x, 0, ops.Unsqueeze(m, 1)) },
		"Embedding":   func(x, m *graph.Node) *graph.Node { return ops.Embedding(m, x) },
	} {
		g := graph.New("masks")
		call(g.Param("x", f32, 4, 3), g.Input("m", graph.Bool, 4))
		text := shapeinfer.Check(g).String()
		assert.Contains(t, text, "BL340", name)
		assert.Contains(t, text, "use ops.Compress to select slices", name)
		assert.NotContains(t, text, "Cast(", name)
	}
}
