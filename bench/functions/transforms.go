package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// transform is a Fourier transform of a batch of numbers along all other axes.
type transform struct {
	name  string // of torch.fft
	batch int
	sizes []int
	dtype graph.DType
}

const (
	f32 = graph.Float32
	f64 = graph.Float64
)

// transforms are signals and square images, of complex and of real numbers, and back to real ones.
func transforms() (list []transform) {
	for _, dtype := range []graph.DType{f32, f64} {
		for _, n := range []int{64, 256, 1000, 1024, 4096} {
			for _, batch := range []int{1, 16, 256} {
				for _, name := range []string{"fft", "rfft", "irfft"} {
					list = append(list, transform{name, batch, []int{n}, dtype})
				}
			}
		}
		list = append(list, transform{"fft", 16, []int{360}, dtype}, transform{"fft", 16, []int{1009}, dtype})
		for _, n := range []int{64, 128, 256} {
			for _, batch := range []int{1, 16} {
				for _, name := range []string{"fft2", "rfft2", "irfft2"} {
					list = append(list, transform{name, batch, []int{n, n}, dtype})
				}
			}
		}
	}
	return list
}

// task measures a transform. A transform of n complex numbers counts as 5·n·log2(n) operations, and one of real numbers
// as half as many.
func (f transform) task() sidebyside.Task {
	var sizes []string
	shape, points := []int{f.batch}, 1
	for _, n := range f.sizes {
		sizes, shape, points = append(sizes, fmt.Sprint(n)), append(shape, n), points*n
	}
	flops := 5 * float64(f.batch*points) * math.Log2(float64(points))
	isPairs := !strings.HasPrefix(f.name, "rfft")
	if strings.Contains(f.name, "rfft") {
		flops /= 2
	}
	if strings.HasPrefix(f.name, "irfft") {
		last := len(shape) - 1
		shape[last] = shape[last]/2 + 1
	}
	if isPairs {
		shape = append(shape, 2)
	}
	return sidebyside.Task{
		Name:  fmt.Sprintf("%s %d×%s %v", f.name, f.batch, strings.Join(sizes, "×"), f.dtype),
		DType: f.dtype,
		Flops: flops,
		Request: sidebyside.Request{
			"transform": map[string]any{"name": f.name, "shape": shape, "pairs": isPairs, "dtype": f.dtype.String()}},
		Shapes: [][]int{shape},
		Build: func(in []*graph.Node) *graph.Node {
			return map[string]func(*graph.Node, ...ops.FFTOption) *graph.Node{
				"fft": ops.FFT, "rfft": ops.RFFT, "irfft": ops.IRFFT, "fft2": ops.FFT2, "rfft2": ops.RFFT2,
				"irfft2": ops.IRFFT2,
			}[f.name](in[0])
		},
	}
}
