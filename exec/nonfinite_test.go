package exec_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

var inf = math.Inf(1)

// The operation that made the first NaN is found, whatever became of it later.
func TestFirstNonFinite(t *testing.T) {
	for name, c := range map[string]struct {
		build func(x *graph.Node) (blamed, output *graph.Node)
		x     []float32
		index []int
		value float64
		text  []string
	}{
		"logarithm of a negative number": {func(x *graph.Node) (*graph.Node, *graph.Node) {
			bad := ops.Log(ops.Sub(x, graph.Num(1)))
			return bad, ops.Sum(ops.Exp(ops.Mul(bad, graph.Num(2))))
		}, []float32{2, 3, 4, 0.5, 6, 7}, []int{1, 0}, math.NaN(),
			[]string{"Log", "is -0.5 there, from -0.5 to 6", "nonfinite_test.go"}},
		"quotient of zeros": {func(x *graph.Node) (*graph.Node, *graph.Node) {
			row := ops.Sum(x, 0)
			bad := ops.Div(x, row)
			return bad, ops.Mean(ops.Square(bad))
		}, []float32{1, 0, 3, 1, 0, 3}, []int{0, 1}, math.NaN(), []string{"is 0 there", "from 0 to 6"}},
		"overflow": {func(x *graph.Node) (*graph.Node, *graph.Node) {
			bad := ops.Exp(ops.Mul(x, graph.Num(100)))
			return bad, ops.Sum(bad)
		}, []float32{0, 0, 0, 0, 0, 9}, []int{1, 2}, inf, []string{"makes +Inf at [1 2] (1 of 6 elements)"}},
		"difference of infinities": {func(x *graph.Node) (*graph.Node, *graph.Node) {
			far := ops.Exp(x)
			bad := ops.Sub(far, far)
			return bad, ops.Sum(bad)
		}, []float32{0, 0, 1000, 0, 0, 0}, []int{0, 2}, math.NaN(), []string{"the infinity: ", "is 1000 there"}},
		"an input": {func(x *graph.Node) (*graph.Node, *graph.Node) { return x, ops.Sum(ops.Relu(x)) },
			[]float32{0, 0, 0, 0, float32(math.NaN()), 0}, []int{1, 1}, math.NaN(),
			[]string{"input x is fed NaN at [1 1]"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("search")
			x := g.Input("x", graph.Float32, g.Dim("n"), 3)
			blamed, output := c.build(x)
			p, err := exec.Compile(g, exec.Outputs(output), exec.OnWarning(nil))
			require.NoError(t, err)
			r, err := p.NewSession().FirstNonFinite(context.Background(), exec.Feed{x: c.x})
			require.NoError(t, err)
			require.NotNil(t, r)
			assert.Equal(t, blamed.Called(), r.Node.Called())
			assert.Same(t, blamed, r.Node)
			assert.Equal(t, c.index, r.Index)
			assert.True(t, r.Value == c.value || math.IsNaN(r.Value) && math.IsNaN(c.value), "%g", r.Value)
			for _, text := range c.text {
				assert.Contains(t, r.String(), text)
			}
		})
	}
}

// Infinities that reach no output are meant: those of masks.
func TestNonFiniteOnTheWay(t *testing.T) {
	g := graph.New("mask")
	x := g.Input("x", graph.Float32, 2, 3)
	mask := g.Input("mask", graph.Bool, 2, 3)
	filled := ops.MaskedFill(x, mask, graph.Num(math.Inf(-1)))
	weights := ops.Softmax(filled, -1)
	p, err := exec.Compile(g, exec.Outputs(weights))
	require.NoError(t, err)
	s, values := p.NewSession(), []float32{1, 2, 3, 4, 5, 6}
	r, err := s.FirstNonFinite(context.Background(),
		exec.Feed{x: values, mask: []bool{true, false, false, false, false, true}})
	require.NoError(t, err)
	assert.Nil(t, r)

	r, err = s.FirstNonFinite(context.Background(),
		exec.Feed{x: values, mask: []bool{false, false, false, true, true, true}})
	require.NoError(t, err)
	assert.Same(t, weights, r.Node)
	assert.Equal(t, []int{1, 0}, r.Index)
	assert.Same(t, filled, r.Cause.Node)
}

