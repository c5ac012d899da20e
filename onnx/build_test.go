package onnx

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// file is a model of one graph.
func file(t *testing.T, g *wire.Graph, functions ...*wire.Function) []byte {
	t.Helper()
	data, err := (&wire.Model{IRVersion: 10, Graph: g, Functions: functions,
		Opsets: []wire.Opset{{Version: 21}, {Domain: "own", Version: 1}}}).Encode()
	require.NoError(t, err)
	return data
}

// tensorOf says what an input or output is: sizes are numbers or names.
func tensorOf(name string, t wire.DataType, sizes ...any) *wire.ValueInfo {
	shape := &wire.TensorType{Elem: t, HasShape: true}
	for _, s := range sizes {
		switch s := s.(type) {
		case int:
			shape.Dims = append(shape.Dims, wire.Dimension{Value: int64(s), IsKnown: true})
		case string:
			shape.Dims = append(shape.Dims, wire.Dimension{Param: s})
		}
	}
	return &wire.ValueInfo{Name: name, Type: &wire.Type{Tensor: shape}}
}

func weight(name string, data []float32, dims ...int64) *wire.Tensor {
	t := &wire.Tensor{Name: name, Type: wire.Float, Dims: dims, HasRaw: true}
	for _, v := range data {
		t.Raw = binary.LittleEndian.AppendUint32(t.Raw, math.Float32bits(v))
	}
	return t
}

func integers(name string, data ...int64) *wire.Tensor {
	return &wire.Tensor{Name: name, Type: wire.Int64, Dims: []int64{int64(len(data))}, Int64s: data}
}

func op(name string, in []string, out ...string) *wire.Node {
	return &wire.Node{Op: name, Name: "/net/" + name, Inputs: in, Outputs: out}
}

// line is the model y = w·x + b.
func line() *wire.Graph {
	return &wire.Graph{Name: "line", Nodes: []*wire.Node{
		op("MatMul", []string{"x", "w"}, "h"), op("Add", []string{"h", "b"}, "y")},
		Initializers: []*wire.Tensor{weight("w", []float32{1, 2, 3, 4, 5, 6}, 3, 2), weight("b", []float32{10, 20}, 2)},
		Inputs:       []*wire.ValueInfo{tensorOf("x", wire.Float, "batch", 3)},
		Outputs:      []*wire.ValueInfo{tensorOf("y", wire.Float, "batch", 2)}}
}

func built(t *testing.T, data []byte, opts ...Option) *Built {
	t.Helper()
	m, err := Parse(data)
	require.NoError(t, err)
	b, err := m.Build(opts...)
	require.NoError(t, err)
	return b
}

func refused(t *testing.T, data []byte, opts ...Option) string {
	t.Helper()
	m, err := Parse(data)
	require.NoError(t, err)
	_, err = m.Build(opts...)
	require.Error(t, err)
	return err.Error()
}

// run gives the first output.
func run(t *testing.T, b *Built, feed exec.Feed) exec.Array {
	t.Helper()
	prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...), exec.WarningsAreErrors())
	require.NoError(t, err)
	s := prog.NewSession()
	require.NoError(t, b.Load(s))
	got, err := s.Run(context.Background(), feed)
	require.NoError(t, err)
	a, err := got.Array(b.Outputs()[0])
	require.NoError(t, err)
	return a.Clone()
}

func TestBuild(t *testing.T) {
	m, err := Parse(file(t, line()))
	require.NoError(t, err)
	require.Equal(t, "line", m.Name())
	require.Equal(t, "x float[batch, 3]", m.Inputs()[0].String())
	require.Equal(t, "y float[batch, 2]", m.Outputs()[0].String())
	b, err := m.Build()
	require.NoError(t, err)
	require.Len(t, b.Params(), 2)
	require.Equal(t, "[batch, 2]", b.Output("y").Shape().String())
	require.Nil(t, b.Output("z"))
	for _, n := range []int{1, 4} {
		x := make([]float32, 3*n)
		x[0] = 1
		a := run(t, b, exec.Feed{b.Input("x"): x})
		require.Equal(t, []int{n, 2}, a.Shape)
		require.Equal(t, []float32{11, 22}, a.Data.([]float32)[:2])
	}

	prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
	require.NoError(t, err)
	values, err := b.Values(prog)
	require.NoError(t, err)
	s := prog.NewSession(exec.BorrowParams(values))
	got, err := s.Run(context.Background(), exec.Feed{b.Input("x"): []float32{0, 0, 1}})
	require.NoError(t, err)
	y, err := exec.Values[float32](got, b.Output("y"))
	require.NoError(t, err)
	require.Equal(t, []float32{15, 26}, y)
}

