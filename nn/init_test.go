package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
)

func TestInitializers(t *testing.T) {
	shape := []int{300, 200} // out, in
	for _, c := range []struct {
		init  graph.Initializer
		name  string
		mean  float64
		std   float64
		bound float64 // no element is farther from the mean; 0 where there is no bound
	}{
		{nn.Zeros(), "zeros", 0, 0, 0},
		{nn.Ones(), "ones", 1, 0, 0},
		{nn.Constant(2.5), "constant(2.5)", 2.5, 0, 0},
		{nn.Uniform(-1, 3), "uniform(-1,3)", 1, 4 / math.Sqrt(12), 2},
		{nn.Normal(0.5), "normal(0.5)", 0, 0.5, 0},
		{nn.XavierUniform(), "xavier_uniform", 0, math.Sqrt(2.0 / 500), math.Sqrt(6.0 / 500)},
		{nn.XavierNormal(), "xavier_normal", 0, math.Sqrt(2.0 / 500), 0},
		{nn.KaimingUniform(), "kaiming_uniform", 0, math.Sqrt(2.0 / 200), math.Sqrt(6.0 / 200)},
		{nn.KaimingNormal(), "kaiming_normal", 0, math.Sqrt(2.0 / 200), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := make([]float64, shape[0]*shape[1])
			c.init.Fill(data, shape, 1)
			mean, std := moments(data)
			assert.Equal(t, c.name, c.init.String())
			// Five standard errors of 60,000 draws.
			assert.InDelta(t, c.mean, mean, 5*c.std/245+1e-12)
			assert.InDelta(t, c.std, std, 5*c.std/245+1e-12)
			if c.bound > 0 {
				assert.LessOrEqual(t, slices.Max(data)-c.mean, c.bound)
				assert.LessOrEqual(t, c.mean-slices.Min(data), c.bound)
			}
		})
	}
}

// Kernels count their window; vectors and scalars must not divide by nothing.
func TestFans(t *testing.T) {
	for _, c := range []struct {
		shape []int
		std   float64
	}{
		{[]int{}, math.Sqrt(2.0 / 1)},
		{[]int{50}, math.Sqrt(2.0 / 50)},
		{[]int{16, 8}, math.Sqrt(2.0 / 8)},
		{[]int{16, 8, 3, 3}, math.Sqrt(2.0 / 72)},
	} {
		// Many seeds, so that a parameter of one element has a deviation as well.
		var all []float64
		size := 1
		for _, n := range c.shape {
			size *= n
		}
		data := make([]float64, size)
		for seed := range uint64(20000/size + 1) {
			nn.KaimingNormal().Fill(data, c.shape, seed)
			all = append(all, data...)
		}
		_, std := moments(all)
		assert.InEpsilon(t, c.std, std, 0.05, "shape %v", c.shape)
	}
}

func TestInitializersRepeatTheirSeed(t *testing.T) {
	draw := func(seed uint64) []float32 {
		data := make([]float32, 10)
		nn.KaimingNormal().Fill(data, []int{2, 5}, seed)
		return data
	}
	assert.Equal(t, draw(7), draw(7))
	assert.NotEqual(t, draw(7), draw(8))
}

func TestInitializersFillEveryElementType(t *testing.T) {
	for _, c := range []struct{ dst, want any }{
		{make([]float32, 2), []float32{3, 3}},
		{make([]float64, 2), []float64{3, 3}},
		{make([]int32, 2), []int32{3, 3}},
		{make([]int64, 2), []int64{3, 3}},
		{make([]bool, 2), []bool{true, true}},
	} {
		nn.Constant(3).Fill(c.dst, []int{2}, 0)
		assert.Equal(t, c.want, c.dst)
	}
}

func moments(data []float64) (mean, std float64) {
	for _, v := range data {
		mean += v
	}
	mean /= float64(len(data))
	for _, v := range data {
		std += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(std / float64(len(data)))
}
