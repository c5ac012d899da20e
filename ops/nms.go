package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// keptBoxes tells which of the candidates, [..., N], stay: each that no box before it, which stays itself, hides. parts
// are numbers of the boxes, each [..., N], in the order in which they come; hides is given those of one box, with a
// last axis of 1, and of all. It takes one step for each box that stays. Behind the boxes comes one more, which stands
// for the end.
func keptBoxes(parts []node, candidates node, hides func(one, all []node) node) node {
	g, last := candidates.Graph(), candidates.Rank()-1
	n := candidates.Shape()[last]
	end := Size(g, graph.Int64, n)
	place := Iota(g, 0, n.Plus(1))
	all := make([]node, len(parts))
	for i, x := range parts {
		all[i] = Pad(x, last, 0, 1, 0)
	}
	next := func(kept, after node) node { // the next box that stays
		return Min(Where(And(kept, Greater(place, after)), place, end), Axis(-1), KeepDims())
	}
	kept := Pad(candidates, last, 0, 1, 0)
	final, _ := While(n, []node{kept, next(kept, num(-1))}, func(c []node) node { return Any(Less(c[1], end)) },
		func(_ node, c []node) []node {
			one := make([]node, len(parts))
			for i := range one {
				one[i] = Gather(all[i], last, c[1])
			}
			kept := And(c[0], Not(And(Greater(place, c[1]), hides(one, all))))
			return []node{kept, next(kept, c[1])}
		})
	return Narrow(final[0], last, 0, n)
}

// overlapping reports whether the intersection of two boxes, divided by their union, is more than a threshold. NaN is
// not.
func overlapping(one, all []node, threshold float64) node {
	p := boxPairs{a: [4]node(one), b: [4]node(all)}
	side := func(i int) node {
		d := Sub(Minimum(p.a[i+2], p.b[i+2]), Maximum(p.a[i], p.b[i]))
		return ClampMin(d, 0)
	}
	area := func(of [4]node) node { return Mul(Sub(of[2], of[0]), Sub(of[3], of[1])) }
	inter := Mul(side(0), side(1))
	return Greater(Div(inter, Sub(Add(area(p.a), area(p.b)), inter)), num(threshold))
}

// NMS returns the indices of the boxes that remain after non-maximum suppression, and their number, both Int64. A box
// suppresses those with a lower score whose [BoxIoU] with it is greater than the threshold. boxes is [N, 4] with
// corners x1, y1, x2, y2, and scores [N]; both have one floating-point dtype. The indices are in the order of falling
// scores, of equal ones the first comes first. They are a vector of the given size, padded with fill, a number or an
// Int64 scalar. If more boxes remain, the run stops; N is always enough. NaN is the highest score. A box with NaN
// suppresses none and is not suppressed. It is torchvision's nms.
func NMS(boxes, scores *graph.Node, threshold float64, size graph.Dim, fill *graph.Node) (keep, count *graph.Node) {
	return suppress("NMS", []node{boxes, scores}, threshold, size, fill)
}

// BatchedNMS is [NMS] in which boxes suppress only those of the same class: classes is [N], of integers. It is
// torchvision's batched_nms.
func BatchedNMS(boxes, scores, classes *graph.Node, threshold float64, size graph.Dim, fill *graph.Node) (keep,
	count *graph.Node) {
	return suppress("BatchedNMS", []node{boxes, scores, classes}, threshold, size, fill)
}

