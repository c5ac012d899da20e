package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestSizesUnderTwoNames has calls whose operands share an axis, under two names: one mistake each, as of an addition.
// Where the policy is lax, the sizes are left to binding.
func TestSizesUnderTwoNames(t *testing.T) {
	for name, build := range map[string]func(float, whole func(name string, s ...graph.Dim) node, n, m graph.Dim){
		"NMS": func(float, _ func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.NMS(float("a", n, 4), float("b", m), 0.5, 10, graph.Num(-1))
		},
		"scores of BatchedNMS": func(float, whole func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.BatchedNMS(float("a", n, 4), float("b", m), whole("c", n), 0.5, 10, graph.Num(-1))
		},
		"classes of BatchedNMS": func(float, whole func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.BatchedNMS(float("a", n, 4), float("b", n), whole("c", m), 0.5, 10, graph.Num(-1))
		},
		"NonMaxSuppression": func(float, _ func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.NonMaxSuppression(float("a", n, 10, 4), float("b", m, 3, 10), 0.5, 10, graph.Num(-1))
		},
		"CDist": func(float, _ func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.CDist(float("a", 3, n), float("b", 4, m), 2)
		},
		"MultiLabelMargin": func(float, whole func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.MultiLabelMargin(float("a", n, 5), whole("b", m, 5))
		},
		"SelectScatter": func(float, _ func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.SelectScatter(float("a", 3, n), float("b", m), 0, 1)
		},
		"Bilinear": func(float, _ func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.Bilinear(float("a", n, 4), float("b", m, 3), float("c", 2, 4, 3), nil)
		},
		"RoiAlign": func(float, whole func(string, ...graph.Dim) node, n, m graph.Dim) {
			ops.RoiAlign(float("a", 2, 3, 8, 8), float("b", n, 4), whole("c", m), 2, 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(p graph.Policy, other string) *shapeinfer.Report {
				g := graph.New("names", graph.WithPolicy(p))
				build(func(name string, s ...graph.Dim) node { return g.Input(name, graph.Float32, s...) },
					func(name string, s ...graph.Dim) node { return g.Input(name, graph.Int64, s...) },
					g.Dim("n"), g.Dim(other))
				return shapeinfer.Check(g)
			}
			report := check(graph.Policy{}, "m")
			require.Len(t, report.Errors, 1, report.String())
			require.Equal(t, graph.CodeNames, report.Errors[0].Code)
			require.Contains(t, report.String(), "nothing says that they are equal")
			require.Contains(t, report.String(), `declared: "`)
			require.NoError(t, check(graph.Policy{}, "n").Err())
			require.NoError(t, check(graph.Policy{Names: graph.Unify}, "m").Err())
		})
	}
}
