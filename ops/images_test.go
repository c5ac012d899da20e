package ops_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// imageCase is one of PyTorch's answers in testdata/images.json, which testdata/images.py wrote and
// whose comment tells what the operands' elements are.
type imageCase struct {
	Call, Mode       string
	Padding          string
	Sizes, Kernel    []int
	Factors          []float64
	Align, Antialias bool
	Length           *int
	Center           bool
	Normalized       bool
	Onesided         bool
	Shapes           [][]int
	Scales           []float64
	Out              []int
	Y                torchFloats
	Grads            []torchFloats
}

var resizeModes = map[string]ops.ResizeMode{
	"nearest": ops.ResizeNearest, "nearest-exact": ops.ResizeNearestExact, "linear": ops.ResizeLinear,
	"bilinear": ops.ResizeLinear, "trilinear": ops.ResizeLinear, "bicubic": ops.ResizeCubic, "area": ops.ResizeArea}

func (c imageCase) corners() []ops.CornerOption {
	if c.Align {
		return []ops.CornerOption{ops.AlignCorners()}
	}
	return nil
}

// pools are the options of pooling.
func (c imageCase) pools() (opts []ops.PoolOption) {
	opts = []ops.PoolOption{ops.Stride(c.Sizes[2]), ops.Padding(c.Sizes[3]), ops.Dilation(c.Sizes[4])}
	if c.Align {
		opts = append(opts, ops.CeilMode())
	}
	return opts
}

// frames are the options of transforms of frames.
func (c imageCase) frames(in []node) []ops.STFTOption {
	opts := []ops.STFTOption{ops.STFTHop(c.Sizes[1])}
	if len(in) > 1 {
		opts = append(opts, ops.STFTWindow(in[1]))
	}
	if c.Call == "STFT" {
		opts = append(
			opts,
			ops.STFTPad(map[string]ops.PaddingMode{
				"constant": ops.PadZeros, "reflect": ops.PadReflect, "replicate": ops.PadReplicate,
				"circular": ops.PadCircular}[c.Mode]))
	}
	if !c.Center {
		opts = append(opts, ops.STFTBeside())
	}
	if c.Normalized {
		opts = append(opts, ops.STFTNormalized())
	}
	if !c.Onesided {
		opts = append(opts, ops.STFTWhole())
	}
	if c.Length != nil {
		opts = append(opts, ops.STFTLength(graph.Dim(*c.Length)))
	}
	return opts
}

// steps are those of a window, behind its sizes.
func (c imageCase) steps() []ops.StepOption {
	return []ops.StepOption{ops.Stride(c.Sizes[2]), ops.Padding(c.Sizes[3]), ops.Dilation(c.Sizes[4])}
}

// imageCalls build the cases' functions.
var imageCalls = map[string]func(c imageCase, in []node) node{
	"Resize": func(c imageCase, in []node) node {
		mode := resizeModes[c.Mode]
		var opts []ops.ResizeOption
		if c.Align {
			opts = append(opts, ops.AlignCorners())
		}
		if c.Antialias {
			opts = append(opts, ops.Antialias())
		}
		if c.Factors != nil {
			return ops.ResizeBy(in[0], mode, c.Factors, opts...)
		}
		return ops.Resize(in[0], mode, graph.MakeShape(c.Sizes...), opts...)
	},
	"GridSample": func(c imageCase, in []node) node {
		padding := map[string]ops.PaddingMode{
			"zeros": ops.PadZeros, "border": ops.PadReplicate, "reflection": ops.PadReflect}[c.Padding]
		return ops.GridSample(in[0], in[1], resizeModes[c.Mode], padding, c.corners()...)
	},
	"AffineGrid": func(c imageCase, in []node) node {
		return ops.AffineGrid(in[0], graph.MakeShape(c.Sizes...), c.corners()...)
	},
	"MaxPoolIndex": func(c imageCase, in []node) node {
		values, _ := ops.MaxPoolIndex(in[0], c.Kernel, c.pools()...)
		_, ofTies := ops.MaxPoolIndex(ops.Round(ops.Mul(in[0], graph.Num(4))), c.Kernel, c.pools()...)
		return ops.Add(values, ofTies)
	},
	"MaxUnpool": func(c imageCase, in []node) node {
		values, indices := ops.MaxPoolIndex(in[0], c.Kernel)
		return ops.MaxUnpool(values, indices, graph.MakeShape(c.Sizes...)...)
	},
	"LpPool": func(c imageCase, in []node) node { return ops.LpPool(in[0], c.Factors[0], c.Kernel, c.pools()...) },
	"STFT":   func(c imageCase, in []node) node { return ops.STFT(in[0], c.Sizes[0], c.frames(in)...) },
	"ISTFT":  func(c imageCase, in []node) node { return ops.ISTFT(in[0], c.Sizes[0], c.frames(in)...) },
	"Window": func(c imageCase, in []node) node {
		g, t, size := in[0].Graph(), in[0].DType(), graph.Dim(c.Sizes[0])
		window := ops.KaiserWindow(g, t, size, c.Align, 12)
		if of := map[string]func(*graph.Graph, graph.DType, graph.Dim, bool) node{
			"Hann": ops.HannWindow, "Hamming": ops.HammingWindow,
			"Blackman": ops.BlackmanWindow, "Bartlett": ops.BartlettWindow}[c.Mode]; of != nil {
			window = of(g, t, size, c.Align)
		}
		return ops.Add(window, ops.Mul(in[0], graph.Num(0)))
	},
	"PixelShuffle":   func(c imageCase, in []node) node { return ops.PixelShuffle(in[0], c.Sizes[0]) },
	"PixelUnshuffle": func(c imageCase, in []node) node { return ops.PixelUnshuffle(in[0], c.Sizes[0]) },
	"ChannelShuffle": func(c imageCase, in []node) node { return ops.ChannelShuffle(in[0], c.Sizes[0]) },
	"Im2Col": func(c imageCase, in []node) node {
		return ops.Im2Col(in[0], c.Sizes[0], c.Sizes[1], c.steps()...)
	},
	"Col2Im": func(c imageCase, in []node) node {
		return ops.Col2Im(in[0], 5, 4, [2]int(c.Sizes), c.steps()...)
	},
}