// In training the search changes nothing; before a step it finds the gradient, after it the parameter.
func TestNonFiniteStep(t *testing.T) {
	g := graph.New("step")
	x := g.Input("x", graph.Float32, g.Dim("n"), 2)
	w := g.Param("w", graph.Float32, 2)
	root := ops.Sqrt(ops.Mul(x, w))
	loss := ops.Sum(root) // whose gradient at 0 is infinite, and times 0 not a number
	p, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.1).Minimize(loss)...))
	require.NoError(t, err)
	s, feed := p.NewSession(), exec.Feed{x: []float32{0, 1, 1, 1}}
	require.NoError(t, s.SetParam(w, []float32{1, 1}))
	r, err := s.FirstNonFinite(context.Background(), feed)
	require.NoError(t, err)
	require.NotNil(t, r)
	assert.False(t, r.Node.IsParam(), "%s", r)
	assert.Contains(t, r.String(), "nonfinite_test.go")
	value, err := s.Param(w)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 1}, value.Data)

	_, err = s.Run(context.Background(), feed)
	require.NoError(t, err)
	r, err = s.FirstNonFinite(context.Background(), feed)
	require.NoError(t, err)
	assert.Same(t, w, r.Node)
	assert.Contains(t, r.String(), "parameter w holds NaN at [0] before the run (1 of 2 elements)")
}

// The steps of an optimiser that stays finite have nothing to find, nor is more than one part wrong.
func TestFiniteTraining(t *testing.T) {
	g := graph.New("deep")
	x := g.Input("x", graph.Float32, g.Dim("n"), 4)
	h, pass := x, nn.Training(g)
	for i := range 8 {
		h = ops.Tanh(nn.NewLinear(g, fmt.Sprintf("fc%d", i), 4, 4).Apply(pass, h))
	}
	bad := ops.Log(h)
	loss, hurt := ops.Mean(h), ops.Mean(bad)
	fine, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.1).Minimize(loss)...),
		exec.OnWarning(nil))
	require.NoError(t, err)
	feed := exec.Feed{x: []float32{1, -2, 3, -4}}
	s := fine.NewSession()
	r, err := s.FirstNonFinite(context.Background(), feed)
	require.NoError(t, err)
	assert.Nil(t, r)

	p, err := exec.Compile(g, exec.Outputs(hurt), exec.OnWarning(nil))
	require.NoError(t, err)
	r, err = p.NewSession(exec.ShareParams(s)).FirstNonFinite(context.Background(), feed)
	require.NoError(t, err)
	assert.Same(t, bad, r.Node)

	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, err = s.FirstNonFinite(stopped, feed)
	require.ErrorIs(t, err, context.Canceled)
}

// What an update would write in place of an input stays as it was fed.
func TestNonFiniteSparesInputs(t *testing.T) {
	g := graph.New("written")
	x := g.Input("x", graph.Float32, 2).Mutable()
	changed := ops.AddInPlace(x, graph.Num(inf))
	p, err := exec.Compile(g, exec.Updates(changed))
	require.NoError(t, err)
	values := []float32{1, 2}
	r, err := p.NewSession().FirstNonFinite(context.Background(), exec.Feed{x: values})
	require.NoError(t, err)
	assert.Same(t, changed, r.Node)
	assert.Equal(t, []float32{1, 2}, values)
}

// Numbers of 16 bits are looked at too, and not only what they are converted to.
func TestNonFiniteOfHalves(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Float16, graph.BFloat16} {
		g := graph.New("halves")
		x := g.Input("x", graph.Float32, 3)
		bad := ops.Log(ops.Sub(ops.Cast(x, dtype), graph.Num(1)))
		p, err := exec.Compile(g, exec.Outputs(ops.Mean(ops.Cast(bad, graph.Float32))))
		require.NoError(t, err)
		r, err := p.NewSession().FirstNonFinite(t.Context(), exec.Feed{x: []float32{3, 0.5, 2}})
		require.NoError(t, err)
		require.Same(t, bad, r.Node)
		assert.Equal(t, []int{1}, r.Index)
		assert.Contains(t, r.String(), "is -0.5 there, from -0.5 to 2")
	}
}
