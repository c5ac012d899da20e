package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"RoiAlign": func(c *call) []node {
			opts := []ops.RoiOption{ops.RoiScale(c.float("spatial_scale", 1)),
				ops.RoiSamples(c.int("sampling_ratio", 0))}
			if c.text("coordinate_transformation_mode", "half_pixel") == "half_pixel" {
				opts = append(opts, ops.RoiAligned())
			}
			if c.text("mode", "avg") == "max" {
				opts = append(opts, ops.RoiMax())
			}
			return []node{ops.RoiAlign(c.in(0), c.in(1), c.in(2), c.int("output_height", 1), c.int("output_width", 1),
				opts...)}
		},
		"MaxRoiPool": func(c *call) []node {
			size := c.ints("pooled_shape", 1, 1)
			batch := ops.Cast(ops.Select(c.in(1), 1, 0), graph.Int64)
			return []node{ops.RoiPool(c.in(0), ops.Narrow(c.in(1), 1, 1, 4), batch, size[0], size[1],
				ops.RoiScale(c.float("spatial_scale", 1)))}
		},
		"NonMaxSuppression": func(c *call) []node {
			n, threshold := 0, 0.0
			if list := c.list(2); len(list) > 0 {
				n = list[0]
			}
			if list := c.floats(3); len(list) > 0 {
				threshold = list[0]
			}
			opts := []ops.NMSOption{ops.NMSLimit(graph.Dim(n))}
			if list := c.floats(4); len(list) > 0 {
				opts = append(opts, ops.NMSScore(list[0]))
			}
			if c.int("center_point_box", 0) == 1 {
				opts = append(opts, ops.NMSCenters())
			}
			size := c.in(1).Shape().NumElements()
			index, _ := ops.NonMaxSuppression(c.in(0), c.in(1), threshold, size, graph.Num(-1), opts...)
			return []node{c.cut(index)}
		},
	})
}

// cut leaves out what stands behind the results of bounded size: a row of -1. How many are left must be known.
func (c *call) cut(index node) node {
	a, ok := c.arrayOf(ofNode(index))
	if !ok {
		refuse(unknownCount)
	}
	n := 0
	for n < a.Shape[0] {
		if v, _ := graph.NumberAt(a.Data, n*a.Shape[1]); v < 0 {
			break
		}
		n++
	}
	return ops.Slice(index, 0, 0, graph.Dim(n), 1)
}