func suppress(fn string, in []node, threshold float64, size graph.Dim, fill node) (keep, count node) {
	defer building(fn, append(anys(in), threshold, size, fill)...)()
	call := refused(fn, in...).with(threshold, size)
	if bad := notSuppressed(call, fill); bad != nil {
		return bad, bad
	}
	boxes, scores := in[0], in[1]
	n := boxes.Shape()[0]
	if boxes.Rank() != 2 || boxes.Shape()[1] != 4 || scores.Rank() != 1 {
		bad := call.wrong(graph.CodeWindow, "nms: boxes must be [N, 4] and scores [N], but their shapes are %s and %s",
			boxes.Shape(), scores.Shape())
		return bad, bad
	}
	if len(in) > 2 && (in[2].Rank() != 1 || !in[2].DType().IsInt()) {
		bad := call.wrong(graph.CodeWindow, "nms: classes must be integers [N], but %s is %s of shape %s",
			in[2].Called(), in[2].DType(), in[2].Shape())
		return bad, bad
	}
	var same []sameSize
	for _, v := range in[1:] {
		same = append(same, sameSize{a: boxes, i: 0, b: v, j: 0, of: "boxes",
			says: "nms: boxes and scores should have same number of elements in dimension 0, got " + n.String() + " and " +
				v.Shape()[0].String()})
	}
	if bad := call.unequal(graph.CodeSlice, same...); bad != nil {
		return bad, bad
	}
	order := ArgSort(scores, 0, true)
	var parts []node
	for i := range graph.Dim(4) {
		parts = append(parts, IndexSelect(wideEnough(Select(boxes, 1, i)), 0, order))
	}
	if len(in) > 2 {
		parts = append(parts, IndexSelect(in[2], 0, order))
	}
	kept := keptBoxes(parts, Full(boxes.Graph(), graph.Bool, 1, n), func(one, all []node) node {
		hidden := overlapping(one[:4], all[:4], threshold)
		if len(in) > 2 {
			hidden = And(hidden, Equal(one[4], all[4]))
		}
		return hidden
	})
	places, count := heldPlaces(kept, size)
	keep = Take(withFill(order, fill), 0, places)
	requireEqual(keep, same...)
	return keep, count
}

// notSuppressed refuses wrong boxes and scores, and a fill that is not an index.
func notSuppressed(call refusedCall, fill node) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if fill == nil || !fill.Judged() {
		return refusal(call, nil)
	}
	if m := wrongFill(fill, graph.Int64); m != nil {
		return refusal(call, m)
	}
	if b, s := call.in[0].DType(), call.in[1].DType(); !b.IsFloat() || b != s {
		return call.wrongDType(oneFloat(call.in[0], call.in[1]),
			"nms: boxes and scores must have the same floating-point dtype, but they are %s and %s", b, s)
	}
	return nil
}

// An NMSOption changes [NonMaxSuppression].
type NMSOption func(*nmsOptions)

type nmsOptions struct {
	limit  *graph.Dim
	score  *float64
	center bool
	words  []any
}

// NMSLimit limits how many boxes of each class of an image remain.
func NMSLimit(n graph.Dim) NMSOption {
	return func(o *nmsOptions) { o.limit, o.words = &n, append(o.words, fmt.Sprintf("NMSLimit(%v)", n)) }
}

// NMSScore removes boxes whose score is not greater than least.
func NMSScore(least float64) NMSOption {
	return func(o *nmsOptions) { o.score, o.words = &least, append(o.words, fmt.Sprintf("NMSScore(%v)", least)) }
}

// NMSCenters says that boxes are center x, center y, width, height.
func NMSCenters() NMSOption {
	return func(o *nmsOptions) { o.center, o.words = true, append(o.words, "NMSCenters()") }
}

