package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// lowerSingle notes how a kernel of one node that is no fused group runs.
func (u *unit) lowerSingle(k *kernel) error {
	n := k.nodes[0]
	var err error
	switch {
	case k.class == graph.Contract:
		k.matmul = newProduct(n)
	case k.class == graph.Gather:
		k.gather, err = newPicking(n)
	case isSumTo(n):
		err = u.lowerSumTo(k, n)
	case k.class == graph.Movement && n.Op().Name == "concat":
		err = u.lowerConcat(k, n)
	case k.class == graph.Movement && n.Op().Name == "pad":
		err = u.lowerPad(k, n)
	default:
		err = fmt.Errorf("no kernel for %s of class %s", n.Op().Name, k.class)
	}
	if err != nil {
		return &BugError{Pass: "lower", Node: n, Err: err}
	}
	return nil
}

// lowerConcat copies each operand into its place in the result.
func (u *unit) lowerConcat(k *kernel, n *graph.Node) error {
	axis := n.Attrs().(ops.ConcatAttrs).Axis
	if axis < 0 {
		axis += n.Rank()
	}
	start := graph.Dim(0)
	for _, x := range n.Operands() {
		if x.Rank() != n.Rank() {
			continue // of shape [0]: passed over
		}
		to := graph.RowMajor(n.Shape())
		to.Shape, to.Offset = x.Shape(), start.Times(to.Strides[axis])
		if err := u.lowerCopy(k, x, operand{base: n, layout: to, write: true}); err != nil {
			return err
		}
		start = start.Plus(x.Shape()[axis])
	}
	return nil
}

// lowerPad fills the result with the number and copies the operand into its place.
func (u *unit) lowerPad(k *kernel, n *graph.Node) error {
	a := n.Attrs().(ops.PadAttrs)
	axis := a.Axis
	if axis < 0 {
		axis += n.Rank()
	}
	l := u.newPart(k, n.Shape())
	l.b.Store(l.operand(operand{base: n, layout: graph.RowMajor(n.Shape()), write: true}, n.DType(), rowprog.Out), rowprog.Value(l.Const(n.DType(), a.Value)))
	if err := l.finish(); err != nil {
		return err
	}
	to := graph.RowMajor(n.Shape())
	to.Shape, to.Offset = n.In(0).Shape(), a.Before.Times(to.Strides[axis])
	to.Strides[axis] = to.Strides[axis].Times(graph.Dim(max(a.Step, 1)))
	return u.lowerCopy(k, n.In(0), operand{base: n, layout: to, write: true})
}

// lowerCopy adds a part that copies x to a place in memory.
func (u *unit) lowerCopy(k *kernel, x *graph.Node, to operand) error {
	l := u.newPart(k, x.Shape())
	layout := shapeinfer.LayoutOf(x)
	v := rowprog.None
	if c, isNumber := x.ScalarValue(); isNumber {
		v = rowprog.Value(l.constant(x, c))
	} else {
		v = l.b.Load(l.operand(operand{base: shapeinfer.Viewed(x), layout: layout}, x.DType(), rowprog.In))
	}
	l.b.Store(l.operand(to, x.DType(), rowprog.Out), v)
	return l.finish()
}

// newPart begins a part with one axis of the program for each axis of the domain that
// has more than one element.
func (u *unit) newPart(k *kernel, domain graph.Shape) *lowering {
	l := &lowering{u: u, k: k, p: &part{domain: domain}, node: k.nodes[0], axisOf: make([]int, len(domain))}
	for axis, d := range domain {
		l.axisOf[axis] = -1
		if d != 1 {
			l.axisOf[axis] = len(l.p.axes)
			l.p.axes = append(l.p.axes, []int{axis})
		}
	}
	l.b = rowprog.NewBuilder(k.nodes[0].Label(), max(len(l.p.axes)-1, 0))
	return l
}

func (l *lowering) finish() (err error) {
	l.p.prog, err = l.b.Build()
	l.k.parts = append(l.k.parts, l.p)
	return err
}
