package main

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// layer is a convolution of square images of some channels with square filters.
type layer struct {
	channels, size          int // of the images
	filters                 int
	kernel, stride, padding int
	kind                    kind
}

// kind is the kind of a convolution, if not a plain one.
type kind int

const (
	plain      kind = iota
	depthwise       // each channel has a filter of its own
	transposed      // the opposite of one, which makes images larger
)

// word is the prefix of a task's name.
func (k kind) word() string { return [...]string{"", "depthwise ", "transposed "}[k] }

// layers are the 20 distinct convolutions of ResNet-50 on images of 224×224, as in table 1
// of K. He, X. Zhang, S. Ren, J. Sun, Deep Residual Learning for Image Recognition,
// arXiv:1512.03385: where the size of images halves, the first convolution of the block
// has the stride, as has the projection past the block.
var layers = []layer{
	{3, 224, 64, 7, 2, 3, plain}, // conv1
	// conv2_x
	{64, 56, 64, 1, 1, 0, plain}, {64, 56, 64, 3, 1, 1, plain}, {64, 56, 256, 1, 1, 0, plain},
	{256, 56, 64, 1, 1, 0, plain},
	// conv3_x
	{256, 56, 128, 1, 2, 0, plain}, {128, 28, 128, 3, 1, 1, plain}, {128, 28, 512, 1, 1, 0, plain},
	{256, 56, 512, 1, 2, 0, plain}, {512, 28, 128, 1, 1, 0, plain},
	// conv4_x
	{512, 28, 256, 1, 2, 0, plain}, {256, 14, 256, 3, 1, 1, plain}, {256, 14, 1024, 1, 1, 0, plain},
	{512, 28, 1024, 1, 2, 0, plain}, {1024, 14, 256, 1, 1, 0, plain},
	// conv5_x
	{1024, 14, 512, 1, 2, 0, plain}, {512, 7, 512, 3, 1, 1, plain}, {512, 7, 2048, 1, 1, 0, plain},
	{1024, 14, 2048, 1, 2, 0, plain}, {2048, 7, 512, 1, 1, 0, plain},
}

// others are the 10 distinct depthwise convolutions of MobileNetV2 on images of 224×224, as in table 2 of M. Sandler
// and others, MobileNetV2, arXiv:1801.04381, and the transposed ones of a generator of images of 64×64, as in figure 1
// of A. Radford and others, Unsupervised Representation Learning with Deep Convolutional Generative Adversarial
// Networks, arXiv:1511.06434, with half of its channels and filters of 4×4.
var others = []layer{
	{32, 112, 32, 3, 1, 1, depthwise}, {96, 112, 96, 3, 2, 1, depthwise}, {144, 56, 144, 3, 1, 1, depthwise},
	{144, 56, 144, 3, 2, 1, depthwise},
	{192, 28, 192, 3, 1, 1, depthwise}, {192, 28, 192, 3, 2, 1, depthwise}, {384, 14, 384, 3, 1, 1, depthwise},
	{576, 14, 576, 3, 1, 1, depthwise},
	{576, 14, 576, 3, 2, 1, depthwise}, {960, 7, 960, 3, 1, 1, depthwise},
	{512, 4, 256, 4, 2, 1, transposed}, {256, 8, 128, 4, 2, 1, transposed}, {128, 16, 64, 4, 2, 1, transposed},
	{64, 32, 3, 4, 2, 1, transposed},
}

// batches are the numbers of images.
var batches = []int{1, 16}

// tasks makes the tasks to measure: every layer with every number of images.
func tasks() []sidebyside.Task {
	var list []sidebyside.Task
	for _, batch := range batches {
		for _, l := range slices.Concat(layers, others) {
			list = append(list, l.task(batch))
		}
	}
	return list
}

// places is the number of places of a filter along an axis; of a transposed convolution those of the one that it is the
// opposite of.
func (l layer) places() int {
	if l.kind == transposed {
		return l.size
	}
	return (l.size+2*l.padding-l.kernel)/l.stride + 1
}

func (l layer) task(batch int) sidebyside.Task {
	groups, weights := 1, []int{l.filters, l.channels, l.kernel, l.kernel}
	switch l.kind {
	case depthwise:
		groups, weights[1] = l.channels, 1
	case transposed:
		weights[0], weights[1] = l.channels, l.filters
	}
	return sidebyside.Task{
		Name: fmt.Sprintf("%s%d×%d×%d×%d, %d filters %d×%d, stride %d",
			l.kind.word(), batch, l.channels, l.size, l.size, l.filters, l.kernel, l.kernel, l.stride),
		DType: graph.Float32,
		Flops: 2 * float64(batch) * float64(l.places()*l.places()) *
			float64(l.filters*l.channels/groups*l.kernel*l.kernel),
		Request: sidebyside.Request{"convolution": map[string]int{
			"batch": batch, "channels": l.channels, "size": l.size, "filters": l.filters,
			"kernel": l.kernel, "stride": l.stride, "padding": l.padding, "kind": int(l.kind),
		}},
		Shapes: [][]int{{batch, l.channels, l.size, l.size}, weights},
		Build: func(in []*graph.Node) *graph.Node {
			if l.kind == transposed {
				return ops.ConvTranspose2D(in[0], in[1], nil, ops.Stride(l.stride), ops.Padding(l.padding))
			}
			return ops.Conv2D(in[0], in[1], nil, ops.Stride(l.stride), ops.Padding(l.padding), ops.Groups(groups))
		},
	}
}
