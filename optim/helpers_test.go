package optim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

const rate = 0.05

// start is where parameters begin.
type start float64

func (s start) Fill(dst any, _ []int, _ uint64) {
	switch dst := dst.(type) {
	case []float32:
		for i := range dst {
			dst[i] = float32(s) + float32(i)
		}
	case []float64:
		for i := range dst {
			dst[i] = float64(s) + float64(i)
		}
	}
}

func (start) String() string { return "start" }

// quadratic is the smallest program that trains.
type quadratic struct {
	w, loss, rate *graph.Node
	sess          *exec.Session
}

// newQuadratic makes the optimiser of a rate that may be fed.
func newQuadratic(t *testing.T, o func(rate *graph.Node) optim.Optimizer) *quadratic {
	g := graph.New("quadratic")
	q := &quadratic{w: g.ParamInit("w", graph.Float32, start(1), 4), rate: g.Input("rate", graph.Float32)}
	q.loss = ops.Sum(ops.Square(q.w))
	prog, err := exec.Compile(g, exec.Outputs(q.loss), exec.Updates(o(q.rate).Minimize(q.loss)...))
	require.NoError(t, err)
	q.sess = prog.NewSession()
	return q
}

func (q *quadratic) step(t *testing.T, feed exec.Feed) {
	_, err := q.sess.Run(context.Background(), feed)
	require.NoError(t, err)
}

func array(t graph.DType, v []float64, shape ...int) exec.Array {
	if t == graph.Float64 {
		return exec.Array{Shape: shape, Data: append([]float64(nil), v...)}
	}
	data := make([]float32, len(v))
	for i := range v {
		data[i] = float32(v[i])
	}
	switch t {
	case graph.Float16:
		return exec.Array{Shape: shape, Data: half.ToFloat16(data)}
	case graph.BFloat16:
		return exec.Array{Shape: shape, Data: half.ToBFloat16(data)}
	}
	return exec.Array{Shape: shape, Data: data}
}

func values(t *testing.T, sess *exec.Session, w *graph.Node) (list []float64) {
	a, err := sess.Param(w)
	require.NoError(t, err)
	switch data := a.Widened().Data.(type) {
	case []float64:
		return append(list, data...)
	case []float32:
		for _, v := range data {
			list = append(list, float64(v))
		}
	case []int64:
		for _, v := range data {
			list = append(list, float64(v))
		}
	}
	return list
}
