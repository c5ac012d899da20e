package exec_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// head is the loss of a linear layer of classes, and its gradients for what it reads and the weights.
func head(g *graph.Graph, dt graph.DType, rows, width, classes graph.Dim, opts ...ops.LossOption) []*graph.Node {
	x, w := g.Input("x", dt, rows, width), g.Input("w", dt, classes, width)
	loss := ops.CrossEntropy(ops.Linear(x, w, nil), g.Input("target", graph.Int64, rows), opts...)
	return append([]*graph.Node{loss}, autodiff.Grad(ops.Sum(loss), []*graph.Node{x, w})...)
}

// targetsOf gives each row a class, and every seventh none.
func targetsOf(feed exec.Feed, classes int) []int64 {
	for n, v := range feed {
		if list, ok := v.(exec.Array).Data.([]int64); ok && n.Called() == "target" {
			for i := range list {
				if list[i] = int64(i * 37 % classes); i%7 == 3 {
					list[i] = -100
				}
			}
			return list
		}
	}
	return nil
}

// Cross-entropy and its gradients run in blocks of rows that all threads share, with the bits of whole
// matrices: blocks of one row, that end within a block of the sums, with it, and behind all rows.
func TestSharedChainsHaveTheBitsOfWholeMatrices(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
		for _, n := range [][3]int{{70, 9, 5000}, {1300, 5, 41}, {2, 1, 4100}, {1, 3, 5}, {5, 0, 7}, {0, 3, 4}} {
			for i, options := range [][]ops.LossOption{nil, {ops.EachLoss()}} {
				t.Run(fmt.Sprint(dt, n, i), func(t *testing.T) {
					g := graph.New("head")
					outputs := head(g, dt, graph.Dim(n[0]), graph.Dim(n[1]), graph.Dim(n[2]), options...)
					feed := randomFeed(t, g)
					targetsOf(feed, n[2])
					whole := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
					for _, rows := range []int{1, 30, 448, 650, 2000} {
						if rows == 1 && n[0] > 200 {
							continue
						}
						for _, threads := range chainThreads() {
							got := results(t, g, outputs, feed, threads, exec.SharedChainsOf(rows))
							for i := range outputs {
								requireBits(t, whole[i], got[i],
									fmt.Sprintf("output %d, blocks of %d rows, %d threads", i, rows, threads))
							}
						}
					}
				})
			}
		}
	}
}

// The values are those of the definition, computed in float64.
func TestSharedChainsComputeCrossEntropy(t *testing.T) {
	const rows, width, classes = 40, 6, 4200
	g := graph.New("head")
	outputs := head(g, graph.Float64, rows, width, classes)
	feed := randomFeed(t, g)
	target := targetsOf(feed, classes)
	x, w := feed[g.Inputs()[0]].(exec.Array).Data.([]float64), feed[g.Inputs()[1]].(exec.Array).Data.([]float64)
	loss, dx, dw := definedCrossEntropy(x, w, target, width)
	got := results(t, g, outputs, feed, 2, exec.SharedChainsOf(16))
	for i, want := range [][]float64{{loss}, dx, dw} {
		for at := range want {
			require.InDelta(t, want[at], math.Float64frombits(got[i][at]), 1e-12, "output %d, element %d", i, at)
		}
	}
}

// definedCrossEntropy is the mean of log(sum_c exp(x·w_c)) - x·w_target over the rows with a target, and
// its gradients.
func definedCrossEntropy(x, w []float64, target []int64, width int) (loss float64, dx, dw []float64) {
	dx, dw = make([]float64, len(x)), make([]float64, len(w))
	count, classes := 0., len(w)/width
	for _, t := range target {
		if t >= 0 {
			count++
		}
	}
	for i, t := range target {
		if t < 0 {
			continue
		}
		e, sum := make([]float64, classes), 0.
		for c := range classes {
			for k := range width {
				e[c] += x[i*width+k] * w[c*width+k]
			}
			if int64(c) == t {
				loss -= e[c] / count
			}
			e[c] = math.Exp(e[c])
			sum += e[c]
		}
		loss += math.Log(sum) / count
		e[t] -= sum
		for c := range classes {
			for k := range width {
				dx[i*width+k] += e[c] / sum / count * w[c*width+k]
				dw[c*width+k] += e[c] / sum / count * x[i*width+k]
			}
		}
	}
	return loss, dx, dw
}

