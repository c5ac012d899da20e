package nn_test

import (
	"bytes"
	"math"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/weights"
)

// torchCase makes the layer of a case of testdata/layers.py and applies it.
type torchCase func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node

// of is a case of a layer of one value.
func of[L nn.Layer](make func(g *graph.Graph) L) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node { return make(g).Apply(p, x[0]) }
}

const double = graph.Float64

var f64 = nn.DType(double)

func attention(heads int, opts ...nn.Option) func(g *graph.Graph) *nn.MultiHeadAttention {
	return func(g *graph.Graph) *nn.MultiHeadAttention {
		return nn.NewMultiHeadAttention(g, "", 8, heads, append(opts, f64)...)
	}
}

// masked is self-attention with a mask.
func masked(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
	return attention(2)(g).Attend(p, x[0], x[0], x[0], nn.Mask(x[1]))
}

func transformerOptions(more ...nn.Option) []nn.Option {
	return append([]nn.Option{nn.FeedForward(12), nn.DropoutRate(0), f64}, more...)
}

// stated begins with states, and sums what it gives and the last states as testdata/layers.py does.
func stated(make func(g *graph.Graph) *nn.Recurrent) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		y, final := make(g).ApplyFrom(p, x[0], x[1:]...)
		sums := []*graph.Node{ops.Sum(y, 1, 2)}
		for _, s := range final {
			sums = append(sums, ops.Sum(s, 0, 2))
		}
		return ops.Concat(0, sums...)
	}
}

// ended puts what sequences give and their last states side by side, as testdata/layers.py does. What is given
// behind the sequences are their lengths, if they have some, and states.
func ended(make func(g *graph.Graph, name string, in, hidden int, opts ...nn.Option) *nn.Recurrent, hidden int,
	opts ...nn.Option) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		l := make(g, "", 3, hidden, append(opts, nn.Layers(2), nn.Bidirectional(), f64)...)
		apply := func() (y *graph.Node, final []*graph.Node) { return l.ApplyFrom(p, x[0]) }
		if len(x) > 1 {
			apply = func() (y *graph.Node, final []*graph.Node) { return l.ApplyPadded(p, x[0], x[1], x[2:]...) }
		}
		y, final := apply()
		list := []*graph.Node{ops.Flatten(y, 1, -1)}
		for _, s := range final {
			list = append(list, ops.Flatten(ops.Transpose(s, 0, 1), 1, -1))
		}
		return ops.Concat(1, list...)
	}
}

// paddedCases are those that testdata/layers.py writes for padded sequences.
var paddedCases = map[string]torchCase{
	"lstm with projections": ended(nn.NewLSTM[int, int], 5, nn.ProjSize(2)),
	"padded rnn":            ended(nn.NewRNN[int, int], 4),
	"padded lstm":           ended(nn.NewLSTM[int, int], 4),
	"padded gru":            ended(nn.NewGRU[int, int], 4),
	"padded lstm with projections from a state": ended(nn.NewLSTM[int, int], 4, nn.ProjSize(3)),
	"padded gru from a state":                   ended(nn.NewGRU[int, int], 4),
}

