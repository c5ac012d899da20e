package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// An RoiOption changes [RoiAlign]; [RoiScale] changes [RoiPool] too.
type RoiOption func(*roiOptions)

type roiOptions struct {
	scale        float64
	samples      int
	aligned, max bool
	words        []any
}

func (o *roiOptions) said(word string) { o.words = append(o.words, word) }

// RoiScale multiplies boxes to convert them to coordinates in x: 1/16 if x is an image reduced by 16.
func RoiScale(scale float64) RoiOption {
	return func(o *roiOptions) { o.scale = scale; o.said(fmt.Sprintf("RoiScale(%v)", scale)) }
}

// RoiSamples sets the number of samples in each cell along each axis. The default, 0, is one for each element that
// the cell covers, rounded up.
func RoiSamples(n int) RoiOption {
	return func(o *roiOptions) { o.samples = n; o.said(fmt.Sprintf("RoiSamples(%d)", n)) }
}

// RoiAligned says that element 0 reaches from 0 to 1, with its center at 0.5. Otherwise its center is at 0, and boxes
// have a width and a height of at least 1. It is torchvision's aligned=True and ONNX's half_pixel.
func RoiAligned() RoiOption { return func(o *roiOptions) { o.aligned = true; o.said("RoiAligned()") } }

// RoiMax takes the greatest sample of a cell instead of the mean. A sample is then the greatest of the 4 elements
// around it, each times its weight. It is ONNX's mode "max".
func RoiMax() RoiOption { return func(o *roiOptions) { o.max = true; o.said("RoiMax()") } }

// regions are boxes in images of which each becomes height × width cells.
type regions struct {
	roiOptions
	call          refusedCall
	x             node // of 32 bits at least
	boxes, batch  node
	images        sameSize // one for each box
	height, width int
}

// regionsOf reads the arguments, or refuses them.
func regionsOf(fn string, x, boxes, batch node, height, width int, opts []RoiOption) (r regions, end func(), bad node) {
	r = regions{roiOptions: roiOptions{scale: 1}, height: height, width: width}
	for _, o := range opts {
		if o != nil {
			o(&r.roiOptions)
		}
	}
	args := append([]any{height, width}, r.words...)
	r.call = refused(fn, x, boxes, batch).with(args...)
	end = building(fn, append([]any{x, boxes, batch}, args...)...)
	if bad := notTensors(r.call); bad != nil {
		return r, end, bad
	}
	wrong := func(code graph.Code, format string, args ...any) (regions, func(), node) {
		return r, end, r.call.wrong(code, format, args...)
	}
	switch t := x.DType(); {
	case x.Rank() != 4:
		return wrong(graph.CodeWindow, "images must be [N, C, H, W], but %s has shape %s", x.Called(), x.Shape())
	case boxes.Rank() != 2 || boxes.Shape()[1] != 4:
		return wrong(graph.CodeWindow, "boxes must be [K, 4], but %s has shape %s", boxes.Called(), boxes.Shape())
	case batch.Rank() != 1 || !batch.DType().IsInt():
		return wrong(graph.CodeWindow, "the image indices must be integers [K], but %s is %s of shape %s",
			batch.Called(), batch.DType(), batch.Shape())
	case !t.IsFloat() || !boxes.DType().IsFloat():
		return r, end, r.call.wrongDType(oneFloat(x, boxes), "images and boxes must be floating-point numbers, but they are %s and %s", t,
			boxes.DType())
	case height < 1 || width < 1 || height > 1<<20 || width > 1<<20:
		return wrong(graph.CodeOperand, "a box has %d × %d cells: both numbers must be greater than 0", height, width)
	case !(r.scale > 0) || r.scale > 1e30:
		return wrong(graph.CodeOperand, "RoiScale must be positive, but it is %v", r.scale)
	case r.samples < 0 || r.samples > 1<<20:
		return wrong(graph.CodeOperand, "RoiSamples must be at least 0, but it is %d", r.samples)
	}
	r.images = sameSize{a: boxes, i: 0, b: batch, j: 0, of: "boxes", says: fmt.Sprintf(
		"there are %s boxes, but %s image indices", boxes.Shape()[0], batch.Shape()[0])}
	if bad := r.call.unequal(graph.CodeSlice, r.images); bad != nil {
		return r, end, bad
	}
	r.x, r.boxes = wideEnough(x), StopGradient(Cast(boxes, wideEnough(x).DType()))
	r.batch = Apply(opCheckIndex, indexAttrs{Size: x.Shape()[0]}, Cast(batch, graph.Int64))
	return r, end, nil
}

