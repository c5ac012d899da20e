package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// poolCase is one pooling of images.
type poolCase struct {
	x                                 []int
	kernel, stride, padding, dilation [2]int
	ceil                              bool
}

// size is PyTorch's rule for the number of windows.
func (c poolCase) size(i int) int {
	length := c.x[len(c.x)-2+i]
	span := length + 2*c.padding[i] - c.dilation[i]*(c.kernel[i]-1) - 1
	if !c.ceil {
		return span/c.stride[i] + 1
	}
	n := (span+c.stride[i]-1)/c.stride[i] + 1
	if (n-1)*c.stride[i] >= length+c.padding[i] {
		n--
	}
	return n
}

// naive pools by loops. visit sees the places of a window's elements and gives its value.
func (c poolCase) naive(visit func(places [][2]int, image array) float64, data []float64) (y []float64) {
	h, w := c.x[len(c.x)-2], c.x[len(c.x)-1]
	for at := 0; at < len(data); at += h * w {
		image := array{[]int{h, w}, data[at : at+h*w], math.NaN()}
		for i := range c.size(0) {
			for j := range c.size(1) {
				var places [][2]int
				for a := range c.kernel[0] {
					for b := range c.kernel[1] {
						places = append(places,
							[2]int{i*c.stride[0] - c.padding[0] + a*c.dilation[0],
								j*c.stride[1] - c.padding[1] + b*c.dilation[1]})
					}
				}
				y = append(y, visit(places, image))
			}
		}
	}
	return y
}

// greatest pools by the greatest element.
func (c poolCase) greatest(data []float64) []float64 {
	return c.naive(func(places [][2]int, image array) float64 {
		most := math.Inf(-1)
		for _, p := range places {
			if v := image.at(p[0], p[1]); v > most {
				most = v
			}
		}
		return most
	}, data)
}

var poolCases = []poolCase{
	{[]int{1, 1, 5, 5}, [2]int{2, 2}, [2]int{2, 2}, [2]int{0, 0}, [2]int{1, 1}, false},
	{[]int{2, 2, 5, 4}, [2]int{2, 3}, [2]int{1, 2}, [2]int{0, 0}, [2]int{1, 1}, false},
	{[]int{2, 5, 5}, [2]int{3, 3}, [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1}, false},
	{[]int{1, 1, 5, 5}, [2]int{2, 2}, [2]int{2, 2}, [2]int{0, 0}, [2]int{1, 1}, true},
	{[]int{1, 1, 6, 6}, [2]int{3, 3}, [2]int{2, 2}, [2]int{0, 0}, [2]int{1, 1}, true},
	{[]int{1, 1, 7, 6}, [2]int{3, 2}, [2]int{2, 3}, [2]int{1, 1}, [2]int{1, 1}, true},
	{[]int{1, 1, 7, 3}, [2]int{2, 2}, [2]int{5, 2}, [2]int{0, 1}, [2]int{1, 1}, true},
	{[]int{1, 1, 8, 5}, [2]int{2, 2}, [2]int{5, 4}, [2]int{1, 0}, [2]int{1, 1}, true},
	{[]int{1, 2, 7, 6}, [2]int{2, 3}, [2]int{1, 2}, [2]int{1, 1}, [2]int{2, 2}, false},
	{[]int{1, 2, 7, 7}, [2]int{2, 3}, [2]int{3, 2}, [2]int{0, 1}, [2]int{3, 2}, true},
	{[]int{2, 9, 9}, [2]int{6, 6}, [2]int{2, 1}, [2]int{1, 0}, [2]int{1, 1}, true},
	{[]int{2, 11, 6}, [2]int{7, 5}, [2]int{2, 1}, [2]int{3, 1}, [2]int{2, 1}, true},
}

func (c poolCase) options() []ops.PoolOption {
	options := []ops.PoolOption{ops.Stride(c.stride[:]...), ops.Padding(c.padding[:]...),
		ops.Dilation(c.dilation[:]...)}
	if c.ceil {
		options = append(options, ops.CeilMode())
	}
	return options
}

func TestMaxPool2D(t *testing.T) {
	for _, c := range poolCases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("pool")
			x := g.Input("x", graph.Float64, graph.MakeShape(c.x...)...)
			in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), c.x...)}
			y := ops.MaxPool2D(x, c.kernel[0], c.kernel[1], c.options()...)
			require.NoError(t, y.Err())
			want := c.greatest(in[x].Floats())
			require.Equal(t, want, value(t, in, y).Floats())
			requireGradients(t, in, ops.Exp(y), x)
		})
	}
}

