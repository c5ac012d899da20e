package nn_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/weights"
)

// int8Layer is Linear with weights of 8 bits in a program of its own, with the gradient of its input.
type int8Layer struct {
	*nn.Linear
	session           *exec.Session
	x, upstream       *graph.Node
	y, gradient, loss *graph.Node
}

func newInt8Layer(t *testing.T, in, out, block int, opts ...nn.Option) *int8Layer {
	g := graph.New("int8")
	batch := g.Dim("batch")
	l := &int8Layer{x: g.Input("x", graph.Float32, batch, graph.Dim(in)),
		upstream: g.Input("upstream", graph.Float32, batch, graph.Dim(out))}
	l.Linear = nn.NewLinear(g, "fc", in, out, append(opts, nn.Int8Weights(block))...)
	l.y = l.Apply(nn.Evaluation(g), l.x)
	l.loss = ops.Sum(ops.Mul(l.y, l.upstream))
	l.gradient = autodiff.Grad(l.loss, []*graph.Node{l.x})[0]
	p, err := exec.Compile(g, exec.Outputs(l.y, l.gradient))
	require.NoError(t, err)
	l.session = p.NewSession()
	return l
}

func param(t *testing.T, s *exec.Session, n *graph.Node) any {
	value, err := s.Param(n)
	require.NoError(t, err)
	return value.Data
}

// Integers, scales, results and gradients of inputs are PyTorch's: see testdata/int8.py. What is saved is loaded with
// the same bits, without an option.
func TestInt8WeightsOfPyTorch(t *testing.T) {
	f, err := weights.Open("testdata/int8.npz")
	require.NoError(t, err)
	defer f.Close()
	read := func(name string) any {
		value, err := f.Read(name)
		require.NoError(t, err)
		return value.Data
	}
	l := newInt8Layer(t, 48, 24, 16)
	rename := weights.Rename(func(param string) string { return strings.TrimPrefix(param, "fc.") })
	_, err = weights.Load(l.session, f, rename, weights.AllowUnexpected())
	require.ErrorContains(
		t,
		err,
		"fc.weight is held in 8 bits with a scale for each 16 (nn.Int8Weights), but the file has F32: use AllowNarrowing() to round it",
	)
	r, err := weights.Load(l.session, f, rename, weights.AllowUnexpected(), weights.AllowNarrowing())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"fc.weight", "fc.weight_scale", "fc.bias"}, r.Loaded)
	require.Equal(t, read("levels"), param(t, l.session, l.Weight))
	require.Equal(t, read("scale"), param(t, l.session, l.Scale))

	check := func(s *exec.Session) {
		x, err := f.Read("x")
		require.NoError(t, err)
		upstream, err := f.Read("upstream")
		require.NoError(t, err)
		r, err := s.Run(t.Context(), exec.Feed{l.x: x, l.upstream: upstream})
		require.NoError(t, err)
		y, err := exec.Values[float32](r, l.y)
		require.NoError(t, err)
		require.InDeltaSlice(t, read("y"), y, 1e-5)
		gradient, err := exec.Values[float32](r, l.gradient)
		require.NoError(t, err)
		require.InDeltaSlice(t, read("grad"), gradient, 1e-5)
	}
	check(l.session)

	path := filepath.Join(t.TempDir(), "int8.safetensors")
	require.NoError(t, weights.Save(path, l.session))
	saved, err := weights.Open(path)
	require.NoError(t, err)
	defer saved.Close()
	require.Contains(t, saved.Tensors(), weights.Info{Name: "fc.weight", DType: "I8", Shape: []int{24, 48}})
	fresh := l.session.Program().NewSession(exec.Seed(8))
	_, err = weights.Load(fresh, saved)
	require.NoError(t, err)
	require.Equal(t, read("levels"), param(t, fresh, l.Weight))
	check(fresh)

	require.NoError(t, weights.Save(path, l.session, weights.Only(l.Weight)))
	only, err := weights.Open(path)
	require.NoError(t, err)
	defer only.Close()
	require.Len(t, only.Tensors(), 2, "integers are saved with their scales")
}

