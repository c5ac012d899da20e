package exec_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// anyLoops are bodies for carried values of every dtype: two of [3], of which the second is often a mere passenger.
// Elements are of [3] and the value of outside is [3, 3].
var anyLoops = map[string]func(c, x nodes, w *graph.Node) (next, out nodes){
	"moved": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Concat(0, ops.Slice(c[0], 0, 1, 3, 1), ops.Slice(x[0], 0, 0, 1, 1))
		return nodes{ops.Flip(c[1], 0), y}, nodes{y, ops.Pad(x[0], 0, 1, 0, 1), c[0]}
	},
	"chosen": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Where(ops.NotEqual(c[0], x[0]), x[0], c[1])
		return nodes{y, ops.Where(ops.Equal(c[0], c[1]), ops.Select(w, 1, 2), c[0])}, nodes{ops.Equal(y, c[0]), y}
	},
	"by index": func(c, x nodes, w *graph.Node) (next, out nodes) {
		i := ops.Cast(ops.Any(ops.NotEqual(x[0], c[0])), graph.Int64)
		row := ops.Take(w, 0, ops.Unsqueeze(i, 0))
		return nodes{ops.Squeeze(row, 0), ops.Gather(c[1], 0, ops.Cast(ops.NotEqual(c[0], x[0]), graph.Int64))},
			nodes{row}
	},
	"written": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Copy(c[0])
		z := ops.IndexPutInPlace(y, nodes{ops.Unsqueeze(ops.Cast(ops.Any(ops.Equal(x[0], c[0])), graph.Int64), 0)},
			ops.Slice(x[0], 0, 2, 3, 1))
		return nodes{z, c[0]}, nodes{c[1]}
	},
	"sorted": func(c, x nodes, w *graph.Node) (next, out nodes) {
		values, at := ops.TopK(ops.Concat(0, c[0], x[0]), 4, 0, true)
		return nodes{ops.Slice(values, 0, 1, 4, 1), ops.Maximum(c[1], x[0])}, nodes{values, at}
	},
	"branches": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Cond(ops.Any(ops.Equal(c[0], x[0])), func() []*graph.Node { return nodes{x[0], c[0]} },
			func() []*graph.Node { return nodes{ops.Select(w, 0, 1), c[1]} })
		return y, y
	},
	"nested": func(c, x nodes, w *graph.Node) (next, out nodes) {
		inner, all := ops.Scan(ops.Loop{Carry: nodes{c[0]}, Over: nodes{w}, Reverse: true},
			func(d, row []*graph.Node) (next, out []*graph.Node) {
				y := ops.Where(ops.Equal(row[0], x[0]), d[0], row[0])
				return nodes{ops.Flip(y, 0)}, nodes{y}
			})
		return nodes{inner[0], c[0]}, nodes{ops.Select(all[0], 0, 1), c[1]}
	},
	"passed on": func(c, x nodes, w *graph.Node) (next, out nodes) {
		return nodes{x[0], c[0]}, nodes{c[1], x[0], c[1]}
	},
}

// numberLoops are bodies for numbers.
var numberLoops = map[string]func(c, x nodes, w *graph.Node) (next, out nodes){
	"arithmetic": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Add(ops.Mul(c[0], x[0]), c[1])
		return nodes{ops.Sub(y, x[0]), ops.Minimum(c[0], y)}, nodes{y, ops.Less(y, c[0]), ops.Sum(y)}
	},
	"product": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Add(ops.MatMul(c[0], w), x[0])
		return nodes{y, ops.MatMul(w, c[1])}, nodes{y}
	},
	"sums": func(c, x nodes, w *graph.Node) (next, out nodes) {
		all := ops.CumSum(x[0], 0)
		return nodes{ops.Add(c[0], ops.Cast(all, c[0].DType())), ops.Cast(ops.Sum(ops.Mul(c[1], w), 0), c[0].DType())},
			nodes{all, ops.Max(w, 0)}
	},
	"written": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Copy(x[0])
		z := ops.AddInPlace(ops.Slice(y, 0, 0, 2, 1), ops.Slice(c[0], 0, 1, 3, 1))
		return nodes{ops.After(y, z), c[0]}, nodes{ops.After(y, z)}
	},
	"added by index": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.ScatterAdd(c[0], 0, ops.Cast(ops.Less(x[0], c[1]), graph.Int64), x[0])
		return nodes{y, ops.Add(c[1], graph.Num(1))}, nodes{y}
	},
}

