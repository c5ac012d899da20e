package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opResize *graph.Op

// ResizeMode says how [Resize] interpolates.
type ResizeMode int

// The modes of PyTorch's torch.nn.functional.interpolate.
const (
	ResizeNearest      ResizeMode = iota // the element at floor(i·scale)
	ResizeNearestExact                   // the element whose center is nearest
	ResizeLinear                         // linear between 2 elements along each axis: bilinear, trilinear
	ResizeCubic                          // a cubic polynomial through 4 elements along each axis, for images
	ResizeArea                           // the mean of the covered elements, like [AdaptiveAvgPool]
)

var resizeModes = [...]string{"ResizeNearest", "ResizeNearestExact", "ResizeLinear", "ResizeCubic", "ResizeArea"}

// String is the mode's name in programs.
func (m ResizeMode) String() string {
	if m < 0 || int(m) >= len(resizeModes) {
		return "ResizeMode(?)"
	}
	return resizeModes[m]
}

// ResizeAttrs are the fixed arguments of Resize.
type ResizeAttrs struct {
	Mode  ResizeMode
	Sizes graph.Shape
	// Factors multiplied the sizes, one for each axis. It is nil if sizes were given.
	Factors                 []float64
	AlignCorners, Antialias bool
	Places                  ResizePlaces
	Rounding                ResizeRounding
	Coefficient             []float64 // one number, or none
	Outside                 OutsideElements
	Start, End              []float64 // of a crop, one number for each axis
	Fill                    float64
}

// Args writes the mode, the sizes and the options.
func (a ResizeAttrs) Args(operands []string) []string {
	if a.Factors != nil {
		operands = after(operands, a.Mode, fmt.Sprintf("%#v", a.Factors))
	} else {
		operands = after(operands, a.Mode, dimsWord(a.Sizes))
	}
	return append(operands, a.words()...)
}

func init() {
	opResize = define(graph.Op{
		Name: "resize", Func: "Resize",
		Doc:   "images with other sizes: nearest elements, polynomials between them, or means.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1, Infer: inferResize, Expand: expandResize,
	})
	opResize.Ref = named("", "torch.nn.functional.interpolate", "jax.image.resize", "Resize", "",
		func(e *graph.Example) node {
			return Resize(e.Of("x", "n", "c", "8", "8"), ResizeLinear, []graph.Dim{12, 5})
		})
	composed("ResizeBy", "images with sizes that are multiplied.",
		named("", "torch.nn.functional.interpolate, torch.nn.functional.upsample", "", "Resize", "",
			func(e *graph.Example) node {
				return ResizeBy(e.Of("x", "n", "c", "h", "w"), ResizeNearest, []float64{2})
			}))
}

func inferResize(c *graph.Call) (graph.DType, graph.Shape) {
	a, t := c.Attrs().(ResizeAttrs), c.DType(0)
	shape := rules.Resize(c, "resize", a.Sizes)
	problem := ""
	switch {
	case c.Failed():
	case a.Mode < ResizeNearest || a.Mode > ResizeArea:
		problem = "there is no such mode: use ResizeNearest, ResizeNearestExact, ResizeLinear, ResizeCubic or ResizeArea"
	case a.AlignCorners && a.Mode != ResizeLinear && a.Mode != ResizeCubic && a.Rounding == 0:
		problem = "align_corners option can only be set with the interpolating modes: ResizeLinear, ResizeCubic"
	case a.Mode == ResizeCubic && len(a.Sizes) != 2:
		problem = fmt.Sprintf("Got %dD input, but bicubic mode needs 4D input", len(shape))
	case a.Antialias && (a.Mode != ResizeLinear && a.Mode != ResizeCubic || len(a.Sizes) != 2):
		problem = "Anti-alias option is restricted to ResizeLinear and ResizeCubic and requires a 4-D tensor as input"
	case !t.IsFloat() && (t != graph.Uint8 || a.Mode > ResizeNearestExact):
		rules.RefuseDType(c, fmt.Sprintf(`"%s" not implemented for '%s'`, a.Mode, t.TorchName()))
	default:
		problem = a.wrongOptions()
	}
	if problem != "" {
		c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: problem})
	}
	return t, shape
}

