package ops

import "github.com/broadloom/broadloom/graph"

// A convolution of few places is the product of filters with the windows as few columns, which do not fill vectors, and
// filters of many channels come from memory once for them. So it is computed as the transposed product, whose vectors
// hold filters: the windows are a matrix in memory, a row for each place, and fixed filters are laid out for it once.
// The numbers are the same, to the bit.
const (
	// Of up to mostFewPlaces places, those are few that leave more than a tenth of lanesOfPlaces lanes empty, and all
	// of up to veryFewPlaces.
	mostFewPlaces, veryFewPlaces, lanesOfPlaces = 128, 63, 16
	// So many filters, and numbers of each, are worth the copy of the windows.
	leastFewFilters, leastFewNumbers = 32, 64
)

// hasFewPlaces reports whether a convolution with fixed filters is better computed as the transposed product.
func hasFewPlaces(x, w node, places graph.Dim) bool {
	all, known := x.Shape()[0].Times(places).Int()
	filters, alsoKnown := w.Shape()[0].Int()
	numbers, knownToo := w.Shape()[1:].NumElements().Int()
	if !known || !alsoKnown || !knownToo || all == 0 || all > mostFewPlaces || filters < leastFewFilters ||
		numbers < leastFewNumbers {
		return false
	}
	lanes := (all + lanesOfPlaces - 1) / lanesOfPlaces * lanesOfPlaces
	return all <= veryFewPlaces || 10*all < 9*lanes
}

// hasRaggedPlaces reports whether the places of each image fill so little of the last vectors of a panel that a 1×1
// convolution of several images is better computed as the transposed product, whose rows are the places of all images:
// 49 of 7×7 take as long as 72. That must pay for copies of what is seen and given. Larger filters see elements several
// times, and copying these does not pay. Costs are measured, in nanoseconds of one thread of a Granite Rapids with
// AVX-512.
func hasRaggedPlaces(x, w node, places graph.Dim) bool {
	// what is left of a panel takes as long as so many whole columns
	const panel, quarter, restOfQuarter, rest = 32, 8, 18, 40
	const multiplication, copied = 0.0105, 0.5
	images, known := x.Shape()[0].Int()
	n, alsoKnown := places.Int()
	filters, knownToo := w.Shape()[0].Int()
	numbers, knownLast := w.Shape()[1].Int()
	if w.Shape()[2:].NumElements() != 1 {
		return false
	}
	if !known || !alsoKnown || !knownToo || !knownLast || images < 2 || n <= panel || n%panel == 0 {
		return false
	}
	more := rest - n%panel
	if n%panel <= quarter {
		more = restOfQuarter - n%panel
	}
	return multiplication*float64(filters)*float64(numbers)*float64(more)/float64(n) > copied*float64(filters+numbers)
}

// productOfFilters is the convolution of x [N, C, …] with w [O, C, …] as the product of the windows, [places of all
// images, numbers of a filter], with the filters: [N, O, …].
func productOfFilters(x, w node, a ConvAttrs, places graph.Shape) node {
	images, filters := x.Shape()[0], w.Shape()[0]
	windows, numbers := windowsAsRows(x, w.Shape(), a), w.Shape()[1:].NumElements()
	y := MatMul(Reshape(windows, images.Times(places.NumElements()), numbers),
		Transpose(Reshape(w, filters, numbers), 0, 1))
	shape := append(graph.Shape{images}, places...)
	return Copy(MoveAxis(Reshape(y, append(shape, filters)...), -1, 1))
}

// windowsAsRows are the windows of x that filters of this shape meet, place by place: [N, places…, C, numbers of a
// filter…]. Rows of the product lie side by side so where they are copied.
func windowsAsRows(x node, filter graph.Shape, a ConvAttrs) node {
	kernel := filter[2:]
	windows := slide(x, kernel, a.steps(), graph.MakeShape(a.Padding...), 0)
	for range kernel {
		windows = MoveAxis(windows, -1, 1)
	}
	return windows
}
