package ops_test

import (
	"encoding/json"
	"fmt"
	"os"
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
	Sizes            []int
	Factors          []float64
	Align, Antialias bool
	Shapes           [][]int
	Scales           []float64
	Out              []int
	Y                torchFloats
	Grads            []torchFloats
}

var resizeModes = map[string]ops.ResizeMode{"nearest": ops.ResizeNearest, "nearest-exact": ops.ResizeNearestExact, "linear": ops.ResizeLinear,
	"bilinear": ops.ResizeLinear, "trilinear": ops.ResizeLinear, "bicubic": ops.ResizeCubic, "area": ops.ResizeArea}

func (c imageCase) corners() []ops.CornerOption {
	if c.Align {
		return []ops.CornerOption{ops.AlignCorners()}
	}
	return nil
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
		padding := map[string]ops.PaddingMode{"zeros": ops.PadZeros, "border": ops.PadReplicate, "reflection": ops.PadReflect}[c.Padding]
		return ops.GridSample(in[0], in[1], resizeModes[c.Mode], padding, c.corners()...)
	},
	"AffineGrid": func(c imageCase, in []node) node {
		return ops.AffineGrid(in[0], graph.MakeShape(c.Sizes...), c.corners()...)
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

// TestImagesAsPyTorch compares values and gradients with PyTorch's, with sizes that are numbers and with
// names for them, in float64 and, values, in float32.
func TestImagesAsPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/images.json")
	require.NoError(t, err)
	var cases []imageCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	for i, c := range cases {
		t.Run(fmt.Sprint(c.Call, i), func(t *testing.T) {
			c.run(t, graph.Float64, false)
			c.run(t, graph.Float64, true)
			c.run(t, graph.Float32, false)
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
	if c.Call == "Col2Im" {
		return axis < len(c.Shapes[i])-1
	}
	if c.Call == "GridSample" && axis == 0 { // of both operands
		return false
	}
	if c.Call == "AffineGrid" && axis > 0 || c.Call == "GridSample" && i == 1 && axis == len(c.Shapes[1])-1 {
		return false
	}
	return c.Factors == nil || axis < 2 || c.Factors[axis-2]*64 == float64(int(c.Factors[axis-2]*64))
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