// expandResize goes from the last axis to the first: each is a weighted sum of elements that are picked
// along it, so that nothing but indices and weights is computed for the axis alone.
func expandResize(n *graph.Node, in []*graph.Node) *graph.Node {
	x, a := in[0], n.Attrs().(ResizeAttrs)
	t := x.DType()
	if t != graph.Float64 && a.Mode > ResizeNearestExact {
		x = Cast(x, graph.Float32)
	}
	for _, i := range a.order(x.Shape()[2:]) {
		axis, out := 2+i, a.Sizes[i]
		r := resizing{a, x.Graph(), graph.Float32, x.Shape()[axis], out, 0, i}
		if t == graph.Float64 {
			r.t = t
		}
		if a.Factors != nil && a.Factors[i] > 0 {
			r.step = 1 / a.Factors[i]
		}
		x = r.along(x, axis)
	}
	return Cast(x, t)
}

// order is the axes, of some sizes, one after the other: those that shrink from the first one on, as the last one costs
// most and has fewer rows then, and after them the others from the last one on.
func (a ResizeAttrs) order(sizes graph.Shape) (axes []int) {
	shrinks := func(i int) bool {
		in, known := sizes[i].Int()
		out, fixed := a.Sizes[i].Int()
		return known && fixed && out < in && !a.isCrop()
	}
	for i := range sizes {
		if shrinks(i) {
			axes = append(axes, i)
		}
	}
	for i := range slices.Backward(sizes) {
		if !shrinks(i) {
			axes = append(axes, i)
		}
	}
	return axes
}

// resizing is what happens along one axis.
type resizing struct {
	ResizeAttrs
	g       *graph.Graph
	t       graph.DType // of places between elements
	in, out graph.Dim
	step    float64 // the distance in x of neighbours in the result; 0 if it is in/out
	axis    int     // of the sizes
}

func (r resizing) along(x node, axis int) node {
	switch {
	case r.in == r.out && !r.isCrop() && (r.step == 0 || r.Places == 0 && (r.Mode == ResizeLinear || r.Antialias)):
		return x
	case r.Mode == ResizeArea:
		return windowsOf(x, axis, r.out).mean()
	case r.Antialias:
		return r.smooth(x, axis)
	case r.Mode == ResizeLinear:
		return r.cropped(r.linear(x, axis), axis)
	case r.Mode == ResizeCubic:
		return r.cropped(r.cubic(x, axis), axis)
	}
	if k, whole := r.repeats(); whole {
		return RepeatInterleave(x, axis, k)
	}
	return r.cropped(Take(x, axis, r.nearest()), axis)
}

// repeats reports whether the nearest elements are all elements as often as a power of two says,
// which is exact in float32.
func (r resizing) repeats() (k graph.Dim, whole bool) {
	if r.AlignCorners || r.Places != 0 || r.Rounding != 0 || r.isCrop() {
		return 0, false
	}
	k, whole = r.out.ExactDiv(r.in)
	n, known := k.Int()
	return k, whole && known && n > 0 && n&(n-1) == 0 && (r.step == 0 || r.step*float64(n) == 1)
}

// scale is the distance in x of neighbours in the result.
func (r resizing) scale() node {
	switch {
	case r.AlignCorners:
		last := Size(r.g, r.t, r.out.Minus(1))
		return Where(Greater(last, num(0)), Div(Size(r.g, r.t, r.in.Minus(1)), ClampMin(last, 1)), num(0))
	case r.step > 0:
		return r.g.Scalar(r.t, r.step)
	}
	return Div(Size(r.g, r.t, r.in), Size(r.g, r.t, r.out))
}

func (r resizing) number() node { return Cast(Iota(r.g, 0, r.out), r.t) }

// place is where the elements of the result lie in x, counted from the middle of the first one, if the
// middles of the first ones are one place.
func (r resizing) place() node { return Mul(r.number(), r.scale()) }

// middle is where they lie if the outer edges of the first ones are one place.
func (r resizing) middle() node {
	return Sub(Mul(r.scale(), Add(r.number(), num(0.5))), num(0.5))
}

