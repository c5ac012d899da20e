package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// meet adds an axis of size a to one of size b.
func meet(g *graph.Graph, a, b graph.Dim) *graph.Node {
	name := func() string { return string(rune('A' + len(g.Inputs()))) }
	x := g.Input(name(), graph.Float32, a)
	return ops.Add(x, g.Input(name(), graph.Float32, b))
}

// whole multiplies a vector of a elements by one of b: no broadcasting, a == b.
func whole(g *graph.Graph, a, b graph.Dim) *graph.Node {
	name := func() string { return string(rune('A' + len(g.Inputs()))) }
	x := g.Input(name(), graph.Float32, a)
	return ops.MatMul(x, g.Input(name(), graph.Float32, b))
}

func TestRequirementsAreSolvedTogether(t *testing.T) {
	for name, c := range map[string]struct {
		policy graph.NamesPolicy
		build  func(g *graph.Graph, a, b, c graph.Dim)
		want   []string // the summaries of mistakes, in parts that they contain
	}{
		"one name, two numbers": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, a, 3)
			meet(g, a, 4)
		}, []string{`no size of "a" satisfies both: a == 3 from Add(A, B) at joint_test.go:`}},
		"through another name": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, a, b)
			meet(g, b, 3)
			meet(g, c, 7) // not involved
			meet(g, a, 5)
		}, []string{`no choice of sizes "a" and "b" satisfies all of: a == b from Add(A, B)`}},
		"parity": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, a.Times(2), b)
			meet(g, b, 7)
		}, []string{`"a" and "b" satisfies both: 2*a == b`}},
		"no common multiple so small": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			g.Dim("c", graph.AtMost(5))
			meet(g, a.Times(2), c)
			meet(g, b.Times(3), c)
			g.Dim("c", graph.AtMost(5))
		}, []string{`"a", "b" and "c" satisfies both`}},
		"more than the greatest value": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, g.Dim("few", graph.AtMost(8)), 10)
		}, []string{"few is never 10"}},
		"no multiple": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, g.Dim("even", graph.MultipleOf(2)), 7)
		}, []string{"even is never 7"}},
		"a square": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, a, b)
			meet(g, a.Times(b), 7)
		}, []string{`"a" and "b" satisfies both: a == b`}},
		"NumPy's way out is a size of 1": {graph.Numpy, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, a, 3)
			meet(g, a, 4)
		}, nil},
		"NumPy's way out is closed": {graph.Numpy, func(g *graph.Graph, a, b, c graph.Dim) {
			a = a.Plus(1)
			meet(g, a, 3)
			meet(g, a, 4)
		}, []string{`no size of "a" satisfies both: a+1 == 3, or one of them is 1`}},
		"a broadcast size": {graph.Numpy, func(g *graph.Graph, a, b, c graph.Dim) {
			both := meet(g, a.Plus(1), b.Plus(1))
			x := g.Input("x", graph.Float32, 3)
			ops.MatMul(both, x)
			whole(g, a, 4)
			whole(g, b, 5)
		}, []string{`"a" and "b" satisfies both: broadcast(a+1, b+1) == 3 from MatMul(`}},
		"a name that may be 1": {graph.Strict, func(g *graph.Graph, a, b, c graph.Dim) {
			d := g.Dim("d", graph.MayBeOne())
			meet(g, d, 3)
			meet(g, d, 4)
		}, nil},
		"a name that may be 1 but is 2 or more": {graph.Strict, func(g *graph.Graph, a, b, c graph.Dim) {
			d := g.Dim("d", graph.MayBeOne(), graph.AtLeast(2))
			meet(g, d, 3)
			meet(g, d, 4)
		}, []string{`no size of "d" satisfies both: 3 == d, or d == 1`}},
		"two contradictions": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			meet(g, a, 3)
			meet(g, a, 4)
			meet(g, b, 5)
			meet(g, b, 6)
		}, []string{`no size of "a"`, `no size of "b"`}},
		"a contradiction of inequalities": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			ops.Slice(g.Input("x", graph.Float32, a), 0, 0, b, 1)
			ops.Slice(g.Input("y", graph.Float32, b), 0, 0, c, 1)
			ops.Slice(g.Input("z", graph.Float32, c), 0, 0, a.Plus(1), 1)
		}, []string{`"a", "b" and "c" satisfies all of: a >= b`}},
		"what failed requires nothing": {graph.Unify, func(g *graph.Graph, a, b, c graph.Dim) {
			g.Dim("a")
			x := g.Input("x", graph.Float32, 5, a)
			ops.Add(x, g.Input("y", graph.Float32, 6, 3)) // fails, and would have required a == 3
			meet(g, a, 4)
		}, []string{"The size of tensor a (5) must match the size of tensor b (6)"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("joint", graph.WithPolicy(graph.Policy{Names: c.policy, MutualExpand: graph.AllowSilently}))
			c.build(g, g.Dim("a"), g.Dim("b"), g.Dim("c"))
			report := shapeinfer.Check(g)
			require.Len(t, report.Errors, len(c.want), "%s", report)
			for i, want := range c.want {
				assert.Contains(t, report.Errors[i].Error(), want)
			}
		})
	}
}

