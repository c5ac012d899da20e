package exec

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var errOwn = errors.New("a mistake of the operation")

// An operation of a user's own that panics in a pass, after it was found whole, is an error with
// its place, the place of the panic and the stack.
func TestOperationThatPanics(t *testing.T) {
	op := &graph.Op{Name: "own", Func: "Own", Doc: "x.", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Emit: func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
			if _, ok := e.(*lower.Lowering); ok {
				panic(errOwn)
			}
			return x[0]
		}}
	g := graph.New("own")
	x := g.Input("x", graph.Float32, 3)
	_, err := Compile(g, Outputs(ops.Exp(graph.Apply(op, nil, ops.Neg(x)))))
	require.ErrorIs(t, err, errOwn)
	require.Regexp(
		t,
		`(?s)^exec: code outside the library panicked in pass lower at Own\(.*\) \(bug_test.go:\d+:\d+\): panic at bug_test.go:\d+: .*\n\ngoroutine `,
		err.Error())
}

// panicking is a kernel that panics in some tile once.
type panicking struct {
	engine.Task
	shared bool
	tiles  []bool // that panic
}

func (p *panicking) Run(s *engine.State) error {
	if p.shared {
		s.ParallelFor(p, len(p.tiles), 1_500_000) // which is worth waking workers for
		return nil
	}
	p.Tile(0, &s.Ws)
	return nil
}

func (p *panicking) Tile(i int, _ *engine.Workspace) {
	if p.tiles[i] {
		panic(errOwn)
	}
}

// A kernel that panics, be it on a worker, ends the run with an error that names its values. The
// session, and others, run on.
func TestKernelsThatPanic(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float32, 4)
	y := ops.Exp(x)
	p, err := Compile(g, Outputs(y))
	require.NoError(t, err)
	s := p.NewSession(Threads(4))
	feed := Feed{x: Array{Shape: []int{4}, Data: make([]float32, 4)}}
	for _, shared := range []bool{false, true} {
		_, err = s.Run(context.Background(), feed)
		require.NoError(t, err)
		tiles := make([]bool, 1000)
		for i := range tiles {
			tiles[i] = i%7 == 0
		}
		l := &s.bindings[0].Launches[0]
		l.Task, l.Batch = &panicking{l.Task, shared, tiles}, nil
		_, err = s.Run(context.Background(), feed)
		var bug *BugError
		require.ErrorAs(t, err, &bug)
		require.ErrorIs(t, err, errOwn)
		require.Contains(t, err.Error(), "in pass run at Exp(x) (bug_test.go:")
		out, err := s.Run(context.Background(), feed)
		require.NoError(t, err)
		v, err := out.Array(y)
		require.NoError(t, err)
		require.Equal(t, []float32{1, 1, 1, 1}, v.Data)
	}
}

type panickingStart struct{}

func (panickingStart) Fill(any, []int, uint64) { panic(errOwn) }

func (panickingStart) String() string { return "panicking" }

// A parameter's beginning that panics is an error of each call of the session.
func TestBeginningsThatPanic(t *testing.T) {
	g := graph.New("g")
	y := ops.Exp(g.ParamInit("w", graph.Float32, panickingStart{}, 3))
	p, err := Compile(g, Outputs(y))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(), nil)
	require.ErrorIs(t, err, errOwn)
	require.Regexp(t, `at Param\(w\) \(bug_test.go:\d+:\d+\): panic at bug_test.go:\d+`, err.Error())
}
