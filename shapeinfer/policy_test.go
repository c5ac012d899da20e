package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// counts returns the numbers of errors and warnings of a code.
func counts(g *graph.Graph, code graph.Code) (errors, warnings int) {
	r := shapeinfer.Check(g)
	for _, m := range r.Errors {
		if m.Code == code {
			errors++
		}
	}
	for _, m := range r.Warnings {
		if m.Code == code {
			warnings++
		}
	}
	return errors, warnings
}

// Each rule of choice allows, warns or refuses, and a node can be excused from it.
func TestPolicies(t *testing.T) {
	outer := func(g *graph.Graph) *graph.Node {
		return ops.Sub(g.Input("a", f32, g.Dim("n"), 1), g.Input("b", f32, g.Dim("n")))
	}
	sameCount := func(g *graph.Graph) *graph.Node {
		return ops.Add(g.Input("a", f32, 4, 1), g.Input("b", f32, 1, 4))
	}
	ranks := func(g *graph.Graph) *graph.Node {
		return ops.Add(g.Input("a", f32, 2, 4), g.Input("b", f32, 4))
	}
	scalar := func(g *graph.Graph) *graph.Node {
		return ops.Add(g.Input("a", f32, 2), g.Input("b", f32))
	}
	number := func(g *graph.Graph) *graph.Node {
		return ops.Add(g.Input("a", f32, g.Dim("n")), g.Input("b", f32, 4))
	}
	writes := func(g *graph.Graph) *graph.Node {
		w := g.Param("w", f32, 3)
		ops.AddInPlace(w, graph.Num(1))
		return ops.AddInPlace(w, graph.Num(2))
	}
	for name, c := range map[string]struct {
		build            func(*graph.Graph) *graph.Node
		policy           graph.Policy
		code             graph.Code
		errors, warnings int
	}{
		"expand by default": {outer, graph.Policy{}, graph.CodeMutualExpand, 0, 1},
		"expand allowed":    {outer, graph.Policy{MutualExpand: graph.AllowSilently}, graph.CodeMutualExpand, 0, 0},
		"expand refused":    {outer, graph.Policy{MutualExpand: graph.RefuseAlways}, graph.CodeMutualExpand, 1, 0},
		"count by default":  {sameCount, graph.Policy{}, graph.CodeBackcompat, 0, 0},
		"count warned":      {sameCount, graph.Policy{Backcompat: graph.Warn}, graph.CodeBackcompat, 0, 1},
		"count refused":     {sameCount, graph.Policy{Backcompat: graph.Refuse}, graph.CodeBackcompat, 1, 0},
		"ranks by default":  {ranks, graph.Policy{}, graph.CodeRank, 0, 0},
		"ranks warned":      {ranks, graph.Policy{RankPromotion: graph.Warn}, graph.CodeRank, 0, 1},
		"ranks refused":     {ranks, graph.Policy{RankPromotion: graph.Refuse}, graph.CodeRank, 1, 0},
		"writes by default": {writes, graph.Policy{}, graph.CodeWriters, 0, 1},
		"writes allowed":    {writes, graph.Policy{SecondWrite: graph.AllowSilently}, graph.CodeWriters, 0, 0},
		"writes refused":    {writes, graph.Policy{SecondWrite: graph.RefuseAlways}, graph.CodeWriters, 1, 0},
		"number by default": {number, graph.Policy{Names: graph.Unify}, graph.CodeFixedName, 0, 1},
		"number allowed": {number, graph.Policy{Names: graph.Unify, FixedName: graph.AllowSilently},
			graph.CodeFixedName, 0, 0},
		"number refused": {number, graph.Policy{Names: graph.Unify, FixedName: graph.RefuseAlways},
			graph.CodeFixedName, 1, 0},
		"scalar by default": {scalar, graph.Policy{}, graph.CodeRank, 0, 0},
		"scalar warned":     {scalar, graph.Policy{RankZero: graph.Warn}, graph.CodeRank, 0, 1},
		"scalar refused":    {scalar, graph.Policy{RankZero: graph.Refuse}, graph.CodeRank, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("g", graph.WithPolicy(c.policy))
			n := c.build(g)
			errors, warnings := counts(g, c.code)
			require.Equal(t, c.errors, errors, "errors")
			require.Equal(t, c.warnings, warnings, "warnings")
			n.Silence(c.code)
			errors, warnings = counts(g, c.code)
			require.Zero(t, errors+warnings, "the node is excused")
			require.NoError(t, n.Err())
			require.True(t, n.Judged())
		})
	}
}

// Numbers written in the program are no tensors without dimensions.
func TestRankZeroPolicySparesNumbers(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{RankZero: graph.Refuse}))
	ops.Mul(g.Input("a", f32, 2), graph.Num(2.5))
	require.NoError(t, shapeinfer.Check(g).Err())
}