// truthLoops are bodies for truth values.
var truthLoops = map[string]func(c, x nodes, w *graph.Node) (next, out nodes){
	"logic": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Xor(ops.And(c[0], x[0]), ops.Not(c[1]))
		return nodes{y, ops.Or(ops.Any(ops.And(w, y), 0), c[0])}, nodes{y, ops.All(c[0]), ops.Sum(y)}
	},
}

// smoothLoops are bodies of which gradients are taken.
var smoothLoops = map[string]func(c, x nodes, w *graph.Node) (next, out nodes){
	"recurrent": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Tanh(ops.Add(ops.MatMul(c[0], w), x[0]))
		return nodes{y, ops.Mul(ops.Sigmoid(c[1]), y)}, nodes{ops.Softmax(y, 0)}
	},
	"kept": func(c, x nodes, w *graph.Node) (next, out nodes) {
		y := ops.Div(ops.Sin(c[0]), ops.Add(ops.Square(x[0]), graph.Num(1)))
		return nodes{y, ops.Mean(ops.Mul(ops.Unsqueeze(c[1], 1), w), 0)}, nodes{ops.Mul(y, c[1])}
	},
}

func anyDTypeBodies(dt graph.DType) map[string]func(c, x nodes, w *graph.Node) (next, out nodes) {
	all := maps.Clone(anyLoops)
	add := func(kind string, more map[string]func(c, x nodes, w *graph.Node) (next, out nodes)) {
		for name, body := range more {
			all[kind+" "+name] = body
		}
	}
	if dt == graph.Bool {
		add("truth", truthLoops)
	} else {
		add("number", numberLoops)
	}
	if dt.IsFloat() {
		add("smooth", smoothLoops)
	}
	return all
}

// loopOfDType is a compiled loop, or its steps one by one.
type loopOfDType struct {
	session     *exec.Session
	in, outputs nodes // x, w and the carried values; what comes out, and gradients
	rounded     int   // the gradient of w, which is added up in another order than step by step; -1 for none
}

// buildOfDType makes a loop over a named number of steps or, unrolled, a number of them.
func buildOfDType(t *testing.T, dt graph.DType, body func(c, x nodes, w *graph.Node) (next, out nodes), reverse,
	gradients bool, steps int) *loopOfDType {
	g := graph.New("loop")
	length := g.Dim("steps", graph.AtLeast(0))
	if steps > 0 {
		length = graph.Dim(steps)
	}
	x, w := g.Input("x", dt, length, 3), g.Input("w", dt, 3, 3)
	l := &loopOfDType{in: nodes{x, w, g.Input("a", dt, 3), g.Input("b", dt, 3)}, rounded: -1}
	step := func(c, x nodes) (next, out nodes) { return body(c, x, w) }
	var final, outs nodes
	if steps > 0 {
		final, outs = unrolled(step, l.in[2:], x, steps, reverse)
	} else {
		final, outs = ops.Scan(ops.Loop{Carry: l.in[2:], Over: nodes{x}, Reverse: reverse}, step)
	}
	if l.outputs = slices.Concat(final, outs); gradients && dt.IsFloat() {
		loss := g.Scalar(graph.Float32, 0)
		for _, y := range l.outputs {
			if y.DType().IsFloat() {
				loss = ops.Add(loss, ops.Sum(ops.Square(ops.Cast(y, graph.Float32))))
			}
		}
		l.rounded = len(l.outputs) + 1
		l.outputs = append(l.outputs, autodiff.Grad(loss, l.in, autodiff.ZeroForUnused())...)
	}
	p, err := exec.Compile(g, exec.Outputs(l.outputs...), exec.OnWarning(nil))
	require.NoError(t, err)
	l.session = p.NewSession(exec.Threads(1))
	return l
}