// finished brings cells [K, height, width, C] in the order of x, and requires an image for each box.
func (r regions) finished(cells node, t graph.DType) node {
	y := Cast(MoveAxis(cells, -1, 1), t)
	requireEqual(y, r.images)
	return y
}

// rows are the elements of x with their channels side by side: [N·H·W, C].
func (r regions) rows(x node) node {
	return Reshape(MoveAxis(x, 1, -1), r.positions(), x.Shape()[1])
}

func (r regions) positions() graph.Dim {
	s := r.x.Shape()
	return s[0].Times(s[2]).Times(s[3])
}

// place is the row of the elements at a row and a column of each box's image.
func (r regions) place(row, column node) node {
	size := func(axis int) node { return Size(r.x.Graph(), graph.Int64, r.x.Shape()[axis]) }
	image := Reshape(r.batch, r.batch.Shape()[0], 1, 1)
	return Add(Mul(Add(Mul(image, size(2)), row), size(3)), column)
}

// cellAxis is one axis of the cells of boxes. Values are [K, cells], or [K, 1] where all cells of a box have one.
type cellAxis struct {
	first, cell node // where the first cell begins, and the size of one
	number      node // of a cell
	samples     node // along the axis, Int64
	start, stop node // of the samples that are read: see visit
	size        graph.Dim
}

// axis is that of rows, 0, or columns, 1.
func (r regions) axis(i int) cellAxis {
	g, t := r.x.Graph(), r.x.DType()
	side := func(at int) node {
		b := Mul(Unsqueeze(Select(r.boxes, 1, graph.Dim(at)), 1), num(r.scale))
		if r.aligned {
			b = Sub(b, num(0.5))
		}
		return b
	}
	cells := []int{r.height, r.width}[i]
	a := cellAxis{first: side(1 - i), number: Cast(Iota(g, 1, 1, graph.Dim(cells)), t), size: r.x.Shape()[2+i]}
	size := Sub(side(3-i), a.first)
	if !r.aligned {
		size = ClampMin(size, 1)
	}
	a.cell = Div(size, num(float64(cells)))
	if r.samples > 0 {
		a.samples = FullLike(Cast(size, graph.Int64), float64(r.samples))
	} else {
		a.samples = Cast(Where(Greater(a.cell, num(0)), Minimum(Ceil(a.cell), num(1<<30)), num(0)), graph.Int64)
	}
	a.visit()
	return a
}

// at is where a sample lies along the axis. It grows with the sample's number, or falls where an aligned box is turned
// round, or is NaN.
func (a cellAxis) at(sample node) node {
	share := Div(Add(Cast(sample, a.cell.DType()), num(0.5)), ClampMin(Cast(a.samples, a.cell.DType()), 1))
	return Add(Add(a.first, Mul(a.number, a.cell)), Mul(share, a.cell))
}

// ends are the first and the last place that give what is in the image.
func (a cellAxis) ends() (first, last node) {
	return num(-1), Size(a.cell.Graph(), a.cell.DType(), a.size)
}

// visit finds which samples of each cell are read: those in the image, and one before and one behind them, which stands
// for the others there. So a box takes no longer than the image is large, however large the box. The first sample that
// is not before the image, and the first that is behind it, are each between two numbers, which come together by
// halves.
func (a *cellAxis) visit() {
	g := a.cell.Graph()
	first, last := a.ends()
	isTurned := Less(a.cell, num(0))
	none := Cast(ZerosLike(Add(a.first, a.number)), graph.Int64)
	all := Add(none, a.samples)
	isOpen := func(c []node) node { return Less(c[0], c[1]) }
	found, _ := While(64, []node{none, all, none, all}, func(c []node) node {
		return Greater(Sum(Cast(Or(isOpen(c), isOpen(c[2:])), graph.Int64)), Zeros(g, graph.Int64))
	}, func(_ node, c []node) []node {
		half := func(c []node, isReached func(at node) node) []node {
			middle := FloorDiv(Add(c[0], c[1]), num64(2))
			before := And(isOpen(c), Not(isReached(a.at(middle))))
			return []node{Where(before, Add(middle, num64(1)), c[0]), Where(before, c[1], middle)}
		}
		isAfter, isUntil := func(at node) node { return GreaterEqual(at, first) }, func(at node) node {
			return LessEqual(at, last)
		}
		return append(half(c, func(at node) node { return Where(isTurned, isUntil(at), isAfter(at)) }),
			half(c[2:], func(at node) node { return Not(Where(isTurned, isAfter(at), isUntil(at))) })...)
	})
	a.start = ClampMin(Sub(found[0], num64(1)), 0)
	// of NaN, which is in no image, the last one is read
	a.stop = Minimum(Add(Maximum(found[0], found[2]), num64(1)), a.samples)
}

