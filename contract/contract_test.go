package contract_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// world is a graph with named sizes: batch, seq, src, d (a multiple of 8), n (at least 3), odd and
// one (may be 1).
type world struct {
	*graph.Graph
	inputs int
}

func newWorld(policy graph.Policy) *world {
	g := graph.New("world", graph.WithPolicy(policy))
	g.Dim("batch")
	g.Dim("seq")
	g.Dim("src")
	g.Dim("d", graph.MultipleOf(8))
	g.Dim("n", graph.AtLeast(3))
	g.Dim("odd")
	g.Dim("one", graph.MayBeOne())
	return &world{Graph: g}
}

// value is an input of a shape that is given as text.
func (w *world) value(t *testing.T, shape string) *graph.Node {
	var sizes []graph.Dim
	for _, text := range strings.Fields(shape) {
		d, err := graph.ParseDim(text)
		require.NoError(t, err)
		sizes = append(sizes, d)
	}
	w.inputs++
	return w.Input("x"+string(rune('0'+w.inputs)), graph.Float32, sizes...)
}

// A contract is a list of "shape as form", those of results with "gives" before them.
func (w *world) contract(t *testing.T, c *contract.Contract, statements []string) {
	for _, s := range statements {
		s, gives := strings.CutPrefix(s, "gives ")
		shape, form, _ := strings.Cut(s, " as ")
		if x := w.value(t, strings.TrimPrefix(shape, "scalar")); gives {
			c.Gives(x, form)
		} else {
			c.Takes(x.Name(), x, form)
		}
	}
}