// TestTrainsFurther changes the weights of a model that was read, with a layer of one's own behind it, by an optimiser.
func TestTrainsFurther(t *testing.T) {
	g := graph.New("more")
	x := g.Input("features", graph.Float32, g.Dim("n"), 3)
	b := built(t, file(t, line()), Input("x", ops.Mul(x, graph.Num(2))))
	require.Equal(t, g, b.Graph)
	target := g.Input("target", graph.Float32, g.Dim("n"))
	loss := ops.MSE(ops.Sum(b.Output("y"), -1), target)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.01).Minimize(loss)...))
	require.NoError(t, err)
	s := prog.NewSession()
	require.NoError(t, b.Load(s))
	var losses []float32
	for range 50 {
		got, err := s.Run(context.Background(),
			exec.Feed{x: [][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, target: []float32{1, 2, 3}})
		require.NoError(t, err)
		v, err := exec.Values[float32](got, loss)
		require.NoError(t, err)
		losses = append(losses, v[0])
	}
	require.Equal(t, float32(35*35+42*42+49*49)/3, losses[0], "of the weights in the file")
	require.Less(t, losses[49], losses[0]/10)
	after, err := s.Param(b.Params()[0])
	require.NoError(t, err)
	require.NotEqual(t, []float32{1, 2, 3, 4, 5, 6}, after.Data)
}

// TestState leaves running statistics to no optimiser.
func TestState(t *testing.T) {
	four := func(name string) *wire.Tensor { return weight(name, []float32{1, 2}, 2) }
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "n", 2, 3)},
		Outputs:      []*wire.ValueInfo{tensorOf("y", wire.Float)},
		Initializers: []*wire.Tensor{four("bn.weight"), four("bn.bias"), four("bn.mean"), four("bn.var")},
		Nodes: []*wire.Node{
			op("BatchNormalization", []string{"x", "bn.weight", "bn.bias", "bn.mean", "bn.var"}, "y")}}
	b := built(t, file(t, g))
	states := map[string]bool{}
	for _, p := range b.Params() {
		states[p.Name()] = p.IsState()
	}
	require.Equal(t, map[string]bool{"bn.weight": false, "bn.bias": false, "bn.mean": true, "bn.var": true}, states)
	a := run(t, b, exec.Feed{b.Input("x"): [][][]float32{{{1, 2, 3}, {2, 2, 2}}}})
	require.InDeltaSlice(t, []float32{1, 2, 3, 2, 2, 2}, a.Data.([]float32), 1e-4)
}

// TestSizes computes what a model computes of sizes when it is built.
func TestSizes(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "batch", "?", 4)},
		Initializers: []*wire.Tensor{integers("first", 0), integers("second", 1), integers("rest", -1),
			{Name: "two", Type: wire.Float, Floats: []float32{2}}},
		Nodes: []*wire.Node{op("Shape", []string{"x"}, "shape"), op("Gather", []string{"shape", "first"}, "n"),
			op("Gather", []string{"shape", "second"}, "m"),
			{Op: "Cast", Inputs: []string{"m"}, Outputs: []string{"f"},
				Attributes: []*wire.Attribute{{Name: "to", Type: wire.AttributeInt, Int: int64(wire.Float)}}},
			op("Mul", []string{"f", "two"}, "twice"), op("Floor", []string{"twice"}, "floor"),
			{Op: "Cast", Inputs: []string{"floor"}, Outputs: []string{"wide"},
				Attributes: []*wire.Attribute{{Name: "to", Type: wire.AttributeInt, Int: int64(wire.Int64)}}},
			{Op: "Concat", Inputs: []string{"n", "wide", "rest"}, Outputs: []string{"to"},
				Attributes: []*wire.Attribute{{Name: "axis", Type: wire.AttributeInt}}},
			op("Reshape", []string{"x", "to"}, "y")}, Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float)}}
	b := built(t, file(t, g))
	require.Equal(t, "[batch, 2*x_1, 2]", b.Output("y").Shape().String())
	require.Equal(t, []int{2, 6, 2},
		run(t, b, exec.Feed{b.Input("x"): exec.Array{Shape: []int{2, 3, 4}, Data: make([]float32, 24)}}).Shape)

	b = built(t, file(t, g), Size("batch", 5), Size("x_1", 3))
	require.Equal(t, "[5, 6, 2]", b.Output("y").Shape().String())
	b = built(t, file(t, g), InputShape("x", graph.SymbolicDim("n"), 7, 4))
	require.Equal(t, "[n, 14, 2]", b.Output("y").Shape().String())
}

