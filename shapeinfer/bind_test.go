package shapeinfer_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// bind binds inputs that are declared with the given sizes to the given numbers.
func bind(g *graph.Graph, declared []string, have []int, given ...shapeinfer.Sizes) (shapeinfer.Sizes, error) {
	var inputs []shapeinfer.Bound
	for i, text := range declared {
		d, err := graph.ParseDim(text)
		if err != nil {
			return nil, err
		}
		for _, name := range d.Symbols() {
			g.Dim(name)
		}
		x := g.Input(string(rune('a'+i)), graph.Float32, d)
		inputs = append(inputs, shapeinfer.Bound{Node: x, Shape: []int{have[i]}})
	}
	return shapeinfer.Bind(g, inputs, shapeinfer.Check(g).Requirements, given...)
}

func TestBindSolvesNames(t *testing.T) {
	for name, c := range map[string]struct {
		declare  func(g *graph.Graph)
		declared []string
		have     []int
		given    shapeinfer.Sizes
		want     shapeinfer.Sizes
	}{
		"a name":             {nil, []string{"n"}, []int{7}, nil, shapeinfer.Sizes{"n": 7}},
		"one more":           {nil, []string{"n+1"}, []int{7}, nil, shapeinfer.Sizes{"n": 6}},
		"less than a number": {nil, []string{"9-n"}, []int{7}, nil, shapeinfer.Sizes{"n": 2}},
		"twice and one":      {nil, []string{"2*n+1"}, []int{7}, nil, shapeinfer.Sizes{"n": 3}},
		"after another": {nil, []string{"n+m", "2*n"}, []int{7, 8}, nil,
			shapeinfer.Sizes{"n": 4, "m": 3}},
		"a product": {nil, []string{"n*m", "n"}, []int{12, 3}, nil,
			shapeinfer.Sizes{"n": 3, "m": 4}},
		"two equations": {nil, []string{"n+m", "n-m"}, []int{9, 5}, nil,
			shapeinfer.Sizes{"n": 7, "m": 2}},
		"a square": {nil, []string{"n*n"}, []int{49}, nil, shapeinfer.Sizes{"n": 7}},
		"a sum and a product": {func(g *graph.Graph) { g.Dim("n", graph.AtLeast(4)) }, []string{"n+m", "n*m"},
			[]int{7, 12}, nil, shapeinfer.Sizes{"n": 4, "m": 3}},
		"a floor of an even number": {func(g *graph.Graph) { g.Dim("n", graph.MultipleOf(2)) }, []string{"n//2"},
			[]int{5}, nil, shapeinfer.Sizes{"n": 10}},
		"a floor of a bounded number": {func(g *graph.Graph) { g.Dim("n", graph.AtMost(10)) }, []string{"n//2"},
			[]int{5}, nil, shapeinfer.Sizes{"n": 10}},
		"two floors": {nil, []string{"n//2", "n//3"}, []int{4, 3}, nil, shapeinfer.Sizes{"n": 9}},
		"by hand": {nil, []string{"n+m"}, []int{9}, shapeinfer.Sizes{"n": 2},
			shapeinfer.Sizes{"n": 2, "m": 7}},
		"by statement": {func(g *graph.Graph) { g.Equal(g.Dim("n"), g.Dim("m").Plus(2)) },
			[]string{"n"}, []int{9}, nil, shapeinfer.Sizes{"n": 9, "m": 7}},
		"by statement, the other way": {func(g *graph.Graph) { g.Equal(g.Dim("n"), g.Dim("m").Plus(2)) },
			[]string{"m"}, []int{9}, nil, shapeinfer.Sizes{"n": 11, "m": 9}},
		"nothing to find": {nil, []string{"3"}, []int{3}, nil, shapeinfer.Sizes{}},
		"an empty axis": {func(g *graph.Graph) { g.Dim("n", graph.AtLeast(0)) }, []string{"n"}, []int{0},
			nil, shapeinfer.Sizes{"n": 0}},
		"a size of 1 is like any": {nil, []string{"n"}, []int{1}, nil, shapeinfer.Sizes{"n": 1}},
		"the greatest one is no limit": {nil, []string{"n"}, []int{manyElements}, nil,
			shapeinfer.Sizes{"n": int64(manyElements)}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("bind")
			if c.declare != nil {
				c.declare(g)
			}
			sizes, err := bind(g, c.declared, c.have, c.given)
			require.NoError(t, err)
			assert.Equal(t, c.want, sizes)
		})
	}
}

