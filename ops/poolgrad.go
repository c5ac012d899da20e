package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// maxTaps bounds the elements of a window that are compared one by one in the gradient of
// a maximum; larger windows are reduced with loops.
const maxTaps = 32

// hasFewTaps reports whether a window has at most maxTaps elements.
func hasFewTaps(kernel []int) bool {
	count := 1
	for _, k := range kernel {
		if count *= min(k, maxTaps+1); count > maxTaps { // before it overflows
			return false
		}
	}
	return true
}

// avgPoolGrad returns all elements of a window the same part of its gradient. Windows that
// overlap are put back along one axis after the other.
func avgPoolGrad(n, dy node, _ int) node {
	x, a := n.In(0), n.Attrs().(PoolAttrs)
	lead := x.Rank() - len(a.Kernel)
	sizes, reaches := make([]graph.Dim, len(a.Kernel)), make([]graph.Dim, len(a.Kernel))
	isOfFew := !a.overlap() && hasFewTaps(a.Kernel)
	for i := range a.Kernel {
		size, after := reach(n, x, i)
		if isOfFew {
			after = behind(n, x, i)
		}
		sizes[i], reaches[i] = x.Shape()[lead+i].Plus(graph.Dim(a.Padding[i])).Plus(after), size
	}
	dx := Div(dy, meanElements(n, x))
	if isOfFew {
		places := windowPlaces(a.Kernel)
		dx = sumAmongZeros(slices.Repeat([]node{dx}, len(places)), sizes, places, a)
	} else {
		for i, k := range reaches {
			windows := Expand(Unsqueeze(dx, -1), append(slices.Clone(dx.Shape()), k)...)
			dx = Fold(windows, lead+i, sizes[i], a.Stride[i], a.Dilation[i])
		}
	}
	return withoutPadding(dx, x, a)
}

// withoutPadding returns the elements of x among those of x with padding.
func withoutPadding(padded, x node, a PoolAttrs) node {
	for i, before := range a.Padding {
		axis := x.Rank() - len(a.Padding) + i
		padded = Slice(padded, axis, graph.Dim(before), graph.Dim(before).Plus(x.Shape()[axis]), 1)
	}
	return padded
}

// maxPoolGrad returns the gradient of each maximum to the element that PyTorch names: the
// first of the greatest ones, or the last NaN.
func maxPoolGrad(n, dy node, _ int) node {
	x, a := n.In(0), n.Attrs().(PoolAttrs)
	if isOfOneAxis := slices.Max(a.Kernel) == windowSize(a.Kernel); !isOfOneAxis &&
		(a.overlap() || !hasFewTaps(a.Kernel)) {
		return gradAxisByAxis(n, dy)
	}
	lead := x.Rank() - len(a.Kernel)
	padded, sizes := x, make([]graph.Dim, len(a.Kernel))
	for i := range a.Kernel {
		padded = Pad(padded, lead+i, graph.Dim(a.Padding[i]), behind(n, x, i), lowest(n.DType()))
		sizes[i] = padded.Shape()[lead+i]
	}
	var dx node
	if hasFewTaps(a.Kernel) {
		places := windowPlaces(a.Kernel)
		dx = sumAmongZeros(scanWindows(n, padded, dy, places), sizes, places, a)
	} else {
		windows, perm := poolWindows(n, x, lowest(n.DType()))
		y := Apply(opMaxFirst, ReduceAttrs{Axes: poolAxes(n, x)}, windows)
		dx = leastRankGrad(y, dy, func(place, none node) node {
			return firstOrLastNaN(windows, behindPadding(n, Equal(windows, keepShape(y, y))), place, none)
		})
		dx = unslide(Permute(dx, inverse(perm)...), sizes, a.steps())
	}
	return withoutPadding(dx, x, a)
}

// gradAxisByAxis goes back along one axis after the other, through the maxima of rows of windows, those of planes and
// so on: the first of the greatest elements of a window is the first one of the first row that has one, and the last
// NaN that of the last row.
func gradAxisByAxis(n, dy node) node {
	a := n.Attrs().(PoolAttrs)
	maxima := []node{n.In(0)}
	for i, k := range slices.Backward(a.Kernel) {
		if k == 1 && a.Stride[i] == 1 && a.Padding[i] == 0 {
			continue
		}
		alone := func(of []int, others int) []int {
			list := slices.Repeat([]int{others}, len(of))
			list[i] = of[i]
			return list
		}
		along := PoolAttrs{alone(a.Kernel, 1), alone(a.Stride, 1), alone(a.Padding, 0), alone(a.Dilation, 1), a.Ceil,
			false}
		maxima = append(maxima, Apply(n.Op(), along, maxima[len(maxima)-1]))
	}
	for _, y := range slices.Backward(maxima[1:]) {
		dy = maxPoolGrad(y, dy, 0)
	}
	return dy
}

