package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// scores is a function as users write them.
func scores(g *graph.Graph, q, k *graph.Node) *graph.Node {
	c := contract.New(g, "scores")
	q = c.Takes("q", q, "batch seq d") // line 19
	k = c.Takes("k", k, "batch s d")
	return c.Gives(ops.MatMul(q, ops.Transpose(k, 1, 2)), "batch seq s")
}

// lines lists the codes of a report with their lines in this file.
func lines(r *shapeinfer.Report) (list []string) {
	for _, found := range [][]*graph.Mistake{r.Errors, r.Warnings} {
		for _, m := range found {
			f, _ := m.Place().Frame()
			list = append(list, fmt.Sprintf("%s at %d", m.Code, f.Line))
		}
	}
	return list
}

// A wrong argument is reported where the function is called.
// What follows from it is not reported again.
func TestCallersAreToldOfArguments(t *testing.T) {
	g := graph.New("g")
	batch, seq := g.Dim("batch"), g.Dim("seq")
	q := g.Input("q", graph.Float32, batch, seq, 64)
	k := g.Input("k", graph.Float32, batch, 5, 32)
	c := contract.New(g, "inner")
	c.Takes("q", q, "batch seq d")
	c.Takes("k", k, "batch s d") // line 44: both in one function
	c.Gives(q, "d batch seq")
	require.Equal(t, []string{"BL170 at 44"}, lines(shapeinfer.Check(g)))

	g = graph.New("g")
	batch, seq = g.Dim("batch"), g.Dim("seq")
	q = g.Input("q", graph.Float32, batch, seq, 64)
	k = g.Input("k", graph.Float32, batch, 5, 32)
	scores(g, q, k) // line 52
	r := shapeinfer.Check(g)
	require.Contains(t, lines(r), "BL170 at 52")
	text := r.String()
	assert.Contains(t, text, `scores takes k as "batch s d": axis 2 is 32, not 64`)
	assert.Contains(t, text, "\"batch s d\", taken by scores at messages_test.go:20:6")
	assert.Contains(t, text, "d is 64 from q at messages_test.go:19")
	assert.NotContains(t, text, "scores gives")
}

// A wrong result is reported where the function returns it.
func TestFunctionsAreToldOfResults(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 3)
	c := contract.New(g, "pool")
	x = c.Takes("x", x, "batch d")
	c.Gives(ops.Mean(x, 1), "batch 1") // line 68
	r := shapeinfer.Check(g)
	require.Equal(t, []string{"BL170 at 68"}, lines(r))
	assert.Contains(t, r.String(), `pool gives Mean(x, 1) as "batch 1": it has 1 axis, but the promise has 2 axes`)
	assert.Contains(t, r.String(), "Unsqueeze(Mean(x, 1), 1) gives [batch, 1]")
}

// Other mistakes say what was promised of their operands.
func TestMistakesTellOfPromises(t *testing.T) {
	g := graph.New("g")
	batch, seq := g.Dim("batch"), g.Dim("seq")
	s := scores(g, g.Input("q", graph.Float32, batch, seq, 64), g.Input("k", graph.Float32, batch, 5, 64))
	ops.Add(s, g.Input("mask", graph.Float32, seq))
	r := shapeinfer.Check(g)
	require.Len(t, r.Errors, 1)
	assert.Equal(t, graph.CodeNames, r.Errors[0].Code)
	assert.Contains(t, r.String(), `"batch seq s", promised by scores at messages_test.go:21:9`)
}

