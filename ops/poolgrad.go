package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// maxTaps bounds the elements of a window that are compared one by one in the gradient of
// a maximum; larger windows are reduced with loops.
const maxTaps = 32

// maxPoolGrad gives the gradient of each maximum to the element that PyTorch names: the
// first of the greatest ones, or the last NaN.
func maxPoolGrad(n, dy node, _ int) node {
	x, a := n.In(0), n.Attrs().(PoolAttrs)
	lead, count := x.Rank()-len(a.Kernel), 1
	padded, sizes := x, make([]graph.Dim, len(a.Kernel))
	for i, k := range a.Kernel {
		count *= k
		padded = Pad(padded, lead+i, graph.Dim(a.Padding[i]), behind(n, x, i), lowest(n.DType()))
		sizes[i] = padded.Shape()[lead+i]
	}
	var dx node
	if count <= maxTaps {
		dx = scanWindows(n, padded, dy)
	} else {
		windows, perm := poolWindows(n, x, lowest(n.DType()))
		folded := poolAxes(n, x)
		y := Apply(opMaxFirst, ReduceAttrs{Axes: folded}, windows)
		dx = unslide(Permute(firstGrad(y, dy), inverse(perm)...), sizes, a.steps())
	}
	for i, before := range a.Padding {
		dx = Slice(dx, lead+i, graph.Dim(before), graph.Dim(before).Plus(x.Shape()[lead+i]), 1)
	}
	return dx
}

// scanWindows goes through the elements that all windows have at one place, place by
// place, as a loop over each window would: it notes where an element is greater than all
// before it. The last such element of a window is the one that has the gradient.
func scanWindows(n, padded, dy node) node {
	a := n.Attrs().(PoolAttrs)
	places := windowPlaces(a.Kernel)
	taps := poolTaps(padded, places, a)
	wins, most := make([]node, len(taps)), taps[0]
	for t, x := range taps[1:] {
		won := Greater(x, most)
		if x.DType().IsFloat() {
			won = Or(won, NotEqual(x, x))
		}
		wins[t+1], most = won, Where(won, x, most)
	}
	parts := make([]node, len(taps))
	for t := len(taps) - 1; t > 0; t-- {
		parts[t] = Where(wins[t], dy, num(0))
		dy = Where(wins[t], num(0), dy)
	}
	parts[0] = dy
	var dx node
	for t, part := range parts {
		part = amongZeros(part, padded, places[t], a)
		if t == 0 {
			dx = part
		} else {
			dx = Add(dx, part)
		}
	}
	return dx
}

// poolTaps gives, for each place in a window, the elements that all windows have there.
func poolTaps(padded node, places [][]int, a PoolAttrs) (taps []node) {
	axes := len(a.Kernel)
	kernel, steps := make([]graph.Dim, axes), a.steps()
	for i, k := range a.Kernel {
		kernel[i] = graph.Dim(k)
	}
	steps.Padding = make([]int, axes) // there is padding already
	windows := slide(padded, kernel, steps, make([]graph.Dim, axes), 0)
	for _, place := range places {
		x := windows
		for _, at := range place {
			x = Select(x, padded.Rank()-axes, graph.Dim(at))
		}
		taps = append(taps, x)
	}
	return taps
}

// windowPlaces lists the indices of a window's elements in row-major order.
func windowPlaces(kernel []int) [][]int {
	places := [][]int{nil}
	for _, size := range kernel {
		var longer [][]int
		for _, place := range places {
			for at := range size {
				longer = append(longer, append(slices.Clone(place), at))
			}
		}
		places = longer
	}
	return places
}

// amongZeros puts an element of each window at its place in padded, among zeros.
func amongZeros(part, padded node, place []int, a PoolAttrs) node {
	lead := padded.Rank() - len(place)
	for i, at := range place {
		before := graph.Dim(at * a.Dilation[i])
		after := padded.Shape()[lead+i].Minus(before).Minus(spacedLength(part.Shape()[lead+i], a.Stride[i]))
		part = Apply(opPad, PadAttrs{Axis: lead + i, Before: before, After: after, Step: a.Stride[i]}, part)
	}
	return part
}