// A target that is out of bounds is named as it is without blocks: the first one.
func TestSharedChainsNameTheTargetOutOfBounds(t *testing.T) {
	g := graph.New("head")
	outputs := head(g, graph.Float32, 70, 4, 50, ops.EachLoss())
	feed := randomFeed(t, g)
	target := targetsOf(feed, 50)
	target[41], target[66] = 50, -3
	for i, option := range []exec.Option{exec.ChainsOf(0), exec.ChainsOf(14), exec.SharedChainsOf(16),
		exec.SharedChainsOf(100)} {
		p, err := exec.Compile(g, exec.Outputs(outputs...), option)
		require.NoError(t, err)
		s := p.NewSession(exec.Threads(3))
		for range 2 {
			_, err = s.Run(t.Context(), feed)
			require.ErrorContains(t, err, "target[41] is 50, not in 0..49")
		}
		targetsOf(feed, 50)
		_, err = s.Run(t.Context(), feed)
		require.NoError(t, err)
		require.Equal(t, min(i, 1)*4, s.Chained())
		target[41], target[66] = 50, -3
	}
}

// languageModel is a training step of an embedding that is also the layer of classes, with a layer
// between them.
func languageModel(g *graph.Graph, tokens graph.Dim) *exec.Program {
	const width, classes = 64, 50_257
	table, w := g.Param("table", graph.Float32, classes, width), g.Param("w", graph.Float32, width, width)
	y := ops.Gelu(ops.MatMul(ops.Embedding(g.Input("x", graph.Int64, tokens), table), w))
	loss := ops.CrossEntropy(ops.Linear(y, table, nil), g.Input("target", graph.Int64, tokens))
	p, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.001).Minimize(loss)...))
	if err != nil {
		panic(err)
	}
	return p
}

// Training with a vocabulary takes memory for a block of the logits, however many tokens there are, and
// nothing is allocated; a run stops between blocks.
func TestTrainingHasNoMatrixOfLogits(t *testing.T) {
	const logits = 50_257 * 4 // bytes of a token's
	g := graph.New("language model")
	p := languageModel(g, g.Dim("tokens"))
	arena := func(tokens int) int {
		f, err := p.Footprint(map[string]int{"tokens": tokens})
		require.NoError(t, err)
		return f.Arena
	}
	gradient := 64 * logits
	require.Less(t, arena(1024), 256*logits+2*gradient+4<<20)
	require.Less(t, arena(8192), 512*logits+2*gradient+32<<20, "all logits have 1.6 GB")
	if testing.Short() {
		return
	}
	g = graph.New("language model")
	s := languageModel(g, 400).NewSession(exec.Threads(2))
	feed := randomFeed(t, g)
	_, err := s.Run(t.Context(), feed)
	require.NoError(t, err)
	require.Equal(t, 4, s.Chained())
	allocs.RequireNone(t, 3, func() { _, err = s.Run(t.Context(), feed) }) // each takes a tenth of a second
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Run(ctx, feed)
	require.ErrorIs(t, err, context.Canceled)
}

// heads are losses of a layer of classes in other forms, of rows x, weights w and b, and targets.
var heads = map[string]func(x, w, b, target *graph.Node) *graph.Node{
	"bias": func(x, w, b, target *graph.Node) *graph.Node { return ops.CrossEntropy(ops.Linear(x, w, b), target) },
	"bias by hand": func(x, w, b, target *graph.Node) *graph.Node {
		return ops.CrossEntropy(ops.Add(ops.MatMul(x, ops.Transpose(w, 0, 1)), b), ops.Maximum(target, graph.Num(0)),
			ops.IgnoreIndex(0))
	},
	"bias and temperature": func(x, w, b, target *graph.Node) *graph.Node {
		return ops.CrossEntropy(ops.Div(ops.Linear(x, w, b), graph.Num(2)), target)
	},
	"bias and z-loss": func(x, w, b, target *graph.Node) *graph.Node {
		logits := ops.Linear(x, w, b)
		return ops.Add(ops.CrossEntropy(logits, target),
			ops.Mul(graph.Num(1e-4), ops.Mean(ops.Square(ops.LogSumExp(logits, -1)))))
	},
	"by hand": func(x, w, b, target *graph.Node) *graph.Node {
		index := ops.Unsqueeze(ops.Maximum(target, graph.Num(0)), 1)
		return ops.Neg(ops.Mean(ops.Gather(ops.LogSoftmax(ops.Linear(x, w, b), 1), 1, index)))
	},
	"label smoothing": func(x, w, b, target *graph.Node) *graph.Node {
		return ops.CrossEntropy(ops.Linear(x, w, b), target, ops.LabelSmoothing(0.1))
	},
	"class weights": func(x, w, b, target *graph.Node) *graph.Node {
		return ops.CrossEntropy(ops.Linear(x, w, b), target, ops.ClassWeights(ops.StopGradient(ops.Square(b))))
	},
	"label smoothing with class weights": func(x, w, b, target *graph.Node) *graph.Node {
		return ops.CrossEntropy(ops.Linear(x, w, b), target, ops.LabelSmoothing(0.1),
			ops.ClassWeights(ops.StopGradient(ops.Square(b))))
	},
	"focal": func(x, w, b, target *graph.Node) *graph.Node {
		each := ops.CrossEntropy(ops.Linear(x, w, b), target, ops.EachLoss())
		return ops.Mean(ops.Mul(ops.Square(ops.Sub(graph.Num(1), ops.Exp(ops.Neg(each)))), each))
	},
	"entropy": func(x, w, b, target *graph.Node) *graph.Node {
		logits := ops.Linear(x, w, b)
		p, logp := ops.Softmax(logits, 1), ops.LogSoftmax(logits, 1)
		return ops.Add(ops.CrossEntropy(logits, target), ops.Mean(ops.Sum(ops.Mul(p, logp), 1)))
	},
	"distillation": func(x, w, b, target *graph.Node) *graph.Node {
		teacher := ops.StopGradient(ops.Linear(ops.Square(x), w, nil))
		q := ops.Softmax(ops.Div(teacher, graph.Num(2)), 1)
		return ops.Neg(ops.Mean(ops.Sum(ops.Mul(q, ops.LogSoftmax(ops.Div(ops.Linear(x, w, b), graph.Num(2)), 1)), 1)))
	},
	"soft cap": func(x, w, b, target *graph.Node) *graph.Node {
		return ops.CrossEntropy(ops.Mul(graph.Num(30), ops.Tanh(ops.Div(ops.Linear(x, w, b), graph.Num(30)))), target)
	},
	"accuracy": func(x, w, b, target *graph.Node) *graph.Node {
		logits := ops.Linear(x, w, b)
		right := ops.Mean(ops.Cast(ops.Equal(ops.ArgMax(logits, 1), target), logits.DType()))
		return ops.Add(ops.CrossEntropy(logits, target), right)
	},
	"sequences": func(x, w, b, target *graph.Node) *graph.Node {
		rows, cols := x.Shape()[0], w.Shape()[0]
		return ops.CrossEntropy(
			ops.Reshape(ops.Linear(ops.Reshape(x, 2, rows.FloorDiv(2), x.Shape()[1]), w, b), rows, cols), target)
	},
	"tied": func(x, w, b, target *graph.Node) *graph.Node {
		return ops.CrossEntropy(
			ops.Linear(ops.Tanh(ops.Add(x, ops.Embedding(ops.Maximum(target, graph.Num(0)), w))), w, b), target)
	},
}