func TestContracts(t *testing.T) {
	for _, c := range []struct {
		name       string
		statements []string
		want       string // a part of the message; "" where all is proved
	}{
		{"names agree", []string{"batch seq d as b t d", "batch src d as b s d", "gives batch seq src as b t s"}, ""},
		{"names of the graph", []string{"batch seq d as batch seq d", "gives batch seq as batch seq"}, ""},
		{"another call, other sizes", []string{"src seq 5 as batch seq d", "gives src seq as batch seq"}, ""},
		{"two names for one size", []string{"batch seq as b t", "batch seq as b s"}, ""},
		{"a number", []string{"batch 512 as b 512"}, ""},
		{"a named number", []string{"batch 8 as b heads=8", "gives batch 8 as b heads"}, ""},
		{"scalar", []string{"scalar as ", "gives scalar as "}, ""},
		{"any", []string{"batch seq d as _ t _model", "gives seq as t"}, ""},
		{"any number of axes", []string{"batch seq d as ... d", "d as ... d", "gives d batch as d ..."}, ""},
		{"several axes of one name", []string{"batch seq d as *b d", "batch seq 3 as *b 3", "gives batch seq as *b"},
			""},
		{"several axes, none", []string{"d as *b d", "gives 3 as *b 3"}, ""},
		{"t+1 before t", []string{"seq+1 as t+1", "seq as t"}, ""},
		{"t+1 alone", []string{"batch as t+1", "gives batch-1 as t"}, ""},
		{"half", []string{"d as d/2*2", "gives d as d"}, ""},
		{"half of what is told later", []string{"4*seq as h/2", "gives 8*seq as h"}, ""},
		{"half that is told before", []string{"d as h", "gives floor(d/2) as h/2"}, ""},
		{"a share of a name", []string{"seq as h", "batch*seq as n", "gives batch as n/h"}, ""},
		{"rounded half", []string{"odd as h", "gives floor(odd/2) as h//2"}, ""},
		{"rounded up", []string{"odd as h", "gives floor((odd+1)/2) as ceil(h/2)"}, ""},
		{"modulo", []string{"d as d", "gives 1 as d%8+1"}, ""},
		{"least", []string{"seq src as a b", "gives min(seq,src) as min(a,b)"}, ""},
		{"heads", []string{"8 as h", "batch d as b h*dh", "gives batch 8 floor(d/8) as b h dh"}, ""},
		{"heads, the other way", []string{"batch d as b h*dh", "8 as h", "gives floor(d/8) as dh"}, ""},
		{"a system", []string{"seq+src as a+b", "seq as a", "gives src as b"}, ""},
		{"a system to be solved", []string{"seq+src as a+b", "seq as a+c", "src as c+b-c", "gives seq as a"}, ""},
		{"brackets", []string{"2*seq+2 as 2*(t+1)", "gives seq as t"}, ""},
		{"broadcast", []string{"batch 1 as #b #t", "1 seq as #b #t", "gives batch seq as b t"}, ""},
		{"broadcast to a name", []string{"batch seq as b t", "1 seq as #b #t"}, ""},
		{"broadcast, both", []string{"1 1 as #b #t", "1 1 as #b #t", "gives 1 1 as b t"}, ""},
		{"broadcast of several", []string{"batch 1 3 as *#b c", "seq 3 as *#b c", "gives batch seq 3 as *b c"}, ""},
		{"a size that may be 1", []string{"one as c", "gives one as c"}, ""},
		{"at least", []string{"n as t+3", "gives n-3 as t"}, ""},

		{"another name", []string{"batch seq as b t", "batch src as b t"},
			"F takes x2 as \"b t\": axis 1 is src, and nothing says that it is seq"},
		{"a name twice", []string{"batch seq as n n"}, "axis 1 is seq, and nothing says that it is batch"},
		{"another number", []string{"batch 63 as b 64"}, "axis 1 is 63, not 64"},
		{"a number for a name", []string{"3 as c", "5 as c"}, "axis 0 is 5, not 3"},
		{"never", []string{"seq as t", "gives seq+1 as t"}, "axis 0 is seq+1, which is never seq"},
		{"not always", []string{"odd as h", "gives 2*floor(odd/2) as h"},
			"axis 0 is 2*floor(odd/2), which is not always odd"},
		{"no half", []string{"2*odd+1 as 2*k"}, "axis 0: 2*odd+1 is not a multiple of 2"},
		{"perhaps no half", []string{"odd as 2*k"}, "declare g.Dim(\"odd\", graph.MultipleOf(2)) and it is proved"},
		{"heads of a size that is no multiple", []string{"8 as h", "odd as h*dh"},
			"axis 0: odd is not always a multiple of 8"},
		{"exact half of an odd size", []string{"odd as h", "gives floor(odd/2) as h/2"}, "MultipleOf(2)"},
		{"less than nothing", []string{"odd as t+3"}, "t would be odd-3, which may be less than 0"},
		{"less than nothing, help", []string{"odd as t+3"},
			"declare g.Dim(\"odd\", graph.AtLeast(3)) and it is proved"},
		{"less than nothing, a number", []string{"2 as t+3"}, "t would be -1, which is less than 0"},
		{"rank", []string{"batch seq as b t d"}, "it has 2 axes, but the promise has 3 axes"},
		{"rank with several", []string{"batch as b t ..."}, "it has 1 axis, but the promise has at least 2 axes"},
		{"an axis too many", []string{"batch 1 as b"}, "Squeeze(x1, 1) gives [batch]"},
		{"an axis too few", []string{"batch seq as b 1 t"}, "Unsqueeze(x1, 1) gives [batch, 1, seq]"},
		{"several axes, others", []string{"batch seq d as *b d", "batch 3 as *b 3"},
			"*b is 1 axis of x2, and 2 axes by x1"},
		{"several axes, other sizes", []string{"batch seq as *b", "batch src as *b"},
			"axis 1 is src, and nothing says that it is seq"},
		{"not broadcast", []string{"batch seq as b t", "batch src as b #t"},
			"axis 1 is src, and nothing says that it is 1 or seq"},
		{"may be 1, and is no other", []string{"seq as t", "one as t"},
			"axis 0 is one, and nothing says that it is seq"},
		{"untold", []string{"batch d as b h*dh"}, "nothing tells dh and h"},
		{"untold, a result", []string{"batch as b", "gives d as h//2"}, "nothing tells h"},
		{"the equality that is missing", []string{"batch seq as b t", "batch src as b t"},
			"if they are the same size, declare it: g.Equal(src, seq)"},
		{"exchanged", []string{"batch seq as b t", "gives seq batch as b t"}, "Transpose(x2, 0, 1) gives [batch, seq]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(graph.Policy{})
			w.contract(t, contract.New(w.Graph, "F"), c.statements)
			r := shapeinfer.Check(w.Graph)
			if c.want == "" {
				assert.NoError(t, r.Err())
				return
			}
			require.Len(t, r.Errors, 1, r.String())
			assert.Equal(t, graph.CodeContract, r.Errors[0].Code)
			assert.Contains(t, r.Errors[0].Error(), c.want)
			assert.Contains(t, r.Errors[0].Error(), "by F at contract_test.go:")
		})
	}
}