// int8Cases are layers with options, applied to x, [2, 3, 32], or to indices.
var int8Cases = map[string]func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node{
	"Linear": func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node {
		return nn.NewLinear(g, "l", 32, 5, opts...).Apply(nn.Evaluation(g), x)
	},
	"Bilinear": func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node {
		return nn.NewBilinear(g, "l", 32, 32, 3, opts...).ApplyTo(nn.Evaluation(g), x, ops.Sin(x))
	},
	"Embedding": func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node {
		index := ops.Cast(ops.Floor(ops.Clamp(ops.Mul(ops.Select(x, -1, 0), graph.Num(3)), 0, 5)), graph.Int64)
		p := nn.Evaluation(g)
		tokens := nn.NewEmbedding(g, "l", 6, 32, append(opts, nn.PaddingIndex(2))...)
		tied := ops.MatMul(x, ops.Transpose(tokens.WeightIn(p), 0, 1))
		return ops.Concat(-1, tokens.Apply(p, index), tied)
	},
	"attention": func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node {
		return nn.NewMultiHeadAttention(g, "l", 32, 4, append(opts, nn.KVHeads(2), nn.Causal())...).
			Apply(nn.Evaluation(g), x)
	},
	"attention of other widths": func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node {
		l := nn.NewMultiHeadAttention(g, "l", 32, 4, append(opts, nn.KeyWidth(16), nn.ValueWidth(16))...)
		k := ops.Narrow(x, -1, 0, 16)
		return l.Attend(nn.Evaluation(g), x, k, ops.Sin(k))
	},
	"encoder and decoder": func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node {
		l := nn.NewEncoderDecoder(g, "l", 2, 1, 32, 4, append(opts, nn.FeedForward(48))...)
		return l.ApplyTo(nn.Evaluation(g), x, ops.Cos(x))
	},
}

// Each layer computes with integers what it computes with the dequantised numbers, and lets the same gradients through
// to its input.
func TestLayersWithQuantisedWeights(t *testing.T) {
	for name, build := range int8Cases {
		for option, tolerance := range map[string]float64{"Int8Weights": 0.02, "Int4Weights": 0.6, "Uint8Weights": 0.02,
			"Uint4Weights": 0.3} {
			t.Run(name+", "+option, func(t *testing.T) {
				testQuantisedLayer(t, name, build, quantisations[option], tolerance)
			})
		}
	}
}

func testQuantisedLayer(t *testing.T, name string,
	build func(g *graph.Graph, x *graph.Node, opts ...nn.Option) *graph.Node, held nn.Option, tolerance float64) {
	const block = 16
	type made struct {
		s    *exec.Session
		x    *graph.Node
		outs []*graph.Node
	}
	program := func(opts ...nn.Option) (m made) {
		g := graph.New(name)
		m.x = g.Input("x", graph.Float32, g.Dim("batch"), 3, 32)
		y := build(g, m.x, opts...)
		m.outs = append(
			[]*graph.Node{y},
			autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{m.x}, autodiff.ZeroForUnused())...)
		p, err := exec.Compile(g, exec.Outputs(m.outs...))
		require.NoError(t, err)
		m.s = p.NewSession(exec.Seed(3))
		return m
	}
	plain, quantisedProgram := program(), program(held)
	path := filepath.Join(t.TempDir(), "plain.safetensors")
	require.NoError(t, weights.Save(path, plain.s))
	_, err := weights.LoadFile(quantisedProgram.s, path, weights.AllowNarrowing())
	require.NoError(t, err)

	quantised := 0
	params, err := quantisedProgram.s.Params()
	require.NoError(t, err)
	for _, n := range params {
		scale := n.Graph().ByName(n.Name() + "_scale")
		if scale == nil {
			continue
		}
		quantised++
		w := plain.x.Graph().ByName(n.Name())
		shape, _ := w.KnownShape()
		count := 1
		for _, size := range shape {
			count *= size
		}
		scales, minima := param(t, quantisedProgram.s, scale).([]float32), []float32(nil)
		if minimum := n.Graph().ByName(n.Name() + "_min"); minimum != nil {
			minima = param(t, quantisedProgram.s, minimum).([]float32)
		}
		values := make([]float32, count)
		for i, q := range integersOf(param(t, quantisedProgram.s, n), count, minima == nil) {
			values[i] = float32(q) * scales[i/block]
			if minima != nil {
				values[i] += minima[i/block]
			}
		}
		require.InDeltaSlice(t, param(t, plain.s, w), values, tolerance)
		require.NoError(t, plain.s.SetParam(w, exec.Array{Shape: shape, Data: values}))
	}
	require.NotZero(t, quantised)

	x := exec.Array{Shape: []int{2, 3, 32}, Data: make([]float32, 2*3*32)}
	for i := range x.Data.([]float32) {
		x.Data.([]float32)[i] = float32(i*29%97)/48 - 1
	}
	results := func(m made) (values [][]float32) {
		r, err := m.s.Run(t.Context(), exec.Feed{m.x: x})
		require.NoError(t, err)
		for _, n := range m.outs {
			v, err := exec.Values[float32](r, n)
			require.NoError(t, err)
			values = append(values, v)
		}
		return values
	}
	want, got := results(plain), results(quantisedProgram)
	for i := range want {
		require.InDeltaSlice(t, want[i], got[i], 2e-4)
	}
}