// headOf gives one of the heads, with its gradients for x, w and b.
func headOf(name string, dt graph.DType, rows, width, classes graph.Dim) (*graph.Graph, []*graph.Node) {
	g := graph.New(name)
	wrt := []*graph.Node{g.Input("x", dt, rows, width), g.Input("w", dt, classes, width), g.Input("b", dt, classes)}
	loss := heads[name](wrt[0], wrt[1], wrt[2], g.Input("target", graph.Int64, rows))
	return g, append([]*graph.Node{loss}, autodiff.Grad(loss, wrt)...)
}

// A bias, its gradient, and what else is computed of logits stay within the chain: the bits are those of whole
// matrices, and the values those of sums over rows that are no products.
func TestSharedChainsHaveBiases(t *testing.T) {
	const rows, width, classes = 70, 9, 5000
	for name := range heads {
		for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
			g, outputs := headOf(name, dt, rows, width, classes)
			feed := randomFeed(t, g)
			targetsOf(feed, classes)
			whole := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
			blocks := []int{16, 100}
			if testing.Short() {
				blocks = blocks[:1]
			}
			for _, block := range blocks {
				got := results(t, g, outputs, feed, 3, exec.SharedChainsOf(block))
				for i := range outputs {
					requireBits(t, whole[i], got[i], fmt.Sprint(name, " ", dt, ", output ", i))
				}
			}
			if dt == graph.Float32 {
				continue
			}
			restore := exec.WithoutPass("sum-rows")
			plain := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
			restore()
			for i := range outputs {
				for at := range plain[i] {
					want, got := math.Float64frombits(plain[i][at]), math.Float64frombits(whole[i][at])
					if !(math.Abs(want-got) <= 1e-12) {
						// of many elements: a check of its own for each would take longer than the runs
						t.Fatalf("%s, output %d, element %d is %v, want %v", name, i, at, got, want)
					}
				}
			}
		}
	}
}

// Neither the logits nor their gradient are in memory as a whole, whatever else is computed of them: of 2,048 rows
// more, either has 164 MB.
func TestHeadsWithBiasesHaveNoMatrixOfLogits(t *testing.T) {
	for name := range heads {
		t.Run(name, func(t *testing.T) {
			arena := func(rows graph.Dim) int {
				g, outputs := headOf(name, graph.Float32, rows, 64, 20_000)
				p, err := exec.Compile(g, exec.Outputs(outputs...))
				require.NoError(t, err)
				f, err := p.Footprint(nil)
				require.NoError(t, err)
				return f.Arena >> 20
			}
			require.Less(t, arena(4096)-arena(2048), 8)
		})
	}
}
