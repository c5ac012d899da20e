package onnx

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// doubling is a loop that appends the double of the last element, times a weight that only its body has, until it is 10
// or more, and returns the tenth of each. limit are further nodes, whose last result is the condition.
func doubling(limit []*wire.Node, steps string, carried ...string) *wire.Graph {
	along := []*wire.Attribute{wholeAttribute("axis", 0)}
	body := &wire.Graph{
		Inputs: []*wire.ValueInfo{
			tensorOf("i", wire.Int64),
			tensorOf("on", wire.Bool),
			tensorOf("list", wire.Float, "n"),
		},
		Outputs: []*wire.ValueInfo{tensorOf("more", wire.Bool), tensorOf("longer", wire.Float, "n"),
			tensorOf("tenth", wire.Float, 1)},
		Initializers: []*wire.Tensor{weight("two", []float32{2}, 1), weight("tens", []float32{0.1}, 1),
			weight("ten", []float32{10}, 1), integers("last", -1), integers("one", 1), integers("four", 4)},
		Nodes: append(
			[]*wire.Node{{Op: "Gather", Inputs: []string{"list", "last"}, Outputs: []string{"end"}, Attributes: along},
				op("Mul", []string{"end", "two"}, "next"), op("Mul", []string{"next", "tens"}, "tenth"),
				{Op: "Concat", Inputs: []string{"list", "next"}, Outputs: []string{"longer"}, Attributes: along},
				op("Less", []string{"next", "ten"}, "isLow")},
			limit...)}
	for _, name := range carried {
		body.Inputs = append(body.Inputs, tensorOf(name, wire.Int64, 1))
		body.Outputs = append(body.Outputs[:2:2], append([]*wire.ValueInfo{tensorOf(name+"2", wire.Int64, 1)},
			body.Outputs[2:]...)...)
	}
	outputs := []string{"all"}
	for _, name := range carried {
		outputs = append(outputs, name+"3")
	}
	return &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, 1)},
		Outputs:      []*wire.ValueInfo{tensorOf("all", wire.Float, "n"), tensorOf("tenths", wire.Float, "steps", 1)},
		Initializers: []*wire.Tensor{integers("most", 5), integers("zero", 0)},
		Nodes: []*wire.Node{
			{Op: "Loop", Name: "/net/Loop", Inputs: append([]string{steps, "", "x"}, make([]string, len(carried))...),
				Outputs: append(
					outputs,
					"tenths",
				), Attributes: []*wire.Attribute{{Name: "body", Type: wire.AttributeGraph, Graph: body}}},
		}}
}

// TestGrowingLoop computes loops whose values grow until a value ends them, or they have taken all steps.
func TestGrowingLoop(t *testing.T) {
	ownCounter := doubling(
		[]*wire.Node{op("Add", []string{"k", "one"}, "k2"), op("Less", []string{"k2", "four"}, "isEarly"),
			op("And", []string{"isEarly", "isLow"}, "more")},
		"",
		"k",
	)
	ownCounter.Nodes[0].Inputs[3] = "zero"
	for name, c := range map[string]struct {
		graph *wire.Graph
		most  int
	}{
		"steps that are given":       {doubling([]*wire.Node{op("Identity", []string{"isLow"}, "more")}, "most"), 5},
		"steps that the body counts": {ownCounter, 4},
	} {
		t.Run(name, func(t *testing.T) {
			b := built(t, file(t, c.graph))
			prog, err := exec.Compile(b.Graph, exec.Outputs(withCounts(b)...), exec.WarningsAreErrors())
			require.NoError(t, err)
			s := prog.NewSession()
			require.NoError(t, b.Load(s))
			for _, x := range []float32{1, 3, 0.01, 100} {
				all, tenths := []float32{x}, []float32{}
				for v := x; len(tenths) < c.most; {
					v *= 2
					all, tenths = append(all, v), append(tenths, v*0.1)
					if v >= 10 {
						break
					}
				}
				got, err := s.Run(context.Background(), exec.Feed{b.Input("x"): []float32{x}})
				require.NoError(t, err)
				for i, want := range [][]float32{all, tenths} {
					a, err := counted(b, i, got)
					require.NoError(t, err)
					require.InDeltaSlice(t, want, a.Data, 1e-5, "%v: %v", x, a.Data)
				}
			}
		})
	}

	endless := doubling([]*wire.Node{op("Identity", []string{"isLow"}, "more")}, "")
	require.Contains(t, refused(t, file(t, endless)),
		`Loop "/net/Loop": its values grow in each step, and how many steps it takes at most is not known`)
}
