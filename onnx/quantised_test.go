package onnx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// quantisedModel is attention and a linear layer whose weights are integers with scales.
func quantisedModel(t *testing.T, held nn.Option) (*exec.Session, *graph.Node, *graph.Node) {
	g := graph.New("quantised")
	x, p := g.Input("x", graph.Float32, 2, 3, 64), nn.Evaluation(g)
	attention := nn.NewMultiHeadAttention(g, "attention", 64, 4, nn.KeyWidth(32), held)
	key := nn.NewLinear(g, "key", 64, 32, held).Apply(p, x)
	packed := nn.NewMultiHeadAttention(g, "packed", 64, 4, held)
	y := packed.Attend(p, attention.Attend(p, x, key, x), x, x) // rows of one weight
	y = nn.NewLinear(g, "out", 64, 48, held).Apply(p, y)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	return prog.NewSession(exec.Seed(3)), x, y
}

func quantisedInput() exec.Array {
	x := exec.Array{Shape: []int{2, 3, 64}, Data: make([]float32, 2*3*64)}
	for i := range x.Data.([]float32) {
		x.Data.([]float32)[i] = float32(i*37%101)/50 - 1
	}
	return x
}

// From opset 21 on, weights of 8 and 4 bits stay integers: each is read by one DequantizeLinear, and those of 4 bits
// are INT4, or UINT4 if they have minima. ONNX Runtime computes the same numbers, and so does the model that is read
// again, of any opset.
func TestQuantisedWeights(t *testing.T) {
	var models []onnxrt.Model
	var wanted [][]float32
	for _, c := range []struct {
		option nn.Option
		elem   wire.DataType
		held   int // constants: of 4 bits, one for each part of a weight
	}{{nn.Int8Weights(32), wire.Int8, 8}, {nn.Int4Weights(32), wire.Int4, 10}, {nn.Uint8Weights(32), wire.Uint8, 8},
		{nn.Uint4Weights(32), wire.Uint4, 10}} {
		s, x, y := quantisedModel(t, c.option)
		r, err := s.Run(t.Context(), exec.Feed{x: quantisedInput()})
		require.NoError(t, err)
		want, err := exec.Values[float32](r, y)
		require.NoError(t, err)
		for _, opset := range []int{20, 21} {
			data, err := onnx.Encode(x.Graph(), onnx.WithOutputs(y), onnx.WithParams(s), onnx.WithOpset(opset))
			require.NoError(t, err)
			m, err := wire.Decode(data)
			require.NoError(t, err)
			operators, held := map[string]int{}, 0
			for _, n := range m.Graph.Nodes {
				operators[n.Op]++
			}
			for _, i := range m.Graph.Initializers {
				if i.Type == c.elem {
					held++
				}
				isTwice := (c.elem == wire.Int4 || c.elem == wire.Uint4) && opset == 21 && i.Type == wire.Uint8
				require.False(t, isTwice, "%s is there twice", i.Name)
			}
			if opset == 21 {
				require.Equal(t, 10, operators["DequantizeLinear"], "%v", operators)
				require.Equal(t, c.held, held)
				require.Zero(t, operators["BitwiseAnd"])
			}

			model, err := onnx.Parse(data)
			require.NoError(t, err)
			built, err := model.Build()
			require.NoError(t, err)
			prog, err := exec.Compile(built.Graph, exec.Outputs(built.Outputs()...))
			require.NoError(t, err)
			again := prog.NewSession()
			require.NoError(t, built.Load(again))
			r, err := again.Run(t.Context(), exec.Feed{built.Input("x"): quantisedInput()})
			require.NoError(t, err)
			got, err := exec.Values[float32](r, built.Outputs()[0])
			require.NoError(t, err)
			require.InDeltaSlice(t, want, got, 1e-5)

			in := quantisedInput()
			models, wanted = append(models, onnxrt.Model{Name: "quantised", Data: data, Runs: []onnxrt.Run{{"x": {
				Value: reference.Value{DType: graph.Float32, Shape: in.Shape, Data: in.Data}}}}}), append(wanted, want)
		}
	}
	for i, o := range onnxrt.Do(t, models) {
		require.Empty(t, o.Error)
		require.InDeltaSlice(t, wanted[i], o.Results[0][o.Order[0]].Data, 1e-5)
	}
}
