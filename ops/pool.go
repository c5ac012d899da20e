package ops

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var (
	opMaxPool1D, opMaxPool2D, opMaxPool3D *graph.Op
	opAvgPool1D, opAvgPool2D, opAvgPool3D *graph.Op
)

// PoolAttrs are the fixed arguments of pooling. The first four have one number for each spatial axis.
type PoolAttrs struct {
	Kernel, Stride, Padding, Dilation []int
	// Ceil allows a last window that reaches past the padding at the end of an axis.
	Ceil bool
	// ExcludePadding divides by the number of elements of a window that are not padding.
	ExcludePadding bool
}

func (a PoolAttrs) steps() rules.Steps {
	return rules.Steps{Stride: a.Stride, Padding: a.Padding, Dilation: a.Dilation}
}

// overlap reports whether windows share elements, or have some between theirs.
func (a PoolAttrs) overlap() bool {
	for i, k := range a.Kernel {
		if k > a.Stride[i] || a.Dilation[i] > 1 {
			return true
		}
	}
	return false
}

// Args writes the kernel size and the options.
func (a PoolAttrs) Args(operands []string) []string {
	operands = stepWords(after(operands, axisWords(a.Kernel)...), a.steps(), a.Kernel)
	if a.Ceil {
		operands = append(operands, "CeilMode()")
	}
	if a.ExcludePadding {
		operands = append(operands, "ExcludePadding()")
	}
	return operands
}

// pooling is the entry of a pooling operation over some axes. check refuses dtypes and options.
func pooling(name, fn, doc string, axes int, isMax bool, check func(c *graph.Call, a PoolAttrs),
	expand func(n node, in []node) node, grad func(n, dy node, i int) node) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Composite, MinIn: 1, MaxIn: 1, Expand: expand,
		Grad: grad, Batch: batchImages(func(node) int { return axes }),
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(PoolAttrs)
			check(c, a)
			return c.DType(0), rules.Pool(c, rules.Pooling{Word: name, Axes: axes, IsMax: isMax}, a.Kernel, a.steps(),
				a.Ceil)
		}})
}

func init() {
	greatest := func(name, fn string, axes int) *graph.Op {
		return pooling(name, fn,
			"the greatest element of each window; NaN wins; the first of equal ones or the last NaN has the gradient.",
			axes, true, checkMaxPool, expandMaxPool, maxPoolGrad)
	}
	opMaxPool1D, opMaxPool2D, opMaxPool3D = greatest("max_pool1d", "MaxPool1D", 1),
		greatest("max_pool2d", "MaxPool2D", 2), greatest("max_pool3d", "MaxPool3D", 3)
	mean := func(name, fn string, axes int) *graph.Op {
		return pooling(name, fn, "the mean of each window.", axes, false, checkAvgPool, expandAvgPool, avgPoolGrad)
	}
	opAvgPool1D, opAvgPool2D, opAvgPool3D = mean("avg_pool1d", "AvgPool1D", 1), mean("avg_pool2d", "AvgPool2D", 2),
		mean("avg_pool3d", "AvgPool3D", 3)
	opMaxPool3D.Autocast, opAvgPool3D.Autocast = graph.AutocastWidens, graph.AutocastWidens
	opAvgPool1D.Ref = named("", "torch.nn.functional.avg_pool1d", "", "AveragePool", "",
		func(e *graph.Example) node { return AvgPool1D(e.Of("x", "n", "c", "8"), 2) })
	opAvgPool2D.Ref = named("", "torch.nn.functional.avg_pool2d", "", "AveragePool", "AveragePool2D",
		func(e *graph.Example) node { return AvgPool2D(e.Of("x", "n", "c", "8", "8"), 2, 2) })
	opAvgPool3D.Ref = named("", "torch.nn.functional.avg_pool3d", "", "AveragePool", "",
		func(e *graph.Example) node { return AvgPool3D(e.Of("x", "n", "c", "4", "4", "4"), 2, 2, 2) })
	opMaxPool1D.Ref = named("", "torch.nn.functional.max_pool1d", "", "MaxPool", "MaxPool1D",
		func(e *graph.Example) node { return MaxPool1D(e.Of("x", "n", "c", "8"), 2) })
	opMaxPool2D.Ref = named("", "torch.nn.functional.max_pool2d", "", "MaxPool", "MaxPool2D",
		func(e *graph.Example) node { return MaxPool2D(e.Of("x", "n", "c", "8", "8"), 2, 2) })
	opMaxPool3D.Ref = named("", "torch.nn.functional.max_pool3d", "", "MaxPool", "",
		func(e *graph.Example) node { return MaxPool3D(e.Of("x", "n", "c", "4", "4", "4"), 2, 2, 2) })
}

