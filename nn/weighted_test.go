package nn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// across is attention to other values.
func across(make func(g *graph.Graph) *nn.MultiHeadAttention) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return make(g).Attend(p, x[0], x[1], x[2])
	}
}

func maskedBy(make func(g *graph.Graph) *nn.MultiHeadAttention) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return make(g).Attend(p, x[0], x[0], x[0], nn.Mask(x[1]))
	}
}

// translated is a whole transformer, with masks of the source, the target and the encoder where they are given.
func translated(opts ...nn.Option) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		var masks []nn.AttentionOption
		if len(x) > 2 {
			source, target := paddingOf(x[2]), paddingOf(x[3])
			masks = []nn.AttentionOption{nn.SourceMask(x[4]), nn.SourceKeyPadding(source), nn.KeyPadding(target),
				nn.MemoryKeyPadding(added(source))}
		}
		return nn.NewEncoderDecoder(g, "", 2, 1, 8, 2, transformerOptions(opts...)...).ApplyTo(p, x[0], x[1], masks...)
	}
}

// normedCases are those that testdata/layers.py writes for normed weights.
var normedCases = map[string]torchCase{
	"weight norm": of(func(g *graph.Graph) nn.Layer { return nn.NewLinear(g, "", 5, 3, nn.WeightNorm(0), f64) }),
	"weight norm along the inputs": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConv2D(g, "", 2, 3, 2, nn.NoBias(), nn.WeightNorm(-3), f64)
	}),
	"weight norm of a transposed convolution": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConvTranspose1D(g, "", 4, 3, 2, nn.WeightNorm(0), f64)
	}),
	"spectral norm": of(func(g *graph.Graph) nn.Layer { return nn.NewLinear(g, "", 5, 3, nn.SpectralNorm(1), f64) }),
	"spectral norm of three steps": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConv2D(g, "", 2, 3, 2, nn.Stride(2), nn.SpectralNorm(3), f64)
	}),
	"spectral norm of a transposed convolution": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConvTranspose2D(g, "", 2, 3, 2, nn.SpectralNorm(1), f64)
	}),
	"spectral norm of a table": of(func(g *graph.Graph) nn.Layer {
		return nn.NewEmbedding(g, "", 6, 3, nn.SpectralNorm(1), f64)
	}),
	"weight norm of a table": of(func(g *graph.Graph) nn.Layer {
		return nn.NewEmbedding(g, "", 6, 3, nn.WeightNorm(0), f64)
	}),
	"weight norm of steps of an lstm": of(func(g *graph.Graph) nn.Layer {
		return nn.NewLSTM(g, "", 3, 4, nn.Layers(2), nn.Bidirectional(), nn.WeightNorm(0, "weight_hh_l1_reverse"), f64)
	}),
	"weight norm of a gru": of(func(g *graph.Graph) nn.Layer {
		return nn.NewGRU(g, "", 3, 4, nn.WeightNorm(0, "weight_hh_l0"), nn.WeightNorm(1, "weight_ih_l0"), f64)
	}),
	"weight norm of a cell": of(func(g *graph.Graph) nn.Layer {
		return nn.NewLSTMCell(g, "", 3, 4, nn.WeightNorm(0, "weight_ih"), f64)
	}),
	"spectral norm of steps of an lstm": of(func(g *graph.Graph) nn.Layer {
		return nn.NewLSTM(g, "", 3, 4, nn.SpectralNorm(1, "weight_hh_l0"), f64)
	}),
	"spectral norm of a gru in evaluation": inEvaluation(func(g *graph.Graph) nn.Layer {
		return nn.NewGRU(g, "", 3, 4, nn.SpectralNorm(1, "weight_hh_l0"), f64)
	}),
	"spectral norm of a cell": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewGRUCell(g, "", 3, 4, nn.SpectralNorm(1, "weight_hh"), f64).ApplyFrom(
			p, x[0], ops.Ones(g, double, x[0].Shape()[0], 4))[0]
	},
	"attention with weights": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		y, w := attention(2)(g).AttendWithWeights(p, x[0], x[1], x[1])
		return ops.Concat(1, ops.Flatten(y, 1, -1), ops.Flatten(w, 1, -1))
	},
	"attention with weights of each head": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		y, w := attention(2, nn.Causal(), nn.ZeroAttn())(g).AttendWithWeights(p, x[0], x[0], x[0], nn.EachHead())
		return ops.Concat(1, ops.Flatten(y, 1, -1), ops.Flatten(w, 1, -1))
	},
	"spectral norm, bilinear": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewBilinear(g, "", 3, 4, 2, nn.SpectralNorm(1), f64).ApplyTo(p, x[0], x[1])
	},
	"spectral norm twice": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		l := nn.NewLinear(g, "", 4, 3, nn.SpectralNorm(1), f64)
		return ops.Mul(l.Apply(p, x[0]), l.Apply(p, x[1]))
	},
	"spectral norm in evaluation": inEvaluation(func(g *graph.Graph) nn.Layer {
		return nn.NewLinear(g, "", 5, 3, nn.SpectralNorm(1), f64)
	}),

	"weight norm of a bag": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewEmbeddingBag(g, "", 6, 3, nn.WeightNorm(1), f64).Apply(p, x[0])
	},
	"spectral norm of a bag": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewEmbeddingBag(g, "", 6, 3, nn.SpectralNorm(1), f64).Apply(p, x[0])
	},
	"weight norm of attention": of(attention(2, nn.WeightNorm(0))),
	"spectral norm of attention": of(
		attention(2, nn.SpectralNorm(1, "in_proj_weight"), nn.WeightNorm(1, "out_proj.weight"))),
	"weight norm of attention of other widths": across(
		attention(2, nn.KeyWidth(3), nn.ValueWidth(5), nn.WeightNorm(0, "k_proj_weight"))),
	"weight norm of a convolutional lstm cell": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return nn.NewConvLSTMCell(g, "", 2, 3, 3, nn.SpectralNorm(1, "weight_hh"), nn.WeightNorm(0, "weight_ih"),
			f64).ApplyFrom(p, x[0], x[1], x[2])[0]
	},

	"zero pad":                  of(func(*graph.Graph) nn.Layer { return nn.ZeroPad(1, 2, -1, 3) }),
	"constant pad":              of(func(*graph.Graph) nn.Layer { return nn.ConstantPad(-1.5, 2, 1) }),
	"constant pad of volumes":   of(func(*graph.Graph) nn.Layer { return nn.ConstantPad(2.5, 1, 0, 2, 1, 0, 1) }),
	"reflection pad":            of(func(*graph.Graph) nn.Layer { return nn.ReflectionPad(2, 3) }),
	"reflection pad of images":  of(func(*graph.Graph) nn.Layer { return nn.ReflectionPad(1, 2, 0, 2) }),
	"reflection pad of volumes": of(func(*graph.Graph) nn.Layer { return nn.ReflectionPad(1, 1, 0, 2, 1, 0) }),
	"replication pad of images": of(func(*graph.Graph) nn.Layer { return nn.ReplicationPad(1, 5, 4, 0) }),
	"circular pad of volumes":   of(func(*graph.Graph) nn.Layer { return nn.CircularPad(1, 2, 0, 3, 1, 0) }),

	"attention of other widths":                        across(attention(2, nn.KeyWidth(3), nn.ValueWidth(5))),
	"attention of keys of another width, without bias": across(attention(2, nn.KeyWidth(3), nn.NoBias())),
	"attention with more keys":                         of(attention(2, nn.BiasKV(), nn.ZeroAttn())),
	"causal attention with a learned key":              of(attention(2, nn.BiasKV(), nn.Causal())),
	"attention with more keys and a mask":              paddedBy(attention(2, nn.BiasKV(), nn.ZeroAttn())),
	"attention with a key of zeros and numbers added":  maskedBy(attention(2, nn.ZeroAttn())),

	"transformer":              translated(),
	"transformer, norm first":  translated(nn.NormFirst(), nn.Activation(ops.Gelu), nn.Epsilon(1e-3)),
	"transformer without bias": translated(nn.NoBias()),
	"transformer with masks":   translated(),

	"transformer without a mask": translated(nn.Bidirectional()),
	"decoder without a mask": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		decoder := nn.NewTransformerDecoder(g, "", 2, 8, 2, transformerOptions(nn.Bidirectional())...)
		return decoder.ApplyTo(p, x[0], x[1])
	},

	"mgu cell":            stepped(func(g *graph.Graph) *nn.RecurrentCell { return nn.NewMGUCell(g, "", 3, 4, f64) }),
	"mgu cell from zeros": of(func(g *graph.Graph) nn.Layer { return nn.NewMGUCell(g, "", 3, 4, f64) }),
}

