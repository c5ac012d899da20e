package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// newPooling draws a pooling of images that is large enough for vectors and threads.
func newPooling(seed uint64) *windowing {
	w := &windowing{Rand: rand.New(rand.NewPCG(seed, 19)), groups: 1}
	w.kernel, w.stride, w.padding, w.dilation, w.ceil = w.pair(1, 4), w.pair(1, 4), w.pair(0, 2), [2]int{1, 1},
		w.IntN(2) == 0
	if seed%4 == 0 { // more elements than are compared one by one
		w.kernel, w.padding = w.pair(6, 8), w.pair(0, 4)
	}
	w.x = []int{1 + w.IntN(4), 1 + w.IntN(9), 5 + w.IntN(40), 5 + w.IntN(40)}
	return w
}

// windows lists the elements of each window of all images, in the order of the results,
// without those of the padding.
func (w *windowing) windows() (list [][]int) {
	height, width := w.x[2], w.x[3]
	index := make([]float64, height*width)
	for i := range index {
		index[i] = float64(i)
	}
	for image := range w.x[0] * w.x[1] {
		w.naive(func(places [][2]int, indices array) float64 {
			var window []int
			for _, p := range places {
				if at := indices.at(p[0], p[1]); !math.IsNaN(at) {
					window = append(window, image*height*width+int(at))
				}
			}
			list = append(list, window)
			return 0
		}, index)
	}
	return list
}

// pooled is the greatest element and the mean of each window, and what goes back to the
// elements from weights of the windows: to the first of several greatest elements, or to the
// last NaN, as in PyTorch, and to all elements of a mean.
func pooled(windows [][]int, data, weights []float64) (most, mean, backMost, backMean []float64) {
	most, mean = make([]float64, len(windows)), make([]float64, len(windows))
	backMost, backMean = make([]float64, len(data)), make([]float64, len(data))
	for i, window := range windows {
		first, count := window[0], float64(len(window))
		for _, p := range window {
			mean[i] += data[p] / count
			backMean[p] += weights[i] / count
			if data[p] > data[first] || math.IsNaN(data[p]) {
				first = p
			}
		}
		most[i] = data[first]
		backMost[first] += weights[i]
	}
	return most, mean, backMost, backMean
}

// TestLargePools compares pools and their gradients with plain loops, on elements that are
// often equal, to the padding too, or NaN.
func TestLargePools(t *testing.T) {
	done := 0
	for seed := range uint64(80) {
		w := newPooling(seed)
		if !w.fits(true) {
			continue
		}
		done++
		about := fmt.Sprintf("seed %d: %+v", seed, w.poolCase)
		g := graph.New("pool")
		x := g.Input("x", graph.Float32, graph.MakeShape(w.x...)...)
		most := ops.MaxPool2D(x, w.kernel[0], w.kernel[1], w.options()...)
		mean := ops.AvgPool2D(x, w.kernel[0], w.kernel[1], append(w.options(), ops.ExcludePadding())...)
		u := g.Input("u", graph.Float32, most.Shape()...)
		outputs := []*graph.Node{most, mean}
		for _, y := range outputs[:2] {
			outputs = append(outputs, autodiff.Grad(ops.Sum(ops.Mul(y, u)), []*graph.Node{x})[0])
		}

		windows := w.windows()
		data, weights := make([]float64, w.x[0]*w.x[1]*w.x[2]*w.x[3]), make([]float64, len(windows))
		few := []float64{math.Inf(-1), math.NaN(), math.Inf(-1), -1, math.Inf(-1)}[:1+seed%5]
		for i := range data {
			if data[i] = float64(w.IntN(9) - 4); seed%2 == 1 {
				data[i] = few[w.IntN(len(few))]
			}
		}
		for i := range weights {
			weights[i] = float64(1 + w.IntN(9))
		}
		wantMost, wantMean, backMost, backMean := pooled(windows, data, weights)
		shape, _ := most.Shape().Ints()
		in := feeds{x: reference.FromFloats(graph.Float32, data, w.x...),
			u: reference.FromFloats(graph.Float32, weights, shape...)}
		var first []reference.Value
		for _, threads := range []int{1, 2, 3, 8} {
			got := compiled(t, threads, in, outputs...)
			if first == nil {
				first = got
				for i, want := range [][]float64{wantMost, wantMean, backMost, backMean} {
					requireClose(t, want, got[i].Floats(), 1e-5, fmt.Sprintf("%s: result %d", about, i))
				}
			}
			for i := range got {
				require.Equal(t, first[i].Shape, got[i].Shape, about)
				requireClose(t, first[i].Floats(), got[i].Floats(), 0,
					fmt.Sprintf("%s: result %d, %d threads", about, i, threads))
			}
		}
	}
	require.Greater(t, done, 25, "enough of the cases make sense")
}

// TestWindowsLongerThanAxes takes means and maxima of windows that are much longer than an image, with ceil_mode, as
// some models do for the mean of an image: it computes no more elements than the image has.
func TestWindowsLongerThanAxes(t *testing.T) {
	for _, named := range []bool{false, true} {
		for _, c := range []struct{ height, width, kernel, stride, padding int }{
			{3, 5, 2000, 2000, 0}, {3, 5, 40, 39, 2}, {50, 3, 40, 40, 0}, {45, 90, 40, 17, 3}, {2, 2, 2000, 2000, 10}} {
			g := graph.New("pool")
			height, width := graph.Dim(c.height), graph.Dim(c.width)
			if named {
				height, width = g.Dim("height"), g.Dim("width")
			}
			x := g.Input("x", graph.Float32, 1, 2, height, width)
			w := &windowing{poolCase: poolCase{x: []int{1, 2, c.height, c.width}, ceil: true}, groups: 1}
			w.kernel, w.stride, w.padding = [2]int{c.kernel, c.kernel}, [2]int{c.stride, c.stride},
				[2]int{c.padding, c.padding}
			w.dilation = [2]int{1, 1}
			most := ops.MaxPool2D(x, c.kernel, c.kernel, w.options()...)
			mean := ops.AvgPool2D(x, c.kernel, c.kernel, append(w.options(), ops.ExcludePadding())...)
			back := autodiff.Grad(ops.Sum(mean), []*graph.Node{x})[0]
			data := make([]float64, 2*c.height*c.width)
			for i := range data {
				data[i] = float64(i*37%101) - 50
			}
			windows := w.windows()
			ones := make([]float64, len(windows))
			for i := range ones {
				ones[i] = 1
			}
			wantMost, wantMean, _, wantBack := pooled(windows, data, ones)
			got := compiled(t, 1, feeds{x: reference.FromFloats(graph.Float32, data, w.x...)}, most, mean, back)
			for i, want := range [][]float64{wantMost, wantMean, wantBack} {
				requireClose(t, want, got[i].Floats(), 1e-5, fmt.Sprintf("%+v: result %d", c, i))
			}
			prog, err := exec.Compile(g, exec.Outputs(most, mean, back))
			require.NoError(t, err)
			footprint, err := prog.Footprint(map[string]int{"height": c.height, "width": c.width})
			require.NoError(t, err)
			require.Less(t, footprint.Arena, 4<<20, "%+v", c)
		}
	}
}
