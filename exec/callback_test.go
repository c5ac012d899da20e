package exec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// calls notes what functions are called with.
type calls struct{ list []string }

// of is a call that notes its operands, and gives the first one back.
func (c *calls) of(name string, in ...*graph.Node) *graph.Node {
	return ops.Callback(name, in, in[0].DType(), in[0].Shape(), func(a *graph.Arrays) error {
		text := name
		for _, x := range a.In {
			text += fmt.Sprint(" ", x.Slice())
		}
		c.list = append(c.list, text)
		copyArray(a.Out, a.In[0])
		return nil
	}, func(_, dy *graph.Node, in []*graph.Node) []*graph.Node {
		grads := make([]*graph.Node, len(in))
		grads[0] = ops.Mul(dy, graph.Num(10))
		return grads
	})
}

func copyArray(to, from graph.Array) {
	for i := range from.NumElements() {
		v, whole := graph.NumberAt(from.Slice(), i)
		graph.SetNumberAt(to.Slice(), i, v, whole)
	}
}

func runs(t *testing.T, g *graph.Graph, feed exec.Feed, opts ...exec.Option) *exec.Results {
	t.Helper()
	p, err := exec.Compile(g, opts...)
	require.NoError(t, err)
	r, err := p.NewSession().Run(context.Background(), feed)
	require.NoError(t, err)
	return r
}

// TestCallbacksAreCalledInOrder has calls that are equal, of which the results fall away, or are needed in another
// order.
func TestCallbacksAreCalledInOrder(t *testing.T) {
	g, c := graph.New("order"), &calls{}
	x := g.Input("x", graph.Float32, 2)
	a := c.of("a", x)
	b := c.of("b", ops.Exp(ops.Mul(x, graph.Num(0))))
	again := c.of("a", x)
	constant := c.of("constant", g.Scalar(graph.Float32, 3))
	unused := ops.Select(ops.Concat(0, ops.Unsqueeze(c.of("away", x), 0), ops.Unsqueeze(x, 0)), 0, 1)
	alone := c.of("alone", x)
	y := ops.Add(ops.Add(ops.Add(unused, constant), ops.Mul(again, b)), a)
	p, err := exec.Compile(g, exec.Outputs(y), exec.Updates(alone))
	require.NoError(t, err)
	s := p.NewSession()
	want := []string{"a [1 2]", "b [1 1]", "a [1 2]", "constant [3]", "away [1 2]", "alone [1 2]"}
	for range 2 {
		c.list = nil
		r, err := s.Run(context.Background(), exec.Feed{x: []float32{1, 2}})
		require.NoError(t, err)
		got, err := exec.Values[float32](r, y)
		require.NoError(t, err)
		require.Equal(t, []float32{6, 9}, got)
		require.Equal(t, want, c.list)
	}
	c.list = nil
	_, err = s.RunWithoutUpdates(context.Background(), exec.Feed{x: []float32{1, 2}})
	require.NoError(t, err)
	require.Equal(t, want[:5], c.list)
}

// TestCallbacksSeeWritesInTheirOrder has calls that read a parameter before and after a write.
func TestCallbacksSeeWritesInTheirOrder(t *testing.T) {
	g, c := graph.New("writes"), &calls{}
	w := g.Param("w", graph.Float32, 2)
	before := c.of("before", w)
	write := ops.AddInPlace(w, graph.Num(1))
	after := c.of("after", write)
	runs(t, g, nil, exec.Updates(before, write, after))
	require.Equal(t, []string{"before [0 0]", "after [1 1]"}, c.list)

	late := c.of("late", w)
	_, err := exec.Compile(g, exec.Updates(before, after, late))
	require.ErrorContains(t, err, "callback_test.go:")
}

