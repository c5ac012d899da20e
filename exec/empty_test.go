package exec_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/ops"
)

// sized is a program of some sizes, each of which may be 0.
type sized struct {
	g       *graph.Graph
	a, b, c graph.Dim
	writes  []*graph.Node
}

func (p *sized) in(s ...graph.Dim) *graph.Node {
	return p.g.Input(fmt.Sprintf("x%d", len(p.g.Inputs())), graph.Float64, s...)
}

func (p *sized) param(s ...graph.Dim) *graph.Node {
	return p.g.Param(fmt.Sprintf("w%d", len(p.g.Params())), graph.Float64, s...)
}

// index is an input of indices below 4.
func (p *sized) index(s ...graph.Dim) *graph.Node {
	return p.g.Input(fmt.Sprintf("x%d", len(p.g.Inputs())), graph.Int64, s...)
}

// update notes a write, which each run carries out.
func (p *sized) update(write *graph.Node) { p.writes = append(p.writes, write) }

// plusPosition adds the place of each element along the last axis.
func (p *sized) plusPosition(x *graph.Node) *graph.Node {
	return ops.Add(x, ops.Cast(ops.Iota(p.g, x.Rank()-1, x.Shape()...), graph.Float64))
}

func list(n ...*graph.Node) []*graph.Node { return n }

type sizedCase struct {
	name    string
	outputs func(p *sized) []*graph.Node
	known   map[[3]any][]exec.Array
}

