package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/depthwise"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// A convolution of each channel of images of float32 with steps of one or two, and its gradients, are functions of
// whole images in package kernels/depthwise: it reads them where they lie, and a plane with zeros around it stays in a
// cache.
var opDepthwiseImages, opDepthwiseImagesFilters *graph.Op

// mostDepthwiseParts is into how many parts the channels of a single image are cut, at most, for threads.
const mostDepthwiseParts = 8

func init() {
	opDepthwiseImages = &graph.Op{Name: "depthwise_images", Func: "DepthwiseImages",
		Doc:   "a convolution of each channel of images with a filter of its own.",
		Class: graph.Function, MinIn: 2, MaxIn: 2, Grad: noGradient,
		Core: func(n *graph.Node) ([]int, int) { return []int{3, 3}, 3 },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			filters := c.Shape(1)
			return c.DType(0), c.Attrs().(depthwiseAttrs).places(c.Shape(0), filters[len(filters)-2:])
		},
		Function: func(a *graph.Arrays) error {
			c := a.Attrs.(depthwiseAttrs).sizes(a.In[0].Shape, a.In[1].Shape, a.Out.Shape)
			x, w, y := graph.Elements[float32](a.In[0]), graph.Elements[float32](a.In[1]),
				graph.Elements[float32](a.Out)
			c.Run(y, x, w, a.Words(c.Memory()), a.Ints(c.Numbers()))
			return nil
		},
	}
	opDepthwiseImagesFilters = &graph.Op{Name: "depthwise_images_filters", Func: "DepthwiseImagesFilters",
		Doc:   "the gradient of such a convolution for the filters, by image.",
		Class: graph.Function, MinIn: 2, MaxIn: 2, Grad: noGradient,
		Core: func(n *graph.Node) ([]int, int) { return []int{3, 3}, 3 },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			kernel := c.Attrs().(depthwiseFilterAttrs).Shape
			return c.DType(0), append(slices.Clone(c.Shape(0)[:2]), kernel[len(kernel)-2:]...)
		},
		Function: func(a *graph.Arrays) error {
			c := a.Attrs.(depthwiseFilterAttrs).sizes(a.In[0].Shape, a.Out.Shape, a.In[1].Shape)
			x, dy, dw := graph.Elements[float32](a.In[0]), graph.Elements[float32](a.In[1]),
				graph.Elements[float32](a.Out)
			c.Filters(dw, x, dy, a.Words(c.FiltersMemory()), a.Ints(c.Numbers()))
			return nil
		},
	}
}

// places is the shape of the result of a convolution of x with filters of some sizes.
func (a depthwiseAttrs) places(x, kernel graph.Shape) graph.Shape {
	shape := slices.Clone(x)
	for i, size := range kernel {
		length := a.Before[i].Plus(spacedLength(shape[2+i], a.Spread[i])).Plus(a.After[i])
		shape[2+i] = rules.WindowCount(length, size, a.Stride[i], a.Dilation[i])
	}
	return shape
}

// sizes are those of a convolution of an example: of images [C, H, W], filters [C, h, w] and results [C, H', W'].
func (a depthwiseAttrs) sizes(x, w, y []int) depthwise.Conv {
	c := depthwise.Conv{Channels: x[0]}
	for i := range c.Axes {
		before, _ := a.Before[i].Int()
		c.Axes[i] = depthwise.Axis{In: x[1+i], Out: y[1+i], Kernel: w[1+i], Stride: a.Stride[i],
			Dilation: a.Dilation[i], Spread: a.Spread[i], Before: int(before)}
	}
	return c
}

// withRows is a of images that have rows: signals are images of one row.
func (a depthwiseAttrs) withRows() depthwiseAttrs {
	if len(a.Stride) == 1 {
		a.Stride, a.Dilation, a.Spread = append([]int{1}, a.Stride...), append([]int{1}, a.Dilation...),
			append([]int{1}, a.Spread...)
		a.Before, a.After = append([]graph.Dim{0}, a.Before...), append([]graph.Dim{0}, a.After...)
	}
	return a
}

// withRow is the shape of images, filters or results, [N, C, …], that have rows.
func withRow(shape graph.Shape) graph.Shape {
	if len(shape) == 3 {
		return slices.Insert(slices.Clone(shape), 2, 1)
	}
	return slices.Clone(shape)
}

// imageOf is x, [N, C, …], as images [N, C, H, W], those of a single one in parts: [parts, C/parts, H, W].
func imageOf(x node) node {
	shape := withRow(x.Shape())
	if channels, known := shape[1].Int(); known && shape[0] == 1 {
		parts := int64(mostDepthwiseParts)
		for channels%parts != 0 {
			parts--
		}
		shape[0], shape[1] = graph.Dim(parts), graph.Dim(channels/parts)
	}
	return Reshape(x, shape...)
}

// filtersOf is w, [C, 1, …], as [C, h, w], or [parts, C/parts, h, w] where images are in parts.
func filtersOf(w, images node) node {
	shape := slices.Delete(withRow(w.Shape()), 1, 2)
	if images.Shape()[1] != shape[0] {
		shape = append(slices.Clone(images.Shape()[:2]), shape[1:]...)
	}
	return Reshape(w, shape...)
}

// areImages reports whether a convolution of x is a function of images.
func (a depthwiseAttrs) areImages(x node, kernel graph.Shape) bool {
	if x.DType() != graph.Float32 || len(kernel) > 2 {
		return false
	}
	for i, size := range kernel {
		before, known := a.Before[i].Int()
		k, alsoKnown := size.Int()
		axis := depthwise.Axis{Kernel: int(k), Stride: a.Stride[i], Dilation: a.Dilation[i], Spread: a.Spread[i],
			Before: int(before)}
		if !known || !alsoKnown || !axis.Bears() {
			return false
		}
	}
	return true
}
