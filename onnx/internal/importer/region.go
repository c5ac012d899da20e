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
	})
}