// integersOf are so many integers that a parameter holds, with or without signs.
func integersOf(data any, count int, signed bool) (levels []int) {
	if bytes, is := data.([]int8); is {
		for _, q := range bytes {
			levels = append(levels, int(q))
		}
		return levels
	}
	for _, b := range data.([]uint8) {
		switch {
		case len(data.([]uint8)) == count:
			levels = append(levels, int(b))
		case signed:
			levels = append(levels, int(int8(b<<4)>>4), int(int8(b)>>4))
		default:
			levels = append(levels, int(b&15), int(b>>4))
		}
	}
	return levels
}

// A layer begins with the values that it begins with without the option, quantised, and one row by its weight is one
// kernel, which reads the integers.
func TestInt8WeightsBegin(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.BFloat16} {
		g := graph.New("begin")
		x := g.Input("x", dtype, 1, 64)
		y := nn.NewLinear(g, "fc", 64, 8, nn.NoBias(), nn.DType(dtype), nn.Int8Weights(32)).Apply(nn.Evaluation(g), x)
		plain := graph.New("plain")
		w := nn.NewLinear(plain, "fc", 64, 8, nn.NoBias(), nn.DType(dtype)).Weight
		value := func(g *graph.Graph, n *graph.Node) (*exec.Program, []float64) {
			out := ops.Cast(n, graph.Float64)
			p, err := exec.Compile(g, exec.Outputs(out))
			require.NoError(t, err)
			r, err := p.NewSession(exec.Seed(2)).Run(t.Context(), exec.Feed{})
			require.NoError(t, err)
			values, err := exec.Values[float64](r, out)
			require.NoError(t, err)
			return p, values
		}
		_, want := value(plain, w)
		_, got := value(g, ops.DequantizeBlocks(g.ByName("fc.weight"), g.ByName("fc.weight_scale"), nil, 1, 32))
		require.InDeltaSlice(t, want, got, 1./8/127)
		require.NotEqual(t, want, got)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		if dtype != graph.BFloat16 {
			require.Equal(t, 1, p.Kernels(), p.String())
		}
	}
}

// One row by a weight of 4 bits, or with minima, is one kernel, which reads the integers where they are.
func TestInt4WeightsBegin(t *testing.T) {
	for _, held := range []nn.Option{nn.Int4Weights(32), nn.Uint4Weights(32)} {
		testInt4WeightsBegin(t, held)
	}
	g := graph.New("begin")
	l := nn.NewLinear(g, "fc", 64, 8, nn.NoBias(), nn.Uint8Weights(32))
	require.Equal(t, "[8, 64]", l.Weight.Shape().String())
	p, err := exec.Compile(g, exec.Outputs(l.Apply(nn.Evaluation(g), g.Input("x", graph.Float32, 1, 64))))
	require.NoError(t, err)
	require.Equal(t, 1, p.Kernels(), p.String())
}