// cellTap is the elements before and behind a sample of each cell, the weight of the second one, and whether the sample
// is there and lies in the image.
type cellTap struct{ low, high, rest, isThere, isInside node }

// tap is that of a cell's sample number step among those that are read.
func (a cellAxis) tap(step node) cellTap {
	sample := Add(a.start, step)
	at := a.at(sample)
	before, behind := a.ends()
	inside := And(GreaterEqual(at, before), LessEqual(at, behind))
	last := Size(at.Graph(), at.DType(), a.size.Minus(1))
	at = Minimum(Where(inside, ClampMin(at, 0), num(0)), last)
	low := Floor(at)
	return cellTap{Cast(low, graph.Int64), Cast(Minimum(Add(low, num(1)), last), graph.Int64), Sub(at, low),
		Less(sample, a.samples), inside}
}

// reading visits the samples of all cells, one of each at a time.
type reading struct {
	regions
	axes [2]cellAxis
}

func (r regions) reads() reading { return reading{r, [2]cellAxis{r.axis(0), r.axis(1)}} }

// on is the regions of boxes and their images that a gradient of its own is given behind its first operand: in a loop's
// gradient they are other nodes.
func (r regions) on(in []node) regions {
	r.boxes, r.batch = in[1], in[2]
	return r
}

// each hands the values of a loop on, for the rows and the weights of the elements around each sample, [K, height,
// width], and whether the sample is there and lies in the image.
func (r reading) each(carry []node,
	body func(carry []node, at, weights [4]node, isThere, isInside node) []node) []node {
	g := r.x.Graph()
	most := func(i int) node { // of no boxes too
		read := Sub(r.axes[i].stop, r.axes[i].start)
		return Max(Concat(0, Reshape(read, read.Shape().NumElements()), Zeros(g, graph.Int64, 1)))
	}
	columns := most(1)
	count := Mul(most(0), columns)
	n := len(carry)
	final, _ := While(1<<40, append(slices.Clone(carry), Zeros(g, graph.Int64)), func(c []node) node {
		return Less(c[n], count)
	}, func(step node, c []node) []node {
		rows, cols := r.axes[0].tap(FloorDiv(step, columns)), r.axes[1].tap(Remainder(step, columns))
		down := func(x node) node { return Unsqueeze(x, 2) }
		right := func(x node) node { return Unsqueeze(x, 1) }
		var at, weights [4]node
		isThere, isInside := And(down(rows.isThere), right(cols.isThere)),
			And(down(rows.isInside), right(cols.isInside))
		for i := range at {
			row, column, rest, across := rows.low, cols.low, Sub(num(1), rows.rest), Sub(num(1), cols.rest)
			if i >= 2 {
				row, rest = rows.high, rows.rest
			}
			if i%2 == 1 {
				column, across = cols.high, cols.rest
			}
			at[i], weights[i] = r.place(down(row), right(column)), Mul(down(rest), right(across))
		}
		return append(body(c[:n:n], at, weights, isThere, isInside), Add(c[n], num64(1)))
	})
	return final[:n]
}

// zeros are one for each channel of each cell.
func (r regions) zeros(t graph.DType) node {
	return Zeros(r.x.Graph(), t, r.boxes.Shape()[0], graph.Dim(r.height), graph.Dim(r.width), r.x.Shape()[1])
}

// shares is by what the sum of each cell's samples is divided: [K, 1, 1, 1].
func (r reading) shares() node {
	count := ClampMin(Cast(Mul(r.axes[0].samples, r.axes[1].samples), r.x.DType()), 1)
	return Reshape(count, count.Shape()[0], 1, 1, 1)
}

// means is linear in x, and its gradient is spread.
func (r regions) means(x node) node {
	return WithGradient("RoiAlign", []node{x, r.boxes, r.batch}, func(in []node) node {
		r := r.on(in).reads()
		rows := r.rows(in[0])
		sum := r.each([]node{r.zeros(rows.DType())},
			func(c []node, at, weights [4]node, isThere, isInside node) []node {
				var sample node
				for i := range at {
					part := Mul(Take(rows, 0, at[i]), Unsqueeze(weights[i], -1))
					if i == 0 {
						sample = part
					} else {
						sample = Add(sample, part)
					}
				}
				counts := Unsqueeze(And(isThere, isInside), -1)
				return []node{Add(c[0], Where(counts, sample, num(0)))}
			})
		return Div(sum[0], r.shares())
	}, func(_, dy node, in []node) []node { return []node{r.on(in).spread(dy), nil, nil} })
}