func TestAvgPool2D(t *testing.T) {
	for _, c := range poolCases {
		if c.dilation != [2]int{1, 1} {
			continue
		}
		for _, exclude := range []bool{false, true} {
			t.Run(fmt.Sprint(c, exclude), func(t *testing.T) {
				g := graph.New("pool")
				x := g.Input("x", graph.Float64, graph.MakeShape(c.x...)...)
				in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), c.x...)}
				options, margin := c.options(), c.padding
				if exclude {
					options, margin = append(options, ops.ExcludePadding()), [2]int{}
				}
				y := ops.AvgPool2D(x, c.kernel[0], c.kernel[1], options...)
				require.NoError(t, y.Err())
				want := c.naive(func(places [][2]int, image array) float64 {
					sum, count := 0.0, 0.0
					for _, p := range places {
						if v := image.at(p[0], p[1]); !math.IsNaN(v) {
							sum += v
						}
						if inside(p[0], image.shape[0], margin[0]) && inside(p[1], image.shape[1], margin[1]) {
							count++
						}
					}
					return sum / count
				}, in[x].Floats())
				requireClose(t, want, value(t, in, y).Floats(), 1e-12, "avg_pool2d")
				requireGradients(t, in, ops.Exp(y), x)
			})
		}
	}
}

func inside(i, length, margin int) bool { return i >= -margin && i < length+margin }

func TestPoolingOfOneAxis(t *testing.T) {
	g := graph.New("pool")
	x := g.Input("x", graph.Float64, 1, 5)
	in := feeds{x: reference.Of([]float64{1, 3, 2, 5, 4}, 1, 5)}
	require.Equal(t, []float64{3, 5}, value(t, in, ops.MaxPool1D(x, 2)).Data)
	require.Equal(t, []float64{2, 3.5, 4}, value(t, in, ops.AvgPool1D(x, 2, ops.CeilMode())).Data)
	require.Equal(t, []float64{3, 5, 5}, value(t, in, ops.MaxPool1D(x, 3, ops.Stride(2), ops.Padding(1))).Data)
}

func TestMaxPoolGivesTheGradientToTheFirst(t *testing.T) {
	g := graph.New("pool")
	x := g.Input("x", graph.Float64, 1, 2, 4)
	in := feeds{x: reference.Of([]float64{1, 2, math.NaN(), 3, 2, 2, 3, 3}, 1, 2, 4)}
	y := ops.MaxPool2D(x, 2, 2)
	dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
	got := evaluate(t, in, y, dx)
	requireClose(t, []float64{2, math.NaN()}, got[0].Floats(), 0, "NaN wins")
	require.Equal(t, []float64{0, 1, 1, 0, 0, 0, 0, 0}, got[1].Data)

	nan := math.NaN()
	in = feeds{x: reference.Of([]float64{nan, 2, 1, nan, nan, 3, nan, 4}, 1, 2, 4)}
	require.Equal(t, []float64{0, 0, 0, 0, 1, 0, 1, 0}, value(t, in, dx).Data, "as in PyTorch, the last NaN")
}

func TestMaxPoolOfSymbolicSizeHasAGradient(t *testing.T) {
	for _, size := range []int{2, 3, 6} {
		g := graph.New("pool")
		h := g.Dim("h")
		x := g.Input("x", graph.Float64, 2, h, h.Times(2))
		y := ops.MaxPool2D(x, 2, 3, ops.Stride(2), ops.Padding(0, 1))
		require.NoError(t, y.Err())
		requireGradients(t, feeds{x: random(rand.New(rand.NewPCG(1, 2)), 2, size, 2*size)}, ops.Exp(y), x)
	}
}

func TestPoolingOfIntegers(t *testing.T) {
	g := graph.New("pool")
	x := g.Input("x", graph.Int32, 1, 3, 3)
	y := ops.MaxPool2D(x, 2, 2, ops.Padding(1))
	in := feeds{x: reference.Of([]int32{-1, -2, -3, -4, -5, -6, -7, -8, -9}, 1, 3, 3)}
	require.Equal(t, []int32{-1, -2, -4, -5}, value(t, in, y).Data, "padding never wins")
}

func TestPoolingOfSymbolicSize(t *testing.T) {
	g := graph.New("pool")
	h := g.Dim("h")
	x := g.Input("x", graph.Float64, 2, h, h.Times(2))
	floor := ops.AvgPool2D(x, 2, 2)
	require.Equal(t, graph.Shape{2, h.FloorDiv(2), h}, floor.Shape())
	require.Len(t, g.Requirements(), 1, "h must be 2 or more")
	ceil := ops.AvgPool2D(x, 3, 3, ops.Stride(2), ops.Padding(1), ops.CeilMode())
	require.NoError(t, ceil.Err())
	for _, size := range []int{2, 3, 4, 5, 6} {
		c := poolCase{[]int{2, size, 2 * size}, [2]int{3, 3}, [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1}, true}
		in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), c.x...)}
		require.Equal(t, []int{2, c.size(0), c.size(1)}, value(t, in, ceil).Shape)
		require.Equal(t, []int{2, size / 2, size}, value(t, in, floor).Shape)
	}
	requireGradients(t, feeds{x: random(rand.New(rand.NewPCG(1, 2)), 2, 3, 6)},
		ops.Exp(ops.Add(ops.Sum(ceil), floor)), x)
}

