package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// combinations are associative functions of elements, with the shapes of these.
var combinations = map[string]struct {
	shapes  [][]int
	combine func(a, b []*graph.Node) []*graph.Node
}{
	"sums of scalars": {[][]int{{}}, func(a, b []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(a[0], b[0])}
	}},
	"the left one": {[][]int{{2}}, func(a, b []*graph.Node) []*graph.Node { return a }},
	"matrices": {[][]int{{2, 2}}, func(a, b []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.MatMul(b[0], a[0])}
	}},
	"diagonal state spaces": {[][]int{{3}, {3}}, func(a, b []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Mul(a[0], b[0]), ops.Add(ops.Mul(b[0], a[1]), b[1])}
	}},
	"states of matrices": {[][]int{{2, 2}, {2}}, func(a, b []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.MatMul(b[0], a[0]), ops.Add(ops.MatMul(b[0], a[1]), b[1])}
	}},
}

// stepByStep is the same in a loop of steps.
func stepByStep(l ops.Loop, combine func(a, b []*graph.Node) []*graph.Node) []*graph.Node {
	at := func(x *graph.Node) *graph.Node { // the first element
		if l.Reverse {
			return ops.Select(ops.Flip(x, l.Axis), l.Axis, 0)
		}
		return ops.Select(x, l.Axis, 0)
	}
	carry := []*graph.Node{}
	for _, x := range l.Over {
		carry = append(carry, at(x))
	}
	begins := ops.Iota(carry[0].Graph(), 0, l.Over[0].Shape()[l.Axis])
	first := graph.Num(0)
	if l.Reverse {
		first = ops.Size(carry[0].Graph(), graph.Int64, l.Over[0].Shape()[l.Axis].Minus(1))
	}
	over := append([]*graph.Node{}, l.Over...)
	for i, x := range over {
		over[i] = ops.MoveAxis(x, l.Axis, 0)
	}
	_, outs := ops.Scan(ops.Loop{Carry: carry, Over: append(over, ops.Equal(begins, first)), Reverse: l.Reverse},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			k := len(carry)
			for i, y := range combine(carry, x[:k]) {
				next = append(next, ops.Where(x[k], x[i], y))
			}
			return next, next
		})
	for i, y := range outs {
		outs[i] = ops.MoveAxis(y, 0, l.Axis)
	}
	return outs
}

// TestAssociativeScan compares results and gradients with those of a loop of steps, of lengths that are known or not,
// among them those around blocks.
func TestAssociativeScan(t *testing.T) {
	for name, c := range combinations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, reverse := range []bool{false, true} {
				for _, axis := range []int{0, 1} {
					for _, symbolic := range []bool{true, false} {
						compareScans(t, c.shapes, c.combine, axis, reverse, symbolic)
					}
				}
			}
		})
	}
}

