package exec_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// tiled repeats a column a number of times that no input tells, and has another output that
// does not need it.
func tiled() (g *graph.Graph, x, wide, alone *graph.Node) {
	g = graph.New("tiled")
	rows, times := g.Dim("rows"), g.Dim("times", graph.AtMost(100))
	x = g.Input("x", graph.Float32, rows, 1)
	return g, x, ops.Exp(ops.Expand(x, rows, times)), ops.Neg(x)
}

func column(rows int) exec.Array {
	return exec.Array{Shape: []int{rows, 1}, Data: make([]float32, rows)}
}

// A size that no input determines is given to the session.
func TestSizeOfASession(t *testing.T) {
	g, x, wide, _ := tiled()
	p, err := exec.Compile(g, exec.Outputs(wide))
	require.NoError(t, err)
	s := p.NewSession(exec.Size("times", 3))
	for _, rows := range []int{2, 5, 2} {
		r, err := s.Run(context.Background(), exec.Feed{x: column(rows)})
		require.NoError(t, err)
		require.Equal(t, []int{rows, 3}, arrayOf(t, r, wide).Shape)
		require.EqualValues(t, 1, arrayOf(t, r, wide).Data.([]float32)[rows*3-1])
	}
}

// A size that no input determines is given to single runs, which come back to sizes that were there
// before; the session's own stands where a run gives none.
func TestSizeOfARun(t *testing.T) {
	g, x, wide, _ := tiled()
	p, err := exec.Compile(g, exec.Outputs(wide))
	require.NoError(t, err)
	s, own := p.NewSession(), p.NewSession(exec.Size("times", 7))
	for _, times := range []int{3, 5, 3, 1, 5} {
		for _, s := range []*exec.Session{s, own} {
			for _, run := range []func(context.Context, exec.Feed, ...exec.RunOption) (*exec.Results, error){
				s.Run, s.RunWithoutUpdates} {
				r, err := run(t.Context(), exec.Feed{x: column(2)}, exec.RunSize("times", times))
				require.NoError(t, err)
				require.Equal(t, []int{2, times}, arrayOf(t, r, wide).Shape)
			}
		}
	}
	r, err := own.Run(t.Context(), exec.Feed{x: column(2)})
	require.NoError(t, err)
	require.Equal(t, []int{2, 7}, arrayOf(t, r, wide).Shape)
	_, err = s.Run(t.Context(), exec.Feed{x: column(2)})
	require.ErrorContains(t, err, "no input determines times", "a run's size is for that run alone")
	for want, o := range map[string]exec.RunOption{
		"at least 1":                  exec.RunSize("times", -1),
		"at most 100":                 exec.RunSize("times", 101),
		"rows = 8":                    exec.RunSize("rows", 8),
		"no size of graph \"tiled\"":  exec.RunSize("time", 3),
		"no size of graph \"tiled\" ": {},
	} {
		_, err = own.Run(t.Context(), exec.Feed{x: column(2)}, o)
		require.ErrorContains(t, err, want)
	}
}

// An input that tells nothing but a size needs not be fed where a run gives the size; a run with updates
// and one without them alike.
func TestSizeOfARunInThePlaceOfAnInput(t *testing.T) {
	g := graph.New("sample")
	n := g.Dim("n")
	x, w := g.Input("x", graph.Float32, n), g.Param("w", graph.Float32)
	y := ops.Expand(w, n)
	p, err := exec.Compile(g, exec.Outputs(y), exec.Updates(ops.AddInPlace(w, graph.Num(1))))
	require.NoError(t, err)
	s := p.NewSession()
	r, err := s.Run(t.Context(), nil, exec.RunSize("n", 2))
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0}, arrayOf(t, r, y).Data)
	r, err = s.RunWithoutUpdates(t.Context(), nil, exec.RunSize("n", 3))
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 1}, arrayOf(t, r, y).Data)
	_, err = s.Run(t.Context(), exec.Feed{x: []float32{1, 2}}, exec.RunSize("n", 3))
	require.ErrorContains(t, err, "the slice has 2 elements, but [n] needs 3")
	_, err = s.Run(t.Context(), nil)
	require.ErrorContains(t, err, "input x is not fed")
}

