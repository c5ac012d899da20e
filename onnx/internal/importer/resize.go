package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{"Resize": with(resize), "Upsample": with(resize)})
}

var (
	resizePlaces = map[string]ops.ResizePlaces{"half_pixel": ops.PlacesHalf, "half_pixel_symmetric": ops.PlacesMiddle,
		"pytorch_half_pixel": ops.PlacesHalfOrOne, "asymmetric": ops.PlacesFirst}
	resizeRoundings = map[string]ops.ResizeRounding{
		"floor": ops.RoundDown, "ceil": ops.RoundUp, "round_prefer_floor": ops.RoundHalfDown,
		"round_prefer_ceil": ops.RoundHalfUp}
	resizeModes = map[string]ops.ResizeMode{
		"nearest": ops.ResizeNearest, "linear": ops.ResizeLinear, "bilinear": ops.ResizeLinear,
		"cubic": ops.ResizeCubic}
)

// resize is of images: axes before the third keep their sizes.
func resize(c *call, x node) node {
	over := c.ints("axes", upwards(x.Rank())...)
	mode, known := resizeModes[c.text("mode", "nearest")]
	if !known {
		refuse("the mode %q is unknown", c.text("mode", ""))
	}
	if to := c.dims(3); len(to) > 0 {
		shape := c.resizedTo(x, over, to)
		return c.resizedOver(x, over, func(axis int) bool {
			isSame, known := c.equal(x.Shape()[axis], shape[axis])
			return !isSame || !known
		}, func(x node, axes []int, opts []ops.ResizeOption) node {
			var to []graph.Dim
			for _, axis := range axes {
				to = append(to, shape[axis])
			}
			return ops.Resize(x, mode, to, opts...)
		}, mode)
	}
	factors := slices.Repeat([]float64{1}, x.Rank())
	for i, by := range c.resizeScales() {
		factors[c.fromEnd(over[i])] = by
	}
	return c.resizedOver(x, over, func(axis int) bool { return factors[axis] != 1 },
		func(x node, axes []int, opts []ops.ResizeOption) node {
			var by []float64
			for _, axis := range axes {
				by = append(by, factors[axis])
			}
			return ops.ResizeBy(x, mode, by, opts...)
		}, mode)
}

// resizedOver resizes the axes behind examples and channels. Where others change, those that do are brought behind all
// others, which stand as examples meanwhile.
func (c *call) resizedOver(x node, over []int, changes func(axis int) bool,
	f func(x node, axes []int, opts []ops.ResizeOption) node, mode ops.ResizeMode) node {
	rank := x.Rank()
	if rank > 2 && rank <= 5 && !changes(0) && !changes(1) {
		return f(x, upwards(rank)[2:], c.resizeOptions(x, over, mode))
	}
	var kept, resized []int
	for axis := range rank {
		if changes(axis) {
			resized = append(resized, axis)
		} else {
			kept = append(kept, axis)
		}
	}
	if len(resized) == 0 {
		return x
	}
	if len(resized) > 3 || c.text("coordinate_transformation_mode", "") == "tf_crop_and_resize" {
		refuse("it resizes %d axes, or crops the batch axis: at most three spatial axes can be resized", len(resized))
	}
	order := slices.Concat(kept, resized)
	turned := ops.Permute(x, order...)
	shape := graph.Shape{turned.Shape()[:len(kept)].NumElements(), 1}
	y := f(ops.Reshape(turned, append(shape, turned.Shape()[len(kept):]...)...), resized,
		c.resizeOptions(x, over, mode))
	y = ops.Reshape(y, slices.Concat(turned.Shape()[:len(kept)], y.Shape()[2:])...)
	back := make([]int, rank)
	for i, axis := range order {
		back[axis] = i
	}
	return ops.Permute(y, back...)
}

// resizeScales were an attribute, and the second operand, before version 11.
func (c *call) resizeScales() []float64 {
	switch {
	case c.given("scales"):
		return c.numbers("scales")
	case c.version < 11 || len(c.operands) == 2:
		return c.floats(1)
	}
	return c.floats(2)
}

// resizedTo are the sizes of all axes.
func (c *call) resizedTo(x node, over []int, to []graph.Dim) graph.Shape {
	shape := slices.Clone(x.Shape())
	if c.text("keep_aspect_ratio_policy", "stretch") != "stretch" {
		to = c.aspect(x, over, to)
	}
	for i, axis := range over {
		shape[c.fromEnd(axis)] = to[i]
	}
	return shape
}

// resizeOptions are those that the attributes say.
func (c *call) resizeOptions(x node, over []int, mode ops.ResizeMode) (opts []ops.ResizeOption) {
	places, rounding := c.text("coordinate_transformation_mode", "half_pixel"),
		c.text("nearest_mode", "round_prefer_floor")
	if c.version < 11 {
		places, rounding = "asymmetric", "floor"
	}
	switch places {
	case "align_corners":
		opts = append(opts, ops.AlignCorners())
	case "tf_crop_and_resize":
		n := x.Rank()
		start, end, region := make([]float64, n), make([]float64, n), c.floats(1)
		for i, axis := range over {
			start[c.fromEnd(axis)], end[c.fromEnd(axis)] = region[i], region[len(over)+i]
		}
		opts = append(opts, ops.ResizeCrop(start[2:], end[2:], c.float("extrapolation_value", 0)))
	default:
		at, known := resizePlaces[places]
		if !known {
			refuse("the coordinate transformation %q is unknown", places)
		}
		opts = append(opts, at)
	}
	if mode == ops.ResizeNearest {
		opts = append(opts, resizeRoundings[rounding])
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

// aspect are sizes that keep the ratio of those of x.
func (c *call) aspect(x node, over []int, to []graph.Dim) []graph.Dim {
	pick, by := math.Min, math.Inf(1)
	if c.text("keep_aspect_ratio_policy", "stretch") == "not_smaller" {
		pick, by = math.Max, 0
	}
	for i, axis := range over {
		by = pick(by, float64(c.number(to[i]))/float64(c.size(x, c.fromEnd(axis))))
	}
	kept := make([]graph.Dim, len(to))
	for i, axis := range over {
		kept[i] = graph.Dim(math.Floor(by*float64(c.size(x, c.fromEnd(axis))) + 0.5))
	}
	return kept
}
