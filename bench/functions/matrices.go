package main

import (
	"fmt"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// function is one of square matrices, of a batch.
type function struct {
	name  string // of torch.linalg
	batch int
	size  int
	dtype graph.DType
}

// results are the results of functions of a and b. peer.py adds a diagonal to a too, so that no matrix is singular, and
// its lower triangle is positive-definite.
var results = []struct {
	name     string
	operands int
	flops    float64 // by the third power of the size
	build    func(a, b *graph.Node) *graph.Node
}{
	{"solve", 2, 8. / 3, ops.Solve},
	{"solve_triangular", 2, 1, func(a, b *graph.Node) *graph.Node { return ops.SolveTriangular(a, b) }},
	{"cholesky", 1, 1. / 3, func(a, _ *graph.Node) *graph.Node { return ops.Cholesky(a) }},
	{"slogdet", 1, 2. / 3, func(a, _ *graph.Node) *graph.Node { _, y := ops.SlogDet(a); return y }},
	{"inv", 1, 8. / 3, func(a, _ *graph.Node) *graph.Node { return ops.Inv(a) }},
	{"qr", 1, 8. / 3, func(a, _ *graph.Node) *graph.Node { _, r := ops.QR(a); return r }},
}

// functions are those of matrices.
func functions() (list []function) {
	for _, dtype := range []graph.DType{f32, f64} {
		for _, r := range results {
			for _, n := range []int{64, 128, 200, 256, 512} {
				list = append(list, function{r.name, 1, n, dtype})
			}
			list = append(list, function{r.name, 64, 16, dtype}, function{r.name, 64, 64, dtype})
		}
	}
	return list
}

func (f function) task() sidebyside.Task {
	shape := []int{f.batch, f.size, f.size}
	for _, r := range results {
		if r.name == f.name {
			return sidebyside.Task{
				Name:  fmt.Sprintf("%s %d×%d×%d %v", f.name, f.batch, f.size, f.size, f.dtype),
				DType: f.dtype,
				Flops: r.flops * float64(f.batch*f.size*f.size*f.size),
				Request: sidebyside.Request{
					"matrices": map[string]any{"name": f.name, "shape": shape, "operands": r.operands,
						"dtype": f.dtype.String()}},
				Shapes: [][]int{shape, shape}[:r.operands],
				Build: func(in []*graph.Node) *graph.Node {
					eye := ops.Eye(in[0].Graph(), f.dtype, graph.Dim(f.size), graph.Dim(f.size))
					a := ops.Add(in[0], ops.Mul(eye, ops.Full(in[0].Graph(), f.dtype, float64(4*f.size))))
					return r.build(a, in[len(in)-1])
				},
			}
		}
	}
	panic(f.name)
}

// tasks makes the tasks to measure.
func tasks() (list []sidebyside.Task) {
	for _, f := range transforms() {
		list = append(list, f.task())
	}
	for _, f := range functions() {
		list = append(list, f.task())
	}
	return list
}
