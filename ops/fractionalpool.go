package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// pooledAxes counts the axes of x before those that windows lie over, or refuses x.
func pooledAxes(call refusedCall, axes int) (lead int, bad node) {
	if bad := notTensors(call); bad != nil {
		return 0, bad
	}
	x := call.in[0]
	lead = x.Rank() - axes
	switch {
	case lead != 1 && lead != 2:
		return 0, call.wrong(graph.CodeRank, "Expected %dD or %dD tensor, but %s has shape %s", axes+1, axes+2,
			x.Called(), x.Shape())
	case !x.DType().IsFloat():
		return 0, call.wrongDType(oneFloat(x), "this needs floating-point numbers, but %s has dtype %s", x.Called(),
			x.DType())
	}
	return lead, nil
}

// FractionalMaxPool returns the greatest elements of windows at uneven distances over the spatial axes of x, [N, C,
// …] or [C, …], and their indices as in [MaxPoolIndex]. The kernel has 2 or 3 sizes; sizes are the numbers of
// windows. samples, [N, C, 2] or [N, C, 3], or without N, shift the windows of each channel; [UniformLike] can draw
// them. They start with the last axis for images and the first axis for volumes, and are clamped to the range from 0
// to 1; NaN counts as 0. An axis must have at least kernel + size - 1 elements, and one more for volumes. x and
// samples have one floating-point dtype. The first of equal elements gets the gradient, or the last NaN. It is
// PyTorch's fractional_max_pool2d and 3d. Source: B. Graham, Fractional Max-Pooling, 2014.
func FractionalMaxPool(x, samples *graph.Node, kernel, sizes []int) (values, indices *graph.Node) {
	words := []any{goWord(kernel), goWord(sizes)}
	defer building("FractionalMaxPool", append([]any{x, samples}, words...)...)()
	defer inFloat32(&x, &samples)()
	call := refused("FractionalMaxPool", x, samples).with(words...)
	f, bad := fractionalOf(call, kernel, sizes)
	if bad != nil {
		return bad, bad
	}
	place := f.places()
	lead, axes := f.lead, len(kernel)
	picked := atPlaces(StopGradient(x), place, lead)
	var folded []int
	for i := range axes {
		folded = append(folded, lead+i)
	}
	indices = indexOfGreatest(picked, place, folded)
	values = atPlaces(x, indices, lead)
	requireMatches(values, f.matches)
	for i := range axes {
		requireSizes(values, f.room(i), f.roomText(i))
	}
	return values, indices
}

// atPlaces has the elements of x at places among the axes behind the first ones, lead of them: a gradient goes to those
// alone.
func atPlaces(x, places node, lead int) node {
	shape := places.Shape()
	flat := append(slices.Clone(shape[:lead]), shape[lead:].NumElements())
	return Reshape(Gather(Flatten(x, lead, -1), lead, Reshape(places, flat...)), shape...)
}

// fractional is a call of [FractionalMaxPool].
type fractional struct {
	x, samples    node
	kernel, sizes []int
	lead          int // axes of x before those of windows
	matches       []sizeMatch
}

// fractionalOf reads the arguments, or refuses them.
func fractionalOf(call refusedCall, kernel, sizes []int) (f fractional, bad node) {
	axes := len(kernel)
	if axes != 2 && axes != 3 || len(sizes) != axes {
		return f, call.wrong(graph.CodeWindow,
			"fractional pooling needs a kernel of 2 or 3 sizes and as many result sizes, but got %d and %d", axes,
			len(sizes))
	}
	lead, bad := pooledAxes(call, axes)
	if bad != nil {
		return f, bad
	}
	x, samples := call.in[0], call.in[1]
	f = fractional{x: x, samples: samples, kernel: kernel, sizes: sizes, lead: lead}
	if samples.Rank() != lead+1 || samples.DType() != x.DType() {
		return f, call.wrong(graph.CodeWindow,
			"samples must be %s with %d numbers for each channel of %s of shape %s, but %s is %s of shape %s",
			x.DType(), axes, x.Called(), x.Shape(), samples.Called(), samples.DType(), samples.Shape())
	}
	for axis, want := range append(slices.Clone(x.Shape()[:lead]), graph.Dim(axes)) {
		f.matches = append(f.matches, axisMatch(samples, axis, want, "each channel needs samples"))
	}
	if bad := call.mismatch(graph.CodeWindow, f.matches); bad != nil {
		return f, bad
	}
	p := prove.NewProver(x.Graph().Bounds)
	for i := range axes {
		if k, n := kernel[i], sizes[i]; k < 1 || n < 1 || k > 1<<30 || n > 1<<30 {
			return f, call.wrong(graph.CodeWindow,
				"a window has %s elements, and there are %s windows: all must be from 1 to 2^30", goWord(kernel),
				goWord(sizes))
		}
		if p.Judge(f.room(i)) == prove.Refused {
			return f, call.wrong(graph.CodeWindow, "%s", f.roomText(i))
		}
	}
	return f, nil
}

// least is how many elements an axis has: of volumes one more than is needed, as PyTorch asks for.
func (f fractional) least(i int) int { return f.kernel[i] + f.sizes[i] - 1 + len(f.kernel) - 2 }

