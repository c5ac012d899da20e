package nn_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// dotProducts are cases of testdata/dotproduct.py, which says what the words mean; testdata/dotproduct.npz has what it
// writes of all of them.
var dotProducts = []string{
	"q=5,3 k=7,3 v=7,2",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3",
	"q=1,1 k=1,1 v=1,1",
	"q=2,2,1,1 k=2,2,9,1 v=2,2,9,1",
	"q=2,2,9,1 k=2,2,1,1 v=2,2,1,4",
	"q=1,2,129,64 k=1,2,127,64 v=1,2,127,3",
	"q=1,2,2,257 k=1,2,129,257 v=1,2,129,257",
	"q=1,2,127,257 k=1,2,2,257 v=1,2,2,257 causal",
	"q=1,2,127,3 k=1,2,129,3 v=1,2,129,3 causal",
	"q=2,2,5,3 k=2,2,2,3 v=2,2,2,3 causal",
	"q=2,2,2,3 k=2,2,5,3 v=2,2,5,3 causal",
	"q=2,1,1,3 k=2,1,1,3 v=2,1,1,3 causal",
	"q=2,2,0,3 k=2,2,5,3 v=2,2,5,3",
	"q=2,2,5,3 k=2,2,0,3 v=2,2,0,3",
	"q=0,2,5,3 k=0,2,4,3 v=0,2,4,3 causal",
	"q=2,4,5,3 k=2,2,7,3 v=2,2,7,3 gqa",
	"q=2,4,5,3 k=2,1,7,3 v=2,1,7,3 gqa causal",
	"q=2,4,129,8 k=2,2,129,8 v=2,2,129,8 gqa causal",
	"q=2,4,5,3 k=2,2,7,3 v=2,2,7,3 gqa mask=float:1,4,1,7",
	"q=2,4,5,3 k=2,2,7,3 v=2,2,7,3 gqa mask=bool:2,4,5,7",
	"q=2,4,5,3 k=2,2,7,3 v=2,2,7,3 gqa mask=float:5,7",
	"q=2,4,5,3 k=2,2,7,3 v=2,2,7,3 gqa mask=float:2,1,5,7",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=bool:5,7",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=bool:1,1,5,7",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=bool:2,1,1,7",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=float:5,7",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=float:4,1,1",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=float:4,5,1",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=float:2,1,1,7",
	"q=2,4,129,3 k=2,4,127,3 v=2,4,127,3 mask=float:1,4,129,127",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=bool:1,1,5,7 blind",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=float:1,1,5,7 blind",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 mask=float:2,4,5,7 blind scale=0.3",
	"q=2,4,5,3 k=2,2,7,3 v=2,2,7,3 gqa mask=bool:2,1,5,7 blind",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 scale=2.5",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 scale=-1",
	"q=2,4,5,3 k=2,4,7,3 v=2,4,7,3 scale=0",
	"q=3,1,4,5,3 k=3,2,4,7,3 v=3,2,4,7,3 mask=float:2,1,5,7",
	"q=2,4,9,8 k=2,4,9,8 v=2,4,9,8 causal dtype=float16",
	"q=2,4,9,8 k=2,4,9,8 v=2,4,9,8 causal dtype=bfloat16",
	"q=2,4,9,8 k=2,4,9,8 v=2,4,9,8 mask=float:4,9,9 dtype=float16",
	"q=2,4,9,8 k=2,4,9,8 v=2,4,9,8 causal dtype=float32",
}

// numbersOf are the numbers of an operand, which every dtype has.
func numbersOf(i, count int) []float64 {
	x := make([]float64, count)
	for j := range x {
		x[j] = float64((j*j*31+j*17+i*1009)%2039%255-127) / 128
	}
	return x
}

// digest of values is that of testdata/dotproduct.py.
func digest(x []float64) []float64 {
	d := make([]float64, 3)
	for i, w := range numbersOf(90, len(x)) {
		if math.IsNaN(x[i]) {
			d[0]++
		}
		d[1] += x[i] * w
		d[2] += math.Abs(x[i])
	}
	return append(append(d, x[:min(6, len(x))]...), x[len(x)-min(6, len(x)):]...)
}

// dotProduct is a case in a graph.
type dotProduct struct {
	g        *graph.Graph
	words    map[string]string
	dt       graph.DType
	feed     exec.Feed
	wrt      []*graph.Node
	names    []string
	options  []ops.AttentionOption
	y        *graph.Node
	operands int
}

func newDotProduct(text string) *dotProduct {
	c := &dotProduct{g: graph.New("attention"), words: map[string]string{}, dt: double, feed: exec.Feed{}}
	for _, w := range strings.Fields(text) {
		key, value, _ := strings.Cut(w, "=")
		c.words[key] = value
	}
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16, graph.Float32} {
		if c.words["dtype"] == dt.String() {
			c.dt = dt
		}
	}
	return c
}

