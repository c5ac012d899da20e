package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// BenchmarkCheck checks a graph of 1000 values, that was just built and once more: without a promise,
// and with one for each, by sizes, by a form, and by the contracts of 500 functions.
func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct {
		name    string
		promise func(g *graph.Graph, i int, x *graph.Node)
	}{
		{"none", func(*graph.Graph, int, *graph.Node) {}},
		{"sizes", func(g *graph.Graph, _ int, x *graph.Node) {
			ops.Expect(x, graph.SymbolicDim("batch"), graph.SymbolicDim("seq"), graph.SymbolicDim("d"))
		}},
		{"forms", func(_ *graph.Graph, _ int, x *graph.Node) { contract.Expect(x, "batch seq d") }},
		{"contracts", func(g *graph.Graph, i int, x *graph.Node) {
			if i%2 == 0 {
				c := contract.New(g, "F").Let("h", 8)
				c.Takes("x", x, "b t h*dh")
				c.Gives(x, "b t d")
			}
		}},
	} {
		build := func() *graph.Graph {
			g := graph.New("speed")
			x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), g.Dim("d", graph.MultipleOf(8)))
			for i := range 1000 {
				x = ops.Tanh(x)
				c.promise(g, i, x)
			}
			return g
		}
		require.NoError(b, shapeinfer.Check(build()).Err(), fmt.Sprint(c.name))
		b.Run(c.name+" for the first time", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				g := build()
				b.StartTimer()
				shapeinfer.Check(g)
			}
		})
		b.Run(c.name+" again", func(b *testing.B) {
			g := build()
			for b.Loop() {
				shapeinfer.Check(g)
			}
		})
	}
}
