package onnx_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/shapeinfer"
)

// programs are such as no example is.
var programs = map[string]func(g *graph.Graph) []*graph.Node{
	"a scan of any number of steps": func(g *graph.Graph) []*graph.Node {
		x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)), 2)
		final, out := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 2)}, Over: []*graph.Node{x}},
			func(c, t []*graph.Node) (next, out []*graph.Node) {
				s := ops.Add(c[0], t[0])
				return []*graph.Node{s}, []*graph.Node{ops.Mul(s, t[0]), s}
			})
		return append(final, out...)
	},
	"a scan backwards along the last axis": func(g *graph.Graph) []*graph.Node {
		x := g.Input("x", graph.Float32, 3, g.Dim("n"))
		final, out := ops.Scan(
			ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 3)}, Over: []*graph.Node{x}, Axis: -1,
				Reverse: true},
			func(c, t []*graph.Node) (next, out []*graph.Node) {
				s := ops.Add(ops.Mul(c[0], graph.Num(0.5)), t[0])
				return []*graph.Node{s}, []*graph.Node{s}
			})
		return append(final, out...)
	},
	"a loop in a loop, with values of outside": func(g *graph.Graph) []*graph.Node {
		n := g.Dim("n")
		x, w := g.Input("x", graph.Float32, n, 3), g.Input("w", graph.Float32, 3)
		_, out := ops.Scan(ops.Loop{Carry: []*graph.Node{w}, Over: []*graph.Node{x}},
			func(c, t []*graph.Node) (next, out []*graph.Node) {
				inner := ops.Fori(4, []*graph.Node{t[0]}, func(i *graph.Node, c []*graph.Node) []*graph.Node {
					return []*graph.Node{ops.Add(ops.Mul(c[0], w), ops.Cast(i, graph.Float32))}
				})
				return []*graph.Node{ops.Add(c[0], inner[0])}, []*graph.Node{inner[0], c[0]}
			})
		return append(out, autodiff.Grad(ops.Sum(ops.Sin(out[1])), []*graph.Node{x, w})...)
	},
	"a while and its gradient": func(g *graph.Graph) []*graph.Node {
		x := g.Input("x", graph.Float64)
		root, steps := ops.While(50, []*graph.Node{x}, func(c []*graph.Node) *graph.Node {
			return ops.Greater(ops.Abs(ops.Sub(ops.Square(c[0]), x)), graph.Num(1e-6))
		}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Mul(ops.Add(c[0], ops.Div(x, c[0])), graph.Num(0.5))}
		})
		return append([]*graph.Node{root[0], steps}, autodiff.Grad(root[0], []*graph.Node{x})...)
	},
	"branches in branches": func(g *graph.Graph) []*graph.Node {
		x := g.Input("x", graph.Float32, g.Dim("n"))
		y := ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)), func() []*graph.Node {
			return ops.Cond(ops.Greater(ops.Max(x), graph.Num(0.5)), func() []*graph.Node {
				return []*graph.Node{ops.Exp(x)}
			}, func() []*graph.Node { return []*graph.Node{ops.Neg(x)} })
		}, func() []*graph.Node { return []*graph.Node{x} })
		return append(y, autodiff.Grad(ops.Sum(ops.Square(y[0])), []*graph.Node{x})...)
	},
	"writes to views": func(g *graph.Graph) []*graph.Node {
		n := g.Dim("n")
		x := ops.Mul(g.Input("x", graph.Float32, n, 6), graph.Num(1))
		x = ops.After(x, ops.AddInPlace(ops.Slice(x, 1, 1, 5, 2), graph.Num(10)))
		x = ops.After(x, ops.MulInPlace(ops.Select(x, 0, 0), graph.Num(2)))
		x = ops.After(x, ops.CopyInPlace(ops.Flip(ops.Slice(x, 1, 4, 6, 1), 1), g.Input("y", graph.Float32, n, 2)))
		return []*graph.Node{x}
	},
	"a size that no input shows": func(g *graph.Graph) []*graph.Node {
		n := g.Dim("n")
		x := g.Input("x", graph.Float32, n.Times(g.Dim("m")))
		return []*graph.Node{ops.Add(ops.Reshape(x, n, -1), ops.Cast(ops.Iota(g, 0, n, 1), graph.Float32))}
	},
	"sizes that are computed": func(g *graph.Graph) []*graph.Node {
		n, m := g.Dim("n", graph.AtLeast(2)), g.Dim("m")
		x := g.Input("x", graph.Float32, n.Times(2).Plus(1), m)
		half := ops.Slice(x, 0, n.FloorDiv(2), n, 1)
		return []*graph.Node{half, ops.Cast(ops.Size(g, graph.Int64, n.FloorDiv(2).Times(m)), graph.Float32),
			ops.Flip(x, 0, 1), ops.Pad(x, 1, n, m, 3), ops.Window(x, 0, 2, 3, 1)}
	},
	"names of numbers": func(*graph.Graph) []*graph.Node {
		g := graph.New("strict", graph.WithPolicy(graph.Policy{Names: graph.Strict}))
		n, width := g.Dim("n"), g.Dim("three", graph.Exactly(3))
		x := g.Input("x", graph.Float32, n, width)
		return []*graph.Node{
			ops.Add(ops.Sum(x, 1, ops.KeepDims()), ops.Cast(ops.Size(g, graph.Int64, width), graph.Float32)),
			ops.Flip(x, 1)}
	},
	"batches of any size of matrices": func(g *graph.Graph) []*graph.Node {
		x := ops.Add(g.Input("x", graph.Float64, g.Dim("n"), 3, 3), ops.Eye(g, graph.Float64, 3, 3))
		return []*graph.Node{ops.PInv(x), ops.Inv(x), ops.Det(x), ops.SingularValues(x)}
	},
	"an axis that may be 1, and is": func(g *graph.Graph) []*graph.Node {
		return broadcast(g, g.Dim("one", graph.MayBeOne()))
	},
	"an axis that may be 1, and is not": func(g *graph.Graph) []*graph.Node {
		return broadcast(g, g.Dim("wide", graph.MayBeOne()))
	},
	"an operation of the user's": func(g *graph.Graph) []*graph.Node {
		bent := &graph.Op{Name: "bent", Func: "Bent", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
			Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
			Emit: func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
				return e.Prim(graph.PrimSelect, e.Prim(graph.PrimGt, x[0], e.Const(e.TypeOf(x[0]), 0.5)),
					e.Prim(graph.PrimExpm1, x[0]), x[0])
			}}
		return []*graph.Node{graph.Apply(bent, nil, g.Input("x", graph.Float32, g.Dim("n")))}
	},
	"outputs that are inputs, constants and one value": func(g *graph.Graph) []*graph.Node {
		x := g.Input("x", graph.Float32, g.Dim("n"))
		y := ops.Exp(x).Named("y")
		return []*graph.Node{x, y, y, graph.Constant(g, []float32{1, 2, 3}, 3), ops.Reshape(y, 1, -1).Named("y2")}
	},
	"numbers of 16 bits": func(g *graph.Graph) []*graph.Node {
		x := g.Input("x", graph.BFloat16, g.Dim("n"), 4)
		return []*graph.Node{
			ops.Cast(ops.MatMul(ops.Softmax(x, 1), ops.Reshape(ops.Slice(x, 0, 0, 1, 1), 4)), graph.Float32)}
	},
}

