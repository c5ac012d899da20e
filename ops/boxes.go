package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// A BoxFormat says what the 4 numbers of a box are.
type BoxFormat int

// The formats of torchvision's box_convert.
const (
	BoxCorners    BoxFormat = iota // x1, y1, x2, y2: torchvision's "xyxy"
	BoxCornerSize                  // x1, y1, width, height: "xywh"
	BoxCenterSize                  // center x, center y, width, height: "cxcywh"
)

var boxFormats = [...]string{"BoxCorners", "BoxCornerSize", "BoxCenterSize"}

// String is the format's name in programs.
func (f BoxFormat) String() string {
	if f < 0 || int(f) >= len(boxFormats) {
		return "BoxFormat(?)"
	}
	return boxFormats[f]
}

// notBoxes refuses operands that are not boxes: numbers of [..., 4], of at least so many axes.
func notBoxes(call refusedCall, axes int) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	for _, b := range call.in {
		switch n := b.Rank(); {
		case n < axes || b.Shape()[n-1] != 4:
			want := "[..., 4]"
			if axes > 1 {
				want = "[..., N, 4]"
			}
			return call.wrong(graph.CodeWindow, "boxes must be %s, but %s has shape %s", want, b.Called(), b.Shape())
		case b.DType() == graph.Bool:
			return call.wrongDType(oneFloat(b), "boxes must be numbers, but %s has dtype %s", b.Called(), b.DType())
		}
	}
	return nil
}

// sides takes the numbers of boxes apart.
func sides(boxes node) (x1, y1, x2, y2 node) {
	part := func(i graph.Dim) node { return Select(boxes, -1, i) }
	return part(0), part(1), part(2), part(3)
}

// BoxConvert converts boxes [..., 4] between the formats [BoxCorners], [BoxCornerSize] and [BoxCenterSize]. Integers
// become Float32 if they are halved. It is torchvision's box_convert.
func BoxConvert(boxes *graph.Node, from, to BoxFormat) *graph.Node {
	defer building("BoxConvert", boxes, from, to)()
	call := refused("BoxConvert", boxes).with(from, to)
	if bad := notBoxes(call, 1); bad != nil {
		return bad
	}
	for _, f := range []BoxFormat{from, to} {
		if f.String() == "BoxFormat(?)" {
			return call.wrong(graph.CodeOperand,
				"there is no such format: use BoxCorners, BoxCornerSize or BoxCenterSize")
		}
	}
	if from == to {
		return boxes
	}
	a, b, c, d := sides(boxes) // corners, or what they become
	switch from {
	case BoxCornerSize:
		c, d = Add(a, c), Add(b, d)
	case BoxCenterSize:
		w, h := Mul(num(0.5), c), Mul(num(0.5), d)
		a, b, c, d = Sub(a, w), Sub(b, h), Add(a, w), Add(b, h)
	}
	switch to {
	case BoxCornerSize:
		c, d = Sub(c, a), Sub(d, b)
	case BoxCenterSize:
		a, b, c, d = Div(Add(a, c), num(2)), Div(Add(b, d), num(2)), Sub(c, a), Sub(d, b)
	}
	return Stack(-1, a, b, c, d)
}

// wideEnough holds areas of boxes without overflow: 16 bits become 32.
func wideEnough(x node) node {
	switch t := x.DType(); {
	case t.IsFloat() && t.Bits() < 32:
		return Cast(x, graph.Float32)
	case !t.IsFloat() && t.Bits() < 32:
		return Cast(x, graph.Int32)
	}
	return x
}

// BoxArea returns the areas of boxes [..., 4] with corners x1, y1, x2, y2. Dtypes of fewer than 32 bits become
// Float32 or Int32. It is torchvision's box_area.
func BoxArea(boxes *graph.Node) *graph.Node {
	defer building("BoxArea", boxes)()
	if bad := notBoxes(refused("BoxArea", boxes), 1); bad != nil {
		return bad
	}
	return areaOf(wideEnough(boxes))
}

