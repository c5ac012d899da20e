package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestResultsInTheMemoryOfOperandsUnderPressure computes more than registers hold, while
// results take the memory of operands that are read for the last time: what is read late
// must not have been overwritten.
func TestResultsInTheMemoryOfOperandsUnderPressure(t *testing.T) {
	const n = 1000
	for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
		t.Run(dtype.String(), func(t *testing.T) {
			g := graph.New("pressure")
			feed := exec.Feed{}
			values := map[string][]float64{}
			input := func(name string, first, rest float64) *graph.Node {
				x := g.Input(name, dtype, n)
				v := make([]float64, n)
				for i := range v {
					v[i] = rest
				}
				v[0] = first
				values[name] = v
				value := reference.FromFloats(dtype, v, n)
				feed[x] = exec.Array{Shape: value.Shape, Data: value.Data}
				return x
			}
			// made is a value of the run's own, whose memory others may take.
			made := func(v *graph.Node) *graph.Node {
				return ops.Reshape(ops.MatMul(ops.Unsqueeze(v, 1), ops.Full(g, dtype, 1, 1, 1)), n)
			}
			x, p, q := made(input("x", 1, 0)), made(input("p", 2, 10)), made(input("q", 3, 20))
			u, v := input("u", 4, 30), input("v", 5, 40)
			y := ops.Add(x, x)
			z, w, sum := ops.Add(y, y), ops.Mul(ops.Mul(ops.Add(p, q), u), v), ops.Sum(p)
			prog, err := exec.Compile(g, exec.Outputs(y, z, w, sum))
			require.NoError(t, err)
			out, err := prog.NewSession().Run(context.Background(), feed)
			require.NoError(t, err)
			wants := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n), {10*(n-1) + 2}}
			for i := range n {
				wants[0][i] = 2 * values["x"][i]
				wants[1][i] = 4 * values["x"][i]
				wants[2][i] = (values["p"][i] + values["q"][i]) * values["u"][i] * values["v"][i]
			}
			for i, node := range []*graph.Node{y, z, w, sum} {
				require.Equal(t, wants[i], reference.Value{
					DType: dtype, Shape: arrayOf(t, out, node).Shape, Data: arrayOf(t, out, node).Data}.Floats(),
					"output %d", i)
			}
		})
	}
}