// manyElements is some 2⁴⁰ where an int has 64 bits.
const manyElements = int(^uint(0) >> 24)

func TestBindSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		declare  func(g *graph.Graph)
		declared []string
		have     []int
		given    shapeinfer.Sizes
		want     []string // each in a problem of its own
	}{
		"two values of one name": {nil, []string{"n", "n"}, []int{5, 6}, nil,
			[]string{"n = 5   from input a, axis 0   (bind_test.go:"}},
		"a remainder": {nil, []string{"2*n"}, []int{7}, nil,
			[]string{
				"2*n = 7   from input a, axis 0   (bind_test.go:26:8): division had remainder 1, so no size of n fits"}},
		"below the least": {nil, []string{"n+1"}, []int{1}, nil,
			[]string{"n = 0   from input a, axis 0   (bind_test.go:26:8)\nit is declared at least 1 at bind_test.go:"}},
		"above the greatest": {func(g *graph.Graph) { g.Dim("n", graph.AtMost(4)) }, []string{"n"}, []int{5}, nil,
			[]string{"it is declared at most 4 at bind_test.go:"}},
		"no multiple": {func(g *graph.Graph) { g.Dim("n", graph.MultipleOf(4)) }, []string{"n"}, []int{6},
			nil, []string{"it is declared a multiple of 4 at bind_test.go:"}},
		"a number": {nil, []string{"3"}, []int{4}, nil,
			[]string{"axis 0 of input a is 4, and it is declared [3] at bind_test.go:"}},
		"negative": {nil, []string{"n"}, []int{-1}, nil,
			[]string{"axis 0 of input a is -1: sizes must be at least 0"}},
		"by hand, and otherwise": {nil, []string{"n"}, []int{6}, shapeinfer.Sizes{"n": 5},
			[]string{"n = 5   set explicitly\nn = 6   from input a, axis 0"}},
		"against a statement": {func(g *graph.Graph) { g.Equal(g.Dim("n"), g.Dim("m")) }, []string{"n", "m"},
			[]int{6, 7}, nil, []string{
				"m == n fails: 7 against 6\nm = 7   from input b, axis 0   (bind_test.go:26:8)\nn = 6   from input a, axis 0   (bind_test.go:26:8)\nstated at bind_test.go:"}},
		"nothing is said of n": {nil, []string{"n//2", "n//2+n-n//2*2"}, []int{5, 9}, nil,
			[]string{"no sizes n were found for"}},
		"an open name that counts": {func(g *graph.Graph) {
			g.Input("whole", graph.Float32, 3)
			ops.Expand(g.ByName("whole"), g.Dim("n"), 3)
		}, []string{"n//2"}, []int{5}, nil, []string{
			"n could be 10 or 11: set it explicitly, or add an input with an axis of that size\nfloor(n/2) = 5   from input a"}},
		"a name of no input": {func(g *graph.Graph) { ops.Expand(g.Input("x", graph.Float32, 1), g.Dim("n")) }, nil,
			nil, nil, []string{"no input determines n, but Expand(x, n) at bind_test.go:"}},
		"several at once": {func(g *graph.Graph) { g.Dim("n", graph.AtMost(4)) }, []string{"n", "n", "3", "2*m"},
			[]int{5, 6, 4, 3}, nil,
			[]string{"remainder 1", "at most 4", "[3]", "n = 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("bind")
			if c.declare != nil {
				c.declare(g)
			}
			_, err := bind(g, c.declared, c.have, c.given)
			var bad *shapeinfer.BindError
			require.ErrorAs(t, err, &bad)
			require.Len(t, bad.Problems, len(c.want), "%v", err)
			for i, want := range c.want {
				assert.Contains(t, bad.Problems[i], want)
			}
			assert.Regexp(
				t, `^bind_test\.go:\d+:\d+: error BL501: (1 requirement|\d requirements) not met by the sizes bound\n`,
				err.Error())
		})
	}
}