// broadcast multiplies with a value of so many rows, or of one.
func broadcast(g *graph.Graph, rows graph.Dim) []*graph.Node {
	x, b := g.Input("x", graph.Float32, g.Dim("n"), 3), g.Input("b", graph.Float32, rows, 3)
	y := ops.Mul(x, b)
	return append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x, b})...)
}

// TestPrograms runs programs of loops, writes and sizes by ONNX Runtime.
func TestPrograms(t *testing.T) {
	onnxrt.Python(t)
	var trials []*trial
	for name, build := range programs {
		g := graph.New("program")
		tr := &trial{name: name, outputs: build(g)}
		tr.g = tr.outputs[0].Graph()
		g = tr.g
		require.NoError(t, g.Err(), name)
		require.NoError(t, tr.run(t, false), name)
		var err error
		tr.data, err = onnx.Encode(g, onnx.WithOutputs(tr.outputs...))
		require.NoError(t, err, name)
		trials = append(trials, tr)
	}
	judge(t, trials)
}

// TestRefusals expects each mistake to be told where the user made it.
func TestRefusals(t *testing.T) {
	here := "export_graph_test.go:"
	own := func(call func(g *graph.Graph, x *graph.Node) *graph.Node) func() error {
		return func() error {
			g := graph.New("refused")
			y := call(g, g.Input("x", graph.Float32, g.Dim("n"), g.Dim("n")))
			_, err := onnx.Encode(g, onnx.WithOutputs(y))
			return err
		}
	}
	for name, c := range map[string]struct {
		run  func() error
		want []string
	}{
		"a function of the user's": {own(func(g *graph.Graph, x *graph.Node) *graph.Node {
			return ops.Callback("Mine", []*graph.Node{x}, graph.Float32, x.Shape(), func(*graph.Arrays) error {
				return errors.New("never called")
			}, nil)
		}), []string{here, "Mine(x)", "it is computed by a Go function"}},
		"a text": {own(func(_ *graph.Graph, x *graph.Node) *graph.Node { return ops.Print(x, "x") }),
			[]string{here, "Print(x"}},
		"an expansion that never ends": {own(func(_ *graph.Graph, x *graph.Node) *graph.Node {
			var endless *graph.Op
			endless = &graph.Op{Name: "endless", Func: "Endless", Class: graph.Composite, MinIn: 1, MaxIn: 1,
				Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
				Expand: func(_ *graph.Node, in []*graph.Node) *graph.Node { return graph.Apply(endless, nil, in...) }}
			return graph.Apply(endless, nil, x)
		}), []string{here, "without end"}},
		"an operation that panics": {own(func(_ *graph.Graph, x *graph.Node) *graph.Node {
			return graph.Apply(&graph.Op{Name: "bad", Func: "Bad", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
				Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
				Emit:  func(graph.Emitter, *graph.Node, []graph.Value) graph.Value { panic("mine") }}, nil, x)
		}), []string{here, "Bad(x)", "Emit panics", "mine"}},
		"sizes that are wanted": {own(func(_ *graph.Graph, x *graph.Node) *graph.Node { return ops.PInv(x) }),
			[]string{here, "PInv(x)", "but n is not known", "WithSizes"}},
		"a mistake of shapes": {own(func(_ *graph.Graph, x *graph.Node) *graph.Node {
			return ops.Add(x, ops.Zeros(x.Graph(), graph.Float32, 3, 4))
		}), []string{here, "error"}},
		"nothing": {func() error { _, err := onnx.Encode(graph.New("g")); return err },
			[]string{"nothing to export: set Outputs or Updates"}},
		"no graph": {func() error { _, err := onnx.Encode(nil); return err }, []string{"onnx: the graph is nil"}},
		"no node": {func() error { _, err := onnx.Encode(graph.New("g"), onnx.WithOutputs(nil)); return err },
			[]string{"root 0 is nil"}},
		"a node of another graph": {func() error {
			_, err := onnx.Encode(graph.New("g"), onnx.WithOutputs(graph.New("h").Input("x", graph.Float32)))
			return err
		}, []string{here, `is not a node of graph "g"`}},
		"an update that writes nothing": {func() error {
			g := graph.New("g")
			_, err := onnx.Encode(g, onnx.WithUpdates(ops.Exp(g.Input("x", graph.Float32))))
			return err
		}, []string{here, "writes nothing"}},
		"an old opset": {func() error {
			g := graph.New("g")
			_, err := onnx.Encode(g, onnx.WithOutputs(ops.Exp(g.Input("x", graph.Float32))), onnx.WithOpset(19))
			return err
		}, []string{"opset 19 is not supported: only 20 to 26"}},
		"a size that cannot be": {func() error {
			g := graph.New("g")
			x := g.Input("x", graph.Float32, g.Dim("n"))
			_, err := onnx.Encode(g, onnx.WithOutputs(ops.Reshape(x, 2, -1)), onnx.WithSizes(shapeinfer.Sizes{"n": 3}))
			return err
		}, []string{here}},
		"a size that is not there": {func() error {
			g := graph.New("g")
			_, err := onnx.Encode(g, onnx.WithOutputs(ops.Exp(g.Input("x", graph.Float32, g.Dim("n")))),
				onnx.WithSizes(shapeinfer.Sizes{"m": 3}))
			return err
		}, []string{`graph "g" has no size "m": it has n`}},
		"no folder": {func() error {
			g := graph.New("g")
			return onnx.Export(filepath.Join(t.TempDir(), "none", "m.onnx"), g,
				onnx.WithOutputs(ops.Exp(g.Input("x", graph.Float32))))
		}, []string{"m.onnx"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.run()
			require.Error(t, err)
			for _, text := range c.want {
				require.ErrorContains(t, err, text)
			}
		})
	}
}