// The error for an empty batch says how to declare its size, unless the program requires a batch.
func TestBatchOfNone(t *testing.T) {
	const help = `; if it may be 0, declare g.Dim("batch", graph.AtLeast(0))`
	for _, c := range []struct {
		build  func(x *graph.Node) *graph.Node
		batch  graph.DimOption
		helped bool
	}{
		{func(x *graph.Node) *graph.Node { return ops.Exp(x) }, graph.AtLeast(1), true},
		{func(x *graph.Node) *graph.Node { return ops.Exp(x) }, graph.AtLeast(2), false},
		{func(x *graph.Node) *graph.Node { return ops.Max(x, 0) }, graph.AtLeast(1), false},
		{func(x *graph.Node) *graph.Node { return ops.Select(x, 0, 0) }, graph.AtLeast(1), false},
	} {
		g := graph.New("none")
		x := g.Input("x", graph.Float32, g.Dim("batch", c.batch), 2)
		p, err := exec.Compile(g, exec.Outputs(c.build(x)))
		require.NoError(t, err)
		_, err = p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{0, 2}, Data: []float32{}}})
		require.ErrorContains(t, err, "batch = 0   from input x, axis 0")
		if c.helped {
			require.ErrorContains(t, err, help)
		} else {
			require.NotContains(t, err.Error(), help)
		}
	}
}

// What a run says of sizes that are missing, that contradict the inputs or declarations, or
// that the graph does not have.
func TestSizesOfASessionThatDoNotFit(t *testing.T) {
	g, x, wide, alone := tiled()
	p, err := exec.Compile(g, exec.Outputs(wide))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		sizes []exec.SessionOption
		want  string
	}{
		"missing": {nil,
			`no input determines times, but Expand\(x, rows, times\) at size_test.go:\d+:\d+ needs it: set it explicitly, with exec.Size\("times", 8\)`},
		"contradicts": {[]exec.SessionOption{exec.Size("times", 3), exec.Size("rows", 8)},
			`rows = 8   set explicitly\s+rows = 2   from input x, axis 0   \(size_test.go:\d+:\d+\)`},
		"too large": {[]exec.SessionOption{exec.Size("times", 300)},
			`times = 300   set explicitly\s+it is declared at most 100 at size_test.go`},
		"negative": {[]exec.SessionOption{exec.Size("times", -1)}, `it is declared at least 1`},
		"misspelt": {[]exec.SessionOption{exec.Size("time", 3)},
			`time = 3   set explicitly\s+no size of graph "tiled" has that name; there are: rows, times`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.NewSession(c.sizes...).Run(context.Background(), exec.Feed{x: column(2)})
			require.Error(t, err)
			require.Regexp(t, `^size_test.go:\d+:\d+: error BL501: `, err.Error())
			require.Regexp(t, c.want, err.Error())
		})
	}
	_, err = p.NewSession(exec.Size("rows", 8)).Run(t.Context(), exec.Feed{x: []float32{1, 2}})
	require.EqualError(t, err,
		"exec: input x: the slice has 2 elements, but [rows, 1] needs 8; exec.Size or exec.RunSize gives rows = 8")
	p, err = exec.Compile(g, exec.Outputs(alone))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(), exec.Feed{x: column(2)})
	require.NoError(t, err, "what is not computed needs no size")
}