// TestGreatNumbers moves numbers as they are that stand for "to the end" in slices.
func TestGreatNumbers(t *testing.T) {
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Int64, "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Int64)},
		Initializers: []*wire.Tensor{integers("most", math.MaxInt64), integers("least", math.MinInt64),
			integers("one", 1), integers("three", 3)},
		Nodes: []*wire.Node{
			{Op: "Concat", Inputs: []string{"most", "one"}, Outputs: []string{"a"},
				Attributes: []*wire.Attribute{number("axis", 0)}},
			op("Expand", []string{"least", "three"}, "b"),
			{Op: "Concat", Inputs: []string{"a", "b", "x"}, Outputs: []string{"y"},
				Attributes: []*wire.Attribute{number("axis", 0)}}}}
	b := built(t, file(t, g))
	require.Equal(t, []int64{math.MaxInt64, 1, math.MinInt64, math.MinInt64, math.MinInt64, 7},
		run(t, b, exec.Feed{b.Input("x"): []int64{7}}).Data)
}

func TestRefused(t *testing.T) {
	g := line()
	g.Nodes[0].Op = "MatMull"
	text := refused(t, file(t, g))
	require.Equal(t, `onnx: MatMull "/net/MatMul": the operator MatMull is unknown`, text, "what follows is left out")

	g = line()
	g.Initializers[0].Dims = []int64{2, 3}
	require.Contains(t, refused(t, file(t, g)), `MatMul "/net/MatMul": `)
	require.Contains(t, refused(t, file(t, g)), "build_test.go:", "the user's line")

	g = line()
	g.Initializers[1].Raw = g.Initializers[1].Raw[:7]
	m, err := Parse(file(t, g))
	require.NoError(t, err)
	b, err := m.Build()
	require.NoError(t, err)
	prog, err := exec.Compile(b.Graph, exec.Outputs(b.Outputs()...))
	require.NoError(t, err)
	require.ErrorContains(t, b.Load(prog.NewSession()), `tensor "b": 7 bytes, and shape [2] of float has 8`)

	require.Contains(t, refused(t, file(t, line()), Size("bach", 3)),
		`no input of the model has a size "bach": there are batch`)
	require.Contains(t, refused(t, file(t, line()), Constant("z", 3)), `the model has no input "z": it has "x"`)
	require.Contains(t, refused(t, file(t, line()), Outputs("z")), `no value of the model is called "z"`)
	require.Contains(t, refused(t, file(t, line()), Constant("x", "text")),
		"the constant of the input \"x\" is a string")
	require.Contains(t, refused(t, file(t, line()), Input("x", nil)), "is nil")
	other := graph.New("other")
	require.Contains(t, refused(t, file(t, line()), In(graph.New("g")),
		Input("x", other.Input("x", graph.Float32, 1, 3))), "belongs to another graph")

	many := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, 3)},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float)},
		Nodes: []*wire.Node{op("NonZero", []string{"x"}, "n"), op("EyeLike", []string{"n"}, "a"),
			op("EyeLike", []string{"n"}, "b"),
			op("Foo", []string{"x"}, "c"), op("Sum", []string{"a", "b", "c"}, "y")}}
	require.Equal(t, `onnx: 3 parts of the model cannot be built:
  EyeLike "/net/EyeLike": its operand has a size that is known only when the model runs: build the model up to a value before it with onnx.Outputs, and continue with operations of package ops, such as ops.Compress and ops.NMS (and 1 more such nodes)
  Foo "/net/Foo": the operator Foo is unknown`, refused(t, file(t, many)))
}

// TestOnlyWhatIsNeeded builds no node on which no output depends.
func TestOnlyWhatIsNeeded(t *testing.T) {
	g := line()
	g.Nodes = append(g.Nodes, op("Foo", []string{"y"}, "z"))
	g.Outputs = append(g.Outputs, tensorOf("z", wire.Float))
	require.Contains(t, refused(t, file(t, g)), "Foo")
	require.Equal(t, "[batch, 2]", built(t, file(t, g), Outputs("h")).Output("h").Shape().String())
}

// TestOrder builds nodes that stand before what they use, as files of some converters have them.
func TestOrder(t *testing.T) {
	g := line()
	g.Nodes[0], g.Nodes[1] = g.Nodes[1], g.Nodes[0]
	require.Equal(t, "[batch, 2]", built(t, file(t, g)).Output("y").Shape().String())
	g.Nodes[1].Inputs[0] = "y"
	require.Contains(t, refused(t, file(t, g)), "is not computed before it", "a circle")
}

