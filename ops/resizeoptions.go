package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// A ResizeOption changes [Resize].
type ResizeOption interface{ resize(*ResizeAttrs) }

type resizeFlag func(*ResizeAttrs)

func (f resizeFlag) resize(a *ResizeAttrs) { f(a) }

// Antialias widens the filters of [ResizeLinear] and [ResizeCubic] when an image shrinks, as PIL does.
func Antialias() ResizeOption { return resizeFlag(func(a *ResizeAttrs) { a.Antialias = true }) }

// A CornerOption is an option of [Resize] and of [GridSample].
type CornerOption struct{}

func (CornerOption) resize(a *ResizeAttrs) { a.AlignCorners = true }

// AlignCorners aligns the centers of the first and last elements with the ends of an axis. Otherwise their outer
// edges are the ends.
func AlignCorners() CornerOption { return CornerOption{} }

// ResizePlaces is an option of [Resize] that says at which coordinate of x element i of the result lies. s is the
// distance between neighbours. They are ONNX's coordinate transformations.
type ResizePlaces int

// The coordinates. The default is that of PyTorch: PlacesFirst for ResizeNearest, and PlacesHalf otherwise.
const (
	PlacesHalf ResizePlaces = 1 + iota // (i + ½)s - ½: outer edges are aligned
	// PlacesHalf, from the center of the axis: differs if sizes were rounded, as by ResizeBy
	PlacesMiddle
	PlacesHalfOrOne // PlacesHalf, and 0 for an axis that becomes one element
	PlacesFirst     // i·s: the first elements are aligned
)

var resizePlaces = [...]string{"", "PlacesHalf", "PlacesMiddle", "PlacesHalfOrOne", "PlacesFirst"}

// String is the option's name in programs.
func (p ResizePlaces) String() string {
	if p < 0 || int(p) >= len(resizePlaces) {
		return "ResizePlaces(?)"
	}
	return resizePlaces[p]
}

func (p ResizePlaces) resize(a *ResizeAttrs) { a.Places = p }

// ResizeRounding is an option that says how [ResizeNearest] and [ResizeNearestExact] round coordinates.
type ResizeRounding int

// The roundings. The default is RoundDown for ResizeNearest, and RoundHalfUp for ResizeNearestExact.
const (
	RoundDown     ResizeRounding = 1 + iota // the element before
	RoundUp                                 // the element after
	RoundHalfDown                           // the nearest, of two the first
	RoundHalfUp                             // the nearest, of two the second
)

var resizeRoundings = [...]string{"", "RoundDown", "RoundUp", "RoundHalfDown", "RoundHalfUp"}

// String is the option's name in programs.
func (r ResizeRounding) String() string {
	if r < 0 || int(r) >= len(resizeRoundings) {
		return "ResizeRounding(?)"
	}
	return resizeRoundings[r]
}

func (r ResizeRounding) resize(a *ResizeAttrs) { a.Rounding = r }

// CubicCoefficient sets the coefficient a of the polynomials of [ResizeCubic]. The default is -0.75, and -0.5 with
// [Antialias].
func CubicCoefficient(a float64) ResizeOption {
	return resizeFlag(func(r *ResizeAttrs) { r.Coefficient = []float64{a} })
}

// OutsideElements says what elements outside an axis count as. [ResizeCubic] and [Antialias] may read them.
type OutsideElements int

// What is outside. The default is OutsideNothing with Antialias, and OutsideRepeated otherwise.
const (
	OutsideRepeated OutsideElements = 1 + iota // the first and the last element
	OutsideNothing                             // no weight; the weights of the others are scaled up
)

func (o OutsideElements) resize(a *ResizeAttrs) { a.Outside = o }

// String is the option's name in programs.
func (o OutsideElements) String() string {
	switch o {
	case OutsideRepeated:
		return "OutsideRepeated"
	case OutsideNothing:
		return "OutsideNothing"
	}
	return "OutsideElements(?)"
}

// ResizeCrop resizes only a part of x. Along each axis the part reaches from start to end, as fractions of the last
// index: 0 and 1 are the whole axis. The centers of its first and last elements are the ends. Coordinates outside x
// give fill. It is the region of TensorFlow's crop_and_resize.
func ResizeCrop(start, end []float64, fill float64) ResizeOption {
	return resizeFlag(func(a *ResizeAttrs) { a.Start, a.End, a.Fill = slices.Clone(start), slices.Clone(end), fill })
}

// words are the options as the user wrote them.
func (a ResizeAttrs) words() (words []string) {
	if a.AlignCorners {
		words = append(words, "AlignCorners()")
	}
	if a.Antialias {
		words = append(words, "Antialias()")
	}
	if a.Places != 0 {
		words = append(words, a.Places.String())
	}
	if a.Rounding != 0 {
		words = append(words, a.Rounding.String())
	}
	if a.Coefficient != nil {
		words = append(words, fmt.Sprintf("CubicCoefficient(%v)", a.Coefficient[0]))
	}
	if a.Outside != 0 {
		words = append(words, a.Outside.String())
	}
	if a.isCrop() {
		words = append(words, fmt.Sprintf("ResizeCrop(%#v, %#v, %v)", a.Start, a.End, a.Fill))
	}
	return words
}

func (a ResizeAttrs) isCrop() bool { return a.Start != nil || a.End != nil }