func testInt4WeightsBegin(t *testing.T, held nn.Option) {
	for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.BFloat16} {
		g := graph.New("begin")
		x := g.Input("x", dtype, 1, 64)
		l := nn.NewLinear(g, "fc", 64, 8, nn.NoBias(), nn.DType(dtype), held)
		y := l.Apply(nn.Evaluation(g), x)
		require.Equal(t, "[8, 32]", l.Weight.Shape().String())
		require.Equal(t, graph.Uint8, l.Weight.DType())
		plain := graph.New("plain")
		w := nn.NewLinear(plain, "fc", 64, 8, nn.NoBias(), nn.DType(dtype)).Weight
		value := func(g *graph.Graph, n *graph.Node) (*exec.Program, []float64) {
			out := ops.Cast(n, graph.Float64)
			p, err := exec.Compile(g, exec.Outputs(out))
			require.NoError(t, err)
			r, err := p.NewSession(exec.Seed(2)).Run(t.Context(), exec.Feed{})
			require.NoError(t, err)
			values, err := exec.Values[float64](r, out)
			require.NoError(t, err)
			return p, values
		}
		_, want := value(plain, w)
		_, got := value(g, l.WeightIn(nn.Evaluation(g)))
		require.InDeltaSlice(t, want, got, 1./8/8)
		require.NotEqual(t, want, got)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		if dtype == graph.Float32 {
			require.Equal(t, 1, p.Kernels(), p.String())
		}
	}
}

// The number of blocks may have a name.
func TestInt8WeightsOfNamedWidths(t *testing.T) {
	g := graph.New("named")
	blocks := g.Dim("blocks", graph.Exactly(2))
	x := g.Input("x", graph.Float32, g.Dim("batch"), blocks.Times(32))
	l := nn.NewLinear(g, "fc", blocks.Times(32), blocks.Times(32), nn.Int8Weights(32))
	half := nn.NewLinear(g, "half", blocks.Times(32), blocks.Times(32), nn.Int4Weights(32))
	p := nn.Evaluation(g)
	_, err := exec.Compile(g, exec.Outputs(ops.Add(x, half.Apply(p, l.Apply(p, x)))))
	require.NoError(t, err)
	require.Equal(t, "[32*blocks, blocks]", l.Scale.Shape().String())
	require.Equal(t, "[32*blocks, 16*blocks]", half.Weight.Shape().String())
}

// A low-rank adapter beside a layer of 8 bits is trained, and the layer is not.
func TestAdapterOfInt8Weights(t *testing.T) {
	g := graph.New("adapter")
	x, target := g.Input("x", graph.Float32, 8, 32), g.Input("target", graph.Float32, 8, 16)
	p := nn.Training(g)
	base := nn.NewLinear(g, "base", 32, 16, nn.NoBias(), nn.Int8Weights(32))
	before := nn.NewLinear(g, "before", 32, 32, nn.NoBias())
	down := nn.NewLinear(g, "down", 32, 2, nn.NoBias())
	up := nn.NewLinear(g, "up", 2, 16, nn.NoBias(), nn.WeightInit(nn.Zeros()))
	h := before.Apply(p, x)
	y := ops.Add(base.Apply(p, h), up.Apply(p, down.Apply(p, h)))
	loss := ops.MSE(y, target)
	require.Equal(t, []*graph.Node{before.Weight, down.Weight, up.Weight}, optim.Trainable(g))
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.01).Minimize(loss)...))
	require.NoError(t, err)
	s := prog.NewSession()
	held := param(t, s, base.Weight)
	feed := exec.Feed{x: make([]float32, 8*32), target: make([]float32, 8*16)}
	feed[x] = exec.Array{Shape: []int{8, 32}, Data: feed[x]}
	for i := range 8 * 32 {
		feed[x].(exec.Array).Data.([]float32)[i] = float32(i*37%101)/50 - 1
	}
	for i := range feed[target].([]float32) {
		feed[target].([]float32)[i] = float32(i*23%89) / 89
	}
	feed[target] = exec.Array{Shape: []int{8, 16}, Data: feed[target]}
	var first, last float32
	for step := range 100 {
		r, err := s.Run(t.Context(), feed)
		require.NoError(t, err)
		v, err := exec.Values[float32](r, loss)
		require.NoError(t, err)
		if last = v[0]; step == 0 {
			first = last
		}
	}
	require.Less(t, last, first/10)
	require.Equal(t, held, param(t, s, base.Weight))
}