// sizedPrograms has every kind of kernel, with operands that begin within their memory.
var sizedPrograms = []sizedCase{
	{name: "elements", outputs: func(p *sized) []*graph.Node {
		return list(ops.Tanh(ops.Add(ops.Mul(p.in(p.a, 1, p.c), p.in(p.b, 1)), ops.Select(p.in(3, p.c), 0, 1))))
	}},
	{name: "sums beside operands within their memory", outputs: func(p *sized) []*graph.Node {
		x, y, z := p.in(p.a, p.b), ops.Slice(p.in(p.a, 6), 1, 2, 5, 2), ops.Select(p.in(3), 0, 2)
		s := ops.Sum(ops.Mul(x, z), 1)
		return list(s, ops.Add(ops.Unsqueeze(s, 1), y), ops.Add(ops.Sum(ops.Square(x)), z), ops.Add(ops.Sum(x, 0), z))
	}},
	{name: "all sums", outputs: func(p *sized) (list []*graph.Node) {
		x := p.in(p.a, p.b, p.c)
		for _, axes := range [][]ops.Axis{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {ops.AllAxes()}} {
			list = append(list, ops.Sum(x, axes...), ops.Mean(x, axes...), ops.Prod(x, axes...),
				ops.Sum(ops.Tanh(x), axes...), ops.LogSumExp(x, axes...),
				ops.Any(x, axes...), ops.All(x, axes...), ops.Var(x, 0, axes...),
				ops.Sum(ops.Permute(x, 2, 0, 1), axes...))
		}
		return list
	}},
	{name: "greatest elements", outputs: func(p *sized) []*graph.Node {
		x, y := p.in(p.a, p.b, 4), p.in(4, p.c)
		return list(ops.Max(x, 2), ops.Min(ops.Transpose(x, 0, 2), 0), ops.ArgMax(x, 2), ops.ArgMin(ops.Flip(x, 2), 2),
			ops.Max(y, 0), ops.ArgMax(y, 0))
	}},
	{name: "an index among all elements of a view", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a.Plus(1), p.b.Plus(2), p.c.Plus(3))
		written := ops.ArgMax(ops.Transpose(x, 0, 2), ops.KeepDims())
		return list(ops.ArgMax(ops.Transpose(x, 0, 1)), ops.ArgMin(ops.Slice(x, 1, 0, 2, 1)),
			ops.ArgMax(ops.Flip(x, 1)), ops.ArgMin(x), ops.ArgMin(ops.Select(x, 1, 1)),
			ops.ArgMax(ops.Expand(ops.Select(x, 1, 0), 3, p.a.Plus(1), p.c.Plus(3)), ops.KeepDims()),
			ops.AddInPlace(written, ops.ArgMax(ops.Sin(ops.Permute(x, 2, 0, 1)))))
	}},
	{name: "an index among the elements of some axes", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, p.b.Plus(2), p.c.Plus(3), 2)
		return list(ops.ArgMax(x, 1, -2), ops.ArgMin(x, 1, 3, ops.KeepDims()),
			ops.ArgMax(ops.Transpose(x, 1, 2), -1, 1), ops.ArgMin(ops.Sin(ops.Permute(x, 3, 1, 0, 2)), 0, 1),
			ops.ArgMax(ops.Expand(ops.Select(x, 3, 0), 3, p.a, p.b.Plus(2), p.c.Plus(3)), 0, 2, ops.KeepDims()))
	}},
	{name: "stages of rows", outputs: func(p *sized) []*graph.Node {
		x, w := p.in(p.a, p.b, p.c), p.in(5, p.c)
		return list(ops.Softmax(x, 0), ops.Softmax(x, 1), ops.LogSoftmax(x, 2),
			ops.LayerNorm(x, ops.Select(w, 0, 3), ops.Select(w, 0, 4), 1e-5),
			ops.RMSNorm(ops.Transpose(x, 0, 1), ops.Select(w, 0, 2), 1e-5), ops.Norm(x, 2, 1),
			ops.Standardize(x, 1e-5, 0))
	}},
	{name: "a matrix product and what follows", outputs: func(p *sized) []*graph.Node {
		m := ops.MatMul(p.in(p.a, p.b), p.in(p.b, p.c))
		bias := ops.Select(p.in(3, p.c), 0, 2)
		return list(ops.Relu(ops.Add(m, bias)), ops.Sum(ops.Relu(ops.Add(m, bias)), 0), ops.Softmax(m, 1))
	}},
	{name: "a product with one follower", outputs: func(p *sized) []*graph.Node {
		return list(ops.Tanh(ops.Add(ops.MatMul(p.in(p.a, p.b), p.in(p.b, p.c)), p.in(p.a, p.c))))
	}},
	{name: "products of other orders", outputs: func(p *sized) []*graph.Node {
		x, y, v := p.in(p.a, p.b), p.in(p.b, p.c), p.in(2, p.b)
		return list(ops.MatMul(ops.Transpose(y, 0, 1), ops.Transpose(x, 0, 1)),
			ops.MatMul(ops.Flip(x, 1), ops.Flip(y, 0)),
			ops.MatMul(x, ops.Select(v, 0, 1)), ops.MatMul(ops.Select(v, 0, 1), y),
			ops.Einsum("i,i", ops.Select(v, 0, 1), ops.Select(v, 0, 0)),
			ops.Einsum("ij,kj->ik", v, x), ops.Outer(ops.Select(v, 0, 1), ops.Select(p.in(3, p.a), 0, 2)))
	}},
	{name: "batches of products", outputs: func(p *sized) []*graph.Node {
		x := p.in(2, p.a, 9, p.b)
		return list(ops.Relu(ops.MatMul(x, p.in(p.a, p.b, p.c))),
			ops.Add(ops.MatMul(x, p.in(1, p.b, 33)), p.in(2, p.a, 9, 33)), ops.Sum(ops.MatMul(x, p.in(p.b, 3)), 0))
	}},
	{name: "one factor for a batch", outputs: func(p *sized) []*graph.Node {
		y := ops.MatMul(p.in(p.a, p.b), p.in(4, p.b, p.c))
		return list(ops.Add(y, p.in(4, p.a, p.c)))
	}},
	{name: "products of integers", outputs: func(p *sized) []*graph.Node {
		return list(ops.MatMul(ops.Cast(p.in(p.a, p.b), graph.Int64), ops.Cast(p.in(p.b, p.c), graph.Int64)))
	}},
	{name: "attention", outputs: func(p *sized) []*graph.Node {
		q, k, v := p.in(2, p.a, 8), p.in(2, p.b, 8), p.in(2, p.b, 16)
		return list(ops.MatMul(ops.Softmax(ops.Mul(ops.MatMul(q, ops.Transpose(k, 1, 2)), graph.Num(0.3)), 2), v))
	}},
	{name: "a layer that is trained", outputs: func(p *sized) []*graph.Node {
		w, bias := p.param(33, 17), p.param(17)
		y := ops.Relu(ops.Add(ops.MatMul(p.in(p.a, 33), w), bias))
		for i, d := range autodiff.Grad(ops.Sum(ops.Square(y)), list(w, bias)) {
			p.update(ops.SubInPlace(list(w, bias)[i], ops.Mul(ops.Tanh(d), graph.Num(0.01))))
		}
		return list(y)
	}},
	{name: "convolutions", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, p.b, 9)
		return list(ops.Relu(ops.Conv1D(x, p.in(4, p.b, 3), p.in(4), ops.Padding(1))),
			ops.Conv1D(x, p.in(2, p.b, 2), nil, ops.Stride(2)))
	}},
	{name: "a convolution with no filters", outputs: func(p *sized) []*graph.Node {
		return list(ops.Conv1D(p.in(p.a, p.b, 9), p.in(p.c, p.b, 3), nil))
	}},
	{name: "images", outputs: func(p *sized) []*graph.Node {
		y := ops.Relu(ops.Conv2D(p.in(p.a, 3, 9, 9), p.in(4, 3, 3, 3), nil, ops.Padding(1)))
		return list(ops.MaxPool2D(y, 2, 2), ops.AvgPool2D(y, 3, 3, ops.Stride(2)))
	}},
	{name: "pools", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, 3, p.b.Plus(4))
		return list(ops.MaxPool1D(x, 3, ops.Padding(1)), ops.AvgPool1D(x, 3, ops.CeilMode()))
	}},
	{name: "taking and adding by index", outputs: func(p *sized) []*graph.Node {
		x, rows := p.in(p.a, 4, p.b), p.index(p.c)
		return list(ops.Take(x, 1, rows), ops.IndexSelect(x, 1, rows), ops.SegmentSum(p.in(p.a, p.c, p.b), 1, rows, 4),
			ops.Embedding(rows, p.in(4, p.a)),
			ops.OneHot(rows, 4, graph.Float64), ops.Gather(p.in(4, p.b), 0, p.index(2, p.b)))
	}},
	{name: "joins", outputs: func(p *sized) []*graph.Node {
		x, y, z := p.in(p.a, p.b), p.in(p.c, p.b), p.in(p.a, p.c)
		return list(ops.Concat(0, x, y, ops.Tanh(x)), ops.Concat(1, x, ops.Exp(z), x), ops.Stack(1, x, ops.Sin(x)),
			ops.Pad(x, 1, 2, 1, 7), ops.Pad(ops.Tanh(x), 0, 1, 0, 3),
			ops.Tanh(ops.Concat(0, ops.Flip(x, 0), y)),
			ops.Concat(0, ops.Sum(x, 0), ops.Sum(y, 0), ops.Select(p.in(2, p.c), 0, 1)))
	}},
	{name: "pieces", outputs: func(p *sized) []*graph.Node {
		x := p.in(6, p.a, p.b)
		parts := ops.Split(x, 0, 2)
		return list(ops.Add(ops.Sin(parts[0]), ops.Mul(parts[1], parts[2])), ops.Roll(x, 0, 2), ops.Tile(x, 2, 1, 1),
			ops.RepeatInterleave(x, 0, 2))
	}},
	{name: "windows", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, 9, p.b)
		w := ops.Window(x, 1, 3, 2, 1)
		return list(ops.Tanh(w), ops.Sum(w, -1), ops.Fold(w, 1, 9, 2, 1))
	}},
	{name: "running sums", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, p.b, p.c)
		return list(ops.CumSum(x, 0), ops.CumSum(x, 1), ops.CumProd(x, 2), ops.CumSum(ops.Sum(x, 1), 1))
	}},
	{name: "views and copies", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, p.b, 4)
		return list(ops.Tanh(p.in(p.c)), ops.Reshape(ops.Transpose(x, 0, 1), p.b, p.a.Times(4)),
			ops.Flip(ops.Copy(x), 0, 2), ops.Triu(x, 1), ops.Expand(ops.Unsqueeze(x, 1), p.a, p.c, p.b, 4),
			ops.Select(x, 2, 3), ops.Reshape(ops.Permute(x, 2, 1, 0), -1), ops.Diagonal(p.in(p.a, p.a, 2), 0, 0, 1))
	}},
	{name: "positions", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, p.b)
		at := ops.Cast(ops.Iota(p.g, 1, p.a, p.b), graph.Float64)
		return list(ops.Mul(x, at), p.plusPosition(ops.MatMul(x, ops.Select(p.in(2, p.b), 0, 1))),
			p.plusPosition(ops.Reshape(ops.MatMul(x, p.in(p.b, p.c)), -1)),
			p.plusPosition(ops.MatMul(x, p.in(p.b, p.c))),
			p.plusPosition(ops.MatMul(p.in(2, p.a, p.c), p.in(2, p.c, p.b))))
	}},
	{name: "losses", outputs: func(p *sized) []*graph.Node {
		x := p.in(p.a, 5)
		return list(ops.CrossEntropy(x, p.index(p.a), ops.SumLoss()), ops.MSE(x, p.in(p.a, 5), ops.SumLoss()),
			ops.MSE(x, p.in(p.a, 5)))
	}},
	{name: "writes of a part", outputs: func(p *sized) []*graph.Node {
		e, w := p.in(3, p.a), p.param(6)
		p.update(ops.AddInPlace(ops.Slice(w, 0, 3, 6, 1), ops.Add(ops.Sum(ops.Square(e), 1), graph.Num(7))))
		v := p.param(2, 3)
		p.update(ops.CopyInPlace(ops.Select(v, 0, 1), ops.Mul(ops.Sum(p.in(3, p.b), 1), ops.Select(p.in(4), 0, 3))))
		return list(ops.Sum(e))
	}},
	{name: "writes of a named part", outputs: func(p *sized) []*graph.Node {
		x, y := p.in(p.a, p.b).Mutable(), p.in(p.c, 4).Mutable()
		p.update(ops.MulInPlace(ops.Select(y, 1, 2), ops.Sum(p.in(p.c, p.b), 1)))
		p.update(ops.AddInPlace(ops.Slice(x, 0, 0, p.a, 2), graph.Num(3)))
		return list(ops.Sum(p.in(p.b)))
	}},
}

