package ops_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// quantizeCase is a node of ONNX as testdata/quantize.py writes it.
type quantizeCase struct {
	Op         string
	Attributes quantizeAttributes
	In, Out    []*hexArray
}

type quantizeAttributes struct {
	Axis                     *int
	BlockSize                int `json:"block_size"`
	Saturate                 *int
	Bits                     int
	OutputDType              int    `json:"output_dtype"`
	AutoPad                  string `json:"auto_pad"`
	Precision                int
	Strides, Pads, Dilations []int
	Group                    int
}

// hexArray is an array whose bytes are written in hexadecimal digits.
type hexArray struct {
	DType string
	Shape []int
	Hex   string
}

func (a *hexArray) array(t *testing.T) (graph.DType, exec.Array) {
	t.Helper()
	dtype, err := graph.ParseDType(a.DType)
	require.NoError(t, err)
	text, err := hex.DecodeString(a.Hex)
	require.NoError(t, err)
	data := dtype.MakeSlice(len(text) / dtype.Size())
	require.NoError(t, binary.Read(bytes.NewReader(text), binary.LittleEndian, data))
	return dtype, exec.Array{Shape: a.Shape, Data: data}
}

// sameBits requires the elements of a result, of which NaN may have any sign and payload.
func (a *hexArray) sameBits(t *testing.T, r *exec.Results, n node, what string) {
	t.Helper()
	dtype, want := a.array(t)
	require.Equal(t, dtype, n.DType(), what)
	got, err := r.Array(n)
	require.NoError(t, err, what)
	require.Equal(t, append([]int{}, want.Shape...), append([]int{}, got.Shape...), what)
	if dtype.IsFloat() {
		for i := range len(a.Hex) / 2 / dtype.Size() {
			w, _ := graph.NumberAt(want.Data, i)
			if g, _ := graph.NumberAt(got.Data, i); w != w && g != g {
				graph.SetNumberAt(want.Data, i, 0, 0)
				graph.SetNumberAt(got.Data, i, 0, 0)
			}
		}
	}
	require.Equal(t, want.Data, got.Data, what)
}

// TestQuantizedOperations compares with ONNX Runtime and with onnx's own evaluator, to the bit.
func TestQuantizedOperations(t *testing.T) {
	text, err := os.ReadFile("testdata/quantize.json")
	require.NoError(t, err)
	var cases []quantizeCase
	require.NoError(t, json.Unmarshal(text, &cases))
	for number, c := range cases {
		g, feed := graph.New(c.Op), exec.Feed{}
		in := make([]node, len(c.In))
		for i, x := range c.In {
			if x != nil {
				dtype, array := x.array(t)
				in[i] = g.Input(fmt.Sprint("x", i), dtype, sizes(x.Shape)...)
				feed[in[i]] = array
			}
		}
		out := quantizedCalls[c.Op](c.Attributes, in)
		prog, err := exec.Compile(g, exec.Outputs(out...))
		require.NoError(t, err)
		r, err := prog.NewSession().Run(context.Background(), feed)
		require.NoError(t, err)
		for i, want := range c.Out {
			want.sameBits(t, r, out[i], fmt.Sprintf("case %d: %s of %s, result %d", number, c.Op, c.In[0].DType, i))
		}
	}
}

// onnxDTypes are the dtypes by ONNX's numbers; of integers of fewer bits, that which holds them.
var onnxDTypes = map[int]graph.DType{2: graph.Uint8, 3: graph.Int8, 4: graph.Uint16, 5: graph.Int16,
	17: graph.Float8E4M3FN, 19: graph.Float8E5M2,
	21: graph.Uint8, 22: graph.Int8, 25: graph.Uint8, 26: graph.Int8}

var quantizedCalls = map[string]func(a quantizeAttributes, in []node) []node{
	"QuantizeLinear": func(a quantizeAttributes, in []node) []node {
		x, scale, zero := in[0], in[1], in[2:]
		var opts []ops.QuantizeOption
		if a.Saturate != nil && *a.Saturate == 0 {
			opts = append(opts, ops.Unsaturated())
		}
		if a.Bits > 0 {
			opts = append(opts, ops.QuantizedBits(a.Bits))
		}
		if a.OutputDType > 0 {
			opts = append(opts, ops.QuantizedDType(onnxDTypes[a.OutputDType]))
		}
		if a.Precision > 0 {
			x, scale = ops.Cast(x, graph.Float32), ops.Cast(scale, graph.Float32)
		}
		if a.BlockSize > 0 {
			return []node{ops.QuantizeBlocks(x, scale, a.optional(zero), *a.Axis, a.BlockSize, opts...)}
		}
		return []node{ops.Quantize(x, a.along(scale, x), a.along(a.optional(zero), x), opts...)}
	},
	"DequantizeLinear": func(a quantizeAttributes, in []node) []node {
		q, scale, zero := in[0], in[1], a.optional(in[2:])
		if a.BlockSize > 0 {
			return []node{ops.DequantizeBlocks(q, scale, zero, *a.Axis, a.BlockSize)}
		}
		return []node{ops.Dequantize(q, a.along(scale, q), a.along(zero, q))}
	},
	"DynamicQuantizeLinear": func(_ quantizeAttributes, in []node) []node {
		q, scale, zero := ops.DynamicQuantize(in[0])
		return []node{q, scale, zero}
	},
	"ConvInteger": func(a quantizeAttributes, in []node) []node {
		return []node{ops.ConvInteger(in[0], in[1], in[2], a.optional(in[3:]), a.options()...)}
	},
	"QLinearConv": func(a quantizeAttributes, in []node) []node {
		return []node{ops.QLinearConv(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], a.optional(in[8:]),
			a.options()...)}
	},
	"MatMulInteger": func(_ quantizeAttributes, in []node) []node {
		in = append(in, nil, nil)
		return []node{ops.MatMulInteger(in[0], in[1], in[2], in[3])}
	},
	"QLinearMatMul": func(_ quantizeAttributes, in []node) []node {
		return []node{ops.QLinearMatMul(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7])}
	},
}

func (quantizeAttributes) optional(in []node) node {
	if len(in) == 0 {
		return nil
	}
	return in[0]
}

// along gives numbers of an axis the axes behind it.
func (a quantizeAttributes) along(s, x node) node {
	if s == nil || s.Rank() == 0 {
		return s
	}
	axis := 1
	if a.Axis != nil {
		axis = *a.Axis
	}
	behind := x.Rank() - 1 - axis
	if axis < 0 {
		behind = -1 - axis
	}
	return ops.Reshape(s, append(graph.Shape{s.Shape()[0]}, slices.Repeat(graph.Shape{1}, behind)...)...)
}

// options are those of a convolution.
func (a quantizeAttributes) options() []ops.ConvOption {
	opts := []ops.ConvOption{ops.Groups(max(a.Group, 1)), ops.Stride(a.Strides...), ops.Dilation(a.Dilations...)}
	switch a.AutoPad {
	case "SAME_UPPER":
		return append(opts, ops.SamePadding())
	case "SAME_LOWER":
		return append(opts, ops.SamePaddingLower())
	}
	if half := len(a.Pads) / 2; half > 0 {
		opts = append(opts, ops.Padding(a.Pads[:half]...), ops.PaddingBehind(a.Pads[half:]...))
	}
	return opts
}