// TestCallbacksOfAllDTypes gives functions and Print elements of the operands' own dtypes.
func TestCallbacksOfAllDTypes(t *testing.T) {
	for _, dtype := range graph.DTypes() {
		for _, shape := range [][]int{{}, {3}, {2, 0}, {1, 1}} {
			g, c := graph.New("dtypes"), &calls{}
			dims := make([]graph.Dim, len(shape))
			for i := range shape {
				dims[i] = g.Dim(fmt.Sprint("d", i), graph.AtLeast(0))
			}
			x := g.Input("x", dtype, dims...)
			y := c.of("f", x)
			count := graph.Array{Shape: shape}.NumElements()
			data := dtype.MakeSlice(count)
			for i := range count {
				graph.SetNumberAt(data, i, 1, int64(100+i))
			}
			var out bytes.Buffer
			printed := ops.Print(y, "y")
			p, err := exec.Compile(g, exec.Outputs(printed))
			require.NoError(t, err)
			r, err := p.NewSession(exec.PrintTo(&out)).Run(
				context.Background(), exec.Feed{x: exec.Array{Shape: shape, Data: data}})
			require.NoError(t, err)
			require.Equal(t, []string{fmt.Sprint("f ", data)}, c.list)
			got, err := r.Array(printed)
			require.NoError(t, err)
			require.Equal(t, data, got.Data)
			require.Contains(t, out.String(), "y: "+dtype.String()+"[")
		}
	}
}

// TestCallbackIn16Bits keeps the dtype of operands in a composite that is computed in float32.
func TestCallbackIn16Bits(t *testing.T) {
	g, c := graph.New("half"), &calls{}
	x := g.Input("x", graph.BFloat16, 1)
	y := ops.WithGradient("Twice", []*graph.Node{x}, func(in []*graph.Node) *graph.Node {
		return ops.Exp(ops.Sub(c.of("f", ops.Add(in[0], graph.Num(1./512))), graph.Num(1)))
	}, func(_, dy *graph.Node, _ []*graph.Node) []*graph.Node { return []*graph.Node{dy} })
	runs(t, g, exec.Feed{x: []half.BFloat16{half.NewBFloat16(1)}}, exec.Outputs(y))
	require.Equal(t, []string{"f [1]"}, c.list)
}

// TestCallbacksInLoops calls functions in each step, whatever becomes of the results.
func TestCallbacksInLoops(t *testing.T) {
	g, c := graph.New("loops"), &calls{}
	x, w := g.Input("x", graph.Float32, g.Dim("n")), g.Input("w", graph.Float32)
	c.of("before", w)
	final, outs := ops.Scan(ops.Loop{Carry: []*graph.Node{w}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			c.of("outside", w)
			c.of("first", x[0])
			y := c.of("second", ops.Add(carry[0], x[0]))
			branch := ops.Cond(ops.Greater(x[0], graph.Num(1)), func() []*graph.Node {
				c.of("then", w)
				return []*graph.Node{x[0]}
			}, func() []*graph.Node { return []*graph.Node{c.of("else", x[0])} })
			_ = branch
			return []*graph.Node{y}, []*graph.Node{y}
		})
	c.of("between", w)
	count, _ := ops.While(5, []*graph.Node{final[0]}, func(carry []*graph.Node) *graph.Node {
		return ops.Less(c.of("cond", carry[0]), graph.Num(12))
	}, func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(c.of("body", carry[0]), graph.Num(4))}
	})
	last := c.of("last", count[0])
	p, err := exec.Compile(g, exec.Outputs(last, outs[0]), exec.OnWarning(nil))
	require.NoError(t, err)
	s := p.NewSession()
	for range 2 {
		c.list = nil
		r, err := s.Run(context.Background(), exec.Feed{x: []float32{1, 2}, w: float32(3)})
		require.NoError(t, err)
		got, err := r.Scalar(last)
		require.NoError(t, err)
		require.Equal(t, 14., got)
		require.Equal(t, []string{
			"outside [3]", "first [1]", "second [4]", "else [1]",
			"outside [3]", "first [2]", "second [6]", "then [3]",
			"cond [6]", "body [6]", "cond [10]", "body [10]", "cond [14]", "last [14]",
		}, c.list)
	}
}

