package lower

import (
	"fmt"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
)

// maxUndecided is the most axes of one sum whose sizes decide at binding whether they are folded. Each combination has
// a row program.
const maxUndecided = 6

// lowerSumTo writes one row program for each set of axes that the sum may fold. Binding chooses among them.
func (u *Program) lowerSumTo(k *fusion.Group, n *graph.Node) (parts []*Loop, err error) {
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
		reduced := []int{}
		for i, axis := range undecided {
			if set>>i&1 != 0 {
				reduced = append(reduced, axis)
			}
		}
		l := u.newPart(k, x.Shape())
		l.p.ReducedAxes = reduced
		result := graph.RowMajor(n.Shape())
		result.Shape = x.Shape()
		for _, axis := range reduced {
			result.Strides[axis] = 0
		}
		l.reduce(n, l.operandValue(n, 0, 0), reduced, result)
		p, err := l.finish()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}
