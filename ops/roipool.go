package ops

import "github.com/broadloom/broadloom/graph"

// RoiPool returns the greatest element of each cell of boxes; operands and shapes are those of [RoiAlign]. Corners
// are rounded, halves away from 0. A box has at least one element, and a cell all elements that it touches, so that
// neighbours may overlap. A cell outside the image is 0. NaN is never the greatest: a cell with nothing above the
// least finite number is that number. The first of equal elements gets the gradient. The option is [RoiScale]. It is
// torchvision's roi_pool and ONNX's MaxRoiPool. Source: R. Girshick, Fast R-CNN, 2015.
func RoiPool(x, boxes, batch *graph.Node, height, width int, opts ...RoiOption) *graph.Node {
	r, end, bad := regionsOf("RoiPool", x, boxes, batch, height, width, opts)
	defer end()
	switch {
	case bad != nil:
		return bad
	case r.aligned || r.max || r.samples != 0:
		return r.call.wrong(graph.CodeOperand, "the only option of RoiPool is RoiScale")
	}
	rows, g := StopGradient(r.rows(r.x)), x.Graph()
	down, right := r.window(0), r.window(1)
	down = poolWindow{Unsqueeze(down.start, 2), Unsqueeze(down.count, 2)}
	right = poolWindow{Unsqueeze(right.start, 1), Unsqueeze(right.count, 1)}
	most := func(w poolWindow) node {
		return Max(Concat(0, Reshape(w.count, w.count.Shape().NumElements()), Zeros(g, graph.Int64, 1)))
	}
	columns := most(right)
	count := Mul(most(down), columns)
	lowest, _ := r.x.DType().Range()
	least := g.Scalar(r.x.DType(), lowest)
	none := Sub(r.zeros(graph.Int64), num64(1))
	start := []node{Add(r.zeros(r.x.DType()), least), none, Zeros(g, graph.Int64)}
	won, _ := While(1<<40, start, func(c []node) node { return Less(c[2], count) }, func(step node, c []node) []node {
		row, column := FloorDiv(step, columns), Remainder(step, columns)
		inside := And(Less(row, down.count), Less(column, right.count))
		at := Where(inside, r.place(Add(down.start, row), Add(right.start, column)), num64(0))
		value := Take(rows, 0, at)
		more := And(Unsqueeze(inside, -1), Greater(value, c[0]))
		return []node{Where(more, value, c[0]), Where(more, Unsqueeze(at, -1), c[1]), Add(c[2], num64(1))}
	})
	isEmpty := Unsqueeze(Or(Equal(down.count, num64(0)), Equal(right.count, num64(0))), -1)
	found := GreaterEqual(won[1], num64(0))
	y := Where(found, r.picked(Where(found, won[1], num64(0))), Where(isEmpty, num(0), least))
	return r.finished(y, x.DType())
}

// poolWindow is the elements of cells along an axis, [K, cells]: the first one, and how many there are.
type poolWindow struct{ start, count node }

func (r regions) window(i int) poolWindow {
	g, t := r.x.Graph(), r.x.DType()
	cells := graph.Dim([]int{r.height, r.width}[i])
	side := func(at int) node {
		x := Mul(Unsqueeze(Select(r.boxes, 1, graph.Dim(at)), 1), num(r.scale))
		x = Where(NotEqual(x, x), num(0), Clamp(x, -1<<30, 1<<30))
		return Mul(Sign(x), Floor(Add(Abs(x), num(0.5)))) // halves away from 0
	}
	first := side(1 - i)
	size := ClampMin(Add(Sub(side(3-i), first), num(1)), 1)
	cell := Div(size, num(float64(cells)))
	number := Cast(Iota(g, 1, 1, cells), t)
	last := Size(g, t, r.x.Shape()[2+i])
	inside := func(at node) node { return Cast(Minimum(ClampMin(Add(at, first), 0), last), graph.Int64) }
	start, end := inside(Floor(Mul(number, cell))), inside(Ceil(Mul(Add(number, num(1)), cell)))
	return poolWindow{start, ClampMin(Sub(end, start), 0)}
}

func init() {
	composed("RoiPool", "boxes of images divided into the given number of cells, each the maximum of its elements.",
		named("", "torchvision.ops.roi_pool", "", "MaxRoiPool", "", func(e *graph.Example) node {
			return RoiPool(e.Of("x", "n", "c", "8", "8"), e.Of("boxes", "k", "4"), e.As(graph.Int64, "batch", "k"),
				2, 2)
		}))
}