func TestADecoderIsCausalOrBidirectional(t *testing.T) {
	g := graph.New("both")
	nn.NewTransformerDecoderLayer(g, "layer", 8, 2, nn.Causal(), nn.Bidirectional())
	require.ErrorContains(t, g.Err(), "Causal and Bidirectional exclude each other: leave one out")
}

// A layer whose weight is normalized begins with the weight itself, or with one whose greatest singular value is 1.
func TestNormedWeightsBeginAsTheyShould(t *testing.T) {
	g := graph.New("first values")
	p := nn.Evaluation(g)
	plain := nn.NewConv2D(g, "conv", 3, 4, 2, nn.WeightNorm(1), f64)
	spectral := nn.NewConvTranspose2D(g, "up", 3, 4, 2, nn.SpectralNorm(1), nn.WeightInit(nn.Normal(2)), f64)
	list := []*graph.Node{ops.Max(ops.Abs(ops.Sub(plain.WeightIn(p), plain.Weight))), greatest(spectral.WeightIn(p), 1),
		ops.Norm(spectral.U, 2), ops.Norm(spectral.V, 2)}
	prog, err := exec.Compile(g, exec.Outputs(list...))
	require.NoError(t, err)
	for seed := range uint64(3) {
		r, err := prog.NewSession(exec.Seed(seed)).Run(t.Context(), nil)
		require.NoError(t, err)
		for i, want := range []float64{0, 1, 1, 1} {
			require.InDelta(t, want, numberOf(t, r, list[i]), []float64{1e-15, 0.05, 1e-12, 1e-12}[i])
		}
	}
}

