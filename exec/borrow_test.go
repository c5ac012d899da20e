package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// line is w·x + b with its loss, and the parameters.
func line(g *graph.Graph) (x, w, b, y *graph.Node) {
	x, w, b = g.Input("x", graph.Float32, g.Dim("n"), 2), g.Param("w", graph.Float32, 2), g.Param("b", graph.Float32)
	return x, w, b, ops.Add(ops.Sum(ops.Mul(x, w), 1), b)
}

// TestBorrowParams reads parameters where the caller has them, and copies those that the program writes.
func TestBorrowParams(t *testing.T) {
	g := graph.New("line")
	x, w, b, y := line(g)
	table, none := g.Param("table", graph.BFloat16, 1, 1), g.Param("none", graph.Float32, 0, 3)
	answer := ops.Add(ops.Add(y, ops.Cast(ops.Sum(table), graph.Float32)), ops.Sum(none))
	step := optim.SGD(0.5).Minimize(ops.Mean(y), w)
	predict, err := exec.Compile(g, exec.Outputs(answer))
	require.NoError(t, err)
	train, err := exec.Compile(g, exec.Outputs(answer), exec.Updates(step...))
	require.NoError(t, err)
	feed := exec.Feed{x: [][]float32{{1, 2}, {3, 4}}}
	run := func(s *exec.Session) []float32 {
		r, err := s.Run(t.Context(), feed)
		require.NoError(t, err)
		v, err := exec.Values[float32](r, answer)
		require.NoError(t, err)
		return v
	}
	values := []float32{10, 100}
	lent := exec.Feed{w: values, b: float32(0.5), table: [][]half.BFloat16{{half.NewBFloat16(1000)}},
		none: exec.Array{Shape: []int{0, 3}, Data: []float32{}}}

	reading := predict.NewSession(exec.BorrowParams(exec.Feed{w: values}), exec.BorrowParams(lent))
	require.Equal(t, []float32{1210.5, 1430.5}, run(reading))
	a, err := reading.Param(w)
	require.NoError(t, err)
	require.Equal(t, exec.Array{Shape: []int{2}, Data: []float32{10, 100}}, a)
	require.Equal(t, []float32{1210.5, 1430.5}, run(predict.NewSession(exec.ShareParams(reading))))
	require.ErrorContains(t, reading.SetParam(w, []float32{1, 2}), "parameter w is in memory of BorrowParams")
	values[0] = 20 // between runs it is the caller's: the session has no copy
	require.Equal(t, []float32{1220.5, 1460.5}, run(reading))
	values[0] = 10

	writing := train.NewSession(exec.BorrowParams(lent))
	require.Equal(t, []float32{1210.5, 1430.5}, run(writing))
	require.NotEqual(t, []float32{1210.5, 1430.5}, run(writing))
	require.Equal(t, []float32{10, 100}, values)
	require.NoError(t, writing.SetParam(w, []float32{1, 2}))
	require.Error(t, writing.SetParam(b, float32(1)))
	require.Equal(t, run(predict.NewSession(exec.ShareParams(writing))),
		run(predict.NewSession(exec.ShareParams(writing))))
}

// TestBorrowParamsRefuses tells what cannot be borrowed, in each call of the session.
func TestBorrowParamsRefuses(t *testing.T) {
	g, other := graph.New("line"), graph.New("other")
	x, w, _, y := line(g)
	room := g.Input("room", graph.Float32, 2).Mutable()
	written := ops.AddInPlace(room, ops.Add(w, graph.Num(1)))
	predict, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	train, err := exec.Compile(g, exec.Outputs(y), exec.Updates(optim.SGD(0.5).Minimize(ops.Mean(y), w)...))
	require.NoError(t, err)
	late := g.Param("late", graph.Float32)
	borrowing := predict.NewSession(exec.BorrowParams(exec.Feed{w: []float32{1, 2}}))
	for name, c := range map[string]struct {
		p    *exec.Program
		o    []exec.SessionOption
		want string
	}{
		"shape": {predict, []exec.SessionOption{exec.BorrowParams(exec.Feed{w: []float32{1, 2, 3}})},
			"parameter w: the slice has 3 elements, but [2] needs 2"},
		"dtype": {predict, []exec.SessionOption{exec.BorrowParams(exec.Feed{w: []float64{1, 2}})},
			"parameter w needs dtype float32, got float64"},
		"nil": {predict, []exec.SessionOption{exec.BorrowParams(exec.Feed{nil: 1})},
			"not a parameter of the program: a nil node"},
		"input": {predict, []exec.SessionOption{exec.BorrowParams(exec.Feed{x: 1})},
			"not a parameter of the program: x"},
		"another graph": {
			predict, []exec.SessionOption{exec.BorrowParams(exec.Feed{other.Param("w", graph.Float32): 1})},
			"which is not a node of graph \"line\""},
		"declared later": {predict, []exec.SessionOption{exec.BorrowParams(exec.Feed{late: 1})},
			"after the program was compiled"},
		"shared": {
			predict, []exec.SessionOption{exec.BorrowParams(exec.Feed{w: []float32{1, 2}}),
				exec.ShareParams(predict.NewSession())}, "combined with ShareParams"},
		"shared and written": {train, []exec.SessionOption{exec.ShareParams(borrowing)},
			"the program writes parameter w"},
	} {
		_, err := c.p.NewSession(c.o...).Run(t.Context(), exec.Feed{x: [][]float32{{1, 2}}})
		require.ErrorContains(t, err, c.want, name)
	}
	inPlace, err := exec.Compile(g, exec.Outputs(written))
	require.NoError(t, err)
	values := []float32{1, 2, 3}
	_, err = inPlace.NewSession(exec.BorrowParams(exec.Feed{w: values[:2]})).Run(
		t.Context(), exec.Feed{room: values[1:]})
	require.ErrorContains(t, err, "the memory fed to it is that of parameter w, which is borrowed")
}
