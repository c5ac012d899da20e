package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opAdaptiveMaxPool, opAdaptiveAvgPool *graph.Op

// AdaptivePoolAttrs are the fixed arguments of adaptive pooling: the spatial sizes of the result.
type AdaptivePoolAttrs struct{ Sizes []int }

// Args writes the sizes.
func (a AdaptivePoolAttrs) Args(operands []string) []string {
	return after(operands, axisWords(a.Sizes)...)
}

func init() {
	opAdaptiveMaxPool = adaptivePooling("adaptive_max_pool", "AdaptiveMaxPool",
		"the greatest element of each of a given number of windows.",
		func(x node, first int, sizes []int) node {
			for i, size := range slices.Backward(sizes) {
				// so the first of equal elements is the first in its order, and the last NaN the last
				w := windowsOf(x, first+i, graph.Dim(size))
				x = Apply(opMaxOfWindow, ReduceAttrs{Axes: []int{w.axis}}, w.filled(lowest(x.DType())))
			}
			return x
		})
	opAdaptiveAvgPool = adaptivePooling("adaptive_avg_pool", "AdaptiveAvgPool",
		"the mean of each of a given number of windows.",
		func(x node, first int, sizes []int) node {
			if !slices.ContainsFunc(sizes, func(size int) bool { return size != 1 }) {
				axes := []Axis{KeepDims()} // a window for all: long rows, where elements lie one behind the other
				for i := range sizes {
					axes = append(axes, Axis(first+i))
				}
				return Mean(x, axes...)
			}
			for i, size := range sizes { // the last axis costs most, and has fewer rows then
				x = windowsOf(x, first+i, graph.Dim(size)).mean()
			}
			return x
		})
	opAdaptiveAvgPool.Ref = named(
		"",
		"torch.nn.functional.adaptive_avg_pool1d, torch.nn.functional.adaptive_avg_pool2d, torch.nn.functional.adaptive_avg_pool3d",
		"", "", "",
		func(e *graph.Example) node { return AdaptiveAvgPool(e.Of("x", "n", "c", "8", "8"), 2, 2) })
	opAdaptiveMaxPool.Ref = named(
		"",
		"torch.nn.functional.adaptive_max_pool1d, torch.nn.functional.adaptive_max_pool2d, torch.nn.functional.adaptive_max_pool3d",
		"", "", "",
		func(e *graph.Example) node { return AdaptiveMaxPool(e.Of("x", "n", "c", "8", "8"), 2, 2) })
}

// adaptivePooling is the entry of adaptive pooling, of the axes from the first one of the windows on.
func adaptivePooling(name, fn, doc string, reduce func(x node, first int, sizes []int) node) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Batch: batchImages(func(n node) int { return len(n.Attrs().(AdaptivePoolAttrs).Sizes) }),
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			if t := c.DType(0); !t.IsFloat() {
				rules.RefuseDType(c, `"`+name+`" not implemented for '`+t.TorchName()+`'`)
			}
			return c.DType(0), rules.AdaptivePool(c, name, c.Attrs().(AdaptivePoolAttrs).Sizes)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			sizes := n.Attrs().(AdaptivePoolAttrs).Sizes
			return reduce(in[0], n.Rank()-len(sizes), sizes)
		},
	})
}

// adaptiveWindows are windows along one axis: window i of n over a length of L has the elements
// from floor(i·L/n) to ceil((i+1)·L/n).
type adaptiveWindows struct {
	elements node // the windows, one after the other, and behind that axis their elements
	axis     int  // of the elements
	counts   node // how many elements each window has, along the axis of windows: Int64
	present  node // which elements are of the window, or nil where all are
}

// windowsOf returns n windows along an axis of x.
func windowsOf(x node, axis int, n graph.Dim) adaptiveWindows {
	g, length := x.Graph(), x.Shape()[axis]
	behind := slices.Repeat([]graph.Dim{1}, x.Rank()-axis-1)
	if each, divides := length.ExactDiv(n); divides {
		return adaptiveWindows{elements: Unflatten(x, axis, n, each), axis: axis + 1,
			counts: Size(g, graph.Int64, each)}
	}
	place, size, number := Iota(g, 0, n, 1), Size(g, graph.Int64, length), Size(g, graph.Int64, n)
	first := FloorDiv(Mul(place, size), number)
	end := FloorDiv(Add(Mul(Add(place, graph.Num(1)), size), Sub(number, graph.Num(1))), number)
	most := length.Plus(n.Minus(1)).FloorDivBy(n).Plus(1) // more than any window has where n divides the length
	at := Add(first, Iota(g, 1, 1, most))
	return adaptiveWindows{
		elements: Take(x, axis, Minimum(at, Sub(size, graph.Num(1)))),
		axis:     axis + 1,
		counts:   Reshape(Sub(end, first), append(graph.Shape{n}, behind...)...),
		present:  Reshape(Less(at, end), append(graph.Shape{n, most}, behind...)...),
	}
}

// filled returns the windows with a number where they have no element.
func (w adaptiveWindows) filled(fill float64) node {
	if w.present == nil {
		return w.elements
	}
	return Where(w.present, w.elements, num(fill))
}

// mean returns the means of the windows.
func (w adaptiveWindows) mean() node {
	return Div(Sum(w.filled(0), Axis(w.axis)), Cast(w.counts, w.elements.DType()))
}

// AdaptiveMaxPool returns the greatest element of each window of x, [N, C, …] or [C, …]. The spatial axes of the
// result have the given sizes. Along an axis of length L, window i of n has the elements from floor(i·L/n) to
// ceil((i+1)·L/n); windows may overlap. The first of equal elements gets the gradient, or the last NaN. It is
// PyTorch's adaptive_max_pool1d, 2d and 3d.
func AdaptiveMaxPool(x *graph.Node, sizes ...int) *graph.Node {
	return Apply(opAdaptiveMaxPool, AdaptivePoolAttrs{slices.Clone(sizes)}, x)
}

// AdaptiveAvgPool returns the means of the windows of [AdaptiveMaxPool]. It is PyTorch's adaptive_avg_pool1d, 2d and
// 3d.
func AdaptiveAvgPool(x *graph.Node, sizes ...int) *graph.Node {
	return Apply(opAdaptiveAvgPool, AdaptivePoolAttrs{slices.Clone(sizes)}, x)
}