var torchCases = map[string]torchCase{
	"linear":              of(func(g *graph.Graph) nn.Layer { return nn.NewLinear(g, "", 5, 3, f64) }),
	"linear without bias": of(func(g *graph.Graph) nn.Layer { return nn.NewLinear(g, "", 5, 1, f64, nn.NoBias()) }),
	"bilinear": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewBilinear(g, "", 3, 4, 2, f64).ApplyTo(p, x[0], x[1])
	},
	"conv1d": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConv1D(g, "", 4, 6, 3, nn.Stride(2), nn.Padding(1), nn.Dilation(2), nn.Groups(2), f64)
	}),
	"conv2d": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConv2D(g, "", 3, 4, 3, nn.Padding(1), nn.NoBias(), f64)
	}),
	"transposed conv1d": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConvTranspose1D(g, "", 4, 6, 3, nn.Stride(2), nn.Padding(1), nn.Groups(2), f64)
	}),
	"transposed conv2d": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConvTranspose2D(g, "", 2, 3, 3, nn.Stride(2), nn.Padding(1), nn.OutputPadding(1), f64)
	}),
	"conv3d": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConv3D(g, "", 2, 4, 2, nn.Stride(1, 2, 1), nn.Padding(0, 1, 1), nn.Groups(2), f64)
	}),
	"transposed conv3d": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConvTranspose3D(g, "", 2, 3, 2, nn.Stride(2), nn.Padding(1), nn.OutputPadding(1), f64)
	}),
	"max pool of volumes": of(func(*graph.Graph) nn.Layer {
		return nn.MaxPool3D(2, ops.Stride(1))
	}),
	"mean pool of volumes": of(func(*graph.Graph) nn.Layer {
		return nn.AvgPool3D(2, ops.Padding(1))
	}),
	"adaptive max pool": of(func(*graph.Graph) nn.Layer {
		return nn.AdaptiveMaxPool(3, 2)
	}),
	"adaptive mean pool": of(func(*graph.Graph) nn.Layer {
		return nn.AdaptiveAvgPool(3, 7)
	}),
	"adaptive mean pool of volumes": of(func(*graph.Graph) nn.Layer {
		return nn.AdaptiveAvgPool(2, 3, 1)
	}),
	"adaptive mean pool of windows that meet nowhere": of(func(*graph.Graph) nn.Layer { return nn.AdaptiveAvgPool(3) }),
	"embedding": of(func(g *graph.Graph) nn.Layer { return nn.NewEmbedding(g, "", 7, 3, nn.PaddingIndex(2), f64) }),
	"embedding bag": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewEmbeddingBag(g, "", 7, 3, nn.PaddingIndex(2), f64).Apply(p, x[0])
	},
	"embedding bag with offsets": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		l := nn.NewEmbeddingBag(g, "", 7, 3, nn.BagReduction(ops.ReduceSum), f64)
		return l.Apply(p, x[0], ops.Offsets(x[1]), ops.PerSampleWeights(x[2]), ops.IncludeLastOffset())
	},
	"batch norm": of(func(g *graph.Graph) nn.Layer { return nn.NewBatchNorm(g, "", 4, f64) }),
	"batch norm of images": of(func(g *graph.Graph) nn.Layer {
		return nn.NewBatchNorm(g, "", 3, nn.Epsilon(1e-3), nn.Momentum(0.3), f64)
	}),
	"batch norm of volumes": of(func(g *graph.Graph) nn.Layer { return nn.NewBatchNorm(g, "", 2, f64) }),
	"batch norm without affine": of(func(g *graph.Graph) nn.Layer {
		return nn.NewBatchNorm(g, "", 4, nn.NoAffine(), f64)
	}),
	"batch norm twice": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		l := nn.NewBatchNorm(g, "", 4, f64)
		return ops.Mul(ops.Sum(l.Apply(p, x[0]), 0), ops.Sum(l.Apply(p, x[1]), 0))
	},
	"batch norm in evaluation": func(g *graph.Graph, _ *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewBatchNorm(g, "", 3, f64).Apply(nn.Evaluation(g), x[0])
	},
	"layer norm":              of(func(g *graph.Graph) nn.Layer { return nn.NewLayerNorm(g, "", 6, f64) }),
	"group norm":              of(func(g *graph.Graph) nn.Layer { return nn.NewGroupNorm(g, "", 2, 4, f64) }),
	"instance norm":           of(func(g *graph.Graph) nn.Layer { return nn.NewInstanceNorm(g, "", 3, f64) }),
	"group norm of one group": of(func(g *graph.Graph) nn.Layer { return nn.NewGroupNorm(g, "", 1, 4, f64) }),
	"group norm without affine": of(func(g *graph.Graph) nn.Layer {
		return nn.NewGroupNorm(g, "", 4, 4, nn.NoAffine(), f64)
	}),
	"instance norm of sequences without affine": of(func(g *graph.Graph) nn.Layer {
		return nn.NewInstanceNorm(g, "", 3, nn.NoAffine(), f64)
	}),
	"instance norm of volumes": of(func(g *graph.Graph) nn.Layer {
		return nn.NewInstanceNorm(g, "", 2, nn.Epsilon(1e-3), f64)
	}),
	"rms norm":               of(func(g *graph.Graph) nn.Layer { return nn.NewRMSNorm(g, "", 6, f64) }),
	"attention":              of(attention(2)),
	"attention without bias": of(attention(4, nn.NoBias())),
	"attention across": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return attention(2)(g).Attend(p, x[0], x[1], x[2])
	},
	"causal attention":               of(attention(2, nn.Causal())),
	"attention with a mask":          masked,
	"attention with numbers added":   masked,
	"grouped-query attention":        of(attention(4, nn.KVHeads(2))),
	"causal grouped-query attention": of(attention(4, nn.KVHeads(2), nn.Causal(), nn.RotaryBase(10000))),
	"encoder layer": of(func(g *graph.Graph) nn.Layer {
		return nn.NewTransformerEncoderLayer(g, "", 8, 2, transformerOptions()...)
	}),
	"encoder layer, norm first": of(func(g *graph.Graph) nn.Layer {
		return nn.NewTransformerEncoderLayer(
			g, "", 8, 2, transformerOptions(nn.NormFirst(), nn.Activation(ops.Gelu))...)
	}),
	"encoder": of(func(g *graph.Graph) nn.Layer {
		return nn.NewTransformerEncoder(g, "", 2, 8, 2, transformerOptions(nn.NormFirst())...)
	}),
	"decoder layer": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewTransformerDecoderLayer(g, "", 8, 2, transformerOptions()...).ApplyTo(p, x[0], x[1])
	},
	"decoder": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewTransformerDecoder(g, "", 2, 8, 2, transformerOptions(nn.NormFirst())...).ApplyTo(p, x[0], x[1])
	},
	"rnn": of(func(g *graph.Graph) nn.Layer { return nn.NewRNN(g, "", 3, 4, f64) }),
	"rnn of relu, without bias": of(func(g *graph.Graph) nn.Layer {
		return nn.NewRNN(g, "", 3, 4, nn.Activation(ops.Relu), nn.NoBias(), f64)
	}),
	"lstm":             of(func(g *graph.Graph) nn.Layer { return nn.NewLSTM(g, "", 3, 4, f64) }),
	"lstm of one step": of(func(g *graph.Graph) nn.Layer { return nn.NewLSTM(g, "", 3, 4, f64) }),
	"lstm of two layers and directions": of(func(g *graph.Graph) nn.Layer {
		return nn.NewLSTM(g, "", 3, 4, nn.Layers(2), nn.Bidirectional(), f64)
	}),
	"lstm from a state": stated(func(g *graph.Graph) *nn.Recurrent {
		return nn.NewLSTM(g, "", 3, 4, nn.Layers(2), f64)
	}),
	"gru": of(func(g *graph.Graph) nn.Layer { return nn.NewGRU(g, "", 3, 4, f64) }),
	"gru of two layers and directions": of(func(g *graph.Graph) nn.Layer {
		return nn.NewGRU(g, "", 3, 4, nn.Layers(2), nn.Bidirectional(), f64)
	}),
	"gru from a state, without bias": stated(func(g *graph.Graph) *nn.Recurrent {
		return nn.NewGRU(g, "", 3, 4, nn.Layers(2), nn.NoBias(), f64)
	}),
	"sinusoidal positions":                 of(func(*graph.Graph) nn.Layer { return nn.SinusoidalPositions() }),
	"sinusoidal positions of an odd width": of(func(*graph.Graph) nn.Layer { return nn.SinusoidalPositions() }),
}

