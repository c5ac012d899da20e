package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// sinkForms are forms of attention with sinks: columns of logits beside the scores, which take a share of the weights.
var sinkForms = []attentionForm{
	{"a sink", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		sink := ops.Expand(f.learn(4, 1, 1), f.batch, 4, f.len, 1)
		w := ops.Softmax(ops.Concat(3, ops.MaskedFill(scaledScores(q, k), f.hidden(), lowest), sink), -1)
		return byHead(ops.MatMul(ops.Slice(w, 3, 0, f.len, 1), byHead(v)))
	}},
	{"a sink as in GPT-OSS", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		sink := ops.Expand(f.learn(4, 1, 1), f.batch, 4, f.len, 1)
		s := ops.Concat(3, ops.MaskedFill(scaledScores(q, k), f.hidden(), lowest), sink)
		w := ops.Softmax(ops.Sub(s, ops.Max(s, -1, ops.KeepDims())), -1)
		return byHead(ops.MatMul(ops.Slice(w, 3, 0, f.len, 1), byHead(v)))
	}},
	{"sinks first", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		sink := ops.Expand(f.learn(4, 1, 2), f.batch, 4, f.len, 2)
		w := ops.Softmax(ops.Concat(3, sink, scaledScores(q, k)), -1)
		return byHead(ops.MatMul(ops.Slice(w, 3, 2, f.len.Plus(2), 1), byHead(v)))
	}},
	{"a zero beside scores", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := scaledScores(q, k)
		w := ops.Softmax(ops.Concat(3, s, ops.Zeros(f.g, f.dt, f.batch, 4, f.len, 1)), -1)
		return byHead(ops.MatMul(ops.Slice(w, 3, 0, f.len, 1), byHead(v)))
	}},
	{"a sink by hand", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		sink, s := f.learn(4, 1, 1), ops.MaskedFill(scaledScores(q, k), f.hidden(), lowest)
		top := ops.Maximum(ops.Max(s, -1, ops.KeepDims()), sink)
		e := ops.Exp(ops.Sub(s, top))
		sum := ops.Add(ops.Sum(e, -1, ops.KeepDims()), ops.Exp(ops.Sub(sink, top)))
		return byHead(ops.MatMul(ops.Div(e, sum), byHead(v)))
	}},
}

// Programs with columns beside scores, read in any way, have the values and gradients that they have where nothing is
// taken apart.
func TestRandomColumnsBesideScoresComputeWhatIsWritten(t *testing.T) {
	count := uint64(150)
	if testing.Short() {
		count = 40
	}
	taken := 0
	for seed := range count {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newRandomScores(seed)
			order := c.mixed(c.batch() + "qk")
			s := c.product(order)
			axis := strings.IndexRune(order, []rune("kkkq")[c.IntN(4)])
			extent, before, after := s.Shape()[axis], graph.Dim(c.IntN(3)), graph.Dim(c.IntN(3))
			beside := func(columns graph.Dim) *graph.Node {
				c.size['s'] = columns
				x := c.beside(strings.Replace(order, order[axis:axis+1], "s", 1))
				shape := append(graph.Shape{}, s.Shape()...)
				shape[axis] = columns
				return ops.Expand(x, shape...)
			}
			switch c.IntN(4) {
			case 0:
				s = ops.Add(ops.Concat(axis, beside(before+1), s), ops.Concat(axis, beside(before+1), ops.Tanh(s)))
				before, after = before+1, 0
			case 1:
				s = ops.Concat(axis, s, beside(after+1), beside(1))
				before, after = 0, after+2
			default:
				s = ops.Concat(axis, beside(before+1), s, beside(after+1))
				before, after = before+1, after+1
			}
			wide := append(graph.Shape{}, s.Shape()...)
			whole := s
			for range 1 + c.IntN(4) {
				over := []int{axis, axis, c.IntN(len(order))}[c.IntN(3)]
				switch c.IntN(7) {
				case 0, 1:
					s = ops.Softmax(s, over)
				case 2:
					s = ops.Sub(s, ops.Unsqueeze(ops.Mean(s, ops.Axis(over)), over))
				case 3:
					s = ops.Mul(s, ops.Exp(ops.Neg(ops.Max(ops.Abs(s), ops.Axis(over), ops.KeepDims()))))
				case 4:
					c.size['s'] = 1
					s = ops.Mul(s, c.beside(strings.Replace(order, order[axis:axis+1], "s", 1)))
				case 5: // positions
					s = ops.Add(s, ops.Mul(ops.Cast(ops.Iota(c.g, axis, wide...), graph.Float64), graph.Num(0.01)))
				default:
					s = ops.Add(ops.Tanh(s), whole)
				}
			}
			var y *graph.Node
			switch c.IntN(4) {
			case 0:
				y = ops.Slice(s, axis, before-1, before.Plus(extent), 1) // one more than the scores
			case 1:
				y = s
			case 2:
				y = ops.Concat(axis, ops.Slice(s, axis, before, before.Plus(extent), 1), ops.Slice(s, axis, 0, 1, 1))
				if before == 0 {
					y = ops.Slice(s, axis, extent, extent.Plus(after), 1)
				}
			default:
				y = ops.Slice(s, axis, before, before.Plus(extent), 1)
			}
			if before == 0 && y.Err() != nil {
				t.Skip("no column before the scores")
			}
			loss := ops.Sum(ops.Square(y))
			outputs := append([]*graph.Node{y, loss}, autodiff.Grad(loss, c.inputs)...)
			r := rand.New(rand.NewPCG(seed, 3))
			feed := c.feed(r, map[string]int{"q": 1 + r.IntN(30), "k": 1 + r.IntN(30)})
			restore := exec.WithoutPass("split-scores")
			without := c.text(t, outputs)
			exec.WithoutPass("score-axes")
			want := results(t, c.g, outputs, feed, 1, exec.ChainsOf(0), exec.OnWarning(nil))
			restore()
			if c.text(t, outputs) != without {
				taken++
			}
			for _, threads := range []int{1, 3} {
				got := results(t, c.g, outputs, feed, threads, exec.ChainsOf(14), exec.OnWarning(nil))
				for i := range outputs {
					require.Len(t, got[i], len(want[i]))
					for at := range want[i] {
						w, v := math.Float64frombits(want[i][at]), math.Float64frombits(got[i][at])
						if math.IsNaN(w) {
							require.True(t, math.IsNaN(v), "output %d, element %d", i, at)
							continue
						}
						require.InDelta(t, w, v, 1e-9*(1+math.Abs(w)), "output %d, element %d", i, at)
					}
				}
			}
		})
	}
	require.Greater(t, taken, int(count)/4, "programs that are taken apart")
}
