package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// randomScores draws scores whose axes stand in any order, what is computed of them, and gradients.
type randomScores struct {
	*rand.Rand
	g *graph.Graph
	// by the letter of an axis: q and k are places, d is summed over, all others are the batch's
	size   map[rune]graph.Dim
	inputs []*graph.Node
}

func newRandomScores(seed uint64) *randomScores {
	c := &randomScores{Rand: rand.New(rand.NewPCG(seed, 29)), g: graph.New("scores")}
	c.size = map[rune]graph.Dim{'q': c.g.Dim("q"), 'k': c.g.Dim("k"), 'd': graph.Dim(1 + c.IntN(5)), 'v': 4}
	if c.IntN(4) == 0 {
		c.size['k'] = c.size['q']
	}
	for _, l := range "abc"[:c.IntN(4)] {
		c.size[l] = graph.Dim(1 + c.IntN(3))
	}
	return c
}

// batch are the letters of the batch's axes.
func (c *randomScores) batch() (letters string) {
	for _, l := range "abc" {
		if c.size[l] > 0 {
			letters += string(l)
		}
	}
	return letters
}

// mixed puts letters into any order.
func (c *randomScores) mixed(letters string) string {
	list := []rune(letters)
	c.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return string(list)
}

func (c *randomScores) input(letters string) *graph.Node {
	shape := make(graph.Shape, len(letters))
	for i, l := range letters {
		shape[i] = c.size[l]
	}
	x := c.g.Input(fmt.Sprint("x", len(c.inputs)), graph.Float64, shape...)
	c.inputs = append(c.inputs, x)
	return x
}

// product makes scores with their axes in an order.
func (c *randomScores) product(order string) *graph.Node {
	batch := c.batch()
	if c.IntN(3) == 0 { // as a sum of products
		spread := func(own string) *graph.Node {
			x := c.input(own)
			for i, l := range order + "d" {
				if !strings.ContainsRune(own, l) {
					x = ops.Unsqueeze(x, i)
				}
			}
			return x
		}
		without := func(l string) string { return strings.ReplaceAll(order, l, "") + "d" }
		return ops.Sum(ops.Mul(spread(without("k")), spread(without("q"))), -1)
	}
	if c.IntN(2) == 0 {
		q, k := c.mixed(batch+"qd"), c.mixed(batch+"kd")
		return ops.Einsum(q+","+k+"->"+order, c.input(q), c.input(k))
	}
	rows, cols := "q", "k"
	if c.IntN(2) == 0 {
		rows, cols = cols, rows
	}
	have := c.mixed(batch)
	x := ops.MatMul(c.input(have+rows+"d"), ops.Transpose(c.input(have+cols+"d"), -1, -2))
	return c.permuted(x, have+rows+cols, order)
}

func (c *randomScores) permuted(x *graph.Node, from, to string) *graph.Node {
	perm := make([]int, len(to))
	for i, l := range to {
		perm[i] = strings.IndexRune(from, l)
	}
	return ops.Permute(x, perm...)
}

// beside is an input that is repeated along some axes.
func (c *randomScores) beside(order string) *graph.Node {
	own := ""
	for _, l := range order {
		if c.IntN(2) == 0 {
			own += string(l)
		}
	}
	x := c.input(own)
	for i, l := range order {
		if !strings.ContainsRune(own, l) {
			x = ops.Unsqueeze(x, i)
		}
	}
	return x
}

// hidden marks places by their positions.
func (c *randomScores) hidden(order string) *graph.Node {
	position := func(l rune) *graph.Node {
		shape := slices.Repeat(graph.Shape{1}, len(order))
		shape[strings.IndexRune(order, l)] = c.size[l]
		return ops.Iota(c.g, strings.IndexRune(order, l), shape...)
	}
	return ops.Greater(position('k'), ops.Add(position('q'), graph.Num(2)))
}

// step computes scores of scores; order is that of their axes.
func (c *randomScores) step(s *graph.Node, order *string) *graph.Node {
	axis := strings.IndexRune(*order, []rune("kkkq" + *order)[c.IntN(4+len(*order))])
	switch c.IntN(13) {
	case 0, 1, 2:
		return ops.Softmax(s, axis)
	case 3:
		return ops.Mul(s, c.beside(*order))
	case 4:
		return ops.Where(c.hidden(*order), graph.Num(-3), s)
	case 5:
		return ops.Add(ops.Tanh(s), c.product(*order))
	case 6, 7:
		to := c.mixed(*order)
		s = c.permuted(s, *order, to)
		*order = to
		return s
	case 8:
		return ops.Sub(s, ops.Unsqueeze(ops.Mean(s, ops.Axis(axis)), axis))
	case 9:
		return ops.Mul(s, ops.Exp(ops.Neg(ops.Max(ops.Abs(s), ops.Axis(axis), ops.KeepDims()))))
	case 10:
		if c.size['q'] == c.size['k'] { // with the roles exchanged
			return ops.Add(s, ops.Transpose(s, strings.IndexRune(*order, 'q'), strings.IndexRune(*order, 'k')))
		}
		return ops.Add(s, c.beside(*order))
	case 11:
		return ops.Add(s, ops.Sum(ops.Square(s), ops.AllAxes()))
	default:
		other := (axis + 1) % len(*order)
		return ops.Sub(s, ops.LogSumExp(s, ops.Axis(min(axis, other)), ops.Axis(max(axis, other)), ops.KeepDims()))
	}
}