// torchValues are what testdata/layers.py has written of a case, by kind and name.
type torchValues map[string]map[string]exec.Array

func readTorch(t *testing.T, path string) map[string]torchValues {
	f, err := weights.Open(path)
	require.NoError(t, err)
	defer f.Close()
	cases := map[string]torchValues{}
	for _, info := range f.Tensors() {
		words := strings.Split(info.Name, "|")
		value, err := f.Read(info.Name)
		require.NoError(t, err)
		if cases[words[0]] == nil {
			cases[words[0]] = torchValues{}
		}
		if cases[words[0]][words[1]] == nil {
			cases[words[0]][words[1]] = map[string]exec.Array{}
		}
		cases[words[0]][words[1]][words[2]] = value
	}
	return cases
}

// TestLayersAreThoseOfPyTorch compares results, gradients and state with what PyTorch computes of
// the same parameters, which have the same names.
func TestLayersAreThoseOfPyTorch(t *testing.T) {
	compareLayers(t, torchCases, "testdata/layers.npz")
	compareLayers(t, paddedCases, "testdata/padded.npz")
	compareLayers(t, cellCases, "testdata/cells.npz")
	compareLayers(t, normedCases, "testdata/normed.npz")
}

func compareLayers(t *testing.T, all map[string]torchCase, path string) {
	cases := readTorch(t, path)
	for name := range cases {
		assert.Contains(t, all, name)
	}
	for name, build := range all {
		t.Run(name, func(t *testing.T) {
			values, found := cases[name]
			require.True(t, found, "the file lacks it")
			compareWithTorch(t, build, values)
		})
	}
}

// TestLayersOfPyTorchNow compares with what PyTorch computes of other numbers.
func TestLayersOfPyTorchNow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "layers.npz")
	require.NoError(t, os.WriteFile(path, torch(t, "layers.py", "23"), 0o600))
	compareLayers(t, torchCases, path)
	require.NoError(t, os.WriteFile(path, torch(t, "layers.py", "23", "padded"), 0o600))
	compareLayers(t, paddedCases, path)
	require.NoError(t, os.WriteFile(path, torch(t, "layers.py", "23", "cells"), 0o600))
	compareLayers(t, cellCases, path)
	require.NoError(t, os.WriteFile(path, torch(t, "layers.py", "23", "normed"), 0o600))
	compareLayers(t, normedCases, path)
}

