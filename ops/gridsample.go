package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opGridSample *graph.Op

// GridAttrs are the fixed arguments of GridSample.
type GridAttrs struct {
	Mode         ResizeMode
	Padding      PaddingMode
	AlignCorners bool
}

// Args writes the modes and the option.
func (a GridAttrs) Args(operands []string) []string {
	operands = after(operands, a.Mode, a.Padding)
	if a.AlignCorners {
		operands = append(operands, "AlignCorners()")
	}
	return operands
}

func init() {
	opGridSample = define(graph.Op{
		Name: "grid_sample", Func: "GridSample", Doc: "images between their elements, at the places that a grid has.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2, Autocast: graph.AutocastWidens,
		Promote: ToCommonType, Infer: inferGridSample,
		Expand: expandGridSample,
	})
	opGridSample.Ref = named("scipy.ndimage.map_coordinates",
		"torch.nn.functional.grid_sample, torch.grid_sampler, torch.grid_sampler_2d, torch.grid_sampler_3d",
		"jax.scipy.ndimage.map_coordinates", "GridSample", "",
		func(e *graph.Example) node {
			return GridSample(e.Of("x", "n", "c", "8", "8"), e.Of("grid", "n", "h", "w", "2"), ResizeLinear, PadZeros)
		})
	composed("AffineGrid", "the places of which matrices make images.",
		named("", "torch.nn.functional.affine_grid, torch.affine_grid_generator", "", "AffineGrid", "",
			func(e *graph.Example) node { return AffineGrid(e.Of("theta", "n", "2", "3"), []graph.Dim{8, 8}) }))
}

func inferGridSample(c *graph.Call) (graph.DType, graph.Shape) {
	a, t := c.Attrs().(GridAttrs), c.DType(0)
	shape := rules.GridSample(c)
	problem := ""
	switch {
	case c.Failed():
	case a.Mode != ResizeNearest && a.Mode != ResizeLinear && a.Mode != ResizeCubic:
		problem = fmt.Sprintf("grid_sample takes ResizeNearest, ResizeLinear or ResizeCubic, but got: %s", a.Mode)
	case a.Padding != PadZeros && a.Padding != PadReplicate && a.Padding != PadReflect:
		problem = fmt.Sprintf("grid_sample takes PadZeros, PadReplicate or PadReflect, but got: %s", a.Padding)
	case a.Mode == ResizeCubic && len(shape) != 4:
		problem = "grid_sampler(): bicubic interpolation only supports 4D input"
	case !t.IsFloat():
		rules.RefuseDType(c, fmt.Sprintf(`"grid_sampler" not implemented for '%s'`, t.TorchName()))
	}
	if problem != "" {
		c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: problem})
	}
	return t, shape
}

func expandGridSample(n *graph.Node, in []*graph.Node) *graph.Node {
	x, grid, t := in[0], in[1], n.DType()
	if t != graph.Float64 {
		x, grid = Cast(x, graph.Float32), Cast(grid, graph.Float32)
	}
	a, axes := n.Attrs().(GridAttrs), x.Rank()-2
	places := make([]node, axes)
	for i := range places { // a grid has the last axis first
		place := Add(Unsqueeze(Select(grid, -1, graph.Dim(axes-1-i)), -1), num(1))
		if size := Size(x.Graph(), x.DType(), x.Shape()[2+i]); a.AlignCorners {
			places[i] = Mul(place, Div(Sub(size, num(1)), num(2)))
		} else {
			places[i] = Sub(Mul(place, Div(size, num(2))), num(0.5))
		}
	}
	return Cast(sampler{a, x}.at(places), t)
}

// sampler reads images [N, C, …] between their elements.
type sampler struct {
	GridAttrs
	x node
}

// fewChannels is the number of channels up to which they are picked one after the other, and lie as images of one
// channel each: what is computed of rows of so few elements fills no vector.
const fewChannels = 8

// channelAxis is the axis of the channels while elements are picked, beside those of the places: the first one, or the
// last one, so that one index picks them all.
func (s sampler) channelAxis() int {
	if channels, known := s.x.Shape()[1].Int(); known && channels <= fewChannels {
		return 0
	}
	return -1
}

