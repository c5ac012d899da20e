package exec_test

import (
	"slices"
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// images are programs on images of one size, whose number is known only when they run.
var images = &kind{steps: 5, room: 12_000, threads: []int{1, 4}, grow: (*program).growImages, begin: func(p *program) {
	p.nodes = append(p.nodes, p.input(p.float, p.batch, 2, 4, 5))
}}

// image picks a value that has the shape of the images; others are parts of such.
func (p *program) image() *graph.Node {
	for {
		if n := p.pick(); slices.Equal(n.Shape(), p.nodes[0].Shape()) {
			return n
		}
	}
}

// growImages adds something that looks at windows of images, and keeps their size.
func (p *program) growImages() *graph.Node {
	x := p.image()
	switch p.rng.IntN(7) {
	case 0:
		return ops.Conv2D(x, p.input(p.float, 2, 2, 3, 3), nil, ops.Padding(1))
	case 1:
		return ops.Conv2D(x, p.input(p.float, 2, 1, 3, 1), nil, ops.Padding(2, 0), ops.Dilation(2, 1), ops.Groups(2))
	case 2:
		y := ops.Conv2D(x, p.input(p.float, 3, 2, 2, 1), nil, ops.Stride(2, 1))
		return ops.ConvTranspose2D(y, p.input(p.float, 3, 2, 2, 1), nil, ops.Stride(2, 1))
	case 3:
		return ops.MaxPool2D(x, 3, 3, ops.Stride(1), ops.Padding(1))
	case 4:
		return ops.AvgPool2D(x, 3, 1, ops.Stride(1), ops.Padding(1, 0))
	case 5:
		return ops.Concat(3, ops.Slice(x, 3, 2, ops.End, 1), ops.Slice(p.image(), 3, 0, 2, 1))
	}
	return ops.Tanh(ops.Add(x, p.image()))
}

// Windows are read where they lie, and gradients of windows are joined from pieces. Neither
// may see what is written into the images before or afterwards.
func TestRandomWindowsAgreeWithTheOracle(t *testing.T) { randomPrograms(t, images, 24) }