// TestImagesAsPyTorch compares values and gradients with PyTorch's in float64 and, values, in float32: in one with
// sizes that are numbers and in the other with names for them, by turns.
func TestImagesAsPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/images.json")
	require.NoError(t, err)
	var cases []imageCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	for i, c := range cases {
		t.Run(fmt.Sprint(c.Call, i), func(t *testing.T) {
			c.run(t, graph.Float64, i%2 == 0)
			c.run(t, graph.Float32, i%2 == 1)
		})
	}
}

func (c imageCase) run(t *testing.T, dt graph.DType, named bool) {
	g, fed := graph.New("images"), feeds{}
	var in []node
	for i, shape := range c.Shapes {
		dims := graph.MakeShape(shape...)
		for axis := range dims {
			if named && c.isNamed(i, axis) {
				dims[axis] = g.Dim(fmt.Sprintf("n%d_%d", i, axis), graph.AtLeast(1))
			}
		}
		x := g.Input(fmt.Sprint("x", i), dt, dims...)
		in, fed[x] = append(in, x), c.operand(i, dt)
	}
	y := imageCalls[c.Call](c, in)
	outputs, want := []node{y}, []torchFloats{c.Y}
	tolerance := 1e-5
	if dt == graph.Float64 {
		place := ops.Reshape(ops.Iota(g, 0, y.Shape().NumElements()), y.Shape()...)
		weights := ops.Add(ops.Remainder(place, graph.Num(7)), graph.Num(1))
		outputs = append(outputs, autodiff.Grad(ops.Sum(ops.Mul(y, weights)), in, autodiff.ZeroForUnused())...)
		want, tolerance = append(want, c.Grads...), 1e-12
	}
	got := evaluateWithin(t, tolerance, fed, outputs...)
	require.Equal(t, c.Out, append([]int{}, got[0].Shape...))
	for i, w := range want {
		requireClose(t, w, got[i].Floats(), tolerance, fmt.Sprintf("%+v, %s, result %d", c, dt, i))
	}
}

// isNamed reports whether an axis of an operand can have a name: the number of columns is that of windows, and
// factors that are no fractions of a power of two multiply no names.
func (c imageCase) isNamed(i, axis int) bool {
	switch c.Call {
	case "Col2Im":
		return axis < len(c.Shapes[i])-1
	case "GridSample":
		return axis > 0 && (i == 0 || axis < len(c.Shapes[i])-1)
	case "AffineGrid":
		return axis == 0
	case "Window":
		return false
	case "STFT", "ISTFT": // signals and numbers of frames
		return i == 0 && (c.Call == "STFT" || axis == len(c.Shapes[0])-2)
	case "Resize":
		return c.Factors == nil || axis < 2 || c.Factors[axis-2]*64 == float64(int(c.Factors[axis-2]*64))
	}
	return true
}