// torch runs a program of testdata with the Python that BROADLOOM_PYTHON names, and returns what it
// writes. The test is skipped where that Python lacks PyTorch.
func torch(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	python := os.Getenv("BROADLOOM_PYTHON")
	if python == "" {
		t.Skip("BROADLOOM_PYTHON names no Python with PyTorch, NumPy and safetensors")
	}
	path, err := filepath.Abs(filepath.Join("testdata", program))
	require.NoError(t, err)
	cmd := osexec.CommandContext(t.Context(), python, append([]string{path}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && bytes.Contains(stderr.Bytes(), []byte("ModuleNotFoundError")) {
		t.Skipf("this Python lacks a module: %s", stderr.String())
	}
	require.NoError(t, err, stderr.String())
	return out
}

// dtypeOf is the dtype of a value's elements.
func dtypeOf(value exec.Array) graph.DType {
	switch value.Data.(type) {
	case []bool:
		return graph.Bool
	case []int64:
		return graph.Int64
	case []float32:
		return graph.Float32
	}
	return double
}

// sizes are the sizes of a value, the first of which only a run knows where it is named.
func sizes(value exec.Array, first ...graph.Dim) []graph.Dim {
	shape := make([]graph.Dim, len(value.Shape))
	for i, n := range value.Shape {
		shape[i] = graph.Dim(n)
	}
	copy(shape, first)
	return shape
}

func compareWithTorch(t *testing.T, build torchCase, want torchValues) {
	g := graph.New("layer")
	feed := exec.Feed{}
	var xs []*graph.Node
	for i := range len(want["x"]) {
		key := strconv.Itoa(i)
		value := want["x"][key]
		var batch []graph.Dim
		if i == 0 && len(want["x"]) == 1 && len(value.Shape) > 1 {
			batch = append(batch, g.Dim("batch", graph.AtLeast(int64(min(2, value.Shape[0])))))
		}
		x := g.Input("x"+key, dtypeOf(value), sizes(value, batch...)...)
		xs, feed[x] = append(xs, x), value
	}
	pass := nn.Training(g)
	y := build(g, pass, xs)
	require.NoError(t, g.Err())
	r := g.Input("r", double, y.Shape()...)
	feed[r] = want["r"]["0"]
	loss := ops.Sum(ops.Mul(y, r))

	var wrt []*graph.Node
	var gradients []exec.Array
	for key, value := range want["g"] {
		require.NotNil(t, g.ByName(key), "no parameter %s", key)
		wrt, gradients = append(wrt, g.ByName(key)), append(gradients, value)
	}
	for key, value := range want["d"] {
		i, _ := strconv.Atoi(key)
		wrt, gradients = append(wrt, xs[i]), append(gradients, value)
	}
	grads := autodiff.Grad(loss, wrt, autodiff.ZeroForUnused())
	prog, err := exec.Compile(g, exec.Outputs(append(grads, y)...), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	assert.Empty(t, prog.Warnings())
	s := prog.NewSession()
	for key, value := range want["p"] {
		require.NotNil(t, g.ByName(key), "no parameter %s", key)
		require.NoError(t, s.SetParam(g.ByName(key), value))
	}
	for _, n := range g.Params() {
		if n.Name() != "random_state" { // of passes in which dropout draws
			assert.Contains(t, want["p"], n.Name(), "PyTorch has no such parameter")
		}
	}
	result, err := s.Run(t.Context(), feed)
	require.NoError(t, err)
	got, err := result.Array(y)
	require.NoError(t, err)
	isNear(t, "the result", want["y"]["0"], got)
	for i, d := range grads {
		got, err := result.Array(d)
		require.NoError(t, err)
		isNear(t, "the gradient of "+wrt[i].Name(), gradients[i], got)
	}
	for key, value := range want["s"] {
		got, err := s.Param(g.ByName(key))
		require.NoError(t, err)
		isNear(t, key, value, got)
	}
}

// isNear compares two values to within 1e-9 of the greatest element or of 1.
func isNear(t *testing.T, what string, want, got exec.Array) {
	require.True(t, slices.Equal(want.Shape, got.Shape), "%s: %v and %v", what, want.Shape, got.Shape)
	if _, is := want.Data.([]float64); !is {
		require.Equal(t, want.Data, got.Data, what)
		return
	}
	worst, scale := 0.0, 1.0
	for i, w := range want.Data.([]float64) {
		worst, scale = math.Max(worst, math.Abs(w-got.Data.([]float64)[i])), math.Max(scale, math.Abs(w))
	}
	require.Less(t, worst/scale, 1e-9, what)
}