// emptied lists sizes of one program in turn: with some and none along each axis.
var emptied = [][3]any{{3, 5, 4}, {0, 5, 4}, {3, 5, 4}, {3, 0, 4}, {3, 0, 4}, {3, 5, 0}, {0, 0, 4}, {3, 0, 0},
	{0, 0, 0}, {1, 1, 1}, {12, 9, 17}, {12, 0, 17}, {0, 9, 17}}

// TestEmptySizes runs programs of every kind of kernel at sizes in turn, some of which are 0, named
// and as numbers.
func TestEmptySizes(t *testing.T) {
	for i := range sizedPrograms {
		c := &sizedPrograms[i]
		c.runNamed(t, 1, c.agrees)
		for _, at := range emptied {
			p := newSized(at[0], at[1], at[2])
			w := p.work(c)
			prog, err := w.compile(nil)
			p.draw(w, at)
			if err != nil {
				require.Nil(t, c.values(w, at), "%s, sizes %v: %v", c.name, at, err)
				continue
			}
			c.runTwice(t, prog.NewSession(exec.Threads(1)), w, at, c.agrees)
		}
	}
}

// TestEmptySizesOnTiles has all that can go on with the tiles or rows of products do so.
func TestEmptySizesOnTiles(t *testing.T) {
	for about, option := range map[string]exec.Option{"tiles": exec.AllTiles(), "rows": exec.RowsFrom(0)} {
		t.Run(about, func(t *testing.T) {
			for i := range sizedPrograms {
				sizedPrograms[i].runNamed(t, 4, sizedPrograms[i].agrees, option)
			}
		})
	}
}

