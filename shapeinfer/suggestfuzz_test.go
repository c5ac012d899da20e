package shapeinfer_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// changedOperand finds in a suggestion which operand it changes.
var changedOperand = regexp.MustCompile(`(?:declare |(?:Transpose|Unsqueeze|Squeeze|Reshape)\()(x|y)\b`)

// FuzzSuggestions makes two operands of random shapes meet. What a suggestion says must
// hold: with the operand changed as it says, the program is right.
func FuzzSuggestions(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	operations := []func(x, y *graph.Node) *graph.Node{ops.Add, ops.MatMul,
		func(x, y *graph.Node) *graph.Node { return ops.Concat(0, x, y) }}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 3))
		sizes := []graph.Dim{1, 2, 3, 4, 6, graph.SymbolicDim("n"), graph.SymbolicDim("m")}
		random := func() graph.Shape {
			s := make(graph.Shape, rng.IntN(4))
			for i := range s {
				s[i] = sizes[rng.IntN(len(sizes))]
			}
			return s
		}
		shapes := map[string]graph.Shape{"x": random(), "y": random()}
		op := operations[rng.IntN(len(operations))]
		declareY := (*graph.Graph).Input
		if shapes["y"].IsStatic() {
			declareY = (*graph.Graph).Param
		}
		build := func() *shapeinfer.Report {
			g := graph.New("g")
			g.Dim("n")
			g.Dim("m")
			op(g.Input("x", f32, shapes["x"]...), declareY(g, "y", f32, shapes["y"]...))
			return shapeinfer.Check(g)
		}
		wrong := build()
		for _, m := range append(wrong.Errors, wrong.Warnings...) {
			for _, fix := range m.Fixes {
				operand := changedOperand.FindStringSubmatch(fix.Text)
				if fix.Gives == nil || operand == nil || fix.Kind == graph.FixArguments {
					continue
				}
				old := shapes[operand[1]]
				shapes[operand[1]] = fix.Gives
				right := build()
				require.Empty(t, append(right.Errors, right.Warnings...), "%s\ncured by %s", wrong, fix.Text)
				require.Empty(t, right.Requirements)
				shapes[operand[1]] = old
			}
		}
	})
}