// An input that would only tell a size need not be fed when the size is given.
func TestSizeInThePlaceOfAnInput(t *testing.T) {
	g := graph.New("g")
	n := g.Dim("n")
	like, x := g.Input("like", graph.Float32, n), g.Param("x", graph.Float32, 1)
	y := ops.Add(ops.Mul(ops.ZerosLike(like), graph.Num(2)), ops.Expand(x, n))
	step := ops.AddInPlace(x, graph.Num(1))
	p, err := exec.Compile(g, exec.Outputs(y), exec.Updates(step))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(), exec.Feed{})
	require.Error(t, err)
	s := p.NewSession(exec.Size("n", 4))
	r, err := s.Run(context.Background(), exec.Feed{})
	require.NoError(t, err)
	require.Equal(t, []int{4}, arrayOf(t, r, y).Shape)
	r, err = s.RunWithoutUpdates(context.Background(), exec.Feed{})
	require.NoError(t, err, "evaluation knows the session's sizes")
	require.Equal(t, []float32{1, 1, 1, 1}, arrayOf(t, r, y).Data)
}

// Sizes with which a run would need more memory than there can be are an error of the run.
func TestMoreMemoryThanThereCanBe(t *testing.T) {
	g := graph.New("g")
	n := g.Dim("n")
	y := ops.Full(g, graph.Float32, 1, n, n)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	_, err = p.NewSession(exec.Size("n", 1<<24)).Run(context.Background(), nil)
	if strconv.IntSize == 64 {
		require.ErrorContains(t, err, "a process cannot have more than 128.0 TiB")
	} else {
		require.ErrorContains(t, err, "too large for this processor")
	}
	r, err := p.NewSession(exec.Size("n", 2)).Run(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 1, 1}, arrayOf(t, r, y).Data)
}

// Products of matrices without rows are products too.
func TestProductsWithoutRows(t *testing.T) {
	g := graph.New("g")
	n := g.Dim("n", graph.AtLeast(0))
	x, w := g.Input("x", graph.Float32, 2, n, 3), g.Param("w", graph.Float32, 2, 3, 4)
	y := ops.MatMul(x, w)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	for _, rows := range []int{0, 1} {
		r, err := p.NewSession().Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{2, rows, 3}, Data: make([]float32, 6*rows)}})
		require.NoError(t, err)
		require.Equal(t, []int{2, rows, 4}, arrayOf(t, r, y).Shape)
	}
}

// A program asks for inputs that it reads, and for sizes that it uses, and says why.
func TestInputsThatAreAskedFor(t *testing.T) {
	g := graph.New("asked")
	batch, n := g.Dim("batch"), g.Dim("n")
	x, seed := g.Input("x", graph.Float32, batch, 8), g.Input("seed", graph.Int64)
	other := g.Input("other", graph.Float32, batch)
	w := g.Param("w", graph.Float32, 4, 8)
	fixed := ops.MatMul(ops.Normal(seed, graph.Float32, 3, 4), w)
	sized := ops.MatMul(ops.Normal(seed, graph.Float32, n, 4), w)
	rows := ops.MatMul(ops.Normal(seed, graph.Float32, batch, 4), w)
	ops.Sub(rows, x)
	asked := func(word string) string {
		return "^exec: input " + word +
			" is not fed; it is .*; its values are not used, but it determines the size \"batch\", which " +
			`.* \(size_test.go:\d+:\d+\) uses: feed it, or pass exec.Size\("batch", n\) to the session, or exec.RunSize\("batch", n\) to the run$`
	}
	matrix := exec.Array{Shape: []int{2, 8}, Data: make([]float32, 16)}
	for name, c := range map[string]struct {
		y    *graph.Node
		feed exec.Feed
		opts []exec.SessionOption
		want string // of the error
	}{
		"no size":       {y: fixed, feed: exec.Feed{seed: 1}},
		"another size":  {y: sized, feed: exec.Feed{seed: 1}, opts: []exec.SessionOption{exec.Size("n", 3)}},
		"not told":      {y: rows, feed: exec.Feed{seed: 1}, want: asked("x")},
		"told by hand":  {y: rows, feed: exec.Feed{seed: 1}, opts: []exec.SessionOption{exec.Size("batch", 2)}},
		"told by one":   {y: rows, feed: exec.Feed{seed: 1, x: matrix}},
		"or by another": {y: rows, feed: exec.Feed{seed: 1, other: exec.Array{Shape: []int{2}, Data: []float32{1, 2}}}},
		"read": {y: rows, feed: exec.Feed{x: matrix},
			want: `^exec: input seed is not fed; it is int64\[\], declared at size_test.go:\d+$`},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := exec.Compile(g, exec.Outputs(c.y))
			require.NoError(t, err)
			_, err = p.NewSession(c.opts...).Run(context.Background(), c.feed)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				require.Regexp(t, c.want, err.Error())
			}
		})
	}
}