// What a policy leaves to binding is assumed by no promise.
func TestPolicies(t *testing.T) {
	for _, names := range []graph.NamesPolicy{graph.Strict, graph.Unify, graph.Numpy} {
		w := newWorld(graph.Policy{Names: names})
		batch, seq := graph.SymbolicDim("batch"), graph.SymbolicDim("seq")
		x := w.value(t, "batch seq")
		ops.Expect(x, batch, seq)
		require.NoError(t, shapeinfer.Check(w.Graph).Err())
		ops.Expect(x, batch, batch)
		require.Error(t, shapeinfer.Check(w.Graph).Err())
		w.Equal(seq, batch)
		require.NoError(t, shapeinfer.Check(w.Graph).Err(), "what is declared after the promise counts as well")
	}
}

func TestExpect(t *testing.T) {
	for _, c := range []struct {
		form string
		want string
	}{
		{"batch seq 4*k", "nothing tells k"},
		{"batch seq d", ""},
		{"batch ... d", ""},
		{"_ seq h*8", "nothing tells h"},
		{"... n d", "nothing says that it is n"},
		{"bacth seq d", "nothing tells bacth"},
		{"batch seq d 1", "Unsqueeze(x1, 3)"},
		{"seq batch d", "Transpose(x1, 0, 1) gives [seq, batch, d]"},
		{"batch d/8 d", "and nothing says that it is 8*seq"},
	} {
		w := newWorld(graph.Policy{})
		x := w.value(t, "batch seq d")
		require.Same(t, x, contract.Expect(x, c.form))
		if r := shapeinfer.Check(w.Graph); c.want == "" {
			assert.NoError(t, r.Err(), c.form)
		} else if assert.Len(t, r.Errors, 1, c.form) {
			assert.Contains(t, r.Errors[0].Error(), c.want, c.form)
		}
	}
}

func TestExpectSizes(t *testing.T) {
	dim := graph.SymbolicDim
	for _, c := range []struct {
		sizes []graph.Dim
		want  string
	}{
		{[]graph.Dim{dim("batch"), dim("seq"), dim("d")}, ""},
		{[]graph.Dim{dim("batch"), ops.AnySize, dim("d").FloorDiv(8).Times(8)}, ""},
		{[]graph.Dim{ops.AnyAxes, dim("d")}, ""},
		{[]graph.Dim{dim("batch"), ops.AnyAxes}, ""},
		{[]graph.Dim{ops.AnyAxes, ops.AnyAxes}, "... stands there twice"},
		{[]graph.Dim{dim("batch"), dim("seq")}, "it has 3 axes, but the promise has 2 axes"},
		{[]graph.Dim{dim("batch"), dim("seq"), 512}, "axis 2 is d, and nothing says that it is 512"},
		{[]graph.Dim{dim("batch"), dim("seq"), -7}, "size 2 is none"},
		{[]graph.Dim{dim("batch"), dim("seq"), dim("nowhere")}, "the size nowhere is not declared"},
		{[]graph.Dim{dim("batch"), dim("seq"), dim("d") + 1}, "size 2 is none"},
	} {
		w := newWorld(graph.Policy{})
		x := w.value(t, "batch seq d")
		require.Same(t, x, ops.Expect(x, c.sizes...))
		if r := shapeinfer.Check(w.Graph); c.want == "" {
			assert.NoError(t, r.Err(), c.sizes)
		} else if assert.Len(t, r.Errors, 1, c.sizes) {
			assert.Contains(t, r.Errors[0].Error(), c.want, c.sizes)
		}
	}
}

// A promise is no node: the program that runs is the same as without.
func TestPromisesCostNothing(t *testing.T) {
	build := func(promises bool) string {
		g := graph.New("cost")
		batch := g.Dim("batch")
		x := g.Input("x", graph.Float32, batch, 4)
		y := ops.Tanh(x)
		if promises {
			c := contract.New(g, "F")
			require.Same(t, x, c.Takes("x", x, "b c"))
			require.Same(t, y, c.Gives(y, "b c"))
			require.Same(t, y, ops.Expect(y, batch, 4))
		}
		require.Len(t, g.Nodes(), 2)
		prog, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		out, err := prog.NewSession().Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{1, 4}, Data: make([]float32, 4)}})
		require.NoError(t, err)
		require.NotNil(t, out)
		return prog.String()
	}
	assert.Equal(t, build(false), build(true))
}

// A program with a broken promise is not compiled.
func TestCompileProves(t *testing.T) {
	w := newWorld(graph.Policy{})
	y := ops.Expect(ops.Exp(w.value(t, "batch 3")), graph.SymbolicDim("batch"), 4)
	_, err := exec.Compile(w.Graph, exec.Outputs(y))
	require.True(t, shapeinfer.IsMistake(err, graph.CodeContract), "%v", err)
}