// inside brings an index to the axis.
func (r resizing) inside(at node) node {
	return ClampMin(Minimum(at, Size(r.g, graph.Int64, r.in.Minus(1))), 0)
}

// split returns an element of x at or before each place, and how far behind it the place is: 0 to 1.
func (r resizing) split(place node) (first, rest node) {
	whole := Minimum(Floor(place), Size(r.g, r.t, r.in.Minus(1)))
	return Cast(whole, graph.Int64), Clamp(Sub(place, whole), 0, 1)
}

func (r resizing) linear(x node, axis int) node {
	first, rest := r.split(ClampMin(r.between(), 0))
	return blended(x, axis, []node{first, r.inside(Add(first, num64(1)))}, []node{Sub(num(1), rest), rest})
}

// Resize returns images x, [N, C, …] with 1 to 3 spatial axes, resized to the given spatial sizes. x holds
// floating-point numbers, or for the nearest modes also Uint8. Coordinates are computed in float32, for Float64 in
// float64. Options are [AlignCorners], [Antialias] for [ResizeLinear] and [ResizeCubic], and those of ONNX's Resize:
// [ResizePlaces], [ResizeRounding], [CubicCoefficient], [OutsideElements] and [ResizeCrop]. It is PyTorch's
// interpolate with a size.
func Resize(x *graph.Node, mode ResizeMode, sizes []graph.Dim, opts ...ResizeOption) *graph.Node {
	return resize(x, ResizeAttrs{Mode: mode, Sizes: slices.Clone(sizes)}, opts)
}

// ResizeBy is [Resize] to x's sizes times factors, rounded down. There is one factor for each axis, or one for all.
// Neighbours in the result are 1/factor apart in x, as in PyTorch with a scale_factor. Factors of named sizes must be
// fractions whose denominator is a power of two, such as 2, 0.5 and 1.25.
func ResizeBy(x *graph.Node, mode ResizeMode, factors []float64, opts ...ResizeOption) *graph.Node {
	a := ResizeAttrs{Mode: mode, Factors: slices.Clone(factors)}
	defer building("ResizeBy", x, mode, fmt.Sprintf("%#v", factors))()
	call := refused("ResizeBy", x).with(mode, fmt.Sprintf("%#v", factors))
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if axes := x.Rank() - 2; axes > 0 && len(factors) == 1 {
		a.Factors = slices.Repeat(factors, axes)
	}
	if len(a.Factors) != x.Rank()-2 {
		return refusal(call, &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf(
				"%d factors for %s of shape %s: there must be one for each axis after the channels, or one for all",
				len(factors), x.Called(), x.Shape())})
	}
	for i, f := range a.Factors {
		size, ok := multiplied(x.Shape()[2+i], f)
		if !ok {
			return refusal(call, &graph.Mistake{
				Code: graph.CodeOperand, Summary: fmt.Sprintf("%v times %s is not a valid size", f, x.Shape()[2+i]),
				Operands: []graph.OperandNote{{Node: x, Bad: []int{2 + i}}},
				Help: []string{
					"multiply a named size by a fraction whose denominator is a power of two, such as 1.25; or give sizes to ops.Resize"}})
		}
		a.Sizes = append(a.Sizes, size)
	}
	return resize(x, a, opts)
}

func resize(x node, a ResizeAttrs, opts []ResizeOption) node {
	for _, o := range opts {
		if o != nil {
			o.resize(&a)
		}
	}
	return Apply(opResize, a, x)
}

// multiplied is a size times a factor, rounded down.
func multiplied(d graph.Dim, f float64) (size graph.Dim, ok bool) {
	if !(f > 0) || math.IsInf(f, 1) || d.IsUnknown() {
		return graph.UnknownDim, d.IsUnknown()
	}
	if n, known := d.Int(); known {
		product := math.Floor(float64(n) * f)
		return graph.Dim(product), product < 1<<40
	}
	const most = 1 << 20 // of the number below
	for below := int64(1); below <= most; below *= 2 {
		if above := f * float64(below); above == math.Trunc(above) && above < 1<<40 {
			return d.Times(graph.Dim(above)).FloorDiv(below), true
		}
	}
	return graph.UnknownDim, false
}
