package onnxnodes

import (
	"math"

	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{"Resize": with(resize), "Upsample": with(resize)})
}

var (
	resizePlaces = map[string]ops.ResizePlaces{"half_pixel": ops.PlacesHalf, "half_pixel_symmetric": ops.PlacesMiddle,
		"pytorch_half_pixel": ops.PlacesHalfOrOne, "asymmetric": ops.PlacesFirst}
	resizeRoundings = map[string]ops.ResizeRounding{"floor": ops.RoundDown, "ceil": ops.RoundUp, "round_prefer_floor": ops.RoundHalfDown,
		"round_prefer_ceil": ops.RoundHalfUp}
	resizeModes = map[string]ops.ResizeMode{"nearest": ops.ResizeNearest, "linear": ops.ResizeLinear, "cubic": ops.ResizeCubic}
)

// resize is of images: axes before the third keep their sizes.
func resize(c *call, x node) node {
	scales, to := c.floats(2), c.list(3)
	if len(c.in) == 2 {
		scales = c.floats(1)
	}
	over := c.ints("axes", upwards(x.Rank())...)
	if to != nil {
		to = c.aspect(x, over, to)
	}
	mode := resizeModes[c.text("mode", "nearest")]
	opts := c.resizeOptions(x, over, mode)
	shape, factors := sizes(x), make([]float64, x.Rank())
	for i, axis := range over {
		if to != nil {
			shape[c.from(axis)] = to[i]
		} else {
			factors[c.from(axis)] = scales[i]
		}
	}
	if to != nil {
		return ops.Resize(x, mode, dims(shape[2:]), opts...)
	}
	return ops.ResizeBy(x, mode, factors[2:], opts...)
}

// resizeOptions are those that the attributes say.
func (c *call) resizeOptions(x node, over []int, mode ops.ResizeMode) (opts []ops.ResizeOption) {
	places := c.text("coordinate_transformation_mode", "half_pixel")
	switch places {
	case "align_corners":
		opts = append(opts, ops.AlignCorners())
	case "tf_crop_and_resize":
		n := x.Rank()
		start, end, region := make([]float64, n), make([]float64, n), c.floats(1)
		for i, axis := range over {
			start[c.from(axis)], end[c.from(axis)] = region[i], region[len(over)+i]
		}
		opts = append(opts, ops.ResizeCrop(start[2:], end[2:], c.float("extrapolation_value", 0)))
	default:
		opts = append(opts, resizePlaces[places])
	}
	if mode == ops.ResizeNearest {
		opts = append(opts, resizeRoundings[c.text("nearest_mode", "round_prefer_floor")])
	}
	if mode == ops.ResizeCubic {
		opts = append(opts, ops.CubicCoefficient(c.float("cubic_coeff_a", -0.75)))
	}
	smooth := c.int("antialias", 0) == 1
	if smooth {
		opts = append(opts, ops.Antialias())
	}
	if mode == ops.ResizeCubic || smooth {
		opts = append(opts, []ops.OutsideElements{ops.OutsideRepeated, ops.OutsideNothing}[c.int("exclude_outside", 0)])
	}
	return opts
}

// aspect are sizes that keep the ratio of those of x, if that is wanted.
func (c *call) aspect(x node, over, to []int) []int {
	pick, by := math.Min, math.Inf(1)
	switch c.text("keep_aspect_ratio_policy", "stretch") {
	case "stretch":
		return to
	case "not_smaller":
		pick, by = math.Max, 0
	}
	for i, axis := range over {
		by = pick(by, float64(to[i])/float64(sizes(x)[c.from(axis)]))
	}
	kept := make([]int, len(to))
	for i, axis := range over {
		kept[i] = int(math.Floor(by*float64(sizes(x)[c.from(axis)]) + 0.5))
	}
	return kept
}