// shape reads a shape.
func (c *dotProduct) shape(key string) (dims []graph.Dim, sizes []int, count int) {
	count = 1
	words := c.words[key]
	for _, n := range strings.Split(words[strings.Index(words, ":")+1:], ",") {
		size, _ := strconv.Atoi(n)
		dims, sizes, count = append(dims, graph.Dim(size)), append(sizes, size), count*size
	}
	return dims, sizes, count
}

// input declares an operand, whose numbers a run is fed as Float64.
func (c *dotProduct) input(name string, dims []graph.Dim, values []float64) *graph.Node {
	sizes, _ := graph.Shape(dims).Ints()
	x := c.g.Input(name, double, dims...)
	c.feed[x] = exec.Array{Shape: sizes, Data: values}
	return ops.Cast(x, c.dt)
}

// operand declares an operand with the numbers of its own.
func (c *dotProduct) operand(name string, dims ...graph.Dim) *graph.Node {
	count := 1
	for _, d := range dims {
		count *= int(d)
	}
	c.operands++
	return c.input(name, dims, numbersOf(c.operands-1, count))
}

func (c *dotProduct) build() {
	for _, name := range []string{"q", "k", "v"} {
		dims, _, _ := c.shape(name)
		c.wrt, c.names = append(c.wrt, c.operand(name, dims...)), append(c.names, name)
	}
	_, blind := c.words["blind"]
	switch kind := c.words["mask"]; {
	case strings.HasPrefix(kind, "bool:"):
		dims, sizes, count := c.shape("mask")
		seen := make([]bool, count)
		for i, x := range numbersOf(3, count) {
			seen[i] = x > -0.5 && !(blind && i/sizes[len(sizes)-1]%sizes[len(sizes)-2] == 1)
		}
		mask := c.g.Input("mask", graph.Bool, dims...)
		c.feed[mask] = exec.Array{Shape: sizes, Data: seen}
		c.options = append(c.options, ops.AttentionMask(mask))
	case kind != "":
		dims, sizes, count := c.shape("mask")
		values := numbersOf(3, count)
		for i := range values {
			if blind && i/sizes[len(sizes)-1]%sizes[len(sizes)-2] == 1 {
				values[i] = math.Inf(-1)
			}
		}
		mask := c.input("mask", dims, values)
		c.options = append(c.options, ops.AttentionMask(mask))
		c.wrt, c.names = append(c.wrt, mask), append(c.names, "mask")
	}
	if _, causal := c.words["causal"]; causal {
		c.options = append(c.options, ops.Causal())
	}
	if _, grouped := c.words["gqa"]; grouped {
		c.options = append(c.options, ops.GroupedQuery())
	}
	if scale := c.words["scale"]; scale != "" {
		x, _ := strconv.ParseFloat(scale, 64)
		c.options = append(c.options, ops.AttentionScale(x))
	}
	c.y = ops.ScaledDotProductAttention(c.wrt[0], c.wrt[1], c.wrt[2], c.options...)
}

// TestAttentionIsThatOfPyTorch compares results, gradients and second gradients.
func TestAttentionIsThatOfPyTorch(t *testing.T) {
	cases := readTorch(t, "testdata/dotproduct.npz")
	for _, text := range dotProducts {
		t.Run(text, func(t *testing.T) {
			c := newDotProduct(text)
			c.build()
			require.NoError(t, c.g.Err())
			c.operands = 4
			weighed := func(x *graph.Node) *graph.Node {
				return ops.Sum(ops.Mul(x, c.operand("w"+strconv.Itoa(c.operands), x.Shape()...)))
			}
			grads := autodiff.Grad(weighed(c.y), c.wrt)
			sum := c.g.Scalar(c.dt, 0)
			for _, g := range grads {
				sum = ops.Add(sum, weighed(g))
			}
			seconds := autodiff.Grad(sum, c.wrt, autodiff.ZeroForUnused())
			want := []exec.Array{cases[text]["y"]["y"]}
			keys := []string{"y"}
			for _, kind := range []string{"d", "dd"} {
				for _, name := range c.names {
					want, keys = append(want, cases[text][kind][name]), append(keys, kind+" "+name)
				}
			}
			outputs := append(append([]*graph.Node{c.y}, grads...), seconds...)
			for i, x := range outputs {
				outputs[i] = ops.Cast(x, double)
			}
			prog, err := exec.Compile(c.g, exec.Outputs(outputs...))
			require.NoError(t, err)
			r, err := prog.NewSession().Run(t.Context(), c.feed)
			require.NoError(t, err)
			tolerance := map[graph.DType]float64{
				double: 1e-9, graph.Float32: 1e-4, graph.Float16: 3e-2, graph.BFloat16: 2e-1}[c.dt]
			for i, x := range outputs {
				got, err := exec.Values[float64](r, x)
				require.NoError(t, err)
				require.InDeltaSlice(t, want[i].Data, digest(got), tolerance, keys[i])
			}
		})
	}
}
