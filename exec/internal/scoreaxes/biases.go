package scoreaxes

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// layOutBiases copies values that several matrices of scores share and whose rows are not contiguous, such as a
// relative position bias that was picked from a table with the heads last. Chains of kernels read rows, and would read
// across them again for each matrix.
func layOutBiases(u *rewrite.Program) {
	isAny := func(is func(n, x *graph.Node) bool) bool {
		return slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool {
			return slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return is(n, x) })
		})
	}
	if !isAny(liesAcross) {
		return // as in most programs: roles are not needed
	}
	s := newAxisRoles()
	s.findRoles(u)
	isBias := func(n, x *graph.Node) bool { return s.roles[n] != nil && s.roles[x] == nil && liesAcross(n, x) }
	if !isAny(isBias) {
		return
	}
	copies := map[*graph.Node]*graph.Node{}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		any := false
		for i, x := range n.Operands() {
			if !isBias(n, x) {
				continue
			}
			if any = true; copies[x] == nil {
				copies[x] = ops.Copy(in[i])
			}
			in[i] = copies[x]
		}
		if !any {
			return nil
		}
		return graph.Apply(n.Op(), n.Attrs(), in...)
	})
}

// liesAcross reports whether x is repeated for several matrices of an elementwise node, and is contiguous along another
// axis than the last one.
func liesAcross(n, x *graph.Node) bool {
	if n.Op().Class != graph.Elementwise || !alias.IsView(x) || x.Region() != n.Region() || x.Rank() < 2 ||
		x.Shape().Equal(n.Shape()) {
		return false
	}
	l, last := alias.LayoutOf(x), x.Rank()-1
	return l.Shape[last] != 1 && l.Strides[last] != 0 && l.Strides[last] != 1 && slices.Contains(l.Strides, 1)
}