func areaOf(boxes node) node {
	x1, y1, x2, y2 := sides(boxes)
	return Mul(Sub(x2, x1), Sub(y2, y1))
}

// ClipBoxes returns boxes [..., 4] with corners x1, y1, x2, y2, clipped to an image of the given height and width. It
// is torchvision's clip_boxes_to_image.
func ClipBoxes(boxes *graph.Node, height, width graph.Dim) *graph.Node {
	defer building("ClipBoxes", boxes, height, width)()
	call := refused("ClipBoxes", boxes).with(height, width)
	if bad := notBoxes(call, 1); bad != nil {
		return bad
	}
	clipped := func(x node, size graph.Dim) node {
		last := Cast(Size(x.Graph(), graph.Int64, size), x.DType())
		x = ClampMin(x, 0)
		return Where(Greater(x, last), last, x) // at the edge the gradient flows, as through a clamp
	}
	x1, y1, x2, y2 := sides(boxes)
	return Stack(-1, clipped(x1, width), clipped(y1, height), clipped(x2, width), clipped(y2, height))
}

// boxPairs are all pairs of two lists of boxes, or the pairs of boxes at one place: corners, and what they have in
// common.
type boxPairs struct {
	a, b  [4]node // x1, y1, x2, y2
	inter node    // the area of both
	union node
}

// corners has the sides of boxes with an axis more, along which they are repeated.
func corners(boxes node, axis int) (list [4]node) {
	list[0], list[1], list[2], list[3] = sides(boxes)
	for i := range list {
		list[i] = Unsqueeze(list[i], axis)
	}
	return list
}

// pairsOf are all pairs of boxes [..., N, 4] and [..., M, 4]: [..., N, M].
func pairsOf(a, b node) boxPairs {
	p := boxPairs{a: corners(a, -1), b: corners(b, -2)}
	side := func(i int) node {
		return ClampMin(wideEnough(Sub(Minimum(p.a[i+2], p.b[i+2]), Maximum(p.a[i], p.b[i]))), 0)
	}
	p.inter = Mul(side(0), side(1))
	p.union = Sub(Add(Unsqueeze(areaOf(wideEnough(a)), -1), Unsqueeze(areaOf(wideEnough(b)), -2)), p.inter)
	return p
}

// around is the width and the height of the least box around both, or the area that its corners give where they may be
// swapped.
func (p boxPairs) around(least func(side node) node) (w, h node) {
	side := func(i int) node {
		return least(wideEnough(Sub(Maximum(p.a[i+2], p.b[i+2]), Minimum(p.a[i], p.b[i]))))
	}
	return side(0), side(1)
}

// apart is the squared distance of the centers.
func (p boxPairs) apart() node {
	away := func(i int) node {
		center := func(of [4]node) node { return Div(Add(of[i], of[i+2]), num(2)) }
		return Square(wideEnough(Sub(center(p.a), center(p.b))))
	}
	return Add(away(0), away(1))
}

// shapes is how far the ratios of the sides of both are apart, and the weight that it has.
func (p boxPairs) shapes(iou node) node {
	ratio := func(of [4]node) node { return Atan(Div(Sub(of[2], of[0]), Sub(of[3], of[1]))) }
	v := Mul(num(4/(math.Pi*math.Pi)), Square(Sub(ratio(p.a), ratio(p.b))))
	return Mul(StopGradient(Div(v, Add(Add(Sub(num(1), iou), v), num(boxEpsilon)))), v)
}

// boxEpsilon keeps quotients of boxes without an area finite.
const boxEpsilon = 1e-7

func notNegative(x node) node { return ClampMin(x, 0) }

// ofPairs is a function of all pairs of two lists of boxes.
func ofPairs(fn string, a, b node, f func(p boxPairs) node) node {
	defer building(fn, a, b)()
	call := refused(fn, a, b)
	if bad := notBoxes(call, 2); bad != nil {
		return bad
	}
	return f(pairsOf(a, b)).Silence(graph.CodeMutualExpand)
}

