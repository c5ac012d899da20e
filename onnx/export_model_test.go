package onnx_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/opref"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// training is a program with updates that is run for some steps here and by ONNX Runtime.
type training struct {
	name    string
	g       *graph.Graph
	outputs []*graph.Node
	updates []*graph.Node
	steps   int
	bound   float64 // how far results may differ after all steps

	data  []byte
	model onnxrt.Model
	want  []map[string]reference.Value // of each step
}

// run carries the steps out here.
func (tr *training) run(t *testing.T) {
	prog, err := exec.Compile(tr.g, exec.Outputs(tr.outputs...), exec.Updates(tr.updates...), exec.OnWarning(nil))
	require.NoError(t, err, tr.name)
	options := []exec.SessionOption{exec.PrintTo(io.Discard), exec.Seed(7)}
	for _, name := range tr.g.DimNames() {
		options = append(options, exec.Size(name, int(sizeOf(name))))
	}
	s := prog.NewSession(options...)
	tr.data, err = onnx.Encode(tr.g, onnx.WithOutputs(tr.outputs...), onnx.WithUpdates(tr.updates...),
		onnx.WithParams(s))
	require.NoError(t, err, tr.name)
	inputs, outputs := namesOf(tr.data)
	tr.model = onnxrt.Model{Name: tr.name, Data: tr.data}
	random := rand.New(rand.NewPCG(1, 2))
	for step := range tr.steps {
		fed, feed := tr.feed(t, random)
		run := onnxrt.Run{}
		for _, name := range inputs {
			switch x := tr.g.ByName(name); {
			case strings.HasPrefix(name, "size:"):
				run[name] = onnxrt.Arg{Value: reference.Of([]int64{sizeOf(name[len("size:"):])})}
			case x.IsInput():
				run[name] = onnxrt.Arg{Value: fed[name]}
			case step > 0:
				run[name] = onnxrt.Arg{From: name + ".next"}
			default:
				run[name] = onnxrt.Arg{Value: paramOf(t, s, x)}
			}
		}
		tr.model.Runs = append(tr.model.Runs, run)
		r, err := s.Run(t.Context(), feed)
		require.NoError(t, err, tr.name)
		want := map[string]reference.Value{}
		for i, n := range tr.outputs {
			a, err := r.Array(n)
			require.NoError(t, err)
			a = a.Clone()
			want[outputs[i]] = reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}
		}
		for _, name := range outputs[len(tr.outputs):] {
			if x := tr.g.ByName(strings.TrimSuffix(name, ".next")); x.IsParam() {
				want[name] = paramOf(t, s, x)
			}
		}
		tr.want = append(tr.want, want)
	}
}

// feed draws data of a step: classes of which the inputs show something.
func (tr *training) feed(t *testing.T, random *rand.Rand) (map[string]reference.Value, exec.Feed) {
	fed, feed := map[string]reference.Value{}, exec.Feed{}
	for _, x := range tr.g.Inputs() {
		shape := make([]int, x.Rank())
		for i, d := range x.Shape() {
			v, err := d.Eval(func(name string) (int64, bool) { return sizeOf(name), true })
			require.NoError(t, err)
			shape[i] = int(v)
		}
		v := numbers(x, shape, random, false)
		fed[x.Name()], feed[x] = v, exec.Array{Shape: v.Shape, Data: v.Data}
	}
	return fed, feed
}

func paramOf(t *testing.T, s *exec.Session, n *graph.Node) reference.Value {
	a, err := s.Param(n)
	require.NoError(t, err)
	return reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}
}

// judgeTraining compares all results of all steps.
func judgeTraining(t *testing.T, list []*training) {
	var models []onnxrt.Model
	for _, tr := range list {
		tr.run(t)
		models = append(models, tr.model)
	}
	good := 0
	for i, o := range onnxrt.Do(t, models) {
		if d := list[i].differs(o); d != "" {
			t.Errorf("%s: %s", list[i].name, d)
			continue
		}
		good++
	}
	t.Logf("%d exported, %d agree", len(list), good)
}

func (tr *training) differs(o onnxrt.Outcome) string {
	if o.Error != "" {
		return o.Error
	}
	judge := &trial{name: tr.name, cancelled: tr.bound}
	for step, want := range tr.want {
		for name, v := range want {
			got, is := o.Results[step][name]
			if !is {
				return "no output " + name
			}
			if d := judge.differsAt(got, v); d != "" {
				return fmt.Sprintf("%s after step %d%s", name, step, d)
			}
		}
	}
	return ""
}

