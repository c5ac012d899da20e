package scoreaxes

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// scoresFirst makes scores S the first factor of the products that read them, as chains of kernels require: C·S =
// (Sᵀ·Cᵀ)ᵀ. They are the second factor in programs whose queries, keys and values are columns.
func scoresFirst(u *rewrite.Program) {
	s := newAxisRoles()
	products := s.findRoles(u)
	if len(s.roles) == len(products) {
		return // no value is computed from scores
	}
	isExchanged := func(n *graph.Node) bool {
		if n.Op().Class != graph.Contract || len(n.Operands()) != 2 || s.roles[n] != nil || n.Rank() < 2 ||
			n.In(0).Rank() < 2 || analysis.GroupingOf(n) != nil {
			return false
		}
		x := n.In(1)
		return s.roles[x] != nil && s.roles[n.In(0)] == nil && x.Rank() == n.Rank() && rewrite.IsLargeMatrix(x) &&
			x.Region() == n.Region() &&
			!slices.Contains(s.roles[x][x.Rank()-2:], -1)
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), isExchanged) {
		return
	}
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if !isExchanged(n) {
			return nil
		}
		return ops.Transpose(
			graph.Apply(n.Op(), n.Attrs(), rewrite.Transposed(next, in[1]), rewrite.Transposed(next, in[0])), -1, -2)
	})
}
