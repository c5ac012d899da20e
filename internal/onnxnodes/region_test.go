package onnxnodes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"RoiAlign": func(c *call) []node {
			opts := []ops.RoiOption{ops.RoiScale(c.float("spatial_scale", 1)), ops.RoiSamples(c.int("sampling_ratio", 0))}
			if c.text("coordinate_transformation_mode", "half_pixel") == "half_pixel" {
				opts = append(opts, ops.RoiAligned())
			}
			if c.text("mode", "avg") == "max" {
				opts = append(opts, ops.RoiMax())
			}
			return []node{ops.RoiAlign(c.in[0], c.in[1], c.in[2], c.int("output_height", 1), c.int("output_width", 1), opts...)}
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
			size := graph.Dim(count(sizes(c.in[1])))
			index, _ := ops.NonMaxSuppression(c.in[0], c.in[1], threshold, size, graph.Num(-1), opts...)
			return []node{c.cut(index)}
		},
	})
}

// cut leaves out what stands behind the results of bounded size: a row of -1. As many are left as the case has.
func (c *call) cut(index node) node {
	return ops.Slice(index, 0, 0, graph.Dim(c.want[0].Shape[0]), 1)
}