// TestGradientsOfCallbacks are those that the caller gives; in loops, what was computed is kept, and not called again.
func TestGradientsOfCallbacks(t *testing.T) {
	g, c := graph.New("gradients"), &calls{}
	x := g.Input("x", graph.Float64, 3)
	dx := autodiff.Grad(ops.Sum(ops.Mul(c.of("f", x), x)), []*graph.Node{x})[0] // x·10·1 + f(x)
	_, outs := ops.Scan(ops.Loop{Carry: []*graph.Node{g.Scalar(graph.Float64, 1)}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			y := c.of("step", ops.Mul(carry[0], x[0]))
			return []*graph.Node{y}, []*graph.Node{ops.Square(y)}
		})
	dloop := autodiff.Grad(ops.Sum(outs[0]), []*graph.Node{x})[0]
	r := runs(t, g, exec.Feed{x: []float64{1, 2, 3}}, exec.Outputs(dx, dloop))
	got, err := exec.Values[float64](r, dx)
	require.NoError(t, err)
	require.Equal(t, []float64{11, 22, 33}, got)
	got, err = exec.Values[float64](r, dloop)
	require.NoError(t, err)
	// With y1 = x1, y2 = y1·x2, y3 = y2·x3 and slopes of 10: dy3 = 2·6, dy2 = 2·2 + 10·3·12, dy1 = 2·1 + 10·2·dy2.
	require.Equal(t, []float64{10 * (2 + 20*(4+360)), 10 * (4 + 360), 10 * 2 * 12}, got)
	require.Equal(t, []string{"f [1 2 3]", "step [1]", "step [2]", "step [6]"}, c.list)
}

// TestGradientsThatCallbacksLack are mistakes.
func TestGradientsThatCallbacksLack(t *testing.T) {
	opaque := func(x *graph.Node) *graph.Node {
		return ops.Callback("Opaque", []*graph.Node{x}, x.DType(), x.Shape(), func(*graph.Arrays) error { return nil },
			nil)
	}
	step := func(carry, x []*graph.Node) (next, out []*graph.Node) { return nil, []*graph.Node{opaque(x[0])} }
	g := graph.New("lacks")
	x := g.Input("x", graph.Float32, 3)
	require.ErrorContains(t, autodiff.Grad(ops.Sum(opaque(x)), []*graph.Node{x})[0].Err(),
		"no gradient is defined through Callback, made at callback_test.go:")
	_, outs := ops.Scan(ops.Loop{Over: []*graph.Node{x}}, step)
	require.ErrorContains(t, autodiff.Grad(ops.Sum(outs[0]), []*graph.Node{x})[0].Err(),
		"no gradient is defined through Callback, made at callback_test.go:")

	c, g := &calls{}, graph.New("nested")
	x = g.Input("x", graph.Float32, 3)
	_, outs = ops.Scan(ops.Loop{Over: []*graph.Node{x}}, func(_, x []*graph.Node) (next, out []*graph.Node) {
		return nil, ops.Fori(2, []*graph.Node{x[0]}, func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
			return []*graph.Node{c.of("inner", ops.Square(carry[0]))}
		})
	})
	require.ErrorContains(t, autodiff.Grad(ops.Sum(outs[0]), []*graph.Node{x})[0].Err(),
		"in a nested loop, and would call its function again")
}

