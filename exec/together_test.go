package exec_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// A function of several examples at once is called for all of them, in parts for threads, with the shapes of these. An
// operand of one example alone is whole.
func TestFunctionsOfExamplesTogether(t *testing.T) {
	for _, c := range []struct{ threads, rows, size, least, most int }{
		{1, 1000, 37, 1, 1}, {3, 1000, 37, 10, 12}, {2, 10, 37, 1, 1}, {2, 16, 1 << 13, 8, 8}, {1, 3, 1 << 20, 3, 3},
		{2, 0, 37, 0, 0},
	} {
		rows, size := c.rows, c.size
		var calls atomic.Int64
		op := &graph.Op{Name: "own", Func: "Own", Doc: "rows times a vector", Class: graph.Function, MinIn: 2, MaxIn: 2,
			Together: true,
			Infer:    func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
			Core:     func(*graph.Node) ([]int, int) { return []int{1, 1}, 1 },
			Function: func(a *graph.Arrays) error {
				calls.Add(1)
				x, v, y := graph.Elements[float32](a.In[0]), graph.Elements[float32](a.In[1]),
					graph.Elements[float32](a.Out)
				if len(a.In[0].Shape) != len(a.Out.Shape) || len(a.In[1].Shape) != 1 {
					t.Errorf("shapes %v, %v and %v", a.In[0].Shape, a.In[1].Shape, a.Out.Shape)
				}
				for i := range y {
					y[i] = x[i] * v[i%size]
				}
				return nil
			}}
		g := graph.New("own")
		x, v := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)), graph.Dim(size)),
			g.Input("v", graph.Float32, graph.Dim(size))
		y := graph.Apply(op, nil, x, v)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		in, by, want := make([]float32, rows*size), make([]float32, size), make([]float32, rows*size)
		for i := range in {
			by[i%size] = float32(i % size)
			in[i] = float32(i / size)
			want[i] = in[i] * by[i%size]
		}
		calls.Store(0)
		r, err := p.NewSession(exec.Threads(c.threads)).Run(
			t.Context(), exec.Feed{x: exec.Array{Shape: []int{rows, size}, Data: in}, v: by})
		require.NoError(t, err)
		a, err := r.Array(y)
		require.NoError(t, err)
		require.Equal(t, want, a.Data)
		require.GreaterOrEqual(t, calls.Load(), int64(c.least), c)
		require.LessOrEqual(t, calls.Load(), int64(c.most), c)
	}
}