func TestEmptySizesOnEverySetting(t *testing.T) {
	settings.Same(t, func() string {
		h := fnv.New64a()
		var text strings.Builder
		for i := range sizedPrograms {
			sizedPrograms[i].runNamed(t, 4, func(_ *testing.T, _ work, _ [3]any, got []exec.Array, err error) {
				fmt.Fprint(h, got, err != nil)
			}, exec.AllTiles())
			fmt.Fprintf(&text, "%s %x\n", sizedPrograms[i].name, h.Sum64())
		}
		return text.String()
	})
}

// see calls f with what a run reports.
type see func(t *testing.T, w work, at [3]any, got []exec.Array, err error)

// runNamed runs the program at all sizes in one session.
func (c *sizedCase) runNamed(t *testing.T, threads int, see see, opts ...exec.Option) {
	t.Helper()
	p := newSized("a", "b", "c")
	w := p.work(c)
	prog, err := w.compile(nil, opts...)
	require.NoError(t, err, c.name)
	s := prog.NewSession(exec.Threads(threads))
	for _, at := range emptied {
		p.draw(w, at)
		c.runTwice(t, s, w, at, see)
	}
}

// runTwice runs a program twice, so that the second run finds what the first one has left.
func (c *sizedCase) runTwice(t *testing.T, s *exec.Session, w work, at [3]any, see see) {
	t.Helper()
	for range 2 {
		got, err := runner{Session: s, run: s.Run}.values(w)
		see(t, w, at, got, err)
	}
}