// greatest is the greatest singular value of a weight, whose outputs are along an axis.
func greatest(weight *graph.Node, axis int) *graph.Node {
	return ops.MatrixNorm(ops.Flatten(ops.MoveAxis(weight, axis, 0), 1, -1), ops.SpectralNorm)
}

func numberOf(t *testing.T, r *exec.Results, n *graph.Node) float64 {
	v, err := r.Scalar(n)
	require.NoError(t, err)
	return v
}

// The weight keeps the greatest singular value 1 while its parameter changes, since each step of training goes on with
// power iteration, and a pass of evaluation changes nothing.
func TestSpectralNormFollowsTraining(t *testing.T) {
	g := graph.New("training")
	l, train := nn.NewLinear(g, "fc", 6, 5, nn.SpectralNorm(1), f64), nn.Training(g)
	x := g.Input("x", double, g.Dim("n"), 6)
	y := l.Apply(train, x)
	drift := g.Input("drift", double, 5, 6)
	step := ops.CopyInPlace(l.Weight, ops.Add(l.Weight, ops.Mul(drift, graph.Num(0.01))))
	now := greatest(l.WeightIn(nn.Evaluation(g)), 0)
	training, err := exec.Compile(g, exec.Outputs(y), exec.Updates(step), exec.Updates(train.Updates()...))
	require.NoError(t, err)
	evaluation, err := exec.Compile(g, exec.Outputs(now))
	require.NoError(t, err)
	s := training.NewSession(exec.Seed(1))
	feed := exec.Feed{x: exec.Array{Shape: []int{1, 6}, Data: make([]float64, 6)},
		drift: exec.Array{Shape: []int{5, 6}, Data: []float64{
			3, -1, 2, 0, 1, 1, -2, 1, 0, 1, 3, 1, 0, 1, 1, -4, 2, 1, 0, 2, 1, 1, 1, 0, 5, 1, 0, 0, 2, -1}}}
	for range 300 {
		_, err := s.Run(t.Context(), feed)
		require.NoError(t, err)
	}
	e := evaluation.NewSession(exec.ShareParams(s))
	for range 2 {
		r, err := e.Run(t.Context(), nil)
		require.NoError(t, err)
		require.InDelta(t, 1, numberOf(t, r, now), 1e-3)
	}
}