// TestCallbacksFail makes errors of runs of errors and panics, after which the session goes on.
func TestCallbacksFail(t *testing.T) {
	g := graph.New("fails")
	x := g.Input("x", graph.Float32, 2)
	wrong := errors.New("the disk is full")
	f := func(x *graph.Node) *graph.Node {
		return ops.Callback("Save", []*graph.Node{x}, graph.Float32, x.Shape(), func(a *graph.Arrays) error {
			switch v := graph.Elements[float32](a.In[0])[0]; {
			case v == 1:
				return fmt.Errorf("saving: %w", wrong)
			case v == 2:
				panic("no such thing")
			}
			copyArray(a.Out, a.In[0])
			return nil
		}, nil)
	}
	y := f(ops.Neg(ops.Neg(x)))
	_, outs := ops.Scan(ops.Loop{Over: []*graph.Node{x}}, func(_, x []*graph.Node) (next, out []*graph.Node) {
		return nil, []*graph.Node{f(ops.Unsqueeze(x[0], 0))}
	})
	for _, out := range []*graph.Node{y, outs[0]} {
		p, err := exec.Compile(g, exec.Outputs(out))
		require.NoError(t, err)
		s := p.NewSession()
		_, err = s.Run(context.Background(), exec.Feed{x: []float32{1, 7}})
		require.ErrorIs(t, err, wrong)
		require.ErrorContains(t, err, "callback_test.go:")
		require.ErrorContains(t, err, "Save(")
		_, err = s.Run(context.Background(), exec.Feed{x: []float32{2, 7}})
		var failed *exec.RunError
		require.ErrorAs(t, err, &failed)
		require.ErrorContains(t, err, "panics at callback_test.go:")
		require.ErrorContains(t, err, "no such thing")
		_, err = s.Run(context.Background(), exec.Feed{x: []float32{3, 7}})
		require.NoError(t, err)
	}
}

// TestPrint shows what is written, and that the result is x.
func TestPrint(t *testing.T) {
	g := graph.New("print")
	x, m, u := g.Input("x", graph.Float32, g.Dim("n")), g.Input("m", graph.Int64, 2, 2), g.Input("u", graph.Uint64)
	y := ops.Add(ops.Print(x, "x"), graph.Num(1))
	dx := autodiff.Grad(ops.Sum(ops.Square(ops.Print(x, "again"))), []*graph.Node{x})[0]
	var out bytes.Buffer
	p, err := exec.Compile(g, exec.Outputs(y, dx),
		exec.Updates(ops.Print(m, "m"), ops.Print(u, "u"), ops.Print(ops.Greater(x, graph.Num(0)), "above")))
	require.NoError(t, err)
	s := p.NewSession(exec.PrintTo(&out))
	r, err := s.Run(context.Background(), exec.Feed{
		x: []float32{0.1, -2}, m: [][]int64{{1, -2}, {3, 4}}, u: uint64(1) << 63})
	require.NoError(t, err)
	got, err := exec.Values[float32](r, dx)
	require.NoError(t, err)
	require.Equal(t, []float32{0.2, -4}, got)
	require.Equal(t, `x: float32[2] [0.1, -2]
again: float32[2] [0.1, -2]
m: int64[2, 2]
[[1, -2],
 [3, 4]]
u: uint64[] 9223372036854775808
above: bool[2] [true, false]
`, out.String())
	out.Reset()
	_, err = s.Run(context.Background(), exec.Feed{
		x: make([]float32, 2000), m: [][]int64{{1, -2}, {3, 4}}, u: uint64(0)})
	require.NoError(t, err)
	require.Contains(t, out.String(), "x: float32[2000] [0, 0, 0, …, 0, 0, 0]\n")

	_, err = p.NewSession(exec.PrintTo(fullDisk{})).Run(
		context.Background(), exec.Feed{x: []float32{1}, m: [][]int64{{1, -2}, {3, 4}}, u: uint64(0)})
	require.ErrorContains(t, err, "no space")
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space") }

// TestCallbacksThatNothingUses are warned of, and not carried out.
func TestCallbacksThatNothingUses(t *testing.T) {
	g, c := graph.New("left out"), &calls{}
	x, t2 := g.Input("x", graph.Float32, 2), g.Input("t", graph.Float32, 2)
	y := ops.Exp(x)
	c.of("Forgotten", y)
	c.of("Other", ops.Sub(y, t2)) // another program's: it has an input that this one does not read
	var told []string
	p, err := exec.Compile(g, exec.Outputs(y),
		exec.OnWarning(func(m *graph.Mistake) { told = append(told, m.Error()) }))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(), exec.Feed{x: []float32{1, 2}})
	require.NoError(t, err)
	require.Empty(t, c.list)
	require.Len(t, told, 1)
	require.True(t, strings.Contains(told[0], "Forgotten") && strings.Contains(told[0], "exec.Updates"), told[0])
}