// TestFunctions computes functions of the model, whose attributes come from their call.
func TestFunctions(t *testing.T) {
	f := &wire.Function{Name: "Leaky", Domain: "own", Inputs: []string{"a"}, Outputs: []string{"r"},
		Attributes: []string{"slope"}, Opsets: []wire.Opset{{Version: 21}},
		Nodes: []*wire.Node{
			{Op: "LeakyRelu", Inputs: []string{"a"}, Outputs: []string{"r"},
				Attributes: []*wire.Attribute{{Name: "alpha", Ref: "slope", Type: wire.AttributeFloat}}}}}
	g := &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, 2)},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float)},
		Nodes: []*wire.Node{{Op: "Leaky", Domain: "own", Inputs: []string{"x"}, Outputs: []string{"y"},
			Attributes: []*wire.Attribute{{Name: "slope", Type: wire.AttributeFloat, Float: 0.25}}}}}
	b := built(t, file(t, g, f))
	require.Equal(t, []float32{-1, 3}, run(t, b, exec.Feed{b.Input("x"): []float32{-4, 3}}).Data)

	f.Nodes = append(f.Nodes, &wire.Node{Op: "Leaky", Domain: "own", Inputs: []string{"r"}, Outputs: []string{"s"}})
	f.Outputs = []string{"s"}
	require.Contains(t, refused(t, file(t, g, f)), "more than 64 deep")
}

func TestBadFiles(t *testing.T) {
	for text, want := range map[string]string{
		"": "the file is empty", "hello, this is no model": "not an ONNX model", "\x08\x0a": "no graph"} {
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, want)
	}
	_, err := Open(t.TempDir())
	require.ErrorContains(t, err, "regular file")
	_, err = Open("none.onnx")
	require.ErrorIs(t, err, os.ErrNotExist)
	future, err := (&wire.Model{Graph: line(), Opsets: []wire.Opset{{Version: 99}}}).Encode()
	require.NoError(t, err)
	_, err = Parse(future)
	require.ErrorContains(t, err, "version 99 of ONNX's operators, but the newest supported one is 28")
}

// TestNothing calls methods of what was not made.
func TestNothing(t *testing.T) {
	var m *Model
	require.Empty(t, m.Name())
	require.Empty(t, m.Inputs())
	require.Empty(t, m.Outputs())
	require.Empty(t, m.Metadata())
	require.NoError(t, m.Close())
	_, err := m.Build()
	require.ErrorContains(t, err, "nil")
	_, err = (&Model{}).Build(nil)
	require.ErrorContains(t, err, "nil")
	var b *Built
	require.Nil(t, b.Input("x"))
	require.Empty(t, b.Outputs())
	require.Empty(t, b.Params())
	require.ErrorContains(t, b.Load(nil), "nil")
	_, err = b.Values(nil)
	require.ErrorContains(t, err, "nil")
	built(t, file(t, line()), nil)
}

// TestRandom draws other numbers with another seed, and the same without one.
func TestRandom(t *testing.T) {
	data := file(t, &wire.Graph{Inputs: []*wire.ValueInfo{tensorOf("x", wire.Float, "n")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float)},
		Nodes:   []*wire.Node{op("RandomNormalLike", []string{"x"}, "y")}})
	b := built(t, data)
	feed := exec.Feed{b.Input("x"): make([]float32, 3)}
	require.Equal(t, run(t, b, feed), run(t, b, feed))
	g := graph.New("g")
	seed := g.Input("seed", graph.Int64)
	b = built(t, data, Seed(seed))
	draw := func(n int) exec.Array { return run(t, b, exec.Feed{b.Input("x"): make([]float32, 3), seed: n}) }
	require.Equal(t, draw(1), draw(1))
	require.NotEqual(t, draw(1), draw(2))
}

// FuzzBuild builds graphs of damaged models: they yield errors, and never a panic.
func FuzzBuild(f *testing.F) {
	data, err := os.ReadFile("testdata/models.jsonl.gz")
	require.NoError(f, err)
	require.NotEmpty(f, data)
	t := &testing.T{}
	for _, m := range modelsOfPyTorch(t) {
		f.Add(m.Model)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		b, err := m.Build()
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		exec.Compile(b.Graph, exec.Outputs(b.Outputs()...), exec.OnWarning(nil))
	})
}