// Axes in another order than the graph's names have them are warned of; where others do not fit
// then, they are an error.
func TestExchangedAxes(t *testing.T) {
	build := func(second func(g *graph.Graph, q *graph.Node) *graph.Node) (*graph.Graph, *graph.Node) {
		g := graph.New("g")
		batch, seq := g.Dim("batch"), g.Dim("seq")
		q := g.Input("q", graph.Float32, seq, batch, 64)
		scores(g, q, second(g, q)) // line 94
		return g, q
	}
	g, q := build(func(_ *graph.Graph, q *graph.Node) *graph.Node { return q })
	r := shapeinfer.Check(g)
	require.Equal(t, []string{"BL220 at 94"}, lines(r), r.String())
	assert.Contains(t, r.String(), "Transpose(q, 0, 1) has them in this order")
	q.Silence(graph.CodeCrossedNames)
	require.Empty(t, lines(shapeinfer.Check(g)))

	g, _ = build(func(g *graph.Graph, _ *graph.Node) *graph.Node {
		return g.Input("k", graph.Float32, graph.SymbolicDim("batch"), 5, 64)
	})
	r = shapeinfer.Check(g)
	require.Contains(t, lines(r), "BL170 at 94", r.String())
	assert.Contains(t, r.String(), "help: Transpose(q, 0, 1) gives [batch, seq, 64]")
	assert.NotContains(t, r.String(), "takes k")

	// Names that are the graph's own in every call.
	g = graph.New("g")
	batch, seq := g.Dim("batch"), g.Dim("seq")
	c := contract.New(g, "F", batch, seq)
	c.Takes("x", g.Input("x", graph.Float32, seq, batch), "batch seq")
	require.Error(t, shapeinfer.Check(g).Err())
}

// Two languages attend to each other: the contract's t and s are the graph's s and t in one of
// two calls, and nothing is exchanged in any value.
func TestNamesOfACallAreItsOwn(t *testing.T) {
	g := graph.New("g")
	batch, seq, s := g.Dim("batch"), g.Dim("seq"), g.Dim("s")
	text, image := g.Input("text", graph.Float32, batch, seq, 64), g.Input("image", graph.Float32, batch, s, 64)
	scores(g, text, image)
	scores(g, image, text)
	scores(g, text, text)
	require.Empty(t, lines(shapeinfer.Check(g)))
}

func TestSize(t *testing.T) {
	g := graph.New("g")
	batch, d := g.Dim("batch"), g.Dim("d", graph.MultipleOf(8))
	x := g.Input("x", graph.Float32, batch, d)
	c := contract.New(g, "heads").Let("h", 8)
	c.Takes("x", x, "b h*dh")
	assert.Equal(t, batch, c.Size("b"))
	assert.EqualValues(t, 8, c.Size("h"))
	assert.Equal(t, d.FloorDiv(8), c.Size("dh"))
	require.NoError(t, shapeinfer.Check(g).Err())

	assert.True(t, c.Size("nothing").IsUnknown()) // line 143
	r := shapeinfer.Check(g)
	require.Equal(t, []string{"BL170 at 143"}, lines(r))
	assert.Contains(t, r.String(), "heads uses the size nothing, but none of its arguments determines it")
}

// Two names of one number are two sizes under strict names; the number is both.
func TestNamesOfNumbers(t *testing.T) {
	for _, names := range []graph.NamesPolicy{graph.Strict, graph.Unify} {
		g := graph.New("g", graph.WithPolicy(graph.Policy{Names: names}))
		batch, latent, wide := g.Dim("batch"), g.Dim("latent", graph.Exactly(32)), g.Dim("wide", graph.Exactly(32))
		x := g.Input("x", graph.Float32, batch, latent)
		ops.Expect(x, batch, 32)
		ops.Expect(x, batch, latent)
		contract.Expect(x, "batch latent")
		require.NoError(t, shapeinfer.Check(g).Err())
		ops.Expect(x, batch, wide)
		require.Equal(t, names == graph.Strict, shapeinfer.Check(g).Err() != nil)
	}
}

// A mistake of the value itself is reported once.
func TestMistakesAreNotToldTwice(t *testing.T) {
	g := graph.New("g")
	x := ops.Add(g.Input("x", graph.Float32, 2), g.Input("y", graph.Float32, 3)) // line 167
	c := contract.New(g, "F")
	c.Takes("x", x, "4")
	c.Gives(ops.Exp(x), "5")
	ops.Expect(x, 4)
	require.Equal(t, []string{"BL101 at 167"}, lines(shapeinfer.Check(g)))
}