// TestModel reads a model's description of itself.
func TestModel(t *testing.T) {
	g := graph.New("net")
	n := g.Dim("batch")
	x := g.Input("image", graph.Float32, n, 4)
	h := nn.NewLinear(g, "hidden", 4, 3).Apply(nn.Evaluation(g), x)
	y := ops.Softmax(h, 1).Named("shares")
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := prog.NewSession()
	data, err := onnx.Encode(g, onnx.WithOutputs(y, ops.Concat(0, h, h)), onnx.WithParams(s), nil)
	require.NoError(t, err)
	m, err := wire.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, "net", m.Graph.Name)
	assert.Equal(t, []wire.Opset{{Version: 20}}, m.Opsets)
	require.Len(t, m.Graph.Inputs, 1)
	assert.Equal(t, []wire.Dimension{{Param: "batch"}, {Value: 4, IsKnown: true}}, m.Graph.Inputs[0].Type.Tensor.Dims)
	assert.Equal(t, "shares", m.Graph.Outputs[0].Name)
	assert.Equal(t, "output_1", m.Graph.Outputs[1].Name)
	assert.Equal(t, []wire.Dimension{{Param: "2*batch"}, {Value: 3, IsKnown: true}},
		m.Graph.Outputs[1].Type.Tensor.Dims)
	var names, operators []string
	for _, n := range m.Graph.Nodes {
		names, operators = append(names, n.Name), append(operators, n.Op)
	}
	assert.Equal(t, []string{"Gemm", "Softmax", "Concat"}, operators)
	assert.Equal(t, []string{"hidden/Gemm", "shares", "output_1"}, names)
	weight, err := s.Param(g.ByName("hidden.weight"))
	require.NoError(t, err)
	require.Equal(t, "hidden.weight", m.Graph.Initializers[0].Name)
	got, err := reference.FromBytes("float32", m.Graph.Initializers[0].Raw, 3, 4)
	require.NoError(t, err)
	assert.Equal(t, weight.Data, got.Data)
}

