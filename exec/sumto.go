package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// maxUndecided bounds the axes of one sum whose size decides at binding whether they
// are summed over; there is a row program for each of their combinations.
const maxUndecided = 6

// isSumTo reports whether a reduction's axes depend on sizes that are bound later.
func isSumTo(n *graph.Node) bool {
	return n.Op().Class == graph.Reduce && n.Op().Axes == nil
}

// lowerSumTo writes one row program for each set of axes over which the sum may have to
// be taken; binding chooses among them.
func (u *unit) lowerSumTo(k *group, n *graph.Node) (parts []*part, err error) {
	x := n.In(0)
	var undecided []int
	for axis, d := range x.Shape() {
		if d != n.Shape()[axis] {
			undecided = append(undecided, axis)
		}
	}
	if len(undecided) > maxUndecided {
		return nil, fmt.Errorf("%d axes whose sizes may turn out to be 1, more than %d", len(undecided), maxUndecided)
	}
	for set := range 1 << len(undecided) {
		folds := []int{}
		for i, axis := range undecided {
			if set>>i&1 != 0 {
				folds = append(folds, axis)
			}
		}
		l := u.newPart(k, x.Shape())
		l.p.folds = folds
		result := graph.RowMajor(n.Shape())
		result.Shape = x.Shape()
		for _, axis := range folds {
			result.Strides[axis] = 0
		}
		l.reduce(n, l.operandValue(n, 0, 0), folds, result)
		p, err := l.finish()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// chosen lists the row programs of a kernel that run: of variants, the one that sums over just
// those axes that the result has once and the operand several times.
func (b *binding) chosen(k kernel) []*part {
	v, ok := k.(*variants)
	if !ok {
		return k.loops()
	}
	n, folds := v.nodes[0], []int{}
	for axis, d := range n.Shape() {
		if d != n.In(0).Shape()[axis] && b.eval(d) == 1 && b.eval(n.In(0).Shape()[axis]) != 1 {
			folds = append(folds, axis)
		}
	}
	at := slices.IndexFunc(v.parts, func(p *part) bool { return slices.Equal(folds, p.folds) })
	return v.parts[at : at+1]
}