func TestContradictionNamesOnlyWhatClashes(t *testing.T) {
	g := graph.New("core", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	a, b, c := g.Dim("a"), g.Dim("b"), g.Dim("c")
	meet(g, a, b)
	meet(g, b, c.Plus(1))
	meet(g, a, 3)
	meet(g, b, b.Times(c).Minus(b)) // c == 2
	meet(g, c, 4)
	report := shapeinfer.Check(g)
	require.Len(t, report.Errors, 1)
	assert.Contains(t, report.Errors[0].Summary,
		`no choice of sizes "b" and "c" satisfies both: b == b*c-b from Add(G, H)`)
	assert.Len(t, report.Requirements, 3, "what is not part of it is left to binding")
}

// TestNoSizeOfAnInputIsNegative draws the conclusion from a declared size that the names in
// it are large enough.
func TestNoSizeOfAnInputIsNegative(t *testing.T) {
	g := graph.New("facts")
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n)
	ops.Slice(x, 0, 0, 3, 1)
	require.Len(t, shapeinfer.Check(g).Requirements, 1, "n may be less than 3")
	g.Input("y", graph.Float32, n.Minus(3))
	assert.Empty(t, shapeinfer.Check(g).Requirements)
}

func TestRequirementOfManyNodesIsToldOnce(t *testing.T) {
	g := graph.New("many", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	a := g.Dim("a")
	x, y, z := g.Input("x", graph.Float32, a), g.Input("y", graph.Float32, 3), g.Input("z", graph.Float32, 4)
	for range 5 {
		ops.Mul(x, y)
	}
	ops.Add(x, z)
	report := shapeinfer.Check(g)
	require.Len(t, report.Errors, 1)
	assert.Contains(t, report.Errors[0].Error(), "a == 3 is required by 4 nodes more")
	assert.Empty(t, report.Requirements)
}

func TestNameThatCanBeOneNumberIsWarnedOf(t *testing.T) {
	warnings := func(policy graph.NamesPolicy, build func(g *graph.Graph, n graph.Dim)) (texts []string) {
		g := graph.New("fixed", graph.WithPolicy(graph.Policy{Names: policy}))
		build(g, g.Dim("n"))
		report := shapeinfer.Check(g)
		require.NoError(t, report.Err())
		for _, w := range report.Warnings {
			assert.Equal(t, graph.CodeFixedName, w.Code)
			texts = append(texts, w.Summary)
		}
		return texts
	}
	toFour := func(g *graph.Graph, n graph.Dim) { meet(g, n, 4) }
	assert.Equal(t, []string{"n can only be 4"}, warnings(graph.Unify, toFour))
	assert.Empty(t, warnings(graph.Numpy, toFour), "it may be 1 as well")
	assert.Equal(t, []string{"n can only be 3"},
		warnings(graph.Unify, func(g *graph.Graph, n graph.Dim) { meet(g, n.Times(2).Plus(1), 7) }))
	assert.Empty(t, warnings(graph.Unify, func(g *graph.Graph, n graph.Dim) { meet(g, n, g.Dim("m")) }))
	assert.Empty(t, warnings(graph.Unify, func(g *graph.Graph, n graph.Dim) {
		meet(g, n, g.Dim("three", graph.MultipleOf(3), graph.AtMost(5)).Times(g.Dim("m")))
	}), "the declaration of three leaves it no other value")
	assert.Empty(t, warnings(graph.Strict, func(g *graph.Graph, n graph.Dim) { g.Equal(n, 4); meet(g, n, 4) }),
		"that was said")
}

func TestVerdicts(t *testing.T) {
	bounds := func(name string) graph.Bounds {
		switch name {
		case "even":
			return graph.Bounds{Min: 0, Multiple: 2}
		case "few":
			return graph.Bounds{Min: 2, Max: 4}
		case "zero":
			return graph.Bounds{}
		}
		return graph.DefaultBounds()
	}
	p := prove.NewProver(bounds)
	const proved, refused, deferred = prove.Proved, prove.Refused, prove.Deferred
	for _, c := range []struct {
		a, b string
		want prove.Verdict
	}{
		{"n+m", "m+n", proved},
		{"2*(even//2)", "even", proved},
		{"(n+1)//2 + n//2", "n", proved},
		{"(n+3)//4", "(n-1)//4+1", proved},
		{"n", "n+1", refused},
		{"n+1", "1", refused},
		{"zero+1", "1", deferred},
		{"2*n", "2*m+1", refused},
		{"even", "n*2+1", refused},
		{"few", "5", refused},
		{"few*few", "16", deferred},
		{"n*n", "n+1", refused},
		{"n//2", "n", refused},
		{"zero//2", "zero", deferred},
		{"n", "m", deferred},
		{"6*n", "4*m", deferred},
		{"broadcast(n, m)", "n", deferred},
		{"min(n, n+2*m)", "n", proved},
		{"min(n, m)", "n+m+1", refused},
		{"min(few, 100)", "few", proved},
		{"min(n, m)", "n", deferred},
		{"div(6*n*m, m)", "6*n", proved},
		{"n*m-m", "m*(n-1)", proved},
		{"3*n", "7*n", refused},
		{"?", "n", deferred},
	} {
		a, err := graph.ParseDim(c.a)
		require.NoError(t, err)
		b, err := graph.ParseDim(c.b)
		require.NoError(t, err)
		assert.Equal(t, c.want, p.Equal(a, b), "%s == %s", c.a, c.b)
		assert.Equal(t, c.want, p.Equal(b, a), "%s == %s", c.b, c.a)
	}
	for _, c := range []struct {
		d    string
		k    int64
		want prove.Verdict
	}{
		{"n", 1, proved}, {"n", 2, deferred}, {"n-1", 0, proved}, {"zero", 1, deferred}, {"zero-1", 0, deferred},
		{"-n", 0, refused},
		{"n*m-n", 0, proved}, {"n*m-n-m+1", 0, proved}, {"n//2", 1, deferred}, {"few//2", 1, proved},
		{"few", 5, refused}, {"n*n-2*n+1", 0, proved},
		{"(n+1)//2-n//2", 0, proved}, {"(n+1)//2-n//2", 2, refused}, {"even", 1, deferred}, {"even-1", 0, deferred},
		{"3*even-1", 1, deferred},
	} {
		d, err := graph.ParseDim(c.d)
		require.NoError(t, err)
		assert.Equal(t, c.want, p.AtLeast(d, c.k), "%s >= %d", c.d, c.k)
	}
	for _, c := range []struct {
		d    string
		k    int64
		want prove.Verdict
	}{
		{"4*n", 2, proved}, {"even", 2, proved}, {"3*even", 6, proved}, {"even+1", 2, refused}, {"n", 2, deferred},
		{"n*n+n", 2, deferred},
		{"2*n+1", 4, refused}, {"n", 1, proved}, {"6*(n//2)", 3, proved}, {"0", 7, proved}, {"15", 7, refused},
		{"n", 0, deferred},
	} {
		d, err := graph.ParseDim(c.d)
		require.NoError(t, err)
		assert.Equal(t, c.want, p.Divisible(d, c.k), "%s divisible by %d", c.d, c.k)
	}
}
