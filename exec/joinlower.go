package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
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
		k.gather = newPicking(n)
	case isSumTo(n):
		err = u.lowerSumTo(k, n)
	case k.joining != nil:
		err = u.lowerJoining(k, k.joining)
	default:
		err = fmt.Errorf("no kernel for %s of class %s", n.Op().Name, k.class)
	}
	if err != nil {
		return &BugError{Pass: "lower", Node: n, Err: err}
	}
	return nil
}

// lowerJoining fills the gaps of a joined value and copies operands to their places.
func (u *unit) lowerJoining(k *kernel, j *joining) error {
	if j.gaps {
		l := u.newPart(k, j.node.Shape())
		to := operand{base: j.node, layout: graph.RowMajor(j.node.Shape()), write: true}
		l.b.Store(l.operand(to, j.node.DType(), rowprog.Out), rowprog.Value(l.Const(j.node.DType(), j.value)))
		if err := l.finish(); err != nil {
			return err
		}
	}
	for i, place := range j.places {
		if place.Shape == nil {
			continue
		}
		if err := u.lowerCopy(k, j.node.In(i), operand{base: j.node, layout: place, write: true}, j.sums); err != nil {
			return err
		}
	}
	return nil
}

// lowerCopy adds a part that copies x to a place in memory, or adds it to what is there.
func (u *unit) lowerCopy(k *kernel, x *graph.Node, to operand, add bool) error {
	l := u.newPart(k, x.Shape())
	layout := shapeinfer.LayoutOf(x)
	v, access := rowprog.None, rowprog.Out
	if c, isNumber := x.ScalarValue(); isNumber {
		v = rowprog.Value(l.constant(x, c))
	} else {
		v = l.b.Load(l.operand(operand{base: shapeinfer.Viewed(x), layout: layout}, x.DType(), rowprog.In))
	}
	if add {
		access = rowprog.InOut
	}
	at := l.operand(to, x.DType(), access)
	if add {
		v = l.b.Apply(rowprog.OpAdd, l.b.Load(at), v)
	}
	l.b.Store(at, v)
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
