package conformance

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// steps reads how windows move; what is not given keeps its default.
func steps(c *call) []ops.StepOption {
	var list []ops.StepOption
	for _, o := range []struct {
		name string
		set  func(...int) ops.StepOption
	}{{"stride", ops.Stride}, {"padding", ops.Padding}, {"dilation", ops.Dilation}} {
		if v := c.attrs.integers(o.name); len(v) > 0 {
			list = append(list, o.set(v...))
		}
	}
	return list
}

func conv(f func(x, w, b *graph.Node, opts ...ops.ConvOption) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		opts := []ops.ConvOption{ops.Groups(c.attrs.integer(1, "groups"))}
		for _, o := range steps(c) {
			opts = append(opts, o)
		}
		return one(f(c.param("x"), c.param("weight"), c.param("bias"), opts...))
	}
}

func convTranspose(f func(x, w, b *graph.Node, opts ...ops.ConvOption) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		extra := c.attrs.integers("output_padding")
		return conv(func(x, w, b *graph.Node, opts ...ops.ConvOption) *graph.Node {
			if extra != nil {
				opts = append(opts, ops.OutputPadding(extra...))
			}
			return f(x, w, b, opts...)
		})(c)
	}
}

// poolOptions reads the options of pooling.
func poolOptions(c *call) []ops.PoolOption {
	var opts []ops.PoolOption
	for _, o := range steps(c) {
		opts = append(opts, o)
	}
	if c.attrs.flag("ceil_mode", false) {
		opts = append(opts, ops.CeilMode())
	}
	if !c.attrs.flag("count_include_pad", true) {
		opts = append(opts, ops.ExcludePadding())
	}
	return opts
}

func pool1D(f func(x *graph.Node, kernel int, opts ...ops.PoolOption) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		kernel := append(c.attrs.integers("kernel_size", "kernel"), 0)
		return one(f(c.next(), kernel[0], poolOptions(c)...))
	}
}

func pool2D(f func(x *graph.Node, height, width int, opts ...ops.PoolOption) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		kernel := c.attrs.integers("kernel_size", "kernel")
		if len(kernel) == 1 {
			kernel = append(kernel, kernel[0])
		}
		kernel = append(kernel, 0, 0)
		return one(f(c.next(), kernel[0], kernel[1], poolOptions(c)...))
	}
}
