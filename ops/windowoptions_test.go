package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// windowing is a random way in which windows move over random images, whose height and
// width are known only when the program runs.
type windowing struct {
	*rand.Rand
	poolCase
	weights []int
	groups  int
}

func (w *windowing) pair(low, high int) [2]int {
	return [2]int{low + w.IntN(high-low+1), low + w.IntN(high-low+1)}
}

func newWindowing(seed uint64) *windowing {
	w := &windowing{Rand: rand.New(rand.NewPCG(seed, 9))}
	w.groups = 1 + w.IntN(2)
	w.kernel, w.stride, w.padding, w.dilation, w.ceil = w.pair(1, 4), w.pair(1, 4), w.pair(0, 2), w.pair(1, 3),
		w.IntN(2) == 0
	w.x = []int{1 + w.IntN(2), w.groups * (1 + w.IntN(2)), 1 + w.IntN(9), 1 + w.IntN(9)}
	w.weights = []int{w.groups * (1 + w.IntN(2)), w.x[1] / w.groups, w.kernel[0], w.kernel[1]}
	return w
}

// fits reports whether there are windows, and for pooling whether the padding is legal.
func (w *windowing) fits(pooling bool) bool {
	for i := range 2 {
		room := w.x[i+2] + 2*w.padding[i] - w.dilation[i]*(w.kernel[i]-1)
		if room < 1 || pooling && w.padding[i] > w.kernel[i]/2 {
			return false
		}
	}
	return true
}

func (w *windowing) image() (x *graph.Node, in feeds) {
	g := graph.New("windows")
	x = g.Input("x", graph.Float64, graph.Dim(w.x[0]), graph.Dim(w.x[1]), g.Dim("h"), g.Dim("w"))
	return x, feeds{x: random(w.Rand, w.x...)}
}

func TestRandomConvolutionsAndPools(t *testing.T) {
	convolutions, pools := 0, 0
	for seed := range uint64(200) {
		w := newWindowing(seed)
		about := fmt.Sprintf("seed %d: %+v", seed, w.poolCase)
		if w.fits(false) {
			convolutions++
			x, in := w.image()
			k := x.Graph().Input("k", graph.Float64, graph.MakeShape(w.weights...)...)
			in[k] = random(w.Rand, w.weights...)
			y := ops.Conv2D(x, k, nil, ops.Stride(w.stride[:]...), ops.Padding(w.padding[:]...),
				ops.Dilation(w.dilation[:]...), ops.Groups(w.groups))
			require.NoError(t, y.Err(), about)
			shape, want := naiveConv2D(array{w.x, in[x].Floats(), 0}, array{w.weights, in[k].Floats(), 0},
				make([]float64, w.weights[0]), w.stride, w.padding, w.dilation, w.groups)
			got := evaluate(t, in,
				append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x, k})...)...)
			require.Equal(t, shape, got[0].Shape, about)
			requireClose(t, want, got[0].Floats(), 1e-12, about)
		}
		if w.fits(true) {
			pools++
			x, in := w.image()
			y := ops.MaxPool2D(x, w.kernel[0], w.kernel[1], w.options()...)
			require.NoError(t, y.Err(), about)
			want := w.greatest(in[x].Floats())
			got := evaluate(t, in, y, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x})[0])
			requireClose(t, want, got[0].Floats(), 0, about)
		}
	}
	require.Greater(t, min(convolutions, pools), 30, "enough of the cases make sense")
}
