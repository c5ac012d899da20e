package shapeinfer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

func TestAxesComeFrom(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g *graph.Graph, b, t graph.Dim) *graph.Node
		want  []string
	}{
		{"a linear layer", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Linear(g.Input("x", f32, b, t, 20), g.Param("w", f32, 10, 20), g.Param("b", f32, 10))
		}, []string{"b: axis 0 of x", "t: axis 1 of x", "10: axis 0 of w, axis 0 of b"}},
		{"heads", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Reshape(ops.Transpose(ops.Reshape(g.Input("x", f32, b, t, 512), b, t, 8, 64), 1, 2), b.Times(8),
				t, 64)
		}, []string{"8*b: axis 0 of x [b, each 8], axis 2 of x [8, each 1]", "t: axis 1 of x", "64: axis 2 of x"}},
		{"scores", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			x, y := g.Input("x", f32, b, t, 8), g.Input("y", f32, b, g.Dim("s"), 8)
			return ops.Softmax(ops.MatMul(x, ops.Transpose(y, 1, 2)), -1)
		}, []string{"b: axis 0 of x, axis 0 of y", "t: axis 1 of x", "s: axis 1 of y"}},
		{"a convolution", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Conv2D(g.Input("x", f32, b, 3, t, t), g.Param("k", f32, 16, 3, 3, 3), nil, ops.Stride(2),
				ops.Padding(1))
		}, []string{"b: axis 0 of x", "16: axis 0 of k", "floor((t+1)/2): axis 2 of x", "floor((t+1)/2): axis 3 of x"}},
		{"an embedding", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Embedding(g.Input("ids", graph.Int64, b, t), g.Param("table", f32, 100, 8))
		}, []string{"b: axis 0 of ids", "t: axis 1 of ids", "8: axis 1 of table"}},
		{"what is joined", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Concat(1, g.Input("x", f32, b, t), ops.Sum(g.Input("y", f32, b, t, 4), 1))
		}, []string{"b: axis 0 of x, axis 0 of y", "t+4: axis 1 of x, axis 2 of y"}},
		{"what is repeated", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Expand(ops.Unsqueeze(g.Input("x", f32, b), 1), b, t)
		}, []string{"b: axis 0 of x", "t"}},
		{"a gradient", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			x := g.Input("x", f32, b, t)
			return autodiff.Grad(ops.Sum(ops.Square(ops.Transpose(x, 0, 1))), []*graph.Node{x})[0]
		}, []string{"b: axis 0 of x", "t: axis 1 of x"}},
		{"a loop", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			x, w := g.Input("x", f32, b, t, 8), g.Param("w", f32, 8, 8)
			_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, f32, b, 8)}, Over: []*graph.Node{x}, Axis: 1},
				func(c, x []*graph.Node) (next, out []*graph.Node) {
					h := ops.Tanh(ops.Add(ops.MatMul(c[0], w), x[0]))
					return []*graph.Node{h}, []*graph.Node{h}
				})
			return all[0]
		}, []string{"b: axis 0 of x", "t: axis 1 of x", "8: axis 2 of x, axis 1 of w"}},
		{"an operation of the program's own", func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			evens := &graph.Op{Name: "evens", Func: "Evens", Doc: "each second element.", Class: graph.Movement,
				MinIn: 1, MaxIn: 1,
				Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
					s := slices.Clone(c.Shape(0))
					s[0] = s[0].FloorDiv(2)
					return c.DType(0), s
				},
				View: func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
					out := graph.Layout{Shape: n.Shape(), Strides: slices.Clone(in.Strides), Offset: in.Offset}
					out.Strides[0] = out.Strides[0].Times(2)
					return out, true
				}}
			return ops.Apply(evens, nil, g.Input("x", f32, b, t))
		}, []string{"floor(b/2): axis 0 of x", "t: axis 1 of x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New("axes")
			y := c.build(g, g.Dim("b"), g.Dim("t"))
			require.NoError(t, g.Err())
			var got []string
			for _, a := range shapeinfer.Axes(y) {
				got = append(got, a.String())
			}
			assert.Equal(t, c.want, got)
		})
	}
	assert.Nil(t, shapeinfer.Axes(nil))
}

// walk is a random program that moves elements and computes nothing.
type walk struct {
	*rand.Rand
	g      *graph.Graph
	inputs []*graph.Node
	values []*graph.Node
}

func (w *walk) size() graph.Dim {
	return []graph.Dim{w.g.Dim("n"), w.g.Dim("m"), 2, 3, 4, 1}[w.IntN(6)]
}