// at returns [N, C, places…] for coordinates along each axis, [N, places…, 1], counted in elements from the middle of
// the first one.
func (s sampler) at(places []node) (sum node) {
	channels, count := s.channelAxis(), s.positions().Times(s.x.Shape()[0])
	elements := MoveAxis(s.x, 1, channels)
	if channels == 0 {
		elements = Reshape(elements, s.x.Shape()[1], count)
	} else {
		elements = Reshape(elements, count, s.x.Shape()[1])
	}
	var taps [][]axisTap
	for i, place := range places {
		taps = append(taps, s.taps(2+i, MoveAxis(place, -1, channels)))
	}
	for _, chosen := range combinations(taps) {
		part := s.pick(elements, chosen)
		for _, tap := range chosen {
			if tap.weight != nil {
				part = Mul(part, tap.weight)
			}
		}
		if sum == nil {
			sum = part
		} else {
			sum = Add(sum, part)
		}
	}
	return MoveAxis(sum, channels, 1)
}

// positions is the number of elements of a channel.
func (s sampler) positions() graph.Dim { return s.x.Shape()[2:].NumElements() }

// axisTap is an index along one axis, whether it is one, and its weight.
type axisTap struct{ at, inside, weight node }

// taps are the elements along an axis that a place lies between.
func (s sampler) taps(axis int, place node) []axisTap {
	if s.Mode != ResizeCubic {
		place = s.brought(axis, place)
	}
	if s.Mode == ResizeNearest {
		return []axisTap{s.tap(axis, Round(place), nil)}
	}
	first := Floor(place)
	rest := Sub(place, first)
	if s.Mode == ResizeLinear {
		return []axisTap{s.tap(axis, first, Sub(num(1), rest)), s.tap(axis, Add(first, num(1)), rest)}
	}
	var taps []axisTap
	for i, weight := range cubicWeights(rest, -0.75) {
		taps = append(taps, s.tap(axis, s.brought(axis, Add(first, num(float64(i-1)))), weight))
	}
	return taps
}

// tap converts an index, which may be NaN or infinite.
func (s sampler) tap(axis int, at, weight node) axisTap {
	last := Size(s.x.Graph(), s.x.DType(), s.x.Shape()[axis].Minus(1))
	inside := And(GreaterEqual(at, num(0)), LessEqual(at, last))
	return axisTap{Cast(Where(inside, at, num(0)), s.indexType()), inside, weight}
}

// indexType is the type of indices of elements. Those of 32 bits are also what processors convert to at once.
func (s sampler) indexType() graph.DType { return indexType(s.positions().Times(s.x.Shape()[0])) }

// brought is a place on the axis for one that may lie outside, unless zeros are there. As in PyTorch, no gradient flows
// to a place on the end of an axis.
func (s sampler) brought(axis int, place node) node {
	size := Size(s.x.Graph(), s.x.DType(), s.x.Shape()[axis])
	last := Sub(size, num(1))
	switch s.Padding {
	case PadZeros:
		return place
	case PadReflect:
		low, span := num(-0.5), size
		if s.AlignCorners {
			low, span = num(0), last
		}
		away := Sub(place, low)
		away = Where(Less(away, num(0)), Neg(away), away)
		away = Where(Greater(span, num(0)), Fmod(away, Mul(num(2), ClampMin(span, 1))), num(0))
		place = Add(Where(Less(away, span), away, Sub(Mul(num(2), span), away)), low)
	}
	return Where(LessEqual(place, num(0)), num(0), Where(GreaterEqual(place, last), last, place))
}

// pick returns the elements at one tap of each axis, with the axis of the channels where the taps' axis of one element
// was, and 0 outside.
func (s sampler) pick(elements node, taps []axisTap) node {
	g, shape, t, channels := s.x.Graph(), s.x.Shape(), s.indexType(), s.channelAxis()
	place, inside := taps[0].at, taps[0].inside
	for i, tap := range taps[1:] {
		place = Add(Mul(place, Size(g, t, shape[3+i])), tap.at)
		inside = And(inside, tap.inside)
	}
	image := Mul(Iota(g, 0, append(graph.Shape{shape[0]}, slices.Repeat([]graph.Dim{1}, place.Rank()-2)...)...),
		Size(g, graph.Int64, s.positions()))
	index := Add(Squeeze(place, channels), Cast(image, t))
	along := channels + 1 // elements has two axes, and this is the other one
	return Where(inside, Take(elements, along, index), num(0))
}

