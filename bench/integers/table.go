package main

import (
	"fmt"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// product is that of an m×k and a k×n matrix of integers. The first one has a zero point, as activations have, or none.
type product struct {
	m, n, k int
	x, y    graph.DType
	zero    bool
	weights bool // the second one is of weights
}

const (
	u8 = graph.Uint8
	i8 = graph.Int8
)

var products = []product{
	{1024, 1024, 1024, u8, i8, false, false}, {1024, 1024, 1024, u8, i8, true, false},
	{1024, 1024, 1024, u8, u8, false, false}, {1024, 1024, 1024, i8, i8, false, false},
	{512, 512, 512, u8, i8, false, false}, {512, 512, 512, u8, i8, true, false}, {256, 256, 256, u8, i8, false, false},
	{256, 256, 256, u8, u8, false, false},
	{64, 64, 64, u8, i8, false, false}, {128, 768, 768, u8, i8, true, false}, {128, 3072, 768, u8, i8, true, false},
	{16, 768, 768, u8, i8, true, false}, {1, 768, 768, u8, i8, true, false},
	{100, 200, 301, u8, i8, false, false},
	{1, 768, 768, u8, i8, true, true}, {4, 768, 768, u8, i8, true, true}, {16, 768, 768, u8, i8, true, true},
	{64, 768, 768, u8, i8, true, true},
	{16, 3072, 768, u8, u8, true, true}, {16, 768, 3072, i8, i8, false, true}, {1, 4096, 4096, u8, i8, true, true},
}

// convolution is that of images of uint8 with square filters of uint8, which ONNX Runtime takes faster than those of
// int8.
type convolution struct{ batch, channels, size, filters, kernel, stride int }

var convolutions = []convolution{
	{1, 64, 56, 64, 3, 1}, {1, 64, 56, 256, 1, 1}, {1, 128, 28, 128, 3, 1}, {1, 256, 14, 256, 3, 1},
	{1, 512, 7, 512, 3, 1}, {1, 256, 56, 128, 3, 2}, {1, 3, 224, 64, 7, 2},
}

// tasks makes the tasks of the tables.
func tasks() (list []sidebyside.Task) {
	for _, p := range products {
		list = append(list, p.task())
	}
	for _, c := range convolutions {
		list = append(list, c.task())
	}
	return list
}

func (p product) task() sidebyside.Task {
	name := fmt.Sprintf("%d×%d×%d %v by %v", p.m, p.n, p.k, p.x, p.y)
	shapes, dtypes := [][]int{{p.m, p.k}, {p.k, p.n}}, []graph.DType{p.x, p.y}
	if p.zero {
		name += ", zero point"
		shapes, dtypes = append(shapes, []int{}), append(dtypes, p.x)
	}
	var isWeight []bool
	if p.weights {
		name += ", weights"
		isWeight = make([]bool, len(shapes))
		isWeight[1] = true
	}
	return task(name, "MatMulInteger", 2*float64(p.m)*float64(p.n)*float64(p.k), shapes, dtypes, nil, isWeight,
		func(in []*graph.Node) *graph.Node {
			return ops.MatMulInteger(in[0], in[1], zeroOf(in), nil)
		})
}

func (c convolution) task() sidebyside.Task {
	padding := c.kernel / 2
	out := (c.size+2*padding-c.kernel)/c.stride + 1
	flops := 2 * float64(c.batch*c.filters*c.channels) * float64(out*out*c.kernel*c.kernel)
	attributes := map[string]any{"pads": []int{padding, padding, padding, padding},
		"strides": []int{c.stride, c.stride}}
	return task(fmt.Sprintf("%d×%d×%d×%d, %d filters %d×%d, stride %d, zero point", c.batch, c.channels, c.size, c.size,
		c.filters, c.kernel, c.kernel, c.stride),
		"ConvInteger", flops,
		[][]int{{c.batch, c.channels, c.size, c.size}, {c.filters, c.channels, c.kernel, c.kernel}, {}},
		[]graph.DType{u8, u8, u8}, attributes, nil,
		func(in []*graph.Node) *graph.Node {
			return ops.ConvInteger(in[0], in[1], zeroOf(in), nil, ops.Stride(c.stride), ops.Padding(padding))
		})
}

// zeroOf is the zero point of the first input, if there is one.
func zeroOf(in []*graph.Node) *graph.Node {
	if len(in) > 2 {
		return in[2]
	}
	return nil
}

func task(name, op string, flops float64, shapes [][]int, dtypes []graph.DType, attributes map[string]any,
	isWeight []bool, build func(in []*graph.Node) *graph.Node) sidebyside.Task {
	names := make([]string, len(dtypes))
	for i, t := range dtypes {
		names[i] = t.String()
	}
	if attributes == nil {
		attributes = map[string]any{}
	}
	weights := []int{}
	for i, is := range isWeight {
		if is {
			weights = append(weights, i)
		}
	}
	return sidebyside.Task{Name: name, DType: graph.Float32, Flops: flops, Shapes: shapes, DTypes: dtypes,
		IsWeight: isWeight, Build: build,
		Request: sidebyside.Request{
			"integers": map[string]any{"op": op, "dtypes": names, "shapes": shapes, "attributes": attributes,
				"weights": weights}}}
}
