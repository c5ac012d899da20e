package lower

import (
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// lowerAssembly fills the background of an assembled value and copies operands to their positions.
func (u *Program) lowerAssembly(k *fusion.Group, j *fusion.Assembly) (parts []*Loop, err error) {
	if j.HasBackground {
		l := u.newPart(k, j.Node.Shape())
		to := fusion.Operand{Base: j.Node, Layout: graph.RowMajor(j.Node.Shape()), Write: true}
		l.b.Store(l.operand(to, j.Node.DType(), rowprog.Out), rowprog.Value(l.Const(j.Node.DType(), j.Value)))
		p, err := l.finish()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	for i, place := range j.Places {
		if place.Shape == nil {
			continue
		}
		p, err := u.lowerCopy(k, j.Node.In(i), fusion.Operand{Base: j.Node, Layout: place, Write: true}, j.Sums)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// lowerCopy makes a part that copies x to memory, or adds it to the elements there.
func (u *Program) lowerCopy(k *fusion.Group, x *graph.Node, to fusion.Operand, add bool) (*Loop, error) {
	l := u.newPart(k, x.Shape())
	layout := alias.LayoutOf(x)
	v, access := rowprog.None, rowprog.Out
	if c, isNumber := x.ScalarValue(); isNumber {
		v = rowprog.Value(l.constant(x, c))
	} else {
		v = l.b.Load(l.operand(fusion.Operand{Base: alias.Viewed(x), Layout: layout}, x.DType(), rowprog.In))
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

// newPart begins a part. Its program has one axis for each axis of the iteration space with more than one element.
func (u *Program) newPart(k *fusion.Group, space graph.Shape) *Lowering {
	l := &Lowering{u: u, k: k, p: &Loop{Space: space}, node: k.Nodes[0], axisOf: make([]int, len(space))}
	for axis, d := range space {
		l.axisOf[axis] = -1
		if d != 1 {
			l.axisOf[axis] = len(l.p.Axes)
			l.p.Axes = append(l.p.Axes, []int{axis})
		}
	}
	l.b = rowprog.NewBuilder(k.Nodes[0].Label(), max(len(l.p.Axes)-1, 0))
	return l
}

func (l *Lowering) finish() (p *Loop, err error) {
	l.p.Program, err = l.b.Build()
	return l.p, err
}