// build returns what is given back: products with the scores, their gradients, and perhaps scores.
func (c *randomScores) build() []*graph.Node {
	order := c.mixed(c.batch() + "qk")
	s := c.product(order)
	steps := 2 + c.IntN(5)
	early, earlyOrder := s, order
	for i := range steps {
		if s = c.step(s, &order); i == 1 {
			early, earlyOrder = s, order
		}
	}
	values := c.mixed(c.batch() + "kv")
	y := ops.Einsum(order+","+values+"->"+c.mixed(c.batch()+"qv"), s, c.input(values))
	outputs := []*graph.Node{y}
	switch c.IntN(6) {
	case 0:
		outputs = append(outputs, s)
	case 1:
		outputs = append(outputs, ops.Sum(s, ops.Axis(c.IntN(len(order)))))
	case 2:
		outputs = append(outputs, ops.Slice(early, strings.IndexRune(earlyOrder, 'k'), 0, 1, 1))
	case 3:
		outputs = append(outputs, ops.ArgMax(early, ops.Axis(c.IntN(len(earlyOrder)))))
	case 4:
		outputs = append(outputs, ops.Reshape(early, early.Shape().NumElements()))
	}
	if c.IntN(3) > 0 {
		loss := ops.Sum(ops.Square(y))
		outputs = append(append(outputs, loss), autodiff.Grad(loss, c.inputs)...)
	}
	return outputs
}

// feed makes numbers for the inputs.
func (c *randomScores) feed(r *rand.Rand, sizes map[string]int) exec.Feed {
	feed := exec.Feed{}
	for _, n := range c.inputs {
		var shape []int
		for _, d := range n.Shape() {
			size, known := d.Int()
			if v, named := sizes[d.String()]; !known && named {
				size = int64(v)
			}
			shape = append(shape, int(size))
		}
		feed[n] = exec.Array{Shape: shape, Data: someNumbers(r, graph.Float64, shape)}
	}
	return feed
}

// text is the compiled program.
func (c *randomScores) text(t *testing.T, outputs []*graph.Node) string {
	p, err := exec.Compile(c.g, exec.Outputs(outputs...), exec.OnWarning(nil))
	require.NoError(t, err)
	return p.String()
}

// Scores whose axes stand in any order have the values and gradients that they have where they are computed as they are
// written, and the same bits in blocks of rows, on any number of threads.
func TestRandomScoresComputeWhatIsWritten(t *testing.T) {
	count := uint64(150)
	if testing.Short() {
		count = 40
	}
	moved := 0
	for seed := range count {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newRandomScores(seed)
			outputs := c.build()
			g := c.g
			r := rand.New(rand.NewPCG(seed, 3))
			feed := c.feed(r, map[string]int{"q": 1 + r.IntN(40), "k": 1 + r.IntN(40)})
			restore := exec.WithoutPass("score-axes")
			exec.WithoutPass("simplify")
			exec.WithoutPass("recompute")
			exec.WithoutPass("sum-rows")
			want := results(t, g, outputs, feed, 1, exec.ChainsOf(0), exec.OnWarning(nil))
			restore()
			got := results(t, g, outputs, feed, 1, exec.ChainsOf(0), exec.OnWarning(nil))
			for i, n := range outputs {
				require.Len(t, got[i], len(want[i]))
				for at := range want[i] {
					if n.DType() != graph.Float64 {
						require.Equal(t, want[i], got[i], "output %d", i)
						break
					}
					w, v := math.Float64frombits(want[i][at]), math.Float64frombits(got[i][at])
					require.InDelta(t, w, v, 1e-9*(1+math.Abs(w)), "output %d, element %d", i, at)
				}
			}
			for _, threads := range []int{1, 3} {
				for i, bits := range results(t, g, outputs, feed, threads, exec.ChainsOf(14), exec.OnWarning(nil)) {
					requireBits(t, got[i], bits, fmt.Sprintf("output %d in blocks, %d threads", i, threads))
				}
			}
			with := c.text(t, outputs)
			restore = exec.WithoutPass("score-axes")
			if c.text(t, outputs) != with {
				moved++
			}
			restore()
		})
	}
	require.Greater(t, moved, int(count)/5, "programs in which axes are moved")
}
