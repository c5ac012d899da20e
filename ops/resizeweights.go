package ops

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

func (r resizing) cubic(x node, axis int) node {
	first, rest := r.split(r.between())
	at := make([]node, 4)
	for i := range at {
		at[i] = Add(first, num64(int64(i)-1))
	}
	weights := r.counted(at, cubicWeights(rest, r.coefficient()))
	for i := range at {
		at[i] = r.inside(at[i])
	}
	return blended(x, axis, at, weights)
}

// cubicWeights are those of the elements at -1, 0, 1 and 2 for a place between 0 and 1.
func cubicWeights(rest node, a float64) []node {
	back := Sub(num(1), rest)
	return []node{cubicFar(Add(rest, num(1)), a), cubicNear(rest, a), cubicNear(back, a),
		cubicFar(Add(back, num(1)), a)}
}

// cubicNear and cubicFar are the kernel of R. Keys, Cubic convolution interpolation for digital image
// processing (1981), at distances up to 1 and from 1 to 2.
func cubicNear(d node, a float64) node {
	return Add(Mul(Mul(Sub(Mul(num(a+2), d), num(a+3)), d), d), num(1))
}

func cubicFar(d node, a float64) node {
	return Sub(Mul(Add(Mul(Sub(Mul(num(a), d), num(5*a)), d), num(8*a)), d), num(4*a))
}

// blended is the sum of elements that are picked along an axis, times their weights.
func blended(x node, axis int, at, weights []node) (sum node) {
	sum = num(0)
	for i := range at {
		part := Mul(Take(x, axis, Cast(at[i], indexType(x.Shape()[axis]))), along(weights[i], x.Rank()-1-axis))
		if i == 0 {
			sum = part
		} else {
			sum = Add(sum, part)
		}
	}
	return sum
}

// along is a value whose last axis others of size 1 follow.
func along(x node, behind int) node {
	return Reshape(x, append(slices.Clone(x.Shape()), slices.Repeat([]graph.Dim{1}, behind)...)...)
}

// smooth weighs all elements that are less than a radius away, which grows as the image shrinks.
func (r resizing) smooth(x node, axis int) node {
	radius, kernel := 1.0, func(d node) node { return Sub(num(1), d) }
	if r.Mode == ResizeCubic {
		radius, kernel = 2, func(d node) node {
			return Where(Less(d, num(1)), cubicNear(d, r.coefficient()), cubicFar(d, r.coefficient()))
		}
	}
	scale := r.scale()
	widened := ClampMin(scale, 1)
	middle := Mul(scale, Add(r.number(), num(0.5)))
	if at := r.moved(); at != nil {
		middle = Add(at, num(0.5))
	}
	whole := func(place node) node {
		place = Add(place, num(0.5))
		if r.Outside != OutsideRepeated {
			place = ClampMin(place, 0)
		}
		return Cast(Floor(place), graph.Int64)
	}
	reach := Mul(widened, num(radius))
	first := Unsqueeze(whole(Sub(middle, reach)), 1)
	end := Unsqueeze(whole(Add(middle, reach)), 1)
	if r.Outside != OutsideRepeated {
		end = Minimum(end, Size(r.g, graph.Int64, r.in))
	}
	at := Add(first, Iota(r.g, 1, 1, r.most(radius)))
	d := Abs(Div(Add(Sub(Cast(at, r.t), Unsqueeze(middle, 1)), num(0.5)), widened))
	counts := Less(at, end)
	weights := Where(And(counts, Less(d, num(radius))), kernel(d), num(0))
	weights = Div(weights, Sum(weights, Axis(1), KeepDims()))
	at = r.inside(at)
	behind := x.Rank() - 1 - axis
	counted := func(part, counts, weights node) node { // what is infinite elsewhere does not count
		return Where(along(counts, behind), Mul(part, along(weights, behind)), num(0))
	}
	taps, known := at.Shape()[1].Int()
	if !known || taps > maxTaps {
		return Sum(counted(Take(x, axis, at), counts, weights), Axis(axis+1))
	}
	sum := num(0)
	for k := range graph.Dim(taps) {
		tap := func(of node) node { return Select(of, 1, k) }
		sum = Add(sum, counted(Take(x, axis, Cast(tap(at), indexType(x.Shape()[axis]))), tap(counts), tap(weights)))
	}
	return sum
}

// most is no less than the elements that smooth weighs.
func (r resizing) most(radius float64) graph.Dim {
	switch {
	case r.AlignCorners:
		return r.in
	case r.step > 0:
		return graph.Dim(2*math.Ceil(radius*max(r.step, 1)) + 1)
	}
	return r.in.Plus(r.out.Minus(1)).FloorDivBy(r.out).Times(graph.Dim(2 * radius)).Plus(1)
}
