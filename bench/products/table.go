package main

import (
	"fmt"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// product is C = A·B of m×k and k×n. A letter N or T for each operand says whether it is stored row by row or column by
// column.
type product struct {
	m, n, k int
	layout  string
	dtype   graph.DType
}

const (
	f32 = graph.Float32
	f64 = graph.Float64
)

// products is the table: the products in the table of workloads, squares from 1 on, thin matrices and vectors.
var products = []product{
	// The products of the table of workloads, in all layouts.
	{1024, 1024, 1024, "NN", f32}, {1024, 1024, 1024, "NT", f32}, {1024, 1024, 1024, "TN", f32},
	{1024, 1024, 1024, "TT", f32},
	{256, 256, 256, "NN", f32}, {256, 256, 256, "NT", f32}, {256, 256, 256, "TN", f32}, {256, 256, 256, "TT", f32},
	{64, 512, 784, "NN", f32}, {64, 784, 512, "NT", f32}, {784, 512, 64, "TN", f32}, {64, 10, 512, "NN", f32},
	{512, 10, 64, "TN", f32},
	// Those of a transformer's block: projections, their gradients, attention.
	{1024, 768, 256, "NN", f32}, {1024, 1024, 256, "NN", f32}, {1024, 256, 1024, "NT", f32},
	{256, 1024, 1024, "TN", f32},
	{128, 128, 32, "NT", f32}, {128, 32, 128, "NN", f32},
	// Those of a convolution's windows.
	{6, 576, 25, "NN", f32}, {16, 64, 150, "NN", f32}, {64, 3136, 576, "NN", f32},
	// Squares.
	{1, 1, 1, "NN", f32}, {3, 3, 3, "NN", f32}, {8, 8, 8, "NN", f32}, {13, 13, 13, "NT", f32}, {16, 16, 16, "NN", f32},
	{31, 31, 31, "TN", f32}, {32, 32, 32, "NN", f32}, {64, 64, 64, "NN", f32}, {65, 65, 65, "TT", f32},
	{100, 100, 100, "NN", f32},
	{127, 127, 127, "NT", f32}, {200, 200, 200, "NN", f32}, {257, 257, 257, "TN", f32}, {511, 511, 511, "NN", f32},
	{2048, 2048, 2048, "NN", f32},
	// Thin ones.
	{4096, 16, 64, "NN", f32}, {16, 4096, 64, "NN", f32}, {8, 2048, 512, "NT", f32}, {4096, 8, 512, "NN", f32},
	{3, 1000, 999, "NN", f32},
	{4096, 4096, 8, "NN", f32}, {7, 9, 4096, "TN", f32},
	// Vectors: a row or a column times a matrix, an inner and an outer product.
	{1, 1024, 4096, "NN", f32}, {1, 4096, 1024, "NT", f32}, {4096, 1, 1024, "NN", f32}, {1001, 1, 999, "TN", f32},
	{1, 1, 4096, "NN", f32}, {1000, 1000, 1, "NN", f32},
	// Float64.
	{1024, 1024, 1024, "NN", f64}, {256, 256, 256, "NN", f64}, {255, 257, 253, "NT", f64}, {256, 256, 256, "TN", f64},
	{100, 100, 100, "TT", f64},
	{33, 35, 37, "NN", f64}, {8, 8, 8, "NN", f64}, {64, 512, 784, "NN", f64}, {1, 1024, 1024, "NN", f64},
	{1024, 1, 1024, "NN", f64},
}

// tasks makes the tasks of the table.
func tasks() []sidebyside.Task {
	list := make([]sidebyside.Task, len(products))
	for i, p := range products {
		list[i] = p.task()
	}
	return list
}

func (p product) task() sidebyside.Task {
	turnedA, turnedB := p.layout[0] == 'T', p.layout[1] == 'T'
	return sidebyside.Task{
		Name:  fmt.Sprintf("%d×%d×%d %s %v", p.m, p.n, p.k, p.layout, p.dtype),
		DType: p.dtype,
		Flops: 2 * float64(p.m) * float64(p.n) * float64(p.k),
		Request: sidebyside.Request{"product": map[string]any{
			"m": p.m, "n": p.n, "k": p.k, "transpose_a": turnedA, "transpose_b": turnedB, "dtype": p.dtype.String(),
		}},
		Shapes: [][]int{stored(p.m, p.k, turnedA), stored(p.k, p.n, turnedB)},
		Build: func(in []*graph.Node) *graph.Node {
			return ops.MatMul(turned(in[0], turnedA), turned(in[1], turnedB))
		},
	}
}

// stored is the shape in which a matrix is stored.
func stored(rows, cols int, transposed bool) []int {
	if transposed {
		return []int{cols, rows}
	}
	return []int{rows, cols}
}

// turned returns the matrix that is stored so.
func turned(x *graph.Node, transposed bool) *graph.Node {
	if transposed {
		return ops.Transpose(x, 0, 1)
	}
	return x
}