// NonMaxSuppression is [BatchedNMS] for images whose boxes have a score for each class. boxes is [B, N, 4] with two
// opposite corners, y1, x1, y2, x2, and scores [B, C, N]. It returns the image, the class and the index of each
// remaining box, Int64 [size, 3], and their number. They are in the order of images, classes and falling scores,
// padded with fill. If more boxes remain, the run stops; B·C·N is always enough. Options are [NMSLimit], [NMSScore]
// and [NMSCenters]. It is ONNX's NonMaxSuppression.
func NonMaxSuppression(boxes, scores *graph.Node, threshold float64, size graph.Dim, fill *graph.Node,
	opts ...NMSOption) (index, count *graph.Node) {
	var o nmsOptions
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	defer building("NonMaxSuppression", append([]any{boxes, scores, threshold, size, fill}, o.words...)...)()
	refusing := refused("NonMaxSuppression", boxes, scores).with(append([]any{threshold, size}, o.words...)...)
	if bad := notSuppressed(refusing, fill); bad != nil {
		return bad, bad
	}
	if boxes.Rank() != 3 || boxes.Shape()[2] != 4 || scores.Rank() != 3 {
		bad := refusing.wrong(graph.CodeWindow,
			"boxes must be [B, N, 4] and scores [B, C, N], but their shapes are %s and %s", boxes.Shape(),
			scores.Shape())
		return bad, bad
	}
	var same []sameSize
	for axis, at := range []int{0, 2} {
		same = append(same, sameSize{a: boxes, i: axis, b: scores, j: at, of: "boxes", says: "boxes " +
			boxes.Shape().String() + " and scores " + scores.Shape().String() + " are not of the same images and boxes"})
	}
	if bad := refusing.unequal(graph.CodeSlice, same...); bad != nil {
		return bad, bad
	}
	g, batch, classes, n := boxes.Graph(), scores.Shape()[0], scores.Shape()[1], scores.Shape()[2]
	order := ArgSort(scores, 2, true)
	var parts []node
	for _, x := range o.corners(boxes) {
		parts = append(parts, Gather(Expand(Unsqueeze(x, 1), batch, classes, n), 2, order))
	}
	candidates := Full(g, graph.Bool, 1, batch, classes, n)
	if o.score != nil {
		candidates = Greater(Gather(scores, 2, order), num(*o.score))
	}
	kept := keptBoxes(parts, candidates, func(one, all []node) node { return overlapping(one, all, threshold) })
	if o.limit != nil {
		kept = And(kept, LessEqual(CumSum(Cast(kept, graph.Int64), 2), Size(g, graph.Int64, *o.limit)))
	}
	total := batch.Times(classes).Times(n)
	places, count := heldPlaces(Reshape(kept, total), size)
	list := FloorDiv(places, atLeastOne(g, n))
	column := func(x node) node {
		return Where(Less(Iota(g, 0, size), count), x, g.Convert(fill, graph.Int64))
	}
	index = Stack(1, column(FloorDiv(list, atLeastOne(g, classes))), column(Remainder(list, atLeastOne(g, classes))),
		Take(withFill(Reshape(order, total), fill), 0, places))
	requireEqual(index, same...)
	return index, count
}

// corners are x1, y1, x2, y2 of boxes, each [B, N], the lesser numbers first.
func (o nmsOptions) corners(boxes node) []node {
	a, b, c, d := sides(wideEnough(boxes))
	if o.center {
		w, h := Div(c, num(2)), Div(d, num(2))
		return []node{Sub(a, w), Sub(b, h), Add(a, w), Add(b, h)}
	}
	return []node{Minimum(b, d), Minimum(a, c), Maximum(b, d), Maximum(a, c)}
}

func init() {
	composed("NMS", "the boxes that no box of a higher score hides, and how many there are.",
		flat("its result is indices", "", "torchvision.ops.nms", "", "", "", func(e *graph.Example) node {
			return e.Several(NMS(e.Of("boxes", "n", "4"), e.Of("scores", "n"), 0.5, e.Shape("n")[0], num64(-1)))
		}))
	composed("BatchedNMS", "the boxes that no box of their class and of a higher score hides, and how many there are.",
		flat("its result is indices", "", "torchvision.ops.batched_nms", "", "", "", func(e *graph.Example) node {
			return e.Several(BatchedNMS(e.Of("boxes", "n", "4"), e.Of("scores", "n"), e.As(graph.Int64, "classes", "n"),
				0.5, e.Shape("n")[0], num64(-1)))
		}))
	composed("NonMaxSuppression",
		"the boxes of images and classes that no box of a higher score hides, and how many there are.",
		flat("its result is indices", "", "", "", "NonMaxSuppression", "", func(e *graph.Example) node {
			return e.Several(NonMaxSuppression(e.Of("boxes", "b", "n", "4"), e.Of("scores", "b", "c", "n"), 0.5,
				e.Shape("b", "c", "n").NumElements(), num64(-1), NMSLimit(2)))
		}))
}
