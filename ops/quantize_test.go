package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// quantizeCase is a call as testdata/quantize.py writes it.
type quantizeCase struct {
	Op      string
	In, Out []struct {
		DType string
		Shape []int
		Data  []float64
	}
}

// TestQuantizedOperations compares with ONNX Runtime, to the bit.
func TestQuantizedOperations(t *testing.T) {
	text, err := os.ReadFile("testdata/quantize.json")
	require.NoError(t, err)
	var cases []quantizeCase
	require.NoError(t, json.Unmarshal(text, &cases))
	for _, c := range cases {
		g, feed := graph.New(c.Op), exec.Feed{}
		in := make([]node, len(c.In))
		for i, x := range c.In {
			dtype, err := graph.ParseDType(x.DType)
			require.NoError(t, err)
			shape := make([]graph.Dim, len(x.Shape))
			for k, n := range x.Shape {
				shape[k] = graph.Dim(n)
			}
			in[i] = g.Input(fmt.Sprint("x", i), dtype, shape...)
			feed[in[i]] = exec.Array{Shape: x.Shape, Data: elementsOf(dtype, x.Data)}
		}
		out := quantizedCall(c.Op, in)
		prog, err := exec.Compile(g, exec.Outputs(out...))
		require.NoError(t, err)
		r, err := prog.NewSession().Run(context.Background(), feed)
		require.NoError(t, err)
		for i, want := range c.Out {
			require.Equal(t, want.DType, out[i].DType().String())
			got, err := r.Array(out[i])
			require.NoError(t, err)
			require.Equal(t, elementsOf(out[i].DType(), want.Data), got.Data, "%s of %s, result %d", c.Op, c.In[0].DType, i)
		}
	}
}

func quantizedCall(op string, in []node) []node {
	window := []ops.ConvOption{ops.Stride(2, 1), ops.Padding(1, 2), ops.Dilation(1, 2), ops.Groups(2)}
	switch op {
	case "QuantizeLinear":
		return []node{ops.Quantize(in[0], in[1], in[2])}
	case "DequantizeLinear":
		return []node{ops.Dequantize(in[0], in[1], in[2])}
	case "DynamicQuantizeLinear":
		q, scale, zero := ops.DynamicQuantize(in[0])
		return []node{q, scale, zero}
	case "ConvInteger":
		return []node{ops.ConvInteger(in[0], in[1], in[2], in[3], window...)}
	case "QLinearConv":
		return []node{ops.QLinearConv(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], window...)}
	case "MatMulInteger":
		return []node{ops.MatMulInteger(in[0], in[1], in[2], in[3])}
	}
	return []node{ops.QLinearMatMul(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7])}
}

// elementsOf makes a slice of a dtype.
func elementsOf(t graph.DType, values []float64) any {
	data := t.MakeSlice(len(values))
	for i, v := range values {
		graph.SetNumberAt(data, i, v, int64(v))
	}
	return data
}