func checkMaxPool(c *graph.Call, a PoolAttrs) {
	if c.DType(0) == graph.Bool {
		rules.RefuseDType(c, `"max_pool2d" not implemented for 'Bool'`)
	}
	if a.ExcludePadding {
		c.Fail(&graph.Mistake{Code: graph.CodeOperand,
			Summary: "ExcludePadding is for average pooling: a maximum is never padding"})
	}
}

func checkAvgPool(c *graph.Call, a PoolAttrs) {
	if t := c.DType(0); !t.IsFloat() {
		rules.RefuseDType(c, `"avg_pool2d_out_frame" not implemented for '`+t.TorchName()+`'`)
	}
}

// largestAtOnce is the number of elements up to which windows are reduced along all axes at once, as the compiler
// writes without a loop.
const largestAtOnce = 32

// pooled reduces each window to one element: a large one along one axis after the other, which takes fewer operations
// where windows overlap, and so a maximum of windows that overlap and are not at each place, of which the last axis,
// where elements are not neighbours, then has the fewest.
func pooled(op *graph.Op, n, x node, fill float64) node {
	a := n.Attrs().(PoolAttrs)
	last, count := len(a.Kernel)-1, windowSize(a.Kernel)
	if last > 0 && (count > largestAtOnce || op == opMaxFirst && a.Stride[last] > 1 && a.overlap()) {
		lead := x.Rank() - len(a.Kernel)
		padded := x
		for i := range a.Kernel {
			_, after := reach(n, x, i)
			padded = Pad(padded, lead+i, graph.Dim(a.Padding[i]), after, fill)
		}
		for i := range a.Kernel {
			size, _ := reach(n, x, i)
			windows := Window(padded, lead+i, size, a.Stride[i], a.Dilation[i])
			padded = Apply(op, ReduceAttrs{Axes: []int{lead + i + 1}}, MoveAxis(windows, -1, lead+i+1))
		}
		return padded
	}
	windows, _ := poolWindows(n, x, fill)
	return Apply(op, ReduceAttrs{Axes: poolAxes(n, x)}, windows)
}

// poolWindows returns the windows over x, padded with a number, and the permutation of
// [slide]'s axes: the elements of windows stand before the last axis, so that whole rows
// are combined.
func poolWindows(n, x node, fill float64) (windows node, perm []int) {
	a := n.Attrs().(PoolAttrs)
	axes := len(a.Kernel)
	lead := x.Rank() - axes
	kernel, after := make([]graph.Dim, axes), make([]graph.Dim, axes)
	for i := range kernel {
		kernel[i] = graph.Dim(a.Kernel[i])
		after[i] = behind(n, x, i)
	}
	for i := range lead {
		perm = append(perm, i)
	}
	for i := range axes - 1 {
		perm = append(perm, lead+axes+i)
	}
	for i := range axes {
		perm = append(perm, lead+i)
	}
	perm = append(perm, lead+2*axes-1)
	return Permute(slide(x, kernel, a.steps(), after, fill), perm...), perm
}

// poolAxes returns the axes of [poolWindows] that hold the elements of windows.
func poolAxes(n, x node) []int {
	axes := len(n.Attrs().(PoolAttrs).Kernel)
	folded := make([]int, axes)
	for i := range folded {
		folded[i] = x.Rank() - 1 + i
	}
	return folded
}