// Sizes for which no machine has memory are errors that tell the sizes, the bytes and the value,
// and the session runs on with others.
func TestSizesOfTooMuchMemory(t *testing.T) {
	g := graph.New("huge")
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, 2, 1)
	wide := ops.Exp(ops.Expand(x, 2, n)).Named("wide")
	w := ops.MatMul(wide, ops.Cast(ops.Iota(g, 0, n, 3), graph.Float32))
	feed := exec.Feed{x: exec.Array{Shape: []int{2, 1}, Data: make([]float32, 2)}}
	p, err := exec.Compile(g, exec.Outputs(w))
	require.NoError(t, err)
	for _, size := range []int64{1 << 38, 1 << 40, 1 << 43, 1 << 45} {
		if int64(int(size)) != size {
			continue // too large for this processor
		}
		_, err := p.NewSession(exec.Size("n", int(size))).Run(context.Background(), feed)
		require.ErrorContains(t, err, fmt.Sprintf(`exec: a run of graph "huge" with n = %d needs at least `, size))
		require.Regexp(
			t,
			`bytes of memory \([\d.]+ .iB\), and .* (has|more than|give).*; the largest value is .*\[\d+ 3\] \(size_test.go:\d+:\d+\)`,
			err.Error())
	}
	for _, d := range []graph.Dim{1 << 40, 1 << 45} {
		g := graph.New("static")
		y := ops.Sin(ops.Expand(g.Input("x", graph.Float64, 1), d))
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		_, err = p.NewSession().Run(context.Background(),
			exec.Feed{g.ByName("x"): exec.Array{Shape: []int{1}, Data: []float64{1}}})
		require.ErrorContains(t, err, `exec: a run of graph "static" needs at least`)
	}
}

// The error names the value that is too large as the user's program does.
func TestTooLargeCopy(t *testing.T) {
	g := graph.New("o")
	n := g.Dim("n")
	v := g.Input("v", graph.Float32, n)
	w := ops.Expand(ops.Unsqueeze(v, 0), 1<<40, n)
	p, err := exec.Compile(g, exec.Outputs(ops.Copy(w)), exec.OnWarning(nil))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(), exec.Feed{v: make([]float32, 3)})
	require.ErrorContains(t, err, "the largest value is Copy(w), float32[1099511627776 3]")
}

// Parameters for which there is no memory are an error of each call of a session.
func TestParametersOfTooMuchMemory(t *testing.T) {
	for _, d := range []graph.Dim{1 << 42, 1 << 45} {
		g := graph.New("huge")
		w, v := g.Param("w", graph.Float32, d), g.Param("v", graph.Float32, 3)
		p, err := exec.Compile(g, exec.Outputs(ops.Sum(ops.Select(w, 0, 1)), ops.Neg(v)))
		require.NoError(t, err)
		s := p.NewSession()
		_, err = s.Run(context.Background(), nil)
		require.ErrorContains(t, err, `exec: the parameters of graph "huge" need `)
		require.Regexp(t, `the largest is w, float32\[\d+\] \(size_test.go:\d+\)`, err.Error())
		_, failed := s.Param(v)
		require.Equal(t, err, failed)
	}
}