func TestNoValue(t *testing.T) {
	g := graph.New("g")
	c := contract.New(g, "F")
	ops.Exp(c.Takes("x", nil, "b t")) // line 178
	contract.Expect(nil, "b")
	ops.Exp(ops.Expect(nil, 3)) // nobody's graph
	r := shapeinfer.Check(g)
	require.Equal(t, []string{"BL001 at 178"}, lines(r))
	assert.Contains(t, r.String(), `x, promised as "b t", is nil`)

	other := graph.New("other")
	y := other.Input("y", graph.Float32, 3)
	require.Same(t, y, c.Takes("y", y, "3")) // line 187
	require.Equal(t, []string{"BL170 at 187"}, lines(shapeinfer.Check(other)))
	require.Same(t, y, contract.New(nil, "F").Gives(y, "3"))
}

// A value that a call of several nodes gives is shown as that call, with its own axes.
func TestValuesOfCompositesAreShown(t *testing.T) {
	g := graph.New("g")
	image := g.Input("image", graph.Float32, g.Dim("batch"), 16, 15, 15)
	for _, x := range []*graph.Node{ops.Flatten(image, 1, -1), ops.Softmax(ops.Flatten(image, 1, -1), 1)} {
		c := contract.New(g, "Linear fc")
		c.Let("in", 4096)
		c.Takes("x", x, "*batch in")
	}
	text := shapeinfer.Check(g).String()
	assert.Contains(t, text, "Flatten(image, 1, -1)   [ batch, 3600 ]")
	assert.Contains(t, text, "Softmax(Flatten(…), 1)   [ batch, 3600 ]")
	assert.NotContains(t, text, "[ batch, 16, 15, 15")
}

// What a layer takes stands along other axes of a value, or over several.
func TestAxesThatStandElsewhere(t *testing.T) {
	b, n := graph.SymbolicDim("b"), graph.SymbolicDim("n")
	for _, c := range []struct {
		shape []graph.Dim
		in    int64
		form  string
		help  string // of the message, "" where it is to have none
	}{
		{[]graph.Dim{b, 1, 28, 28}, 784, "*batch in", "Flatten(x, 1, -1) gives [b, 784]"},
		{[]graph.Dim{b, n, 4, 8}, 32, "*batch in", "Flatten(x, 2, -1) gives [b, n, 32]"},
		{[]graph.Dim{b, 3, 5}, 16, "*batch in", ""},
		{[]graph.Dim{b, 32, 32, 3}, 3, "n in _ _", "MoveAxis(x, 3, 1) gives [b, 3, 32, 32]"},
		{[]graph.Dim{b, 3, 5, 3}, 5, "n in _ _", "Transpose(x, 1, 2) gives [b, 5, 3, 3]"},
		{[]graph.Dim{b, 7, 3, 3}, 3, "n in _ _", ""}, // which of two is not known
		{[]graph.Dim{b, 64, n}, 64, "*batch in", "Transpose(x, 1, 2) gives [b, n, 64]"},
		{[]graph.Dim{b, 10, n}, 10, "batch t in", "Transpose(x, 1, 2) gives [b, n, 10]"},
		{[]graph.Dim{b, n, n, 5}, 5, "batch t t in-1", ""},
		{[]graph.Dim{b, n, n, 5}, 5, "batch in t t", "Transpose(x, 1, 3) gives [b, 5, n, n]"},
		{[]graph.Dim{b, 8, 8}, 1, "n in _ _", "Unsqueeze(x, 1) gives [b, 1, 8, 8]"},
		{[]graph.Dim{b, 8, 8}, 2, "n in _ _", ""},
	} {
		g := graph.New("g")
		g.Dim("b")
		g.Dim("n")
		x := g.Input("x", graph.Float32, c.shape...)
		k := contract.New(g, "layer")
		k.Let("in", graph.Dim(c.in))
		k.Takes("x", x, c.form)
		r := shapeinfer.Check(g)
		require.Len(t, r.Errors, 1, "%v %s", c.shape, c.form)
		if c.help == "" {
			assert.NotContains(t, r.String(), "gives [", "%v %s", c.shape, c.form)
		} else {
			assert.Contains(t, r.String(), "help: "+c.help, "%v %s", c.shape, c.form)
		}
	}
}
