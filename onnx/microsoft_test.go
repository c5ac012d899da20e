package onnx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// ofRuntime is a call of an operator that is ONNX Runtime's own, or of classical learning.
type ofRuntime struct {
	op, domain string
	attributes []*wire.Attribute
	in         []reference.Value
	outputs    int
	within     tolerance
}

func number(name string, v int) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeInt, Int: int64(v)}
}

func real(name string, v float32) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeFloat, Float: v}
}

func word(name, v string) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeString, String: []byte(v)}
}

func reals(name string, v ...float32) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeFloats, Floats: v}
}

func wholes(name string, v ...int64) *wire.Attribute {
	return &wire.Attribute{Name: name, Type: wire.AttributeInts, Ints: v}
}

// TestOperatorsOfRuntime compares operators of ONNX Runtime, in which it writes optimised and quantised models, and of
// classical learning, with what it computes.
func TestOperatorsOfRuntime(t *testing.T) {
	onnxrt.Python(t)
	random := rand.New(rand.NewPCG(1, 2))
	floats := func(shape ...int) reference.Value {
		list := make([]float64, product(shape))
		for i := range list {
			list[i] = random.NormFloat64()
		}
		return reference.FromFloats(graph.Float32, list, shape...)
	}
	ints := func(dtype graph.DType, low, high int, shape ...int) reference.Value {
		list := make([]float64, product(shape))
		for i := range list {
			list[i] = float64(low + random.IntN(high-low))
		}
		return reference.FromFloats(dtype, list, shape...)
	}
	bytes := func(shape ...int) reference.Value { return ints(graph.Uint8, 0, 256, shape...) }
	scale := func(v float64) reference.Value { return reference.FromFloats(graph.Float32, []float64{v}) }
	zero := func(v float64) reference.Value { return reference.FromFloats(graph.Uint8, []float64{v}) }
	one := tolerance{0, 1} // a rounding that goes the other way
	x := floats(2, 3, 8)
	const microsoft = "com.microsoft"
	cases := []ofRuntime{
		{"Gelu", microsoft, nil, []reference.Value{x}, 1, tolerance{}},
		{"BiasGelu", microsoft, nil, []reference.Value{x, floats(8)}, 1, tolerance{}},
		{"FastGelu", microsoft, nil, []reference.Value{x, floats(8)}, 1, tolerance{}},
		{"QuickGelu", microsoft, []*wire.Attribute{real("alpha", 1.5)}, []reference.Value{x}, 1, tolerance{}},
		{"Inverse", microsoft, nil, []reference.Value{floats(3, 3)}, 1, tolerance{1e-3, 1e-4}},
		{"SkipLayerNormalization", microsoft, []*wire.Attribute{real("epsilon", 1e-5)},
			[]reference.Value{x, floats(2, 3, 8), floats(8), floats(8), floats(8)}, 1, tolerance{}},
		{"SkipSimplifiedLayerNormalization", microsoft, nil, []reference.Value{x, floats(2, 3, 8), floats(8)}, 1,
			tolerance{}},
		{"FusedMatMul", microsoft, []*wire.Attribute{number("transA", 1), real("alpha", 0.5)},
			[]reference.Value{floats(2, 4, 3), floats(2, 4, 5)}, 1, tolerance{}},
		{"FusedMatMul", microsoft, []*wire.Attribute{number("transB", 1), number("transBatchA", 1)},
			[]reference.Value{floats(3, 2, 4), floats(2, 5, 4)}, 1, tolerance{}},
		{"FusedConv", microsoft, []*wire.Attribute{
			word("activation", "LeakyRelu"), reals("activation_params", 0.25), wholes("kernel_shape", 3, 3),
			wholes("pads", 1, 1, 1, 1)},
			[]reference.Value{floats(1, 2, 5, 5), floats(3, 2, 3, 3), floats(3)}, 1, tolerance{}},
		{"FusedGemm", microsoft, []*wire.Attribute{word("activation", "Relu"), number("transB", 1)},
			[]reference.Value{floats(3, 4), floats(5, 4), floats(5)}, 1, tolerance{}},
		{"Attention", microsoft, []*wire.Attribute{number("num_heads", 2), number("unidirectional", 1)},
			[]reference.Value{x, floats(8, 24), floats(24)}, 1, tolerance{}},
		{"Attention", microsoft, []*wire.Attribute{number("num_heads", 2)},
			[]reference.Value{x, floats(8, 24), floats(24), reference.Of([]int32{1, 1, 0, 1, 1, 1}, 2, 3)}, 1,
			tolerance{}},
		{"MultiHeadAttention", microsoft, []*wire.Attribute{number("num_heads", 2)},
			[]reference.Value{x, floats(2, 5, 8), floats(2, 5, 8), floats(24)}, 1, tolerance{}},
		{"MultiHeadAttention", microsoft, []*wire.Attribute{number("num_heads", 2), number("unidirectional", 1)},
			[]reference.Value{x, floats(2, 3, 8), floats(2, 3, 8)}, 1, tolerance{}},
		{"GroupQueryAttention", microsoft, []*wire.Attribute{
			number("num_heads", 4), number("kv_num_heads", 2), number("do_rotary", 1)},
			[]reference.Value{floats(1, 3, 64), floats(1, 3, 32), floats(1, 3, 32), floats(1, 2, 4, 16),
				floats(1, 2, 4, 16), reference.Of([]int32{6}, 1),
				reference.Of([]int32{7}), floats(10, 8), floats(10, 8)}, 3, tolerance{}},
		{"GroupQueryAttention", microsoft, []*wire.Attribute{
			number("num_heads", 4), number("kv_num_heads", 2), number("local_window_size", 3), real("softcap", 5)},
			[]reference.Value{floats(2, 1, 64), floats(2, 1, 32), floats(2, 1, 32), floats(2, 2, 4, 16),
				floats(2, 2, 4, 16), reference.Of([]int32{4, 4}, 2),
				reference.Of([]int32{5})}, 3, tolerance{}},
		{"RotaryEmbedding", microsoft, []*wire.Attribute{number("interleaved", 1)},
			[]reference.Value{floats(2, 3, 8), reference.Of([]int64{2}, 1), floats(6, 2), floats(6, 2)}, 1,
			tolerance{}},
		{"QLinearAdd", microsoft, nil, []reference.Value{
			bytes(2, 9), scale(0.1), zero(100), bytes(9), scale(0.05), zero(3), scale(0.2), zero(7)}, 1, one},
		{"QLinearMul", microsoft, nil, []reference.Value{
			bytes(2, 9), scale(0.1), zero(100), bytes(9), scale(0.05), zero(3), scale(0.5), zero(7)}, 1, one},
		{"QLinearSigmoid", microsoft, nil, []reference.Value{
			bytes(20), scale(0.05), zero(128), scale(1.0 / 256), zero(0)}, 1, one},
		{"QLinearLeakyRelu", microsoft, []*wire.Attribute{real("alpha", 0.3)},
			[]reference.Value{bytes(20), scale(0.05), zero(128), scale(0.05), zero(60)}, 1, one},
		{"QLinearSoftmax", microsoft, []*wire.Attribute{number("opset", 13), number("axis", -1)},
			[]reference.Value{bytes(3, 6), scale(0.05), zero(128), scale(1.0 / 256), zero(0)}, 1, one},
		{"QLinearGlobalAveragePool", microsoft, []*wire.Attribute{number("channels_last", 0)},
			[]reference.Value{bytes(1, 3, 4, 4), scale(0.05), zero(128), scale(0.02), zero(120)}, 1, one},
		{"QLinearConcat", microsoft, []*wire.Attribute{number("axis", 1)},
			[]reference.Value{scale(0.1), zero(10), bytes(2, 3), scale(0.05), zero(3), bytes(2, 4), scale(0.2),
				zero(30)}, 1, one},
		{"QGemm", microsoft, []*wire.Attribute{number("transB", 1)},
			[]reference.Value{bytes(3, 8), scale(0.1), zero(100), bytes(5, 8), scale(0.02), zero(120),
				ints(graph.Int32, -500, 500, 5), scale(2), zero(90)}, 1, one},
		{"QGemm", microsoft, nil, []reference.Value{
			bytes(3, 8), scale(0.1), zero(100), bytes(8, 5), scale(0.02), zero(120)}, 1, tolerance{}},
		{"MatMulIntegerToFloat", microsoft, nil,
			[]reference.Value{bytes(3, 8), bytes(8, 5), scale(0.1), scale(0.02), zero(100), zero(120), floats(5)}, 1,
			tolerance{}},
		{"DynamicQuantizeMatMul", microsoft, nil,
			[]reference.Value{floats(3, 8), bytes(8, 5), scale(0.02), zero(120), floats(5)}, 1, tolerance{1e-2, 2e-2}},
		{"MatMulNBits", microsoft, []*wire.Attribute{
			number("K", 32), number("N", 5), number("bits", 4), number("block_size", 16)},
			[]reference.Value{floats(2, 32), bytes(5, 2, 8), floats(10), bytes(5)}, 1, tolerance{1e-4, 1e-4}},
		{"Scaler", "ai.onnx.ml", []*wire.Attribute{reals("offset", 1, 2, 3), reals("scale", 2, 3, 4)},
			[]reference.Value{floats(4, 3)}, 1, tolerance{}},
		{"Normalizer", "ai.onnx.ml", []*wire.Attribute{word("norm", "L2")}, []reference.Value{floats(4, 3)}, 1,
			tolerance{}},
		{"Normalizer", "ai.onnx.ml", []*wire.Attribute{word("norm", "L1")}, []reference.Value{floats(4, 3)}, 1,
			tolerance{}},
		{"Imputer", "ai.onnx.ml", []*wire.Attribute{
			reals("imputed_value_floats", 1, 2, 3), real("replaced_value_float", 0)},
			[]reference.Value{ints(graph.Float32, 0, 2, 4, 3)}, 1, tolerance{}},
		{"LinearRegressor", "ai.onnx.ml", []*wire.Attribute{
			reals("coefficients", 1, 2, 3, 4, 5, 6), reals("intercepts", 1, -1), number("targets", 2)},
			[]reference.Value{floats(4, 3)}, 1, tolerance{}},
		{"LinearClassifier", "ai.onnx.ml", []*wire.Attribute{
			reals("coefficients", 1, -2, 3, 4, 5, -6), reals("intercepts", 1, -1), wholes("classlabels_ints", 7, 9),
			word("post_transform", "SOFTMAX")},
			[]reference.Value{floats(4, 3)}, 2, tolerance{}},
		{"FeatureVectorizer", "ai.onnx.ml", []*wire.Attribute{wholes("inputdimensions", 3, 2)},
			[]reference.Value{floats(4, 3), floats(4, 2)}, 1, tolerance{}},
	}
	var models []onnxrt.Model
	nets := make([]*Built, len(cases))
	for i, c := range cases {
		var constants []Option
		if c.op == "MatMulNBits" { // its matrix must be known
			for k, v := range c.in[1:] {
				constants = append(constants, Constant(fmt.Sprint("x", k+1), exec.Array{Shape: v.Shape, Data: v.Data}))
			}
		}
		nets[i] = built(t, c.model(t, nil), constants...)
		m := onnxrt.Model{Name: c.op, Data: c.model(t, nets[i].Outputs()), Runs: []onnxrt.Run{{}}}
		for k, v := range c.in {
			m.Runs[0][fmt.Sprint("x", k)] = onnxrt.Arg{Value: v}
		}
		models = append(models, m)
	}
	for i, o := range onnxrt.Do(t, models) {
		c := cases[i]
		t.Run(fmt.Sprint(c.op, i), func(t *testing.T) {
			require.Empty(t, o.Error)
			net := nets[i]
			prog, err := exec.Compile(net.Graph, exec.Outputs(net.Outputs()...), exec.OnWarning(nil))
			require.NoError(t, err)
			feed := exec.Feed{}
			for k, v := range c.in {
				if x := net.Input(fmt.Sprint("x", k)); x != nil {
					feed[x] = exec.Array{Shape: v.Shape, Data: v.Data}
				}
			}
			got, err := prog.NewSession().Run(t.Context(), feed)
			require.NoError(t, err)
			for k := range c.outputs {
				name := fmt.Sprint("y", k)
				a, err := got.Array(net.Output(name))
				require.NoError(t, err)
				want := o.Results[0][name]
				within := c.within
				if within == (tolerance{}) {
					within = tolerance{1e-4, 1e-5}
				}
				require.NoError(t, differs(exec.Array{Shape: want.Shape, Data: want.Data}, a, within), name)
			}
		})
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// model is the file of the one call. ONNX's checker wants the ranks of results, which nodes tell.
func (c *ofRuntime) model(t *testing.T, results []*graph.Node) []byte {
	t.Helper()
	types := map[graph.DType]wire.DataType{
		graph.Float32: wire.Float, graph.Uint8: wire.Uint8, graph.Int32: wire.Int32, graph.Int64: wire.Int64}
	g := &wire.Graph{Name: "call"}
	n := &wire.Node{Op: c.op, Domain: c.domain, Name: c.op, Attributes: c.attributes}
	for i, v := range c.in {
		name := fmt.Sprint("x", i)
		var sizes []any
		for _, d := range v.Shape {
			sizes = append(sizes, d)
		}
		g.Inputs, n.Inputs = append(g.Inputs, tensorOf(name, types[v.DType], sizes...)), append(n.Inputs, name)
	}
	for i := range c.outputs {
		name := fmt.Sprint("y", i)
		n.Outputs = append(n.Outputs, name)
		y := &wire.TensorType{Elem: c.result(i, types)}
		if results != nil {
			y.HasShape, y.Dims = true, make([]wire.Dimension, results[i].Rank())
		}
		g.Outputs = append(g.Outputs, &wire.ValueInfo{Name: name, Type: &wire.Type{Tensor: y}})
	}
	g.Nodes = []*wire.Node{n}
	data, err := (&wire.Model{IRVersion: 10, Graph: g,
		Opsets: []wire.Opset{{Version: 20}, {Domain: "com.microsoft", Version: 1},
			{Domain: "ai.onnx.ml", Version: 3}}}).Encode()
	require.NoError(t, err)
	return data
}

// result is the type of an output.
func (c *ofRuntime) result(i int, types map[graph.DType]wire.DataType) wire.DataType {
	switch {
	case c.op == "LinearClassifier" && i == 0:
		return wire.Int64
	case c.op == "QLinearConcat" || c.op == "QGemm" && len(c.in) > 7:
		return wire.Uint8
	case c.op == "QGemm" || c.op == "MatMulIntegerToFloat" || c.op == "DynamicQuantizeMatMul":
		return wire.Float
	}
	return types[c.in[0].DType]
}