// agrees requires what the oracle has.
func (c *sizedCase) agrees(t *testing.T, w work, at [3]any, got []exec.Array, err error) {
	t.Helper()
	want, about := c.values(w, at), fmt.Sprintf("%s of %s, %v", c.name, w.outputs[0].Graph().Name(), at)
	require.Equal(t, want == nil, err != nil, "%s: %v", about, err)
	compareAll(t, want, got, 1e-9, nil, func(k int) string { return fmt.Sprintf("%s, value %d", about, k) })
}

// values returns what the oracle has at sizes; nil for an error. It is asked once.
func (c *sizedCase) values(w work, at [3]any) []exec.Array {
	if list, known := c.known[at]; known {
		return list
	}
	if c.known == nil {
		c.known = map[[3]any][]exec.Array{}
	}
	values, err := w.values()
	if err != nil {
		values = nil
	}
	var list []exec.Array
	for _, v := range values {
		list = append(list, toArray(v))
	}
	c.known[at] = list
	return list
}

// newSized begins a program of sizes: names or numbers.
func newSized(a, b, c any) *sized {
	policy := graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}
	p := &sized{g: graph.New(fmt.Sprintf("sizes %v %v %v", a, b, c), graph.WithPolicy(policy))}
	size := func(v any) graph.Dim {
		if name, ok := v.(string); ok {
			return p.g.Dim(name, graph.AtLeast(0))
		}
		return graph.Dim(v.(int))
	}
	p.a, p.b, p.c = size(a), size(b), size(c)
	return p
}

// work completes the program with the gradients of its inputs, unless it writes.
func (p *sized) work(c *sizedCase) work {
	w := work{outputs: c.outputs(p), writes: p.writes, feeds: map[*graph.Node]reference.Value{}}
	loss, by := p.g.Scalar(graph.Float64, 0), p.floats(p.g.Inputs())
	for _, y := range p.floats(w.outputs) {
		loss = ops.Add(loss, ops.Sum(ops.Sin(y)))
	}
	if len(p.writes) == 0 {
		w.outputs = append(w.outputs, autodiff.Grad(loss, by, autodiff.ZeroForUnused())...)
	}
	return w
}

func (p *sized) floats(list []*graph.Node) (floats []*graph.Node) {
	for _, n := range list {
		if n.DType().IsFloat() {
			floats = append(floats, n)
		}
	}
	return floats
}

// draw makes what is fed, and the parameters, at sizes.
func (p *sized) draw(w work, at [3]any) {
	bound := func(name string) (int64, bool) { return int64(at[name[0]-'a'].(int)), true }
	for _, n := range append(p.g.Inputs(), p.g.Params()...) {
		sizes, count := []int{}, 1
		for _, d := range n.Shape() {
			v, _ := d.Eval(bound)
			sizes, count = append(sizes, int(v)), count*int(v)
		}
		data := make([]float64, count)
		for i := range data {
			if data[i] = float64(i*29%53)/61 - 0.42; n.DType() == graph.Int64 {
				data[i] = float64(i * 3 % 4)
			}
		}
		w.feeds[n] = reference.FromFloats(n.DType(), data, sizes...)
	}
}