// The documents' own example of operands that do not broadcast is refused with either
// choice about scalars.
func TestEmptyOperandOfTheDocuments(t *testing.T) {
	for _, p := range []graph.Choice{graph.Allow, graph.Refuse} {
		g := graph.New("g", graph.WithPolicy(graph.Policy{RankZero: p}))
		ops.Add(g.Input("x", f32, 0), g.Input("y", f32, 2, 2))
		require.ErrorContains(t, shapeinfer.Check(g).Err(),
			"The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 1")
	}
}

// A mistake that is no matter of choice cannot be silenced.
func TestSilenceDoesNotHideMistakes(t *testing.T) {
	g := graph.New("g")
	ops.Add(g.Input("x", f32, 2), g.Input("y", f32, 3)).Silence(graph.CodeBroadcast)
	require.Error(t, shapeinfer.Check(g).Err())
}

// Two names that meet are refused, or left to the binding of sizes.
func TestNamesPolicies(t *testing.T) {
	for _, c := range []struct {
		names    graph.NamesPolicy
		verdict  string
		n, m     int
		accepted bool
	}{
		{graph.Strict, "1 error", 0, 0, false},
		{graph.Unify, "1 requirement", 5, 5, true},
		{graph.Unify, "1 requirement", 5, 1, false},
		{graph.Numpy, "1 requirement", 5, 1, true},
		{graph.Numpy, "1 requirement", 5, 4, false},
	} {
		g := graph.New("g", graph.WithPolicy(graph.Policy{Names: c.names}))
		x, y := g.Input("x", f32, g.Dim("n")), g.Input("y", f32, g.Dim("m"))
		ops.Add(x, y)
		r := shapeinfer.Check(g)
		require.Contains(t, r.Summary(), c.verdict)
		if c.names == graph.Strict {
			continue
		}
		_, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{c.n}}, {Node: y, Shape: []int{c.m}}},
			r.Requirements)
		require.Equal(t, c.accepted, err == nil, "%v: %d and %d", c.names, c.n, c.m)
	}
}

// A function of several operations is silenced whole, by the value that it gives.
func TestSilenceOfAFunction(t *testing.T) {
	g := graph.New("g")
	loss := ops.MSE(g.Input("x", f32, g.Dim("n"), 1), g.Input("y", f32, g.Dim("n")))
	require.Len(t, shapeinfer.Check(g).Warnings, 1)
	loss.Silence(graph.CodeMutualExpand)
	require.Empty(t, shapeinfer.Check(g).Warnings)
}

// Notes and other warnings can be left out at a node too.
func TestSilenceOfNotes(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	sum := ops.Add(g.Input("x", f32, g.Dim("n")), g.Input("y", f32, g.Dim("m")))
	require.Len(t, shapeinfer.Check(g).Notes, 1)
	sum.Silence(graph.CodeDeferred)
	r := shapeinfer.Check(g)
	require.Empty(t, r.Notes)
	require.Len(t, r.Requirements, 1, "what is left to binding is still checked there")
}

// Names of one number differ where names count, and are that number elsewhere.
func TestNamesOfNumbers(t *testing.T) {
	for names, want := range map[graph.NamesPolicy]int{graph.Strict: 3, graph.Unify: 0, graph.Numpy: 0} {
		g := graph.New("named", graph.WithPolicy(graph.Policy{Names: names}))
		a, b := g.Dim("a", graph.Exactly(32)), g.Dim("b", graph.Exactly(32))
		x, y := g.Input("x", f32, g.Dim("n"), a), g.Input("y", f32, b)
		ops.Add(x, y)
		ops.Add(x, g.Input("z", f32, 32))
		ops.MatMul(x, y)
		ops.Add(ops.Reshape(x, -1, 4, 8), g.Input("w", f32, 4, 8))
		ops.Add(ops.Slice(x, 1, 0, a.FloorDiv(2), 1), ops.Slice(x, 1, a.FloorDiv(2), a, 1))
		r := shapeinfer.Check(g)
		require.Len(t, r.Errors, want, r)
		require.Empty(t, r.Requirements, r)
	}
	g := graph.New("other")
	ops.Add(g.Input("x", f32, g.Dim("a", graph.Exactly(32))), g.Input("y", f32, 31))
	require.ErrorContains(t, shapeinfer.Check(g), "a is never 31")
	g.Dim("b", graph.Exactly(-1))
	g.Dim("a", graph.Exactly(33))
	require.ErrorContains(t, g.Err(), `"b" cannot be a size: exactly -1`)
	require.ErrorContains(
		t, g.Err(), `"a" was declared exactly 32, and nodes built since rely on it: it cannot become exactly 33`)
}
