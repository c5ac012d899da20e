package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

const (
	// maxShort is the size of the last axes, such as those of a small image, up to which they are too few for vectors.
	maxShort = 32
	// minRows and minBatch are the least sizes of the axis before them and of the axes before that one, for which it is
	// worth folding the batch first. Per-row values are repeated along rows if there are as many images, and so many
	// elements in what rows become.
	minRows, minBatch, minLong = 16, 8, 32
)

// LongRows makes rows of several axes if the last ones are short, as in small images, and per-channel values keep them
// apart. In [N, C, 2, 2], the channels' means change from pixel to pixel of a row of all channels. Such values are
// repeated to [C, 2, 2] once, and sums over images and pixels first sum over images. Everything is then computed in
// rows of C·4 elements.
func LongRows(u *Program) error {
	if !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return joinableRows(n.Shape()) > 0 }) {
		return nil
	}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		switch n.Op().Class {
		case graph.Elementwise:
			return repeatedAlongRows(n, in)
		case graph.Reduce:
			return foldedBatchFirst(n, in[0])
		}
		return nil
	})
	return nil
}

// ShortRows returns how many of the last axes of an iteration space form a short row, if there are enough channels and
// images for longer rows to be worthwhile; 0 otherwise.
func ShortRows(space graph.Shape) int {
	axes := joinableRows(space)
	if axes > 0 {
		if channels, _ := space[len(space)-axes-1].Int(); channels < minRows {
			return 0
		}
	}
	return axes
}

// joinableRows returns how many of the last axes of an iteration space form a short row, if those of all channels are a
// long one, and there are enough images; 0 otherwise.
func joinableRows(space graph.Shape) int {
	row, axes := int64(1), 0
	for _, d := range slices.Backward(space) {
		size, known := d.Int()
		if !known || size == 0 || row*size > maxShort {
			break
		}
		row, axes = row*size, axes+1
	}
	if row == 1 || len(space) < axes+2 {
		return 0
	}
	channels, known := space[len(space)-axes-1].Int()
	if !known || channels*row < minLong {
		return 0
	}
	if batch, known := space[:len(space)-axes-1].NumElements().Int(); known && batch < minBatch {
		return 0
	}
	return axes
}

// repeatedAlongRows repeats operands that have one element for each channel; nil if there are none.
func repeatedAlongRows(n *graph.Node, in []*graph.Node) *graph.Node {
	axes := joinableRows(n.Shape())
	if axes == 0 {
		return nil
	}
	channels := n.Rank() - axes - 1
	var args []*graph.Node
	for i, x := range n.Operands() {
		if kinds := n.Stretch(i); !isOnePerRow(x.Shape(), n.Shape(), channels) ||
			slices.Contains(kinds, graph.Undecided) {
			continue
		}
		if args == nil {
			args = slices.Clone(in)
		}
		args[i] = ops.Copy(
			ops.Expand(
				ops.Reshape(in[i], append(graph.Shape{n.Shape()[channels]}, slices.Repeat([]graph.Dim{1}, axes)...)...),
				n.Shape()[channels:]...))
	}
	if args == nil {
		return nil
	}
	if m := graph.Apply(n.Op(), n.Attrs(), args...); m.Err() == nil && m.Judged() && m.DType() == n.DType() &&
		m.Shape().Equal(n.Shape()) {
		return m
	}
	return nil
}

// isOnePerRow reports whether a shape has the channels of another one, and otherwise axes of size 1.
func isOnePerRow(x, of graph.Shape, channels int) bool {
	at := channels - (len(of) - len(x))
	if at < 0 || x[at] != of[channels] {
		return false
	}
	for axis, d := range x {
		if axis != at && d != 1 {
			return false
		}
	}
	return true
}

// foldedBatchFirst folds the axes before the channels first. It returns nil if the reduction folds the channels, or
// does not fold both the batch and the rows.
func foldedBatchFirst(n, x *graph.Node) *graph.Node {
	axes := ShortRows(x.Shape())
	fold := foldsOfNothing[n.Op().Fold]
	if axes == 0 || analysis.IsSumTo(n) || fold == nil {
		return nil
	}
	channels := x.Rank() - axes - 1
	var batch, rows []ops.Axis
	for _, axis := range n.Op().Axes(n) {
		switch {
		case axis == channels:
			return nil
		case axis < channels:
			batch = append(batch, ops.Axis(axis))
		default:
			rows = append(rows, ops.Axis(axis-channels))
		}
	}
	if len(batch) != channels || len(rows) != axes {
		return nil
	}
	return ops.Reshape(fold(fold(x, batch...), rows...), n.Shape()...)
}

// foldsOfNothing are the reductions that are defined for no elements. A batch whose size is unknown may be empty.
var foldsOfNothing = map[graph.Fold]func(x *graph.Node, axes ...ops.Axis) *graph.Node{
	graph.FoldSum: ops.Sum, graph.FoldProd: ops.Prod}
