package exec_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// isWide reports whether sums of a loop stay exact.
func isWide(t graph.DType) bool { return t.Size() >= 4 }

var putDTypes = []graph.DType{graph.Float32, graph.Float32, graph.Float64, graph.Int32, graph.Int64, graph.Bool,
	graph.BFloat16, graph.Float16, graph.Uint8}

// fed are whole numbers as a slice of a dtype.
func fed(t graph.DType, c cube) exec.Array {
	s := reflect.MakeSlice(t.SliceType(), len(c.v), len(c.v))
	for i, v := range c.v {
		switch t {
		case graph.Bool:
			s.Index(i).SetBool(v != 0)
		case graph.BFloat16:
			s.Index(i).Set(reflect.ValueOf(half.NewBFloat16(float32(v))))
		case graph.Float16:
			s.Index(i).Set(reflect.ValueOf(half.NewFloat16(float32(v))))
		default:
			s.Index(i).Set(reflect.ValueOf(v).Convert(t.SliceType().Elem()))
		}
	}
	return exec.Array{Shape: c.size[:], Data: s.Interface()}
}

// start is what a loop may begin with, or read.
type start struct {
	node  *graph.Node
	value cube
}

// putCase is a random loop, and what it is given.
type putCase struct {
	g       *graph.Graph
	dt      graph.DType
	size    [3]int
	form    int // Fori, While, Scan, or Fori of a symbolic length
	reverse bool
	body    *putLoop
	carry   []start
	outside start
	kept    []int // values of a step that come out of all steps of a Scan
	over    *graph.Node
	parts   []cube // of what a Scan goes over
	count   *graph.Node
	param   start
	feed    exec.Feed
}

func newPutCase(rng *rand.Rand) *putCase {
	c := &putCase{g: graph.New("puts"), dt: putDTypes[rng.IntN(len(putDTypes))], form: rng.IntN(4),
		reverse: rng.IntN(2) == 0}
	var shape graph.Shape
	for i := range c.size {
		if c.size[i] = 1 + rng.IntN(4); i > 0 && rng.IntN(2) == 0 {
			c.size[i] = c.size[i-1]
		}
		shape = append(shape, graph.Dim(c.size[i]))
	}
	random := func() cube {
		return newCube(c.size, func([3]int) int {
			if c.dt == graph.Bool {
				return rng.IntN(2)
			}
			return rng.IntN(5)
		})
	}
	x, y := start{c.g.Input("x", c.dt, shape...), random()}, start{c.g.Input("y", c.dt, shape...), random()}
	c.param = start{c.g.Param("p", c.dt, shape...), random()}
	starts := []start{x, y, c.param, {ops.Copy(x.node), x.value},
		{ops.Full(c.g, c.dt, 1, shape...), newCube(c.size, func([3]int) int { return 1 })},
		{ops.Flip(x.node, 1), newCube(c.size, func(p [3]int) int {
			return x.value.at(movedTo(p, 1, c.size[1]-1-p[1]))
		})},
		{ops.Expand(ops.Slice(y.node, 0, 0, 1, 1), shape...),
			newCube(c.size, func(p [3]int) int { return y.value.at(movedTo(p, 0, 0)) })}}
	for range 1 + rng.IntN(3) {
		c.carry = append(c.carry, starts[rng.IntN(len(starts))])
	}
	c.outside = starts[rng.IntN(len(starts))]
	// besides what it carries it has a value of outside and a part of what it goes over
	c.body = randomPutLoop(rng, len(c.carry)+2, 0)
	c.body.next = c.body.next[:len(c.carry)]
	c.feed = exec.Feed{x.node: fed(c.dt, x.value), y.node: fed(c.dt, y.value)}
	c.count, c.over = c.g.Input("count", graph.Int64),
		c.g.Input("over", c.dt, append(graph.Shape{c.g.Dim("T", graph.AtLeast(0))}, shape...)...)
	c.feed[c.count] = int64(c.body.steps)
	var all cube
	for range c.body.steps {
		c.parts = append(c.parts, random())
		all.v = append(all.v, c.parts[len(c.parts)-1].v...)
	}
	a := fed(c.dt, all)
	a.Shape = append([]int{c.body.steps}, c.size[:]...)
	c.feed[c.over] = a
	for range rng.IntN(3) {
		c.kept = append(c.kept, rng.IntN(len(c.body.statements)+len(c.carry)+2))
	}
	return c
}

