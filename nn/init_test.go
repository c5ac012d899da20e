package nn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
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
		{nn.KaimingNormal(nn.FanOut(), nn.Gain(nn.GainTanh)), "kaiming_normal", 0, nn.GainTanh / math.Sqrt(300), 0},
		{nn.XavierUniform(nn.Gain(nn.GainSelu)), "xavier_uniform", 0, nn.GainSelu * math.Sqrt(2.0/500),
			nn.GainSelu * math.Sqrt(6.0/500)},
		// Cut at one standard deviation, the variance is 1 - 2φ(1)/(2Φ(1)-1); cut at 0, it is that of |x|.
		{nn.TruncNormal(3, 2, 1, 5), "trunc_normal(3,2,1,5)", 3, 2 * 0.5395600, 2},
		{nn.TruncNormal(0, 1, 0, 40), "trunc_normal(0,1,0,40)", math.Sqrt(2 / math.Pi), math.Sqrt(1 - 2/math.Pi), 0},
		{nn.Sparse(0.25, 2), "sparse(0.25,2)", 0, 2 * math.Sqrt(0.75), 0},
		{nn.Orthogonal(2), "orthogonal", 0, 2 / math.Sqrt(300), 0},
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

// TestOrthogonal expects vectors of one length that are orthogonal to each other, of matrices that are
// wide, high and of more axes.
func TestOrthogonal(t *testing.T) {
	for _, shape := range [][]int{{5, 5}, {3, 8}, {8, 3}, {4, 2, 3, 3}, {1, 6}, {6, 1}} {
		rows, columns := shape[0], 1
		for _, n := range shape[1:] {
			columns *= n
		}
		data := make([]float64, rows*columns)
		nn.Orthogonal(3).Fill(data, shape, 11)
		vectors, length := rows, columns
		at := func(v, k int) float64 { return data[v*columns+k] }
		if rows > columns {
			vectors, length = columns, rows
			at = func(v, k int) float64 { return data[k*columns+v] }
		}
		for v := range vectors {
			for w := range v + 1 {
				product, want := 0.0, 0.0
				for k := range length {
					product += at(v, k) * at(w, k)
				}
				if v == w {
					want = 9
				}
				assert.InDelta(t, want, product, 1e-12, "%v: vectors %d and %d", shape, v, w)
			}
		}
	}
}

// A convolution with these weights passes the channels of each group on.
func TestDiracPassesChannelsOn(t *testing.T) {
	weight := make([]float32, 4*2*3)
	nn.Dirac(2).Fill(weight, []int{4, 2, 3}, 0)
	want := make([]float32, len(weight))
	for o := range 4 {
		want[o*6+o%2*3+1] = 1
	}
	assert.Equal(t, want, weight)
}

func TestEye(t *testing.T) {
	weight := make([]float32, 6)
	nn.Eye().Fill(weight, []int{2, 3}, 0)
	assert.Equal(t, []float32{1, 0, 0, 0, 1, 0}, weight)
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

// TestInitialisersReachAllPartsOfATransformer but its normalizations.
func TestInitialisersReachAllPartsOfATransformer(t *testing.T) {
	g := graph.New("initialised")
	x := g.Input("x", graph.Float32, 1, 2, 4)
	layer := nn.NewTransformerDecoderLayer(
		g, "layer", 4, 2, nn.FeedForward(6), nn.WeightInit(nn.Constant(2)), nn.BiasInit(nn.Constant(3)))
	prog, err := exec.Compile(g, exec.Outputs(layer.ApplyTo(nn.Evaluation(g), x, x)))
	require.NoError(t, err)
	s := prog.NewSession()
	for _, p := range g.Params() {
		v, err := s.Param(p)
		require.NoError(t, err)
		want := map[bool]float32{true: 2, false: 3}[strings.HasSuffix(p.Name(), "weight")]
		if strings.Contains(p.Name(), "norm") {
			want -= map[bool]float32{true: 1, false: 3}[strings.HasSuffix(p.Name(), "weight")]
		}
		require.Equal(t, want, v.Data.([]float32)[0], p.Name())
	}
}

// The row of padding is zero in every dtype.
func TestPaddingRowOfHalves(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Float16, graph.BFloat16, graph.Float32, graph.Float64} {
		g := graph.New("padding")
		l := nn.NewEmbedding(g, "", 4, 3, nn.PaddingIndex(-2), nn.DType(dtype))
		prog, err := exec.Compile(g, exec.Outputs(ops.Cast(ops.Sum(ops.Abs(l.Weight), 1), graph.Float64)))
		require.NoError(t, err)
		v, err := prog.NewSession().Param(l.Weight)
		require.NoError(t, err)
		for i := range 12 {
			x, _ := graph.NumberAt(v.Data, i)
			require.Equal(t, i/3 == 2, x == 0, "%s, %d", dtype, i)
		}
	}
}
