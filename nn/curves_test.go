package nn_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/weights"
)

// trained is a model of testdata/curves.py: it returns its logits, the classes last.
type trained struct {
	model     func(g *graph.Graph) func(p *nn.Pass, x []*graph.Node) *graph.Node
	optimizer optim.Optimizer
}

// layers is a model of one layer.
func layers(build func(g *graph.Graph) nn.Layer) func(g *graph.Graph) func(*nn.Pass, []*graph.Node) *graph.Node {
	return func(g *graph.Graph) func(*nn.Pass, []*graph.Node) *graph.Node {
		l := build(g)
		return func(p *nn.Pass, x []*graph.Node) *graph.Node { return l.Apply(p, x[0]) }
	}
}

// block is a block of a residual network that halves its images.
type block struct {
	conv1, conv2, shortcut *nn.Conv
	bn1, bn2, bn3          *nn.BatchNorm
}

func newBlock(g *graph.Graph, in, out int) *block {
	halve := nn.Stride(2)
	return &block{
		conv1: nn.NewConv2D(g, "conv1", in, out, 3, halve, nn.Padding(1), nn.NoBias()),
		bn1:   nn.NewBatchNorm(g, "bn1", out),
		conv2: nn.NewConv2D(g, "conv2", out, out, 3, nn.Padding(1), nn.NoBias()), bn2: nn.NewBatchNorm(g, "bn2", out),
		shortcut: nn.NewConv2D(g, "shortcut.0", in, out, 1, halve, nn.NoBias()),
		bn3:      nn.NewBatchNorm(g, "shortcut.1", out),
	}
}

func (b *block) Apply(p *nn.Pass, x *graph.Node) *graph.Node {
	y := ops.Relu(b.bn1.Apply(p, b.conv1.Apply(p, x)))
	y = b.bn2.Apply(p, b.conv2.Apply(p, y))
	return ops.Relu(ops.Add(y, b.bn3.Apply(p, b.shortcut.Apply(p, x))))
}

var curves = map[string]trained{
	"mlp": {layers(func(g *graph.Graph) nn.Layer {
		return nn.Sequential(nn.NewLinear(g, "fc1", 8, 16), nn.Func(ops.Relu), nn.NewLinear(g, "fc2", 16, 16),
			nn.Func(ops.Tanh), nn.NewLinear(g, "fc3", 16, 4))
	}), optim.SGD(0.1, optim.Momentum(0.9))},
	"lenet": {layers(func(g *graph.Graph) nn.Layer {
		return nn.Sequential(
			nn.NewConv2D(g, "conv1", 1, 4, 3, nn.Padding(1), nn.NoBias()), nn.NewBatchNorm(g, "norm1", 4),
			nn.Func(ops.Relu), nn.MaxPool2D(2),
			nn.NewConv2D(g, "conv2", 4, 8, 3, nn.Padding(1), nn.NoBias()), nn.NewBatchNorm(g, "norm2", 8),
			nn.Func(ops.Relu), nn.MaxPool2D(2),
			nn.Flatten(), nn.NewLinear(g, "fc1", 32, 16), nn.Func(ops.Relu), nn.NewLinear(g, "fc2", 16, 4))
	}), optim.Adam(3e-3)},
	"resnet block": {layers(func(g *graph.Graph) nn.Layer {
		return nn.Sequential(newBlock(g, 2, 6), nn.GlobalAvgPool(), nn.NewLinear(g, "fc", 6, 4))
	}), optim.SGD(0.05, optim.Momentum(0.9), optim.Nesterov())},
	"encoder": {layers(func(g *graph.Graph) nn.Layer {
		return nn.Sequential(nn.NewEmbedding(g, "embed", 12, 16), nn.SinusoidalPositions(),
			nn.NewTransformerEncoder(g, "encoder", 2, 16, 2, nn.FeedForward(32), nn.DropoutRate(0)),
			nn.NewLinear(g, "head", 16, 12))
	}), optim.AdamW(1e-3)},
	"lstm": {layers(func(g *graph.Graph) nn.Layer {
		return nn.Sequential(nn.NewLSTM(g, "rnn", 4, 12), nn.NewLinear(g, "head", 12, 4))
	}), optim.Adam(3e-3)},
	"gru": {layers(func(g *graph.Graph) nn.Layer {
		return nn.Sequential(nn.NewGRU(g, "rnn", 4, 12), nn.NewLinear(g, "head", 12, 4))
	}), optim.Adam(3e-3)},
	"decoder": {func(g *graph.Graph) func(*nn.Pass, []*graph.Node) *graph.Node {
		source, embed := nn.NewEmbedding(g, "source", 12, 16), nn.NewEmbedding(g, "embed", 12, 16)
		decoder := nn.NewTransformerDecoder(g, "decoder", 2, 16, 2, nn.FeedForward(32), nn.DropoutRate(0),
			nn.NormFirst())
		head := nn.NewLinear(g, "head", 16, 12)
		return func(p *nn.Pass, x []*graph.Node) *graph.Node {
			y := nn.SinusoidalPositions().Apply(p, embed.Apply(p, x[1]))
			return head.Apply(p, decoder.ApplyTo(p, y, source.Apply(p, x[0])))
		}
	}, optim.AdamW(1e-3)},
}