// combinations takes one of each list, the last list's first.
func combinations[T any](lists [][]T) [][]T {
	all := [][]T{nil}
	for _, list := range lists {
		var longer [][]T
		for _, begun := range all {
			for _, v := range list {
				longer = append(longer, append(slices.Clone(begun), v))
			}
		}
		all = longer
	}
	return all
}

// GridSample samples images x, [N, C, H, W], or volumes, [N, C, D, H, W], between their elements. The result is [N,
// C, H', W'] for a grid [N, H', W', 2], or [N, C, D', H', W'] for [N, D', H', W', 3]. Each point of the grid starts
// with the coordinate along the last axis of x. Coordinates are from -1 to 1: from the outer edge of the first
// element to that of the last one, or with [AlignCorners] from center to center. The mode is [ResizeLinear],
// [ResizeNearest], which rounds halves to the even index, or for images [ResizeCubic]. The padding says what is
// outside: [PadZeros], [PadReplicate] or [PadReflect]. x and grid are Float32 or Float64. A coordinate that is NaN
// gives NaN, or 0 with ResizeNearest. It is PyTorch's grid_sample.
func GridSample(x, grid *graph.Node, mode ResizeMode, padding PaddingMode, opts ...CornerOption) *graph.Node {
	return Apply(opGridSample, GridAttrs{mode, padding, len(opts) > 0}, x, grid)
}

// AffineGrid returns a grid for [GridSample], [N, H, W, 2] or [N, D, H, W, 3] for sizes [H, W] or [D, H, W]: the
// coordinates of an image's elements, transformed by affine matrices theta, [N, 2, 3] or [N, 3, 4]. It is PyTorch's
// affine_grid. Source: M. Jaderberg et al., Spatial Transformer Networks, 2015.
func AffineGrid(theta *graph.Node, sizes []graph.Dim, opts ...CornerOption) *graph.Node {
	args := []any{dimsWord(sizes)}
	if len(opts) > 0 {
		args = append(args, "AlignCorners()")
	}
	defer building("AffineGrid", append([]any{theta}, args...)...)()
	defer lowering(&theta)()
	call, axes := refused("AffineGrid", theta).with(args...), len(sizes)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	shape := theta.Shape()
	switch {
	case axes != 2 && axes != 3:
		m := &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("affine_grid: images have 2 sizes, and volumes 3, but got %d", axes)}
		if axes == 4 || axes == 5 { // as PyTorch takes them
			m.Help = []string{"give the sizes without those of examples and channels: of images x, x.Shape()[2:]"}
		}
		return refusal(call, m)
	case len(shape) != 3 || shape[1] != graph.Dim(axes) || shape[2] != graph.Dim(axes+1):
		m := &graph.Mistake{Code: graph.CodeWindow, Operands: []graph.OperandNote{{Node: theta}},
			Summary: fmt.Sprintf("Expected a batch of %dD affine matrices of shape Nx%dx%d for %d sizes. Got %s.", axes,
				axes, axes+1, axes, shape)}
		if len(shape) == 2 && shape[1] == graph.Dim(axes*(axes+1)) {
			m.Help = []string{fmt.Sprintf("Reshape(%s, %s, %d, %d)", theta.Called(), shape[0], axes, axes+1)}
		}
		return refusal(call, m)
	case !theta.DType().IsFloat():
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(theta),
				Summary: "Expected theta to have floating point type, but got " + theta.DType().String()})
	}
	column := func(k int) node { // [N, 1…, axes]
		return Reshape(Select(theta, 2, graph.Dim(k)),
			append(append(graph.Shape{shape[0]}, slices.Repeat([]graph.Dim{1}, axes)...), shape[1])...)
	}
	grid := column(axes)
	for i, size := range sizes {
		count := Size(theta.Graph(), theta.DType(), size)
		over := count
		if len(opts) > 0 {
			over = ClampMin(Sub(count, num(1)), 1)
		}
		place := Cast(Iota(theta.Graph(), 0, append(graph.Shape{size}, slices.Repeat([]graph.Dim{1}, axes-i)...)...),
			theta.DType())
		place = Div(Sub(Mul(num(2), place), Sub(count, num(1))), over)
		grid = Add(grid, Mul(column(axes-1-i), place).Silence(graph.CodeMutualExpand)).Silence(graph.CodeMutualExpand)
	}
	return grid
}