// behind is the padding behind an axis with which there are as many windows as the
// result has.
func behind(n, x node, i int) graph.Dim {
	a := n.Attrs().(PoolAttrs)
	if !a.Ceil {
		return graph.Dim(a.Padding[i])
	}
	axis := x.Rank() - len(a.Kernel) + i
	extent := a.Dilation[i]*(a.Kernel[i]-1) + 1
	starts := n.Shape()[axis].Minus(1).Times(graph.Dim(a.Stride[i]))
	return starts.Plus(graph.Dim(max(extent, a.Stride[i]) - a.Padding[i])).Minus(x.Shape()[axis])
}

// reach returns how many elements of each window along an axis can lie on x, and the padding behind the axis for such
// windows. With ceil_mode a window may be much longer than the axis: some models take the mean of an image as that of
// one window of thousands of elements.
func reach(n, x node, i int) (size, after graph.Dim) {
	a := n.Attrs().(PoolAttrs)
	axis := x.Rank() - len(a.Kernel) + i
	size, all := graph.Dim(a.Kernel[i]), x.Shape()[axis].Plus(graph.Dim(a.Padding[i]))
	length, isNumber := all.Int()
	isLonger := isNumber && length < int64(a.Kernel[i]) || !isNumber && a.Kernel[i] > largestAtOnce
	if !a.Ceil || a.Dilation[i] > 1 || !isLonger {
		return size, behind(n, x, i)
	}
	size = graph.MinDim(size, all)
	return size, n.Shape()[axis].Minus(1).Times(graph.Dim(a.Stride[i])).Plus(size).Minus(all)
}

func expandMaxPool(n *graph.Node, in []*graph.Node) *graph.Node {
	return pooled(opMaxFirst, n, in[0], lowest(n.DType()))
}

// lowest is what no number of a dtype is less than.
func lowest(t graph.DType) float64 {
	switch {
	case t.IsUnsigned():
		return 0
	case t.IsInt():
		return -math.Ldexp(1, t.Bits()-1)
	}
	return math.Inf(-1)
}

func expandAvgPool(n *graph.Node, in []*graph.Node) *graph.Node {
	return Div(pooled(opSum, n, in[0], 0), meanElements(n, in[0]))
}

// windowSize is the number of elements of a window.
func windowSize(kernel []int) int {
	count := 1
	for _, k := range kernel {
		count *= k
	}
	return count
}

// meanElements is by what the sum of each window is divided.
func meanElements(n, x node) node {
	a := n.Attrs().(PoolAttrs)
	if !a.Ceil && (!a.ExcludePadding || slices.Max(a.Padding) == 0) {
		return num(float64(windowSize(a.Kernel)))
	}
	count := num(1)
	for i := range a.Kernel {
		count = Mul(count, windowElements(n, x, i))
	}
	return Cast(count, x.DType())
}

// windowElements counts, as Int64 along one axis, the elements by which a mean is divided:
// those of each window that lie on the axis or, unless it is excluded, on its padding.
// What a last window covers past the padding never counts.
func windowElements(n, x node, i int) node {
	a := n.Attrs().(PoolAttrs)
	first := windowStarts(n, i, len(a.Kernel)-1-i)
	end := x.Shape()[x.Rank()-len(a.Kernel)+i]
	if a.Dilation[i] > 1 {
		return dilatedElements(a, first, end, i)
	}
	stop := Add(first, graph.Num(a.Kernel[i]))
	if a.ExcludePadding {
		first = ClampMin(first, 0)
	} else {
		end = end.Plus(graph.Dim(a.Padding[i]))
	}
	return Sub(Minimum(stop, Size(x.Graph(), graph.Int64, end)), first)
}

// dilatedElements is [windowElements] where the elements of a window lie apart, from first on.
func dilatedElements(a PoolAttrs, first node, end graph.Dim, i int) node {
	d := a.Dilation[i]
	if !a.ExcludePadding {
		end = end.Plus(graph.Dim(a.Padding[i]))
	}
	before := func(place node) node { // how many elements lie before a place: ⌈(place - first)/d⌉ of all
		return Clamp(FloorDiv(Sub(place, Sub(first, num64(int64(d-1)))), num64(int64(d))), 0, float64(a.Kernel[i]))
	}
	count := before(Size(first.Graph(), graph.Int64, end))
	if a.ExcludePadding {
		count = Sub(count, before(num64(0)))
	}
	return count
}