// run feeds whole numbers of 0 to 2 where the dtype is no float.
func (l *loopOfDType) run(t *testing.T, dt graph.DType, steps int) (all []reference.Value) {
	rng, feed := rand.New(rand.NewPCG(uint64(steps), 1)), exec.Feed{}
	for i, shape := range [][]int{{steps, 3}, {3, 3}, {1, 3}, {1, 3}} {
		data := make([]float64, shape[0]*3)
		for i := range data {
			if data[i] = float64(rng.IntN(3)); dt.IsFloat() {
				data[i] = rng.NormFloat64()
			}
		}
		feed[l.in[i]] = exec.Array{Shape: shape[2-l.in[i].Rank():], Data: reference.FromFloats(dt, data, shape...).Data}
	}
	r, err := l.session.Run(t.Context(), feed)
	require.NoError(t, err)
	for _, n := range l.outputs {
		a, err := r.Array(n)
		require.NoError(t, err)
		all = append(all, reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Clone().Data})
	}
	return all
}

// TestLoopsOfEveryDType compares loops and their gradients with their steps written one by one, bit for bit. The
// gradient of a value of outside is added up in another order.
func TestLoopsOfEveryDType(t *testing.T) {
	lengths := []int{0, 1, 7}
	if testing.Short() {
		lengths = []int{0, 2}
	}
	for i, dt := range graph.DTypes() {
		if dt.IsStorage() {
			continue
		}
		bodies := anyDTypeBodies(dt)
		for k, name := range slices.Sorted(maps.Keys(bodies)) {
			t.Run(fmt.Sprint(dt, " ", name), func(t *testing.T) {
				compareOfDType(t, dt, bodies[name], (i+k)%2 == 0, true, lengths...)
			})
		}
	}
}

// TestLongLoopsOfEveryDType are of 200 steps.
func TestLongLoopsOfEveryDType(t *testing.T) {
	if testing.Short() {
		t.Skip("unrolls many steps")
	}
	for i, dt := range graph.DTypes() {
		if !dt.IsStorage() {
			compareOfDType(t, dt, anyLoops["chosen"], i%2 == 0, false, 200)
		}
	}
}

func compareOfDType(t *testing.T, dt graph.DType, body func(c, x nodes, w *graph.Node) (next, out nodes), reverse,
	gradients bool, lengths ...int) {
	l := buildOfDType(t, dt, body, reverse, gradients, 0)
	for _, steps := range lengths {
		got := l.run(t, dt, steps)
		if steps == 0 {
			require.Len(t, got[0].Floats(), 3)
			continue
		}
		want := buildOfDType(t, dt, body, reverse, gradients, steps).run(t, dt, steps)
		for i := range want {
			if i == l.rounded {
				scale := 1.0
				for _, v := range want[i].Floats() {
					scale = max(scale, math.Abs(v))
				}
				require.InDeltaSlice(t, want[i].Floats(), got[i].Floats(), scale*roundingOf(dt)*float64(steps),
					"%d steps, reverse %v", steps, reverse)
				continue
			}
			require.Equal(t, fmt.Sprint(want[i]), fmt.Sprint(got[i]), "%d steps, reverse %v: output %d of %d", steps,
				reverse, i, len(want))
		}
	}
}

// roundingOf is the distance of a dtype's numbers from 1 on, twice.
func roundingOf(dt graph.DType) float64 {
	return map[graph.DType]float64{graph.Float16: 1. / 512, graph.BFloat16: 1. / 64, graph.Float32: 1e-6,
		graph.Float64: 1e-15}[dt]
}
