package main

import (
	"fmt"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// layer is a convolution of square images of some channels with square filters.
type layer struct {
	channels, size          int // of the images
	filters                 int
	kernel, stride, padding int
}

// layers are the 20 distinct convolutions of ResNet-50 on images of 224×224, as in table 1
// of K. He, X. Zhang, S. Ren, J. Sun, Deep Residual Learning for Image Recognition,
// arXiv:1512.03385: where the size of images halves, the first convolution of the block
// has the stride, as has the projection past the block.
var layers = []layer{
	{3, 224, 64, 7, 2, 3}, // conv1
	// conv2_x
	{64, 56, 64, 1, 1, 0}, {64, 56, 64, 3, 1, 1}, {64, 56, 256, 1, 1, 0}, {256, 56, 64, 1, 1, 0},
	// conv3_x
	{256, 56, 128, 1, 2, 0}, {128, 28, 128, 3, 1, 1}, {128, 28, 512, 1, 1, 0}, {256, 56, 512, 1, 2, 0}, {512, 28, 128, 1, 1, 0},
	// conv4_x
	{512, 28, 256, 1, 2, 0}, {256, 14, 256, 3, 1, 1}, {256, 14, 1024, 1, 1, 0}, {512, 28, 1024, 1, 2, 0}, {1024, 14, 256, 1, 1, 0},
	// conv5_x
	{1024, 14, 512, 1, 2, 0}, {512, 7, 512, 3, 1, 1}, {512, 7, 2048, 1, 1, 0}, {1024, 14, 2048, 1, 2, 0}, {2048, 7, 512, 1, 1, 0},
}

// batches are the numbers of images.
var batches = []int{1, 16}

// tasks makes what is measured: every layer with every number of images.
func tasks() []sidebyside.Task {
	var list []sidebyside.Task
	for _, batch := range batches {
		for _, l := range layers {
			list = append(list, l.task(batch))
		}
	}
	return list
}

// places is the number of places of a filter along an axis.
func (l layer) places() int { return (l.size+2*l.padding-l.kernel)/l.stride + 1 }

func (l layer) task(batch int) sidebyside.Task {
	window := l.channels * l.kernel * l.kernel
	return sidebyside.Task{
		Name: fmt.Sprintf("%d×%d×%d×%d, %d filters %d×%d, stride %d",
			batch, l.channels, l.size, l.size, l.filters, l.kernel, l.kernel, l.stride),
		DType: graph.Float32,
		Flops: 2 * float64(batch) * float64(l.filters) * float64(l.places()*l.places()) * float64(window),
		Request: sidebyside.Request{"convolution": map[string]int{
			"batch": batch, "channels": l.channels, "size": l.size, "filters": l.filters,
			"kernel": l.kernel, "stride": l.stride, "padding": l.padding,
		}},
		Shapes: [][]int{{batch, l.channels, l.size, l.size}, {l.filters, l.channels, l.kernel, l.kernel}},
		Build: func(in []*graph.Node) *graph.Node {
			return ops.Conv2D(in[0], in[1], nil, ops.Stride(l.stride), ops.Padding(l.padding))
		},
	}
}