// wrongOptions says what is wrong with the options that PyTorch's interpolate has not, or "".
func (a ResizeAttrs) wrongOptions() string {
	nearest, cubic := a.Mode == ResizeNearest || a.Mode == ResizeNearestExact, a.Mode == ResizeCubic
	switch {
	case a.Places.String() == "ResizePlaces(?)" || a.Rounding.String() == "ResizeRounding(?)" || a.Outside < 0 ||
		a.Outside > OutsideNothing:
		return "an option of Resize has an unknown value"
	case a.Rounding != 0 && !nearest:
		return fmt.Sprintf("%s is for ResizeNearest and ResizeNearestExact, but the mode is %s", a.Rounding, a.Mode)
	case a.Coefficient != nil && !cubic:
		return fmt.Sprintf("CubicCoefficient is for ResizeCubic, but the mode is %s", a.Mode)
	case a.Coefficient != nil && !(a.Coefficient[0] >= -1e6 && a.Coefficient[0] <= 1e6):
		return fmt.Sprintf("CubicCoefficient must be a number such as -0.5, but it is %v", a.Coefficient[0])
	case a.Outside != 0 && !cubic && !a.Antialias:
		return fmt.Sprintf("%s is for ResizeCubic and Antialias: other modes do not read outside an axis", a.Outside)
	case a.Mode == ResizeArea && (a.Places != 0 || a.isCrop()):
		return "ResizeArea has no coordinates: it takes means"
	case a.Places != 0 && a.AlignCorners || a.isCrop() && (a.Places != 0 || a.AlignCorners):
		return "AlignCorners, ResizeCrop and the options of places exclude each other"
	case a.isCrop() && (len(a.Start) != len(a.Sizes) || len(a.End) != len(a.Sizes)):
		return fmt.Sprintf("ResizeCrop has %d starts and %d ends for %d axes", len(a.Start), len(a.End), len(a.Sizes))
	case a.AlignCorners && a.Antialias && a.Outside == OutsideRepeated:
		return "AlignCorners and OutsideRepeated exclude each other with Antialias"
	case a.isCrop() && a.Antialias:
		return "Antialias and ResizeCrop exclude each other"
	}
	for _, v := range append(slices.Clone(a.Start), a.End...) {
		if !(v >= -1e6 && v <= 1e6) {
			return fmt.Sprintf("ResizeCrop needs finite fractions of an axis, but got %v", v)
		}
	}
	return ""
}

// moved is where the elements of the result lie in x, counted from the middle of the first one, and nil where the
// options say nothing.
func (r resizing) moved() node {
	last := Size(r.g, r.t, r.in.Minus(1))
	switch {
	case r.isCrop():
		start, share := r.Start[r.axis], r.End[r.axis]-r.Start[r.axis]
		count := Size(r.g, r.t, r.out.Minus(1))
		at := Div(Mul(Mul(r.number(), num(share)), last), ClampMin(count, 1))
		at = Where(Greater(count, num(0)), at, Mul(last, num(share/2)))
		return Add(at, Mul(last, num(start)))
	case r.Places == PlacesMiddle && r.step > 0:
		away := Mul(Mul(Size(r.g, r.t, r.in), num(0.5)),
			Sub(num(1), Div(Mul(Size(r.g, r.t, r.out), num(r.step)), Size(r.g, r.t, r.in))))
		return Add(r.middle(), away)
	case r.Places == PlacesHalf, r.Places == PlacesMiddle:
		return r.middle()
	case r.Places == PlacesHalfOrOne:
		return Where(Equal(Size(r.g, graph.Int64, r.out), num64(1)), num(0), r.middle())
	case r.Places == PlacesFirst:
		return r.place()
	}
	return nil
}

// between is where elements lie that are made of several of x.
func (r resizing) between() node {
	switch at := r.moved(); {
	case at != nil:
		return at
	case r.AlignCorners:
		return r.place()
	}
	return r.middle()
}

// cropped has the fill where places lie outside of x.
func (r resizing) cropped(y node, axis int) node {
	if !r.isCrop() {
		return y
	}
	at := r.moved()
	inside := And(GreaterEqual(at, num(0)), LessEqual(at, Size(r.g, r.t, r.in.Minus(1))))
	return Where(along(inside, y.Rank()-1-axis), y, num(r.Fill))
}

// nearest are the indices of the elements that are taken.
func (r resizing) nearest() node {
	at, rounding := r.moved(), r.Rounding
	if rounding == 0 {
		rounding = map[ResizeMode]ResizeRounding{ResizeNearest: RoundDown, ResizeNearestExact: RoundHalfUp}[r.Mode]
	}
	switch {
	case at != nil:
	case r.Mode == ResizeNearest || r.AlignCorners:
		at = r.place()
	default:
		at = r.middle()
	}
	if rounding == RoundHalfUp {
		at = Add(ClampMin(at, 0), num(0.5))
	} // PyTorch rounds a place to float32 before it takes the whole part
	at = Cast(at, graph.Float32)
	switch rounding {
	case RoundUp:
		at = Ceil(at)
	case RoundHalfDown:
		at = Ceil(Sub(at, num(0.5)))
	default:
		at = Floor(at)
	}
	return r.inside(Cast(at, graph.Int64))
}

// coefficient is that of the cubic polynomials.
func (a ResizeAttrs) coefficient() float64 {
	switch {
	case a.Coefficient != nil:
		return a.Coefficient[0]
	case a.Antialias:
		return -0.5
	}
	return -0.75
}

// counted are the weights of elements, of which those outside may have none.
func (r resizing) counted(at, weights []node) []node {
	if r.Outside != OutsideNothing {
		return weights
	}
	list, sum := make([]node, len(at)), num(0)
	for i, w := range weights {
		list[i] = Where(And(GreaterEqual(at[i], num64(0)), Less(at[i], Size(r.g, graph.Int64, r.in))), w, num(0))
		sum = Add(sum, list[i])
	}
	sum = Where(Equal(sum, num(0)), num(1), sum) // a crop may reach where no element counts
	for i := range list {
		list[i] = Div(list[i], sum)
	}
	return list
}
