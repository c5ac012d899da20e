package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/oracle"
	"github.com/broadloom/broadloom/ops"
)

// newImages is a random program on images of one size, whose number is known only when it
// runs.
func newImages(seed uint64) *program {
	p := &program{rng: rand.New(rand.NewPCG(seed, 23)), g: graph.New("images"), feeds: map[*graph.Node]oracle.Value{}}
	p.batch = p.g.Dim("batch")
	n := p.g.Input("x", graph.Float64, p.batch, 2, 4, 5)
	p.feeds[n] = p.value(n.Shape())
	p.nodes = append(p.nodes, n)
	return p
}

// image picks a value that has the shape of the images; others are parts of such.
func (p *program) image() *graph.Node {
	for {
		if n := p.pick(); slices.Equal(n.Shape(), p.nodes[0].Shape()) {
			return n
		}
	}
}

// filters makes an input for the weights of a convolution.
func (p *program) filters(sizes ...graph.Dim) *graph.Node {
	w := p.g.Input(fmt.Sprintf("w%d", len(p.feeds)), graph.Float64, sizes...)
	p.feeds[w] = p.value(w.Shape())
	return w
}

// growImages adds something that looks at windows of images, and keeps their size.
func (p *program) growImages() {
	x := p.image()
	var y *graph.Node
	switch p.rng.IntN(7) {
	case 0:
		y = ops.Conv2D(x, p.filters(2, 2, 3, 3), nil, ops.Padding(1))
	case 1:
		y = ops.Conv2D(x, p.filters(2, 1, 3, 1), nil, ops.Padding(2, 0), ops.Dilation(2, 1), ops.Groups(2))
	case 2:
		y = ops.ConvTranspose2D(ops.Conv2D(x, p.filters(3, 2, 2, 1), nil, ops.Stride(2, 1)), p.filters(3, 2, 2, 1), nil, ops.Stride(2, 1))
	case 3:
		y = ops.MaxPool2D(x, 3, 3, ops.Stride(1), ops.Padding(1))
	case 4:
		y = ops.AvgPool2D(x, 3, 1, ops.Stride(1), ops.Padding(1, 0))
	case 5:
		y = ops.Concat(3, ops.Slice(x, 3, 2, ops.End, 1), ops.Slice(p.image(), 3, 0, 2, 1))
	default:
		y = ops.Tanh(ops.Add(x, p.image()))
	}
	p.nodes = append(p.nodes, y)
}

// Windows are read where they lie, and gradients of windows are joined from pieces. Neither
// may see what is written into the images before or afterwards.
func TestRandomWindowsAgreeWithTheOracle(t *testing.T) {
	compiled, seeds := 0, uint64(150)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		p := newImages(seed)
		for range 4 {
			p.growImages()
			if seed%3 > 0 && p.rng.IntN(2) == 0 {
				p.write()
			}
		}
		if p.agrees(t, seed) {
			compiled++
		}
	}
	require.Greater(t, compiled, int(seeds/3), "most programs should be legal")
}