// outputs builds the loop: the last carried values, what comes out of a Scan, and what it began with.
func (c *putCase) outputs() []*graph.Node {
	begin := []*graph.Node{c.g.Scalar(graph.Int64, 0)} // counts steps where the loop does not
	for _, s := range c.carry {
		begin = append(begin, s.node)
	}
	step := func(i *graph.Node, carry []*graph.Node, part *graph.Node) (next, out []*graph.Node) {
		all := c.body.build([]*graph.Node{i}, slices.Concat(carry, []*graph.Node{c.outside.node, part}),
			func(i, j int) bool { return c.size[i] == c.size[j] })
		for _, k := range c.body.next {
			next = append(next, all[k])
		}
		for _, k := range c.kept {
			out = append(out, all[k])
		}
		return next, out
	}
	counted := func(carry []*graph.Node, part *graph.Node) (next, out []*graph.Node) {
		next, out = step(carry[0], carry[1:], part)
		return append([]*graph.Node{ops.Add(carry[0], graph.Num(1))}, next...), out
	}
	length := graph.Dim(c.body.steps)
	var made []*graph.Node
	switch c.form {
	case 1:
		final, _ := ops.While(10, begin, func(carry []*graph.Node) *graph.Node { return ops.Less(carry[0], c.count) },
			func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
				next, _ := counted(carry, c.outside.node)
				return next
			})
		made = final[1:]
	case 2:
		final, out := ops.Scan(ops.Loop{Carry: begin, Over: []*graph.Node{c.over}, Reverse: c.reverse},
			func(carry, x []*graph.Node) (next, out []*graph.Node) { return counted(carry, x[0]) })
		made = slices.Concat(final[1:], out)
	default:
		if c.form == 3 {
			length = c.g.Dim("T")
		}
		made = ops.Fori(length, begin[1:], func(i *graph.Node, carry []*graph.Node) []*graph.Node {
			next, _ := step(i, carry, c.outside.node)
			return next
		})
	}
	return append(made, ops.Copy(begin[1]), ops.Copy(c.over)) // what was there before stays
}

// want is what outputs are.
func (c *putCase) want() []cube {
	var carried []cube
	for _, s := range c.carry {
		carried = append(carried, s.value)
	}
	first, kept, whole := carried[0], make([]cube, len(c.kept)), cube{}
	for _, part := range c.parts {
		whole.v = append(whole.v, part.v...)
	}
	for i := range kept {
		kept[i].v = make([]int, len(whole.v))
	}
	for i := range c.parts {
		part, at := c.outside.value, i
		if c.form == 2 {
			if c.reverse {
				at = len(c.parts) - 1 - i
			}
			part = c.parts[at]
		}
		all := c.body.run([]int{i}, slices.Concat(carried, []cube{c.outside.value, part}), c.dt)
		for k, of := range c.body.next {
			carried[k] = all[of]
		}
		for k, of := range c.kept {
			copy(kept[k].v[at*len(first.v):], all[of].v)
		}
	}
	if c.form == 2 {
		carried = append(carried, kept...)
	}
	return append(carried, first, whole)
}

func requireSlicesPut(t *testing.T, seed uint64) {
	c := newPutCase(rand.New(rand.NewPCG(seed, 1)))
	outputs, want := c.outputs(), c.want()
	prog, err := exec.Compile(c.g, exec.Outputs(outputs...), exec.OnWarning(nil))
	require.NoError(t, err, "seed %d: %+v", seed, c.body)
	for _, options := range [][]exec.SessionOption{{exec.Threads(1)}, {exec.Threads(2)}, {exec.GuardOperands()}} {
		s := prog.NewSession(options...)
		require.NoError(t, s.SetParam(c.param.node, fed(c.dt, c.param.value)))
		for run := range 2 {
			r, err := s.Run(t.Context(), c.feed)
			require.NoError(t, err, "seed %d", seed)
			require.Len(t, want, len(outputs))
			for i, n := range outputs {
				a, err := r.Array(n)
				require.NoError(t, err)
				require.Equal(t, fed(c.dt, want[i]).Data, a.Data, "seed %d, run %d: output %d of %d, form %d\n%+v",
					seed, run, i, len(outputs), c.form, c.body)
			}
		}
	}
}

// Loops that put slices into what they carry, or add them, give what plain loops give.
func TestRandomLoopsPutSlices(t *testing.T) {
	for _, verify := range []string{"0", "1"} {
		t.Setenv(exec.VerifyVariable, verify) // with 1 nothing is put in place
		began := time.Now()
		for seed := uint64(0); seed < 1000 && time.Since(began) < 2*time.Second; seed++ {
			requireSlicesPut(t, seed)
		}
	}
}