// TestFiles writes a model with its parameters beside it, over an older one, and runs it.
func TestFiles(t *testing.T) {
	g := graph.New("net")
	x := g.Input("x", graph.Float32, g.Dim("n"), 64)
	y := nn.NewLinear(g, "layer", 64, 32).Apply(nn.Evaluation(g), x)
	step := optim.SGD(0.1).Minimize(ops.Mean(ops.Square(y)))
	prog, err := exec.Compile(g, exec.Outputs(y), exec.Updates(step...))
	require.NoError(t, err)
	s := prog.NewSession()
	path := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
	require.NoError(t, onnx.Export(path, g, onnx.WithOutputs(y), onnx.WithParams(s), onnx.WithDataBeside(100)))
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Regexp(t, `model\.onnx-[0-9a-f]{16}\.data$`, files[0]+files[1][len(path):])
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	m, err := wire.Decode(data)
	require.NoError(t, err)
	require.True(t, m.Graph.Initializers[0].IsExternal)
	require.Less(t, len(data), 4000)
	whole, err := onnx.Encode(g, onnx.WithOutputs(y), onnx.WithParams(s))
	require.NoError(t, err)
	require.Greater(t, len(whole), 8000)
	given := onnxrt.Run{"x": {Value: reference.FromFloats(graph.Float32, make([]float64, 128), 2, 64)}}
	done := onnxrt.Do(t,
		[]onnxrt.Model{{Path: path, Runs: []onnxrt.Run{given}}, {Data: whole, Runs: []onnxrt.Run{given}}})
	require.Empty(t, done[0].Error+done[1].Error)
	require.Equal(t, done[1].Results, done[0].Results)
}

// TestUpdatesAreInputs expects what is written to be an input, and the rest to be in the model.
func TestUpdatesAreInputs(t *testing.T) {
	g := graph.New("net")
	x := g.Input("x", graph.Float32, 2, 4)
	frozen, trained := g.Param("frozen", graph.Float32, 4, 3), g.Param("trained", graph.Float32, 3)
	loss := ops.Mean(ops.Square(ops.Add(ops.MatMul(x, frozen), trained))).Named("loss")
	step := optim.SGD(0.1, optim.Momentum(0.9)).Minimize(loss, trained)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
	require.NoError(t, err)
	data, err := onnx.Encode(g, onnx.WithOutputs(loss), onnx.WithUpdates(step...), onnx.WithParams(prog.NewSession()))
	require.NoError(t, err)
	inputs, outputs := namesOf(data)
	assert.ElementsMatch(t, []string{"x", "trained", "trained.momentum_buffer"}, inputs)
	assert.ElementsMatch(t, []string{"loss", "trained.next", "trained.momentum_buffer.next"}, outputs)
	data, err = onnx.Encode(g, onnx.WithOutputs(loss), onnx.WithUpdates(step...))
	require.NoError(t, err)
	inputs, _ = namesOf(data)
	assert.True(t, strings.Contains(strings.Join(inputs, " "), "frozen"))
}