// windowStarts returns, as Int64 along one axis that others follow, where each window starts
// on it: before 0 on the padding.
func windowStarts(n node, i, after int) node {
	a := n.Attrs().(PoolAttrs)
	shape := slices.Repeat([]graph.Dim{1}, 1+after)
	shape[0] = n.Shape()[n.Rank()-len(a.Kernel)+i]
	return Sub(Mul(Iota(n.Graph(), 0, shape...), graph.Num(a.Stride[i])), graph.Num(a.Padding[i]))
}

type poolFlag func(*PoolAttrs)

func (f poolFlag) pool(a *PoolAttrs) { f(a) }

// CeilMode rounds the number of windows up: a last window may reach past the padding at the end of an axis if it
// starts before it, so that no element is left out.
func CeilMode() PoolOption { return poolFlag(func(a *PoolAttrs) { a.Ceil = true }) }

// ExcludePadding divides the sum of a window by the number of its elements that are not padding.
func ExcludePadding() PoolOption { return poolFlag(func(a *PoolAttrs) { a.ExcludePadding = true }) }

// MaxPool1D returns the greatest element of each window of kernel elements along the last axis of x, [N, C, L] or [C,
// L]. There are floor((L + 2*padding - dilation*(kernel-1) - 1)/stride) + 1 windows. The default stride is the
// kernel.
func MaxPool1D(x *graph.Node, kernel int, opts ...PoolOption) *graph.Node {
	return pool(opMaxPool1D, x, []int{kernel}, opts)
}

// MaxPool2D returns the greatest element of each window of height × width elements of images x, [N, C, H, W] or [C,
// H, W], with sizes as in [MaxPool1D].
func MaxPool2D(x *graph.Node, height, width int, opts ...PoolOption) *graph.Node {
	return pool(opMaxPool2D, x, []int{height, width}, opts)
}

// MaxPool3D returns the greatest element of each window of depth × height × width elements of volumes x, [N, C, D, H,
// W] or [C, D, H, W], with sizes as in [MaxPool1D].
func MaxPool3D(x *graph.Node, depth, height, width int, opts ...PoolOption) *graph.Node {
	return pool(opMaxPool3D, x, []int{depth, height, width}, opts)
}

// AvgPool1D returns the mean of each window; windows are those of [MaxPool1D]. Padding counts as zeros unless it is
// excluded. [Dilation] is that of ONNX's AveragePool; PyTorch has none.
func AvgPool1D(x *graph.Node, kernel int, opts ...PoolOption) *graph.Node {
	return pool(opAvgPool1D, x, []int{kernel}, opts)
}

// AvgPool2D returns the mean of each window; windows are those of [MaxPool2D]. Padding counts as zeros unless it is
// excluded. [Dilation] is that of ONNX's AveragePool; PyTorch has none.
func AvgPool2D(x *graph.Node, height, width int, opts ...PoolOption) *graph.Node {
	return pool(opAvgPool2D, x, []int{height, width}, opts)
}

// AvgPool3D returns the mean of each window; windows are those of [MaxPool3D]. Padding counts as zeros unless it is
// excluded. [Dilation] is that of ONNX's AveragePool; PyTorch has none.
func AvgPool3D(x *graph.Node, depth, height, width int, opts ...PoolOption) *graph.Node {
	return pool(opAvgPool3D, x, []int{depth, height, width}, opts)
}

func pool(op *graph.Op, x node, kernel []int, opts []PoolOption) node {
	a := PoolAttrs{Kernel: kernel}
	for _, o := range opts {
		if o != nil {
			o.pool(&a)
		}
	}
	axes := len(kernel)
	if a.Stride == nil {
		a.Stride = slices.Clone(kernel)
	}
	a.Stride, a.Padding, a.Dilation = forAxes(a.Stride, axes, 1), forAxes(a.Padding, axes, 0),
		forAxes(a.Dilation, axes, 1)
	return Apply(op, a, x)
}