func (c imageCase) operand(i int, dt graph.DType) reference.Value {
	size := 1
	for _, d := range c.Shapes[i] {
		size *= d
	}
	values := make([]float64, size)
	for k := range values {
		values[k] = (float64((37*k+11*(i+1))%101)/101 - 0.5) * c.Scales[i]
	}
	return reference.FromFloats(dt, values, c.Shapes[i]...)
}

// TestMaxPoolIndexOfNaN expects the index of the last NaN of a window, and that of the first element where all are
// -Inf as the padding is: PyTorch's answers.
func TestMaxPoolIndexOfNaN(t *testing.T) {
	g, nan, inf := graph.New("pool"), math.NaN(), math.Inf(1)
	x, y := g.Input("x", graph.Float64, 1, 8), g.Input("y", graph.Float64, 1, 3, 3)
	fed := feeds{x: reference.Of([]float64{1, 1, nan, 2, nan, 0, -5, -5}, 1, 8),
		y: reference.Of(slices.Repeat([]float64{-inf}, 9), 1, 3, 3)}
	_, pairs := ops.MaxPoolIndex(x, []int{2}, ops.Stride(1))
	require.Equal(t, []int64{0, 2, 2, 4, 4, 5, 6}, value(t, fed, pairs).Data)
	_, padded := ops.MaxPoolIndex(x, []int{3}, ops.Stride(2), ops.Padding(1))
	require.Equal(t, []int64{0, 2, 4, 5}, value(t, fed, padded).Data)
	_, least := ops.MaxPoolIndex(y, []int{2, 2}, ops.Stride(1), ops.Padding(1))
	require.Equal(t, []int64{0, 0, 1, 2, 0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8}, value(t, fed, least).Data)
	_, whole := ops.MaxPoolIndex(ops.Cast(ops.Clamp(y, -3, 3), graph.Int32), []int{3, 3})
	require.Equal(t, []int64{0}, value(t, fed, whole).Data)
}

// TestLpPoolOfZeros expects the gradient 0 of a sum of 0, as PyTorch's, and no other one to become NaN.
func TestLpPoolOfZeros(t *testing.T) {
	g := graph.New("pool")
	x := g.Input("x", graph.Float64, 1, 4)
	y := ops.LpPool(x, 2, []int{2})
	dx := autodiff.Grad(ops.Sum(y), []node{x})[0]
	got := evaluate(t, feeds{x: reference.Of([]float64{0, 0, 3, -4}, 1, 4)}, y, dx)
	requireClose(t, []float64{0, 5}, got[0].Floats(), 1e-15, "values")
	requireClose(t, []float64{0, 0, 0.6, -0.8}, got[1].Floats(), 1e-15, "gradient")
}

// TestMaxUnpoolOutside: an index that is none stops the run.
func TestMaxUnpoolOutside(t *testing.T) {
	g := graph.New("unpool")
	x, at := g.Input("x", graph.Float64, 1, 2), g.Input("at", graph.Int64, 1, 2)
	_, err := reference.Eval([]node{ops.MaxUnpool(x, at, 4)},
		feeds{x: reference.Of([]float64{1, 2}, 1, 2), at: reference.Of([]int64{0, 4}, 1, 2)})
	require.ErrorContains(t, err, "index is out of bounds")
}

// TestPlacesOfOneElement takes the first element of an axis that becomes one, as ONNX's pytorch_half_pixel does,
// whatever the mode.
func TestPlacesOfOneElement(t *testing.T) {
	g := graph.New("resize")
	x := g.Input("x", graph.Float64, 1, 1, 4, 4)
	data := make([]float64, 16)
	for i := range data {
		data[i] = float64(i * i % 7)
	}
	in := feeds{x: reference.Of(data, 1, 1, 4, 4)}
	for _, mode := range []ops.ResizeMode{ops.ResizeNearest, ops.ResizeLinear, ops.ResizeCubic} {
		y := ops.Resize(x, mode, []graph.Dim{1, 4}, ops.PlacesHalfOrOne)
		requireClose(t, data[:4], value(t, in, y).Floats(), 1e-12, mode.String())
	}
	y := ops.Resize(x, ops.ResizeLinear, []graph.Dim{1, 4}, ops.PlacesHalfOrOne, ops.Antialias())
	want := make([]float64, 4) // a triangle of the width of 4 elements, about the first one
	for i, w := range []float64{4, 3, 2, 1} {
		for k := range want {
			want[k] += w / 10 * data[4*i+k]
		}
	}
	requireClose(t, want, value(t, in, y).Floats(), 1e-12, "antialias")
}