func TestMistakesWithInt8Weights(t *testing.T) {
	linear := func(opts ...nn.Option) func(g *graph.Graph) {
		return func(g *graph.Graph) { nn.NewLinear(g, "fc", 48, 3, opts...) }
	}
	layer := func(use func(l *nn.Linear, loss *graph.Node)) func(g *graph.Graph) {
		return func(g *graph.Graph) {
			l := nn.NewLinear(g, "fc", 32, 3, nn.Int8Weights(16))
			use(l, ops.Sum(l.Apply(nn.Evaluation(g), g.Input("x", graph.Float32, 2, 32))))
		}
	}
	for name, c := range map[string]struct {
		build func(g *graph.Graph)
		want  string
	}{
		"a block that does not divide": {linear(nn.Int8Weights(32)),
			"blocks of 32 do not divide the 48 elements of a row of fc.weight: use Int8Weights(24), or leave it out"},
		"a width with a name": {func(g *graph.Graph) {
			nn.NewLinear(g, "fc", g.Dim("width", graph.Exactly(64)), 3, nn.Int8Weights(32))
		}, "a row of fc.weight has the named size width, which is not known to be whole blocks of 32: write 64"},
		"both": {linear(nn.Int8Weights(16), nn.Int4Weights(16)),
			"a weight can have one of Int8Weights, Int4Weights, Uint8Weights and Uint4Weights, once"},
		"a block of 4 bits that does not divide": {linear(nn.Int4Weights(32)),
			"blocks of 32 do not divide the 48 elements of a row of fc.weight: use Int4Weights(24), or leave it out"},
		"an odd row": {func(g *graph.Graph) { nn.NewLinear(g, "fc", 15, 3, nn.Int4Weights(5)) },
			"a row of fc.weight has 15 elements, which are not known to be even, and bytes have two integers of 4 bits: use Int8Weights(5)"},
		"the gradient of integers of 4 bits": {func(g *graph.Graph) {
			l, x := nn.NewLinear(g, "fc", 32, 3, nn.Int4Weights(16)), g.Input("x", graph.Float32, 2, 32)
			autodiff.Grad(ops.Sum(l.Apply(nn.Evaluation(g), x)), []*graph.Node{l.Weight})
		}, "weights of 4 bits are not trained; train other parameters, such as those of an adapter beside the layer, or declare the layer without nn.Int4Weights"},
		"no elements":   {linear(nn.Int8Weights(0)), "a block of Int8Weights must have at least 1 element, but has 0"},
		"normalization": {linear(nn.Int8Weights(16), nn.WeightNorm(0)), "leave WeightNorm or Int8Weights out"},
		"a convolution": {func(g *graph.Graph) { nn.NewConv2D(g, "c", 32, 3, 3, nn.Int8Weights(16)) },
			"Int8Weights is not an option of Conv2D"},
		"a transformer": {func(g *graph.Graph) {
			nn.NewTransformerEncoder(g, "t", 2, 32, 4, nn.FeedForward(40), nn.Int8Weights(32))
		},
			"blocks of 32 do not divide the 40 elements of a row of t.layers.0.linear2.weight: use Int8Weights(20), or leave it out"},
		"the gradient of integers": {layer(func(l *nn.Linear, loss *graph.Node) {
			autodiff.Grad(loss, []*graph.Node{l.Weight})
		}),
			"weights of 8 bits are not trained; train other parameters, such as those of an adapter"},
		"training integers": {layer(func(l *nn.Linear, loss *graph.Node) { optim.SGD(1).Minimize(loss, l.Weight) }),
			"fc.weight belongs to a weight of nn.Int8Weights: weights of 8 bits are not trained"},
		"training scales": {layer(func(l *nn.Linear, loss *graph.Node) { optim.SGD(1).Minimize(loss, l.Scale) }),
			"belongs to a weight of nn.Int8Weights: weights of 8 bits are not trained"},
	} {
		g := graph.New("mistakes")
		c.build(g)
		require.ErrorContains(t, g.Err(), c.want, name)
		assert.Equal(t, 1, strings.Count(g.Err().Error(), "error BL"), "%s: %s", name, g.Err())
		assert.Contains(t, g.Err().Error(), "quantised_test.go", name)
	}
}