// room is what the size of an axis must be.
func (f fractional) room(i int) graph.Requirement {
	return graph.Requirement{Kind: graph.MustBeAtLeast, A: f.x.Shape()[f.lead+i], B: graph.Dim(f.least(i)),
		Why: "the windows must fit on the axis"}
}

func (f fractional) roomText(i int) string {
	return fmt.Sprintf("%d windows of %d elements need at least %d elements, but axis %d of %s has %s", f.sizes[i],
		f.kernel[i], f.least(i), f.lead+i, f.x.Called(), f.x.Shape()[f.lead+i])
}

// places are where the elements of windows stand among the last axes of x: channels, the elements of a window, and
// windows, of which there are more, and so longer rows.
func (f fractional) places() node {
	g, shape, axes := f.x.Graph(), f.x.Shape(), len(f.kernel)
	samples := StopGradient(wideEnough(f.samples))
	samples = Where(Greater(samples, num(0)), ClampMax(samples, 1), num(0))
	place := num64(0)
	for i, k := range f.kernel {
		at, n := i, f.sizes[i]
		if axes == 2 {
			at = 1 - i
		}
		room := Size(g, samples.DType(), shape[f.lead+i].Minus(graph.Dim(k)))
		sample, number := Unsqueeze(Select(samples, -1, graph.Dim(at)), -1), Iota(g, 0, graph.Dim(n))
		step := Div(room, num(float64(max(n-1, 1))))
		start := Sub(Floor(Mul(Add(Cast(number, samples.DType()), sample), step)), Floor(Mul(sample, step)))
		start = Cast(Where(Equal(number, num64(int64(n-1))), room, Minimum(start, room)), graph.Int64)
		window, element := slices.Repeat([]graph.Dim{1}, f.lead+2*axes), slices.Repeat([]graph.Dim{1}, 2*axes)
		copy(window, shape[:f.lead])
		window[f.lead+axes+i], element[i] = graph.Dim(n), graph.Dim(k)
		place = Add(Mul(place, Size(g, graph.Int64, shape[f.lead+i])),
			Add(Reshape(start, window...), Iota(g, i, element...)))
	}
	return place
}

// AdaptiveMaxPoolIndex returns [AdaptiveMaxPool] and the indices of its elements, as in [MaxPoolIndex]. The first of
// equal elements counts, or the last NaN. It is PyTorch's adaptive_max_pool1d, 2d and 3d with return_indices.
func AdaptiveMaxPoolIndex(x *graph.Node, sizes ...int) (values, indices *graph.Node) {
	words := axisWords(sizes)
	defer building("AdaptiveMaxPoolIndex", append([]any{x}, words...)...)()
	lead, bad := pooledAxes(refused("AdaptiveMaxPoolIndex", x).with(words...), len(sizes))
	if bad != nil {
		return bad, bad
	}
	if pooled := AdaptiveMaxPool(x, sizes...); !pooled.Judged() || pooled.Err() != nil {
		return pooled, pooled
	}
	g, axes := x.Graph(), len(sizes)
	place, isThere := num64(0), Ones(g, graph.Bool)
	var folded []int
	for i, n := range sizes {
		length := x.Shape()[lead+i]
		size, number := Size(g, graph.Int64, length), num64(int64(n))
		window, element := slices.Repeat([]graph.Dim{1}, 2*axes), slices.Repeat([]graph.Dim{1}, 2*axes)
		// more than any window has where n divides the length
		window[axes+i], element[i] = graph.Dim(n), length.Plus(graph.Dim(n-1)).FloorDiv(int64(n)).Plus(1)
		at := Iota(g, axes+i, window...)
		first, end := FloorDiv(Mul(at, size), number),
			FloorDiv(Add(Mul(Add(at, num64(1)), size), num64(int64(n-1))), number)
		along := Add(first, Iota(g, i, element...))
		place = Add(Mul(place, size), Minimum(along, Sub(size, num64(1))))
		isThere, folded = And(isThere, Less(along, end)), append(folded, lead+i)
	}
	windows := Where(isThere, Take(Flatten(StopGradient(x), lead, -1), lead, place), num(lowest(x.DType())))
	indices = indexOfGreatest(windows, Where(isThere, place, num64(-1)), folded)
	return atPlaces(x, indices, lead), indices
}

func init() {
	composed("FractionalMaxPool",
		"the greatest element of each of a given number of windows at uneven distances, and its index.",
		named("", "torch.nn.functional.fractional_max_pool2d, torch.nn.functional.fractional_max_pool3d", "", "", "",
			func(e *graph.Example) node {
				return e.Several(FractionalMaxPool(
					e.Of("x", "n", "c", "8", "8"), e.Of("samples", "n", "c", "2"), []int{2, 2}, []int{5, 3}))
			}))
	composed("AdaptiveMaxPoolIndex", "the greatest element of each of a given number of windows, and its index.",
		named(
			"",
			"torch.nn.functional.adaptive_max_pool1d_with_indices, torch.nn.functional.adaptive_max_pool2d_with_indices, torch.nn.functional.adaptive_max_pool3d_with_indices",
			"", "", "",
			func(e *graph.Example) node {
				return e.Several(AdaptiveMaxPoolIndex(e.Of("x", "n", "c", "8", "8"), 3, 2))
			}))
}
