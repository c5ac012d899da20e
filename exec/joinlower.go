package exec

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// lowerJoining fills the gaps of a joined value and copies operands to their places.
func (u *unit) lowerJoining(k *group, j *joining) (parts []*part, err error) {
	if j.gaps {
		l := u.newPart(k, j.node.Shape())
		to := operand{base: j.node, layout: graph.RowMajor(j.node.Shape()), write: true}
		l.b.Store(l.operand(to, j.node.DType(), rowprog.Out), rowprog.Value(l.Const(j.node.DType(), j.value)))
		p, err := l.finish()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	for i, place := range j.places {
		if place.Shape == nil {
			continue
		}
		p, err := u.lowerCopy(k, j.node.In(i), operand{base: j.node, layout: place, write: true}, j.sums)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// lowerCopy makes a part that copies x to a place in memory, or adds it to what is there.
func (u *unit) lowerCopy(k *group, x *graph.Node, to operand, add bool) (*part, error) {
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
func (u *unit) newPart(k *group, domain graph.Shape) *lowering {
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

func (l *lowering) finish() (p *part, err error) {
	l.p.prog, err = l.b.Build()
	return l.p, err
}