// What the options and layers refuse, with what to do.
func TestMistakesOfNormedWeightsAndAttention(t *testing.T) {
	for want, make := range map[string]func(g *graph.Graph, p *nn.Pass, x *graph.Node){
		"a weight can have WeightNorm or SpectralNorm, but not both": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewLinear(g, "fc", 8, 3, nn.WeightNorm(0), nn.SpectralNorm(1))
		},
		"Expected n_power_iterations to be positive": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewLinear(g, "fc", 8, 3, nn.SpectralNorm(0))
		},
		"WeightNorm is not an option of Positions": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewPositions(g, "rows", 8, 3, nn.WeightNorm(0))
		},
		"Dimension out of range": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewLinear(g, "fc", 8, 3, nn.WeightNorm(2)).Apply(p, x)
		},
		"MemoryMask and MemoryKeyPadding are for decoder layers": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewTransformerEncoder(g, "encoder", 1, 8, 2).ApplyTo(
				p, x, nil, nn.MemoryMask(ops.Ones(g, graph.Bool, 3)))
		},
		"MemoryKeyPadding are for decoder layers": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewTransformerEncoder(g, "encoder", 1, 8, 2).ApplyTo(
				p, x, nil, nn.MemoryKeyPadding(ops.Ones(g, graph.Bool, 2, 5)))
		},
		"SourceKeyPadding for an EncoderDecoder": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewTransformerEncoder(g, "encoder", 1, 8, 2).ApplyTo(
				p, x, nil, nn.SourceKeyPadding(ops.Ones(g, graph.Bool, 2, 5)))
		},
		"padding is Bool, true where a key is padding, and ids is int64: where it is 1 for what counts, ops.Equal(ids, graph.Num(0))": func(g *graph.Graph,
			p *nn.Pass, x *graph.Node) {
			nn.NewTransformerEncoder(g, "encoder", 1, 8, 2).ApplyTo(
				p, x, nil, nn.KeyPadding(g.Input("ids", graph.Int64, 2, 5)))
		},
		`takes KeyPadding as "b s": axis 0 is 5, not 2`: func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewMultiHeadAttention(g, "attn", 8, 2).Attend(p, x, x, x, nn.KeyPadding(ops.Ones(g, graph.Bool, 5, 2)))
		},
		`takes KeyPadding as "b s": it has 4 axes`: func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewMultiHeadAttention(g, "attn", 8, 2).Attend(
				p, x, x, x, nn.KeyPadding(ops.Ones(g, graph.Bool, 2, 1, 1, 5)))
		},
		"cannot be multiplied (10x8 and 3x8)": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.NewMultiHeadAttention(g, "attn", 8, 2, nn.KeyWidth(3)).Apply(p, x)
		},
		"there must be two widths for each of the last axes": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.ReflectionPad(1).Apply(p, x)
		},
		"ReflectionPad(0, 8).Apply(p, x): Padding size should be less than": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.ReflectionPad(0, 8).Apply(p, x)
		},
		"CircularPad(0, 1, 2, 7).Apply(p, x): Padding value causes wrapping": func(
			g *graph.Graph, p *nn.Pass, x *graph.Node,
		) {
			nn.CircularPad(0, 1, 2, 7).Apply(p, x)
		},
		"ReplicationPad(-1, 2).Apply(p, x): padding of -1": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.ReplicationPad(-1, 2).Apply(p, x)
		},
		"ZeroPad(-9, 0).Apply(p, x):": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.ZeroPad(-9, 0).Apply(p, x)
		},
		"ConstantPad(0.5, -9, 0).Apply(p, x):": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			nn.ConstantPad(0.5, -9, 0).Apply(p, x)
		},
		"it has no encoder or no decoder": func(g *graph.Graph, p *nn.Pass, x *graph.Node) {
			(&nn.EncoderDecoder{}).ApplyTo(p, x, x)
		},
	} {
		g := graph.New("mistakes")
		make(g, nn.Training(g), g.Input("x", graph.Float32, 2, 5, 8))
		require.Contains(t, fmt.Sprint(g.Err(), shapeinfer.Check(g)), want)
	}
}

