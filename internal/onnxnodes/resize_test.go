package onnxnodes

import (
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{"Resize": with(resize), "Upsample": with(resize)})
}

// resize is one of the forms that PyTorch has too; leftCases names the others.
func resize(c *call, x node) node {
	scales, to := c.floats(2), c.list(3)
	if len(c.in) == 2 {
		scales = c.floats(1)
	}
	n := x.Rank()
	over := c.ints("axes", upwards(n)...)
	factors := make([]float64, n)
	for i := range factors {
		factors[i] = 1
	}
	for i, axis := range over {
		if to != nil {
			factors[c.from(axis)] = float64(to[i]) / float64(sizes(x)[c.from(axis)])
		} else {
			factors[c.from(axis)] = scales[i]
		}
	}
	mode := map[string]ops.ResizeMode{"nearest": ops.ResizeNearest, "linear": ops.ResizeLinear, "cubic": ops.ResizeCubic}[c.text("mode", "nearest")]
	var opts []ops.ResizeOption
	if mode == ops.ResizeNearest && c.text("coordinate_transformation_mode", "half_pixel") == "half_pixel" && c.given("coordinate_transformation_mode") {
		mode = ops.ResizeNearestExact
	}
	if c.text("coordinate_transformation_mode", "half_pixel") == "align_corners" {
		opts = append(opts, ops.AlignCorners())
	}
	if c.int("antialias", 0) == 1 {
		opts = append(opts, ops.Antialias())
	}
	if to != nil {
		shape := sizes(x)
		for i, axis := range over {
			shape[c.from(axis)] = to[i]
		}
		return ops.Resize(x, mode, dims(shape[2:]), opts...)
	}
	return ops.ResizeBy(x, mode, factors[2:], opts...)
}
