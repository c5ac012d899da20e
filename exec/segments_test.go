package exec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestSlicesMeetWhatIsThere unites slices with a value at the places that an index names. The greatest and the least
// ones are found without a copy of the value behind which the slices stand, of any dtype and with NaN and zeros of
// either sign.
func TestSlicesMeetWhatIsThere(t *testing.T) {
	negative, nan := math.Copysign(0, -1), math.NaN()
	x := []float64{1, 2, negative, 0, 5, nan}
	src := []float64{3, 1, 0, negative, nan, 7}
	index := []int64{2, 1, 2} // of rows of two
	for _, c := range []struct {
		by   ops.Reduction
		dt   graph.DType
		want []float64
	}{
		{ops.ReduceMax, graph.Float32, []float64{1, 2, 0, 0, nan, nan}},
		{ops.ReduceMin, graph.Float64, []float64{1, 2, negative, negative, nan, nan}},
		{ops.ReduceMax, graph.Int32, []float64{1, 2, 0, 0, 5, 7}},
		{ops.ReduceMin, graph.Int64, []float64{1, 2, 0, 0, 0, 0}},
	} {
		g := graph.New("unite")
		a, b, at := g.Input("x", c.dt, 3, 2), g.Input("src", c.dt, 3, 2), g.Input("index", graph.Int64, 3)
		y := ops.IndexReduce(a, 0, at, b, c.by)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		require.Equal(t, 3, p.Kernels(), "the first checks the indices: %s", p)
		given := func(list []float64) any {
			if !c.dt.IsFloat() {
				list = append([]float64{}, list...)
				for i, v := range list {
					if math.IsNaN(v) {
						list[i] = 0
					}
				}
			}
			return numbersOfDType(c.dt, list)
		}
		out, err := p.NewSession().Run(t.Context(), exec.Feed{a: given(x), b: given(src), at: index})
		require.NoError(t, err)
		require.Equal(t, bitsOf(numbersOfDType(c.dt, c.want)), bitsOf(arrayOf(t, out, y).Data), "%v of %v", c.by, c.dt)
	}
}

func numbersOfDType(dt graph.DType, list []float64) any {
	switch dt {
	case graph.Float32:
		return converted[float32](list)
	case graph.Int32:
		return converted[int32](list)
	case graph.Int64:
		return converted[int64](list)
	}
	return list
}

func converted[T float32 | int32 | int64](list []float64) (all []T) {
	for _, v := range list {
		all = append(all, T(v))
	}
	return all
}