// BoxIoU returns the intersection over union of each box of a, [..., N, 4], and each of b, [..., M, 4]: [..., N, M].
// Boxes have corners x1, y1, x2, y2. Two boxes without area give NaN. It is torchvision's box_iou.
func BoxIoU(a, b *graph.Node) *graph.Node {
	return ofPairs("BoxIoU", a, b, func(p boxPairs) node { return Div(p.inter, p.union) })
}

// BoxGIoU returns [BoxIoU] minus the fraction of the smallest enclosing box that neither box covers. It is
// torchvision's generalized_box_iou. Source: H. Rezatofighi et al., Generalized Intersection over Union, 2019.
func BoxGIoU(a, b *graph.Node) *graph.Node {
	return ofPairs("BoxGIoU", a, b, func(p boxPairs) node {
		w, h := p.around(notNegative)
		area := Mul(w, h)
		return Sub(Div(p.inter, p.union), Div(Sub(area, p.union), area))
	})
}

// BoxDIoU returns [BoxIoU] minus the squared distance between the centers, divided by the squared diagonal of the
// smallest enclosing box plus 1e-7. It is torchvision's distance_box_iou. Source: Z. Zheng et al., Distance-IoU Loss,
// 2020.
func BoxDIoU(a, b *graph.Node) *graph.Node {
	return ofPairs("BoxDIoU", a, b, func(p boxPairs) node { return p.distanceIoU(Div(p.inter, p.union)) })
}

func (p boxPairs) distanceIoU(iou node) node {
	w, h := p.around(notNegative)
	return Sub(iou, Div(p.apart(), Add(Add(Square(w), Square(h)), num(boxEpsilon))))
}

// BoxCIoU returns [BoxDIoU] minus αv, where v is 4/π² times the squared difference of arctan(width/height), and α is
// v/(1 - IoU + v + 1e-7). No gradient flows through α. It is torchvision's complete_box_iou. Source: Z. Zheng et al.,
// Distance-IoU Loss, 2020.
func BoxCIoU(a, b *graph.Node) *graph.Node {
	return ofPairs("BoxCIoU", a, b, func(p boxPairs) node {
		iou := Div(p.inter, p.union)
		return Sub(p.distanceIoU(iou), p.shapes(iou))
	})
}

func init() {
	two := func(f func(a, b *graph.Node) *graph.Node) example {
		return func(e *graph.Example) node { return f(e.Of("a", "n", "4"), e.Of("b", "m", "4")) }
	}
	one := func(f func(x node) node) example {
		return func(e *graph.Example) node { return f(e.Of("boxes", "n", "4")) }
	}
	composed("BoxIoU", "the intersection of each two boxes, divided by their union.",
		named("", "torchvision.ops.box_iou", "", "", "", two(BoxIoU)))
	composed("BoxGIoU", "BoxIoU less the share of the least box around both that neither covers.",
		named("", "torchvision.ops.generalized_box_iou", "", "", "", two(BoxGIoU)))
	composed("BoxDIoU", "BoxIoU less the squared distance of the centers by the squared diagonal around both.",
		named("", "torchvision.ops.distance_box_iou", "", "", "", two(BoxDIoU)))
	composed("BoxCIoU", "BoxDIoU less a multiple of the squared difference of arctan(width/height).",
		named("", "torchvision.ops.complete_box_iou", "", "", "", two(BoxCIoU)))
	composed("BoxArea", "(x2 - x1)(y2 - y1).", named("", "torchvision.ops.box_area", "", "", "", one(BoxArea)))
	composed("BoxConvert", "boxes as corners, as a corner and a size, or as a center and a size.",
		named("", "torchvision.ops.box_convert", "", "", "",
			one(func(x node) node { return BoxConvert(x, BoxCorners, BoxCenterSize) })))
	composed("ClipBoxes", "boxes that are moved into an image.",
		named("", "torchvision.ops.clip_boxes_to_image", "", "", "",
			one(func(x node) node { return ClipBoxes(x, 1, 2) })))
}