// TestCurvesAreThoseOfPyTorch trains models from state_dicts that PyTorch wrote, and compares the
// losses of 100 steps with those that it wrote beside them, and of some steps in mixed precision.
func TestCurvesAreThoseOfPyTorch(t *testing.T) { compareCurves(t, "testdata/curves") }

// TestCurvesOfPyTorchNow has PyTorch train anew, from other weights and with other data.
func TestCurvesOfPyTorchNow(t *testing.T) {
	folder := t.TempDir()
	for files := tar.NewReader(bytes.NewReader(torch(t, "curves.py", strconv.Itoa(11)))); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		data, err := io.ReadAll(files)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file.Name)), data, 0o600))
	}
	compareCurves(t, folder)
}

func compareCurves(t *testing.T, folder string) {
	for name, c := range curves {
		for _, in := range []struct {
			losses  string
			dtype   graph.DType
			steps   int     // that are compared: small differences grow
			differs float64 // relatively
		}{{"losses", graph.Float32, 100, 1e-4}, {"autocast", graph.BFloat16, 30, 0.01}} {
			t.Run(name+"/"+in.losses, func(t *testing.T) {
				run, err := weights.Open(filepath.Join(folder, name+".run.safetensors"))
				require.NoError(t, err)
				defer run.Close()
				want, err := run.Read(in.losses)
				require.NoError(t, err)
				got := c.losses(t, run, filepath.Join(folder, name+".safetensors"), in.dtype)
				worst := 0.0
				for i, want := range want.Data.([]float32)[:in.steps] {
					worst = math.Max(worst, math.Abs(got[i]-float64(want))/math.Abs(float64(want)))
				}
				t.Logf("from %.4f to %.4f; relative difference at most %.1e", got[0], got[in.steps-1], worst)
				assert.Less(t, worst, in.differs)
			})
		}
	}
}

// losses are those of 100 steps from a checkpoint, of a model that is built within Autocast.
func (c trained) losses(t *testing.T, run *weights.File, checkpoint string, dtype graph.DType) (losses []float64) {
	g := graph.New("curve")
	var inputs []*graph.Node
	var batches []exec.Array
	for i := range len(run.Tensors()) - 2 {
		value, err := run.Read("x" + strconv.Itoa(i))
		require.NoError(t, err)
		inputs, batches = append(inputs, g.Input("x"+strconv.Itoa(i), dtypeOf(value), sizes(value)[1:]...)),
			append(batches, value)
	}
	last := len(inputs) - 1
	pass := nn.Training(g)
	var model []*graph.Node
	var loss *graph.Node
	g.Autocast(dtype, func() {
		logits := c.model(g)(pass, inputs[:last])
		require.NoError(t, g.Err())
		model = g.Params() // without those of the optimiser
		loss = ops.CrossEntropy(ops.Flatten(logits, 0, -2), ops.Flatten(inputs[last], 0, -1))
	})
	require.Equal(t, graph.Float32, loss.DType())
	prog, err := exec.Compile(g, exec.Outputs(loss),
		exec.Updates(append(c.optimizer.Minimize(loss), pass.Updates()...)...))
	require.NoError(t, err)
	s := prog.NewSession()
	_, err = weights.LoadFile(s, checkpoint, weights.Only(model...))
	require.NoError(t, err)
	for step := range 100 {
		feed := exec.Feed{}
		for i, x := range inputs {
			feed[x] = batch(batches[i], step)
		}
		r, err := s.Run(t.Context(), feed)
		require.NoError(t, err)
		got, err := r.Scalar(loss)
		require.NoError(t, err)
		losses = append(losses, got)
	}
	return losses
}

// batch is the one of a step, of all along the first axis.
func batch(all exec.Array, step int) exec.Array {
	shape, n := all.Shape[1:], 1
	for _, d := range shape {
		n *= d
	}
	from := step % all.Shape[0] * n
	switch data := all.Data.(type) {
	case []int64:
		return exec.Array{Shape: shape, Data: data[from : from+n]}
	default:
		return exec.Array{Shape: shape, Data: data.([]float32)[from : from+n]}
	}
}