func TestBindReportsAllRequirementsThatFail(t *testing.T) {
	g := graph.New("requirements", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	x := g.Input("x", graph.Float32, g.Dim("n"), g.Dim("h"))
	y := g.Input("y", graph.Float32, g.Dim("m"), 4)
	for range 3 {
		ops.Add(x, y)
	}
	ops.Reshape(x, -1, 3)
	needs := shapeinfer.Check(g).Requirements
	_, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{2, 5}}, {Node: y, Shape: []int{3, 4}}},
		needs)
	require.Error(t, err)
	for _, want := range []string{
		"3 requirements not met",
		"h == 4 fails: 5 against 4", "n == m fails: 2 against 3", "h*n is a multiple of 3 fails: 10 against 3",
		"n = 2   from input x, axis 0   (bind_test.go:", "m = 3   from input y, axis 0   (bind_test.go:",
		"required by Add(x, y) at bind_test.go:", "(broadcasting) and 2 nodes more",
		"required by Reshape(x, -1, 3) at bind_test.go:",
	} {
		assert.Contains(t, err.Error(), want)
	}
	sizes, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{3, 4}}, {Node: y, Shape: []int{3, 4}}},
		needs)
	require.NoError(t, err)
	assert.Equal(t, shapeinfer.Sizes{"n": 3, "m": 3, "h": 4}, sizes)
}

// TestBindLeavesWhatDoesNotMatter binds sums and floors whose parts nothing uses.
func TestBindLeavesWhatDoesNotMatter(t *testing.T) {
	g := graph.New("open")
	n, m := g.Dim("n"), g.Dim("m")
	x := g.Input("x", graph.Float32, n.Plus(m), n.FloorDiv(2))
	y := ops.Concat(0, x, x)
	sizes, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{9, 3}}}, nil)
	require.NoError(t, err)
	for axis, want := range []int64{18, 3} {
		got, err := y.Shape()[axis].Eval(sizes.Lookup)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// TestBindWithoutAnInput binds a part of the inputs: what only the others would tell stays
// open, without a mistake.
func TestBindWithoutAnInput(t *testing.T) {
	g := graph.New("part")
	x, y := g.Input("x", graph.Float32, g.Dim("n")), g.Input("y", graph.Float32, g.Dim("m"))
	ops.Add(x, x)
	ops.Slice(y, 0, 0, 4, 1)
	sizes, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{2}}}, shapeinfer.Check(g).Requirements)
	require.NoError(t, err)
	assert.Equal(t, shapeinfer.Sizes{"n": 2}, sizes)
}

func TestBindRefusesTooManyElements(t *testing.T) {
	g := graph.New("many")
	n, m := g.Dim("n"), g.Dim("m")
	x, y := g.Input("x", graph.Float32, n, 1, 1), g.Input("y", graph.Float32, 1, m, m)
	ops.Add(x, y)
	_, err := shapeinfer.Bind(
		g, []shapeinfer.Bound{{Node: x, Shape: []int{1 << 30, 1, 1}}, {Node: y, Shape: []int{1, 1 << 16, 1 << 16}}},
		nil)
	require.Error(t, err)
	assert.Contains(t, err.Error(),
		"Add(x, y) of shape [n, m, m] has more elements than an int64 can count: numel: integer multiplication overflow")
	_, err = shapeinfer.Bind(
		g, []shapeinfer.Bound{{Node: x, Shape: []int{1 << 20, 1, 1}}, {Node: y, Shape: []int{1, 1 << 10, 1 << 10}}},
		nil)
	assert.NoError(t, err)
}

func TestBindErrorOfWrongRank(t *testing.T) {
	g := graph.New("rank")
	x := g.Input("x", graph.Float32, g.Dim("n"), 3)
	_, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{3}}}, nil)
	assert.True(t, errors.As(err, new(*shapeinfer.BindError)))
	assert.ErrorContains(t, err, "input x has rank 2, got rank 1: it is declared [n, 3], got [3]")
}
