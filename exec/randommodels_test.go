package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// TestRandomModels expects the values of the program in which no pass makes anything faster, and the same bits on any
// number of threads, in blocks of any number of rows, and with kernels in the tiles of products.
func TestRandomModels(t *testing.T) {
	count := uint64(30)
	if testing.Short() {
		count = 10
	}
	for seed := range count {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { requireModel(t, seed) })
	}
}

func requireModel(t *testing.T, seed uint64) {
	dt := []graph.DType{graph.Float64, graph.Float64, graph.Float64, graph.Float32, graph.Float16,
		graph.BFloat16}[seed%6]
	build := func(named bool) (*randomModel, []*graph.Node, exec.Feed) {
		g := graph.New("model", graph.WithPolicy(
			graph.Policy{KeptWeights: graph.AllowSilently, MutualExpand: graph.AllowSilently}))
		m := &randomModel{Rand: rand.New(rand.NewPCG(seed, 11)), g: g, dt: dt, depth: 6, trained: seed%4 == 0}
		m.b, m.s = graph.Dim(1+m.IntN(3)), graph.Dim(1+m.IntN(6))
		b := m.b
		if named {
			m.b = g.Dim("b")
		}
		outputs := m.outputs()
		return m, outputs, modelFeed(g, int64(b))
	}
	run := func(m *randomModel, outputs []*graph.Node, feed exec.Feed, threads int, options ...exec.Option) [][]uint64 {
		return results(t, m.g, outputs, feed, threads, append(options, exec.Updates(m.updates...))...)
	}
	m, outputs, feed := build(false)
	fast := run(m, outputs, feed, 1)
	for name, got := range map[string][][]uint64{
		"whole":         run(m, outputs, feed, 1, exec.ChainsOf(0)),
		"tiles":         run(m, outputs, feed, 3, exec.ChainsOf(1+m.IntN(5)), exec.AllTiles()),
		"shared blocks": run(m, outputs, feed, 2, exec.SharedChainsOf(1+m.IntN(5)), exec.AllTiles()),
	} {
		for i := range outputs {
			requireBits(t, fast[i], got[i], fmt.Sprintf("%s: output %d", name, i))
		}
	}
	if dt != graph.Float64 {
		return
	}
	restore := exec.Plain()
	want := run(m, outputs, feed, 1, exec.ChainsOf(0))
	restore()
	forms := map[string][][]uint64{"fast": fast}
	if m, outputs, feed := build(true); !m.draws {
		forms["named"] = run(m, outputs, feed, 2, exec.ChainsOf(1+m.IntN(5)))
	}
	for name, got := range forms {
		for i := range outputs {
			for j := range want[i] {
				v := math.Float64frombits(want[i][j])
				require.InDelta(t, v, math.Float64frombits(got[i][j]), 1e-8*(1+math.Abs(v)),
					"%s: output %d, element %d", name, i, j)
			}
		}
	}
}

// modelFeed makes numbers for inputs, in which b is the only name.
func modelFeed(g *graph.Graph, b int64) exec.Feed {
	r := rand.New(rand.NewPCG(5, 7))
	feed := exec.Feed{}
	for _, n := range g.Inputs() {
		shape := []int{}
		for _, d := range n.Shape() {
			v, err := d.Eval(func(string) (int64, bool) { return b, true })
			if err != nil {
				v = 1 // of a mistake, which the compilation tells
			}
			shape = append(shape, int(v))
		}
		a := exec.Array{Shape: shape, Data: someNumbers(r, n.DType(), shape)}
		if n.DType() == graph.Int64 {
			count := 1
			for _, n := range shape {
				count *= n
			}
			data := make([]int64, count)
			for i := range data {
				data[i] = r.Int64N(2)
			}
			a.Data = data
		}
		feed[n] = a
	}
	return feed
}