func TestPoolMistakes(t *testing.T) {
	g := graph.New("pool")
	x := g.Input("x", graph.Float64, 1, 1, 4, 4)
	requireMistake(t, ops.MaxPool2D(x, 5, 5),
		"Given input size: (1x4x4). Calculated output size: (1x0x0). Output size is too small")
	requireMistake(t, ops.AvgPool2D(x, 2, 2, ops.Padding(2)),
		"pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1")
	requireMistake(t, ops.AvgPool2D(ops.Slice(x, 2, 0, 0, 1), 2, 2),
		"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[1, 1, 0, 4]")
	requireMistake(t, ops.MaxPool2D(x, 0, 2, ops.Stride(1)),
		"kernel size should be greater than zero, but got kH: 0 kW: 2")
}

// PyTorch's adaptive_max_pool1d and 2d give these gradients.
func TestGradientOfAdaptiveMaxPoolAtNaN(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		x, want []float64
		shape   []int
		sizes   []int
	}{
		{[]float64{1, nan, 3, nan, nan, 2, 5}, []float64{0, 1, 0, 0, 5, 0, 0}, []int{1, 1, 7}, []int{3}},
		{[]float64{1, nan, 3, nan, nan, 2, 5, nan}, []float64{0, 0, 0, 1, 0, 0, 0, 2}, []int{1, 1, 8}, []int{2}},
		{[]float64{nan, 2, nan, 1, nan, nan, nan, 3, 4}, []float64{0, 0, 0, 0, 1, 6, 3, 0, 0}, []int{1, 1, 3, 3},
			[]int{2, 2}},
	} {
		g := graph.New("adaptive")
		shape := make([]graph.Dim, len(c.shape))
		for i, n := range c.shape {
			shape[i] = graph.Dim(n)
		}
		x := g.Input("x", graph.Float64, shape...)
		y := ops.AdaptiveMaxPool(x, c.sizes...)
		count := 1
		for _, n := range c.sizes {
			count *= n
		}
		weights := ops.Reshape(ops.Add(ops.Cast(ops.Iota(g, 0, graph.Dim(count)), graph.Float64), graph.Num(1)),
			y.Shape()...)
		dx := autodiff.Grad(ops.Sum(ops.Mul(y, weights)), []*graph.Node{x})[0]
		require.Equal(t, c.want, value(t, feeds{x: reference.Of(c.x, c.shape...)}, dx).Data)
	}
}

// A window for the whole image gives its mean, and each element of it the same gradient.
func TestMeansOfWholeImages(t *testing.T) {
	g := graph.New("adaptive")
	x := g.Input("x", graph.Float64, 2, 1, 2, g.Dim("width"))
	y := ops.AdaptiveAvgPool(x, 1, 1)
	require.Equal(t, "[2, 1, 1, 1]", y.Shape().String())
	dx := autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x})[0]
	of := reference.Of([]float64{1, 2, 3, 4, 5, 9, 0, 0, 0, 0, 0, 12}, 2, 1, 2, 3)
	require.Equal(t, []float64{4, 2}, value(t, feeds{x: of}, y).Data)
	want := append(slices.Repeat([]float64{2 * 4 / 6.0}, 6), slices.Repeat([]float64{2 * 2 / 6.0}, 6)...)
	require.InDeltaSlice(t, want, value(t, feeds{x: of}, dx).Data, 1e-15)
}

// Windows i of n over a length L are the elements from floor(i·L/n) to ceil((i+1)·L/n), along each axis.
func TestMeansOfAdaptiveWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ sizes, windows [2]int }{
		{[2]int{7, 5}, [2]int{3, 2}}, {[2]int{8, 9}, [2]int{4, 4}}, {[2]int{3, 70}, [2]int{5, 9}},
		{[2]int{1, 6}, [2]int{1, 4}}, {[2]int{6, 33}, [2]int{1, 40}},
	} {
		g := graph.New("adaptive")
		x := g.Input("x", graph.Float64, 2, graph.Dim(c.sizes[0]), graph.Dim(c.sizes[1]))
		in := feeds{x: random(rng, 2, c.sizes[0], c.sizes[1])}
		data := in[x].Floats()
		span := func(axis, i int) (lo, hi int) {
			length, n := c.sizes[axis], c.windows[axis]
			return i * length / n, ((i+1)*length + n - 1) / n
		}
		var want []float64
		for image := range 2 {
			for i := range c.windows[0] {
				for j := range c.windows[1] {
					sum, count := 0.0, 0
					for row, rows := span(0, i); row < rows; row++ {
						for column, columns := span(1, j); column < columns; column++ {
							sum += data[(image*c.sizes[0]+row)*c.sizes[1]+column]
							count++
						}
					}
					want = append(want, sum/float64(count))
				}
			}
		}
		y := ops.AdaptiveAvgPool(x, c.windows[:]...)
		requireClose(t, want, value(t, in, y).Floats(), 1e-14, fmt.Sprint(c))
		requireFirstOrderOf(t, in, y, x)
	}
}