// spread puts numbers of cells, times their weights, where means has read.
func (r regions) spread(dy node) node {
	return WithGradient("RoiAlignGradient", []node{dy, r.boxes, r.batch}, func(in []node) node {
		r := r.on(in).reads()
		s := r.x.Shape()
		shares, channels := Div(in[0], r.shares()), s[1]
		dx := r.each([]node{Zeros(r.x.Graph(), dy.DType(), r.positions(), channels)},
			func(c []node, at, weights [4]node, isThere, isInside node) []node {
				counts := Unsqueeze(And(isThere, isInside), -1)
				sum := c[0]
				for i := range at {
					part := Where(counts, Mul(shares, Unsqueeze(weights[i], -1)), num(0))
					sum = Add(sum, SegmentSum(part, 0, at[i], r.positions()))
				}
				return []node{sum}
			})
		return MoveAxis(Reshape(dx[0], s[0], s[2], s[3], channels), -1, 1)
	}, func(_, u node, in []node) []node { return []node{r.on(in).means(u), nil, nil} })
}

// greatest picks of each cell the element that is greatest times its weight.
func (r reading) greatest() node {
	rows, t := StopGradient(r.rows(r.x)), r.x.DType()
	none := r.zeros(graph.Int64)
	won := r.each([]node{r.zeros(t), none, r.zeros(t), r.zeros(graph.Bool)},
		func(c []node, at, weights [4]node, isThere, isInside node) []node {
			best, place, weight := c[0], c[1], c[2]
			seen := c[3]
			var value, from, by node
			for i := range at {
				w := Where(Unsqueeze(isInside, -1), Unsqueeze(weights[i], -1), num(0))
				part := Mul(Take(rows, 0, at[i]), w)
				if i == 0 {
					value, from, by = part, Add(Unsqueeze(at[i], -1), none), Add(w, r.zeros(t))
					continue
				}
				more := Less(value, part)
				value, from, by = Where(more, part, value), Where(more, Unsqueeze(at[i], -1), from), Where(more, w, by)
			}
			more := And(Unsqueeze(isThere, -1), Or(Not(seen), Less(best, value)))
			return []node{Where(more, value, best), Where(more, from, place), Where(more, by, weight),
				Or(seen, Unsqueeze(isThere, -1))}
		})
	return Mul(r.picked(won[1]), won[2])
}

// picked has the elements of each channel at rows, [K, height, width, C].
func (r regions) picked(rows node) node {
	channels := r.x.Shape()[1]
	g := r.x.Graph()
	at := Add(Mul(rows, Size(g, graph.Int64, channels)), Iota(g, 0, channels))
	return Take(Reshape(r.rows(r.x), r.positions().Times(channels)), 0, at)
}

// RoiAlign samples boxes, [K, 4] with corners x1, y1, x2, y2, of images x, [N, C, H, W]. batch, [K], is the image of
// each box, and the result [K, C, height, width]. A box is divided into height × width cells. A cell is the mean of
// [RoiSamples] samples along each of its axes, interpolated as in [ResizeLinear]. A sample farther than 1 outside the
// image is 0, and so is a cell without samples: that of a box with NaN, or of an aligned box without area. Samples
// outside are only counted, so that a huge box takes no longer than the image. Gradients flow to x alone. x and boxes
// are floating-point numbers, and batch integers; one that names no image stops the run. Options are [RoiScale],
// [RoiSamples], [RoiAligned] and [RoiMax]. It is torchvision's roi_align. Source: K. He et al., Mask R-CNN, 2017.
func RoiAlign(x, boxes, batch *graph.Node, height, width int, opts ...RoiOption) *graph.Node {
	r, end, bad := regionsOf("RoiAlign", x, boxes, batch, height, width, opts)
	defer end()
	if bad != nil {
		return bad
	}
	if r.max {
		return r.finished(r.reads().greatest(), x.DType())
	}
	return r.finished(r.means(r.x), x.DType())
}

func init() {
	composed("RoiAlign",
		"boxes of images divided into the given number of cells, each the mean of points between elements.",
		named("", "torchvision.ops.roi_align", "", "RoiAlign", "", func(e *graph.Example) node {
			return RoiAlign(e.Of("x", "n", "c", "8", "8"), e.Of("boxes", "k", "4"), e.As(graph.Int64, "batch", "k"),
				2, 2)
		}))
}