// behindPadding leaves, of what is true of elements of [poolWindows], that of those behind the
// padding before each axis: padding is no maximum even if it is equal. What is on the padding
// behind an axis comes after such an element.
func behindPadding(n, is node) node {
	a := n.Attrs().(PoolAttrs)
	axes := len(a.Kernel)
	for i, padding := range a.Padding {
		if padding == 0 {
			continue
		}
		after := 2*axes - 1 - i // axes follow that of windows
		if i == axes-1 {
			after = 0
		}
		taps := slices.Repeat([]graph.Dim{1}, axes-i+1)
		taps[0] = graph.Dim(a.Kernel[i])
		at := Add(windowStarts(n, i, after), Mul(Iota(n.Graph(), 0, taps...), graph.Num(a.Dilation[i])))
		is = And(is, GreaterEqual(at, num(0)))
	}
	return is
}

// scanWindows compares the elements at one position of all windows, position by position, as a loop over each window
// would, and notes which are greater than all before them. The last such element of a window gets the gradient. The
// result has one value for each position.
func scanWindows(n, padded, dy node, places [][]int) []node {
	a := n.Attrs().(PoolAttrs)
	taps := poolTaps(padded, places, a)
	wins, most := make([]node, len(taps)), taps[0]
	for t, x := range taps[1:] {
		won := Greater(x, most)
		if x.DType().IsFloat() {
			won = Or(won, NotEqual(x, x))
		}
		if first := isFirst(n, places[t+1]); first != nil {
			won = Or(won, first)
		}
		wins[t+1], most = won, Where(won, x, most)
	}
	parts := make([]node, len(taps))
	for t := len(taps) - 1; t > 0; t-- {
		parts[t] = Where(wins[t], dy, num(0))
		dy = Where(wins[t], num(0), dy)
	}
	parts[0] = dy
	return parts
}

// isFirst returns, for each window, whether its element at a position is the first one after the padding. That replaces
// padding even if it is equal. It is nil if no element can be.
func isFirst(n node, place []int) (is node) {
	a := n.Attrs().(PoolAttrs)
	and := func(x node) {
		if is == nil {
			is = x
		} else {
			is = And(is, x)
		}
	}
	for i, p := range place {
		at := p * a.Dilation[i] // from where a window starts
		before := at - a.Dilation[i]
		starts := windowStarts(n, i, len(place)-1-i)
		if p > 0 && a.Padding[i] <= before {
			return nil
		}
		if p > 0 {
			and(Less(starts, graph.Num(-before)))
		}
		if at < a.Padding[i] {
			and(GreaterEqual(starts, graph.Num(-at)))
		}
	}
	return is
}

// poolTaps returns, for each place in a window, the elements that all windows have there.
func poolTaps(padded node, places [][]int, a PoolAttrs) (taps []node) {
	axes := len(a.Kernel)
	kernel, steps := make([]graph.Dim, axes), a.steps()
	for i, k := range a.Kernel {
		kernel[i] = graph.Dim(k)
	}
	steps.Padding = make([]int, axes) // there is padding already
	windows := slide(padded, kernel, steps, make([]graph.Dim, axes), 0)
	for _, place := range places {
		x := windows
		for _, at := range place {
			x = Select(x, padded.Rank()-axes, graph.Dim(at))
		}
		taps = append(taps, x)
	}
	return taps
}

// windowPlaces lists the indices of a window's elements in row-major order.
func windowPlaces(kernel []int) [][]int {
	places := [][]int{nil}
	for _, size := range kernel {
		var longer [][]int
		for _, place := range places {
			for at := range size {
				longer = append(longer, append(slices.Clone(place), at))
			}
		}
		places = longer
	}
	return places
}

// sumAmongZeros puts parts, with an element for each window, at the elements' places in a
// value whose last axes have the given sizes, and adds up what meets.
func sumAmongZeros(parts []node, sizes []graph.Dim, places [][]int, a PoolAttrs) (sum node) {
	for t, part := range parts {
		lead := part.Rank() - len(sizes)
		for i, at := range places[t] {
			before := graph.Dim(at * a.Dilation[i])
			after := sizes[i].Minus(before).Minus(spacedLength(part.Shape()[lead+i], a.Stride[i]))
			part = Apply(opPad, PadAttrs{Axis: lead + i, Before: before, After: after, Step: a.Stride[i]}, part)
		}
		if t == 0 {
			sum = part
		} else {
			sum = Add(sum, part)
		}
	}
	return sum
}