func compareScans(t *testing.T, shapes [][]int, combine func(a, b []*graph.Node) []*graph.Node, axis int, reverse,
	symbolic bool) {
	lengths := []int{1, 2, 31, 32, 33, 34, 63, 65, 66, 97, 1100}
	if !symbolic {
		lengths = []int{1, 2, 64, 65, 98, 2200}
	}
	var g *graph.Graph
	var inputs, wanted []*graph.Node
	var prog *exec.Program
	build := func(n graph.Dim) {
		inputs = nil
		for i, s := range shapes {
			shape := graph.Shape{}
			for _, d := range s {
				shape = append(shape, graph.Dim(d))
			}
			if axis > 0 {
				shape = append(graph.Shape{3}, shape...)
			}
			shape = append(append(append(graph.Shape{}, shape[:axis]...), n), shape[axis:]...)
			inputs = append(inputs, g.Input(fmt.Sprint("x", i), graph.Float64, shape...))
		}
		if axis > 0 { // elements have one axis more
			one := combine
			combine = func(a, b []*graph.Node) []*graph.Node {
				return ops.Vmap(append(append([]*graph.Node{}, a...), b...), func(x []*graph.Node) []*graph.Node {
					return one(x[:len(a)], x[len(a):])
				})
			}
			defer func() { combine = one }()
		}
		l := ops.Loop{Over: inputs, Axis: axis, Reverse: reverse}
		wanted = nil
		for _, ys := range [][]*graph.Node{ops.AssociativeScan(l, combine), stepByStep(l, combine)} {
			loss := graph.Num(0)
			for _, y := range ys {
				loss = ops.Add(ops.Sum(ops.Sin(y)), loss)
			}
			wanted = append(append(wanted, ys...), autodiff.Grad(loss, inputs, autodiff.ZeroForUnused())...)
		}
		var err error
		prog, err = exec.Compile(g, exec.Outputs(wanted...), exec.OnWarning(nil))
		require.NoError(t, err)
	}
	if symbolic {
		g = graph.New("scan")
		build(g.Dim("n"))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range lengths {
		if !symbolic {
			g = graph.New("scan")
			build(graph.Dim(n))
		}
		feed := exec.Feed{}
		for _, x := range inputs {
			shape, count := []int{}, 1
			for _, d := range x.Shape() {
				size, is := d.Int()
				if !is {
					size = int64(n)
				}
				shape, count = append(shape, int(size)), count*int(size)
			}
			data := make([]float64, count)
			for i := range data {
				data[i] = random.Float64() - 0.3
			}
			feed[x] = exec.Array{Shape: shape, Data: data}
		}
		r, err := prog.NewSession().Run(t.Context(), feed)
		require.NoError(t, err, "%d elements", n)
		half := len(wanted) / 2
		for i := range half {
			got, err := exec.Values[float64](r, wanted[i])
			require.NoError(t, err)
			want, err := exec.Values[float64](r, wanted[half+i])
			require.NoError(t, err)
			requireClose(t, want, got, 1e-9, fmt.Sprintf(
				"%d elements, axis %d, reverse %v, symbolic %v: result %d", n, axis, reverse, symbolic, i))
		}
	}
}

// TestAssociativeScanOfNothing wants no results of an axis without elements, whether that is known or not.
func TestAssociativeScanOfNothing(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		for _, symbolic := range []bool{false, true} {
			g := graph.New("nothing")
			n := graph.Dim(0)
			if symbolic {
				n = g.Dim("n", graph.AtLeast(0))
			}
			x := g.Input("x", graph.Float64, n, 2)
			y := ops.AssociativeScan(ops.Loop{Over: []*graph.Node{x}, Reverse: reverse},
				func(a, b []*graph.Node) []*graph.Node { return []*graph.Node{ops.Mul(a[0], b[0])} })[0]
			dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
			prog, err := exec.Compile(g, exec.Outputs(y, dx), exec.OnWarning(nil))
			require.NoError(t, err)
			for _, size := range []int{0, 3, 70} {
				if !symbolic && size > 0 {
					continue
				}
				data := make([]float64, 2*size)
				for i := range data {
					data[i] = 1
				}
				r, err := prog.NewSession().Run(t.Context(),
					exec.Feed{x: exec.Array{Shape: []int{size, 2}, Data: data}})
				require.NoError(t, err)
				a, err := r.Array(y)
				require.NoError(t, err)
				require.Equal(t, []int{size, 2}, a.Shape)
				require.Equal(t, data, append([]float64{}, a.Data.([]float64)...))
			}
		}
	}
}

// TestAssociativeScanMistakes wants what is wrong to be told with what to do.
func TestAssociativeScanMistakes(t *testing.T) {
	sum := func(a, b []*graph.Node) []*graph.Node { return []*graph.Node{ops.Add(a[0], b[0])} }
	for want, build := range map[string]func(g *graph.Graph, x *graph.Node) []*graph.Node{
		"Carry and Length must not be set": func(g *graph.Graph, x *graph.Node) []*graph.Node {
			return ops.AssociativeScan(ops.Loop{Over: []*graph.Node{x}, Length: 3}, sum)
		},
		"there is no function that combines": func(g *graph.Graph, x *graph.Node) []*graph.Node {
			return ops.AssociativeScan(ops.Loop{Over: []*graph.Node{x}}, nil)
		},
		"an element has 1 values, and the function returns 2": func(g *graph.Graph, x *graph.Node) []*graph.Node {
			return ops.AssociativeScan(ops.Loop{Over: []*graph.Node{x}}, func(a, b []*graph.Node) []*graph.Node {
				return append(a, b...)
			})
		},
		"value 0 of the elements is float32[3], and the function returns float32[]": func(g *graph.Graph,
			x *graph.Node) []*graph.Node {
			return ops.AssociativeScan(ops.Loop{Over: []*graph.Node{x}}, func(a, b []*graph.Node) []*graph.Node {
				return []*graph.Node{ops.Sum(a[0])}
			})
		},
		"the function returns nil as value 0": func(g *graph.Graph, x *graph.Node) []*graph.Node {
			return ops.AssociativeScan(ops.Loop{Over: []*graph.Node{x}}, func(a, b []*graph.Node) []*graph.Node {
				return []*graph.Node{nil}
			})
		},
		"has no axis": func(g *graph.Graph, x *graph.Node) []*graph.Node {
			return ops.AssociativeScan(ops.Loop{Over: []*graph.Node{ops.Sum(x)}}, sum)
		},
		"are 100 and 4, but must be equal": func(g *graph.Graph, x *graph.Node) []*graph.Node {
			return ops.AssociativeScan(ops.Loop{Over: []*graph.Node{x, ops.Slice(x, 0, 0, 4, 1)}},
				func(a, b []*graph.Node) []*graph.Node { return a })
		},
	} {
		g := graph.New("mistakes")
		y := build(g, g.Input("x", graph.Float32, 100, 3))
		require.NotEmpty(t, y)
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "associativescan_test.go:")
	}
}