// TestLayers exports the example of each layer in training, with its parameters and what it writes, and that of each
// optimiser.
func TestLayers(t *testing.T) {
	onnxrt.Python(t)
	examples, err := opref.Examples()
	require.NoError(t, err)
	var list []*training
	for _, e := range examples {
		list = append(list, &training{name: e.Name, g: e.Graph, outputs: e.Results, updates: e.Updates, steps: 3,
			bound: 1})
	}
	judgeTraining(t, list)
}

// TestTraining trains models for 50 steps.
func TestTraining(t *testing.T) {
	onnxrt.Python(t)
	judgeTraining(t, []*training{digits(), lenet(), gpt()})
}

// digits is the model of examples/digits.
func digits() *training {
	g := graph.New("digits")
	batch := g.Dim("batch")
	image, label := g.Input("image", graph.Float32, batch, 64), g.Input("label", graph.Int64, batch)
	network := nn.Sequential(nn.NewLinear(g, "hidden", 64, 128, nn.WeightInit(nn.KaimingNormal())), nn.Func(ops.Relu),
		nn.NewLinear(g, "output", 128, 10))
	logits := network.Apply(nn.Training(g), image)
	loss := ops.CrossEntropy(logits, label).Named("loss")
	accuracy := ops.Mean(ops.Cast(ops.Equal(ops.ArgMax(logits, 1), label), graph.Float32)).Named("accuracy")
	return &training{name: "digits", g: g, outputs: []*graph.Node{loss, accuracy},
		updates: optim.AdamW(0.003).Minimize(loss), steps: 50, bound: 1}
}

// lenet has convolutions, batch normalizations and dropout.
func lenet() *training {
	g := graph.New("lenet")
	x, y := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(2)), 1, 12, 12),
		g.Input("y", graph.Int64, g.Dim("batch"))
	p := nn.Training(g)
	net := nn.Sequential(
		nn.NewConv2D(g, "conv1", 1, 4, 3), nn.NewBatchNorm(g, "norm1", 4), nn.Func(ops.Relu), nn.MaxPool2D(2),
		nn.NewConv2D(g, "conv2", 4, 8, 2), nn.NewBatchNorm(g, "norm2", 8), nn.Func(ops.Relu), nn.MaxPool2D(2),
		nn.Flatten(), nn.NewLinear(g, "full", 32, 16), nn.Func(ops.Relu), nn.Dropout(0.25),
		nn.NewLinear(g, "out", 16, 10))
	loss := ops.CrossEntropy(net.Apply(p, x), y).Named("loss")
	step := append(optim.SGD(0.05, optim.Momentum(0.9)).Minimize(loss), p.Updates()...)
	return &training{name: "lenet", g: g, outputs: []*graph.Node{loss}, updates: step, steps: 50, bound: 1}
}

// gpt predicts letters, by two layers.
func gpt() *training {
	const seq, width, vocabulary = 8, 16, 12
	g := graph.New("gpt")
	x, y := g.Input("letters", graph.Int64, g.Dim("batch"), seq), g.Input("next", graph.Int64, g.Dim("batch"), seq)
	p := nn.Training(g)
	h := nn.NewEmbedding(g, "token", vocabulary, width).Apply(p, x)
	h = nn.NewPositions(g, "position", seq, width).Apply(p, h)
	h = nn.NewTransformerEncoder(g, "layers", 2, width, 2, nn.FeedForward(32), nn.NormFirst(), nn.Causal(),
		nn.DropoutRate(0.1)).Apply(p, h)
	logits := nn.NewLinear(g, "head", width, vocabulary).Apply(p, nn.NewLayerNorm(g, "norm", width).Apply(p, h))
	loss := ops.CrossEntropy(ops.Reshape(logits, -1, vocabulary), ops.Reshape(y, -1)).Named("loss")
	step := append(optim.AdamW(0.003, optim.Epsilon(1e-5)).Minimize(loss), p.Updates()...)
	return &training{name: "gpt", g: g, outputs: []*graph.Node{loss}, updates: step, steps: 50, bound: 1}
}
