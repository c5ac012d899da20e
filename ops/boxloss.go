package ops

import "github.com/broadloom/broadloom/graph"

// boxLoss is a loss of boxes and their targets at the same places.
func boxLoss(fn string, boxes, target node, opts []LossOption, f func(p boxPairs, iou node) node) node {
	l := lossOf(opts)
	defer l.building(fn, boxes, target)()
	call := refused(fn, boxes, target)
	if bad := notBoxes(call, 1); bad != nil {
		return bad
	}
	var p boxPairs
	for i, v := range []node{boxes, target} {
		if v.DType() != graph.Float64 {
			v = Cast(v, graph.Float32)
		}
		list := &p.a
		if i == 1 {
			list = &p.b
		}
		list[0], list[1], list[2], list[3] = sides(v)
	}
	overlap := func(i int) (low, high node) { return Maximum(p.a[i], p.b[i]), Minimum(p.a[i+2], p.b[i+2]) }
	left, right := overlap(0)
	top, bottom := overlap(1)
	area := func(of [4]node) node { return Mul(Sub(of[2], of[0]), Sub(of[3], of[1])) }
	p.inter = Where(And(Greater(right, left), Greater(bottom, top)), Mul(Sub(right, left), Sub(bottom, top)), num(0))
	p.union = Sub(Add(area(p.a), area(p.b)), p.inter)
	return l.reduce(f(p, Div(p.inter, Add(p.union, num(boxEpsilon)))))
}

func asItIs(x node) node { return x }

// GIoULoss returns the mean of 1 - GIoU of boxes and their targets, [..., 4] with corners x1, y1, x2, y2. The
// divisors of [BoxGIoU] get 1e-7 added. The result is Float32, or Float64 for Float64 boxes. It is torchvision's
// generalized_box_iou_loss, whose default reduction is [EachLoss].
func GIoULoss(boxes, target *graph.Node, opts ...LossOption) *graph.Node {
	return boxLoss("GIoULoss", boxes, target, opts, func(p boxPairs, iou node) node {
		w, h := p.around(asItIs)
		area := Mul(w, h)
		return Sub(num(1), Sub(iou, Div(Sub(area, p.union), Add(area, num(boxEpsilon)))))
	})
}

// DIoULoss returns the mean of 1 - DIoU, like [GIoULoss] with [BoxDIoU]. It is torchvision's distance_box_iou_loss.
func DIoULoss(boxes, target *graph.Node, opts ...LossOption) *graph.Node {
	return boxLoss("DIoULoss", boxes, target, opts, func(p boxPairs, iou node) node { return p.distanceLoss(iou) })
}

func (p boxPairs) distanceLoss(iou node) node {
	w, h := p.around(asItIs)
	return Add(Sub(num(1), iou), Div(p.apart(), Add(Add(Square(w), Square(h)), num(boxEpsilon))))
}

// CIoULoss returns the mean of 1 - CIoU, like [GIoULoss] with [BoxCIoU]. It is torchvision's complete_box_iou_loss.
func CIoULoss(boxes, target *graph.Node, opts ...LossOption) *graph.Node {
	return boxLoss("CIoULoss", boxes, target, opts, func(p boxPairs, iou node) node {
		return Add(p.distanceLoss(iou), p.shapes(iou))
	})
}

func init() {
	loss := func(f func(a, b *graph.Node, opts ...LossOption) *graph.Node) example {
		return func(e *graph.Example) node { return f(e.Of("boxes", "n", "4"), e.Of("target", "n", "4")) }
	}
	composed("GIoULoss", "mean(1 - GIoU).",
		named("", "torchvision.ops.generalized_box_iou_loss", "", "", "", loss(GIoULoss)))
	composed("DIoULoss", "mean(1 - DIoU).",
		named("", "torchvision.ops.distance_box_iou_loss", "", "", "", loss(DIoULoss)))
	composed("CIoULoss", "mean(1 - CIoU).",
		named("", "torchvision.ops.complete_box_iou_loss", "", "", "", loss(CIoULoss)))
}