// Attention returns weights of grouped queries too, its result is the same with and without them, and options without
// effect are reported.
func TestWeightsOfAttention(t *testing.T) {
	g := graph.New("weights")
	x := g.Input("x", double, 2, 5, 8)
	l, p := attention(4, nn.KVHeads(2), nn.Causal())(g), nn.Evaluation(g)
	y, each := l.AttendWithWeights(p, x, x, x, nn.EachHead())
	off := ops.Max(ops.Abs(ops.Sub(y, l.Apply(p, x))))
	ahead := ops.Max(ops.Triu(each, 1))
	sums := ops.Max(ops.Abs(ops.Sub(ops.Sum(each, -1), graph.Num(1))))
	prog, err := exec.Compile(g, exec.Outputs(off, ahead, sums, each))
	require.NoError(t, err)
	values := make([]float64, 80)
	for i := range values {
		values[i] = float64(i*i%17) / 7
	}
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{2, 5, 8}, Data: values}})
	require.NoError(t, err)
	require.Equal(t, graph.Shape{2, 4, 5, 5}, each.Shape())
	require.InDelta(t, 0, numberOf(t, r, off), 1e-14)
	require.Zero(t, numberOf(t, r, ahead))
	require.InDelta(t, 0, numberOf(t, r, sums), 1e-14)

	require.ErrorContains(t, l.Attend(p, x, x, x, nn.EachHead()).Err(), "EachHead is for AttendWithWeights")
}

// A weight that cannot be normalized is reported where the layer is declared.
func TestWeightsThatThereAreNot(t *testing.T) {
	for want, declare := range map[string]func(g *graph.Graph){
		`WeightNorm is for the weight "weight_hh_l2", but the layer has weight_ih_l0, weight_hh_l0`: func(g *graph.Graph) {
			nn.NewGRU(g, "gru", 3, 4, nn.WeightNorm(0, "weight_hh_l2"))
		},
		`SpectralNorm is for the weight "bias_hh", but the layer has weight_ih, weight_hh`: func(g *graph.Graph) {
			nn.NewLSTMCell(g, "cell", 3, 4, nn.SpectralNorm(1, "bias_hh"))
		},
		"a weight can have WeightNorm or SpectralNorm, but not both": func(g *graph.Graph) {
			nn.NewLSTM(g, "lstm", 3, 4, nn.WeightNorm(0), nn.SpectralNorm(1, "weight_hh_l0"))
		},
		"WeightNorm is set twice for a weight": func(g *graph.Graph) {
			nn.NewGRUCell(g, "cell", 3, 4, nn.WeightNorm(0, "weight_hh"), nn.WeightNorm(1, "weight_ih", "weight_hh"))
		},
		"that of PaddingIndex is 0": func(g *graph.Graph) {
			nn.NewEmbedding(g, "table", 5, 4, nn.PaddingIndex(0), nn.WeightNorm(0))
		},
		`WeightNorm is for the weight "weight", but the layer has in_proj_weight, out_proj.weight`: func(g *graph.Graph) {
			nn.NewMultiHeadAttention(g, "attn", 8, 2, nn.WeightNorm(0, "weight"))
		},
	} {
		g := graph.New("mistaken")
		declare(g)
		require.ErrorContains(t, g.Err(), want)
	}
}