// step moves some value, and returns nil where that cannot be done.
func (w *walk) step() *graph.Node {
	x := w.values[w.IntN(len(w.values))]
	s, axis := x.Shape(), 0
	if len(s) > 0 {
		axis = w.IntN(len(s))
	} else {
		return ops.Unsqueeze(x, 0)
	}
	switch w.IntN(15) {
	case 0, 1:
		return ops.Permute(x, w.Perm(len(s))...)
	case 2, 3: // merges neighbours
		if axis+1 < len(s) {
			return ops.Flatten(x, axis, axis+1)
		}
	case 4, 5: // splits an axis
		for _, part := range []graph.Dim{w.g.Dim("n"), w.g.Dim("m"), 2, 3} {
			if other, exact := s[axis].ExactDiv(part); exact {
				parts := graph.Shape{other, part}
				if w.IntN(2) == 0 {
					slices.Reverse(parts)
				}
				return ops.Reshape(x, slices.Replace(slices.Clone(s), axis, axis+1, parts...)...)
			}
		}
	case 6:
		return ops.Slice(x, axis, graph.Dim(w.IntN(2)), ops.End, 1+w.IntN(2))
	case 7:
		return ops.Flip(x, axis)
	case 8:
		y := w.values[w.IntN(len(w.values))]
		if y.Rank() == x.Rank() {
			return ops.Concat(axis, x, y)
		}
	case 9:
		return ops.Concat(axis, x, x, x)
	case 10:
		return ops.Pad(x, axis, graph.Dim(w.IntN(3)), graph.Dim(w.IntN(2)), -1)
	case 11:
		return ops.Unsqueeze(x, axis)
	case 12:
		return ops.Select(x, axis, 0)
	case 13:
		if s[axis] == 1 {
			return ops.Expand(x, slices.Replace(slices.Clone(s), axis, axis+1, w.size())...)
		}
		return ops.Window(x, axis, 2, 1, 1)
	case 14:
		if axis+1 < len(s) {
			return ops.Diagonal(x, 0, axis, axis+1)
		}
	}
	return nil
}

// TestWhatIsSaidOfPositionsIsTrue feeds random programs that only move elements with the positions of these, and
// compares the results with the reported origins.
func TestWhatIsSaidOfPositionsIsTrue(t *testing.T) {
	const programs = 400
	said, unsaid := 0, 0
	for seed := range uint64(programs) {
		w := &walk{Rand: rand.New(rand.NewPCG(seed, 5)),
			g: graph.New("walk", graph.WithPolicy(graph.Policy{AxisMixing: graph.AllowSilently}))}
		w.g.Dim("n", graph.AtLeast(2))
		w.g.Dim("m", graph.AtLeast(2))
		w.inputs = append(w.inputs, w.g.Input("named", f32, w.g.Dim("n"), w.g.Dim("m")))
		for k := range 1 + w.IntN(2) {
			s := graph.Shape{}
			for range 1 + w.IntN(3) {
				s = append(s, w.size())
			}
			w.inputs = append(w.inputs, w.g.Input(fmt.Sprint("x", k), f32, s...))
		}
		w.values = slices.Clone(w.inputs)
		for range 8 {
			if y := w.step(); y != nil && y.Judged() && w.g.Err() == nil && y.Rank() < 6 {
				w.values = append(w.values, y)
			} else if w.g.Err() != nil {
				break
			}
		}
		if w.g.Err() != nil || len(w.values) == len(w.inputs) {
			continue
		}
		yes, no := w.compare(t)
		said, unsaid = said+yes, unsaid+no
		require.False(t, t.Failed(), "program %d:\n%s", seed, w.g)
	}
	t.Log(said, "said,", unsaid, "unsaid")
	assert.Greater(t, said, 10*unsaid)
}

// origin is where an element comes from: the number of the input, and the position on one axis.
func origin(input, position int) float32 { return float32(1000*input + position) }

// compare runs the program once for each axis of its inputs.
func (w *walk) compare(t *testing.T) (said, unsaid int) {
	outputs := w.values[len(w.inputs):]
	prog, err := exec.Compile(w.g, exec.Outputs(outputs...), exec.OnWarning(nil))
	if err != nil {
		return 0, 0
	}
	at := func(name string) (int64, bool) { return map[string]int64{"n": 4, "m": 6}[name], true }
	eval := func(d graph.Dim) int { v, _ := d.Eval(at); return int(v) }
	for axis := range 3 {
		var of []graph.AxisOf
		feed := exec.Feed{}
		for i, x := range w.inputs {
			shape := make([]int, x.Rank())
			for k, d := range x.Shape() {
				shape[k] = eval(d)
			}
			of = append(of, graph.AxisOf{Node: x, Axis: min(axis, x.Rank()-1)})
			var data []float32
			eachPosition(shape, func(p []int) { data = append(data, origin(i, p[of[i].Axis])) })
			feed[x] = exec.Array{Shape: shape, Data: data}
		}
		f := axisflow.NewFlow(w.g, of...)
		r, err := prog.NewSession(exec.Size("n", 4), exec.Size("m", 6)).Run(context.Background(), feed)
		if err != nil {
			return said, unsaid // sizes at which something does not fit
		}
		for _, y := range outputs {
			a, err := r.Array(y)
			require.NoError(t, err)
			data := a.Data.([]float32)
			for i := range w.inputs {
				d, depends := f.Value(y).Of(i)
				switch {
				case depends && d.Mixed:
					unsaid++
					continue
				case depends:
					said++
				}
				k := 0
				eachPosition(a.Shape, func(p []int) {
					got := int(data[k])
					if k++; got < 0 || got/1000 != i || w.inputs[i].Shape()[of[i].Axis] == 1 {
						return
					}
					assert.True(t, depends, "%s comes from %s", y, of[i])
					want := eval(d.Offset)
					for _, term := range d.Terms {
						want += eval(term.Weight) * (p[term.Axis] / eval(term.Inner) % eval(term.Size))
					}
					assert.Equal(t, want, got%1000, "position %v of %s on %s: %v", p, y.Label(), of[i], d)
				})
			}
		}
	}
	return said, unsaid
}

func eachPosition(shape []int, f func(p []int)) {
	count := 1
	for _, n := range shape {
		count *= n
	}
	p := make([]int, len(shape))
	for k := range count {
		for i, n := range slices.Backward(shape) {
			p[i], k = k%n, k/n
		}
		f(p)
	}
}
