package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/oracle"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// program is a random graph under construction.
type program struct {
	rng   *rand.Rand
	g     *graph.Graph
	batch graph.Dim        // is 5 when the program runs
	at    map[string]int64 // the named sizes when it runs; others are randomBatch
	nodes []*graph.Node
	feeds map[*graph.Node]oracle.Value
}

const randomBatch = 5

func newProgram(seed uint64) *program {
	p := &program{rng: rand.New(rand.NewPCG(seed, 7)), g: graph.New("random", graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently})), feeds: map[*graph.Node]oracle.Value{}}
	p.batch = p.g.Dim("batch")
	for i := range 4 {
		shape := p.shape()
		n := p.g.Input(fmt.Sprintf("x%d", i), graph.Float64, shape...)
		p.feeds[n] = p.value(n.Shape())
		p.nodes = append(p.nodes, n)
	}
	return p
}

// shape draws a shape whose sizes are often 1, so that much broadcasts.
func (p *program) shape() graph.Shape {
	sizes := []graph.Dim{p.batch, 3, 4}
	s := graph.Shape{}
	for _, d := range sizes[p.rng.IntN(3):] {
		if p.rng.IntN(3) == 0 {
			d = 1
		}
		s = append(s, d)
	}
	if p.rng.IntN(8) == 0 {
		s = graph.Shape{}
	}
	return s
}

func (p *program) value(s graph.Shape) oracle.Value {
	sizes, count := p.sizes(s)
	data := make([]float64, count)
	for i := range data {
		data[i] = p.rng.Float64()*2 - 1
	}
	return oracle.Of(data, sizes...)
}

func (p *program) sizes(s graph.Shape) (sizes []int, count int) {
	count = 1
	for _, d := range s {
		v, _ := d.Eval(p.bound)
		sizes, count = append(sizes, int(v)), count*int(v)
	}
	return sizes, count
}

// bound gives a named size of the run.
func (p *program) bound(name string) (int64, bool) {
	if v, given := p.at[name]; given {
		return v, true
	}
	return randomBatch, true
}

func (p *program) pick() *graph.Node { return p.nodes[p.rng.IntN(len(p.nodes))] }

func (p *program) axis(n *graph.Node) int { return p.rng.IntN(n.Rank()) }

// grow adds a random operation, if it fits the operands drawn.
func (p *program) grow() {
	x, y := p.pick(), p.pick()
	unary := []func(*graph.Node) *graph.Node{ops.Tanh, ops.Sigmoid, ops.Square, ops.Neg, ops.Abs, ops.Relu, ops.Sin,
		func(n *graph.Node) *graph.Node { return ops.Exp(ops.Tanh(n)) },
		func(n *graph.Node) *graph.Node { return ops.Mul(n, graph.Num(0.5)) }}
	binary := []func(a, b *graph.Node) *graph.Node{ops.Add, ops.Sub, ops.Mul, ops.Maximum, ops.Minimum,
		func(a, b *graph.Node) *graph.Node { return ops.Div(a, ops.Add(ops.Square(b), graph.Num(1))) },
		func(a, b *graph.Node) *graph.Node { return ops.Where(ops.Less(a, b), a, ops.Sin(b)) }}
	var n *graph.Node
	switch kind := p.rng.IntN(12); {
	case kind < 3:
		n = unary[p.rng.IntN(len(unary))](x)
	case kind < 7:
		n = binary[p.rng.IntN(len(binary))](x, y)
	case x.Rank() == 0:
		return
	case kind == 7:
		reductions := []func(*graph.Node, ...ops.Axis) *graph.Node{ops.Sum, ops.Mean, ops.Max, ops.LogSumExp}
		axes := []ops.Axis{ops.Axis(p.axis(x))}
		if p.rng.IntN(2) == 0 {
			axes = append(axes, ops.KeepDims())
		}
		n = reductions[p.rng.IntN(len(reductions))](x, axes...)
	case kind == 8:
		n = ops.Transpose(x, p.axis(x), p.axis(x))
	case kind == 9 && x.Rank() == y.Rank():
		n = ops.Concat(p.axis(x), x, y)
	case kind == 9:
		n = ops.Unsqueeze(x, p.rng.IntN(x.Rank()+1))
	case kind == 10:
		n = ops.Softmax(x, p.axis(x))
	case kind == 11 && x.Rank() >= 2 && y.Rank() >= 2:
		n = ops.MatMul(x, ops.Transpose(y, -1, -2))
	default:
		n = ops.Slice(x, p.axis(x), 0, ops.End, 1)
	}
	if n.Err() != nil || !n.Judged() || n.Rank() > 4 {
		return
	}
	if _, count := p.sizes(n.Shape()); count <= 400 {
		p.nodes = append(p.nodes, n)
	}
}

// write changes a computed value, or a view of it, in place. Values of the same memory
// mostly move on to its new state; some still name the old one.
func (p *program) write() {
	x := p.pick()
	if shapeinfer.Storage(x).Op().Class == graph.Source {
		x = ops.Copy(x)
		p.nodes = append(p.nodes, x)
	}
	dest := x
	for range p.rng.IntN(3) {
		switch kind := p.rng.IntN(5); {
		case dest.Rank() == 0:
		case kind == 0:
			dest = ops.Select(dest, p.axis(dest), 0)
		case kind == 1:
			dest = ops.Slice(dest, p.axis(dest), 0, ops.End, 2)
		case kind == 2:
			dest = ops.Transpose(dest, p.axis(dest), p.axis(dest))
		case kind == 3:
			dest = ops.Unsqueeze(dest, p.rng.IntN(dest.Rank()+1))
		case dest.Rank() >= 2:
			dest = ops.Diagonal(dest, 0, dest.Rank()-2, dest.Rank()-1)
		}
	}
	if shapeinfer.Storage(dest) != shapeinfer.Storage(x) || dest.Err() != nil {
		return // a repeated value: its copy would be written
	}
	var w *graph.Node
	switch y := p.pick(); p.rng.IntN(5) {
	case 0:
		w = ops.CopyInPlace(dest, graph.Num(0.25))
	case 1:
		w = ops.InPlace(ops.Lookup("tanh"), nil, dest)
	case 2:
		w = ops.MulInPlace(dest, ops.Tanh(dest))
	default:
		if !stretches(y.Shape(), dest.Shape()) || shapeinfer.NeedsCopy(dest, y) {
			return
		}
		w = ops.AddInPlace(dest, y)
	}
	if w.Err() != nil {
		return
	}
	for i, n := range p.nodes {
		if shapeinfer.Storage(n) == shapeinfer.Storage(w) && p.rng.IntN(10) > 0 {
			p.nodes[i] = ops.After(n, w)
		}
	}
	p.nodes = append(p.nodes, w)
}

// stretches reports whether broadcasting repeats one shape to another.
func stretches(from, to graph.Shape) bool {
	if len(from) > len(to) {
		return false
	}
	for i, d := range from {
		if d != 1 && d != to[len(to)-len(from)+i] {
			return false
		}
	}
	return true
}

// undo starts the program anew after a mistake, which stays in a graph.
func (p *program) undo() {
	if p.g.Err() != nil {
		*p = *newProgram(p.rng.Uint64())
	}
}

// close gives the outputs: some values, a loss, and its gradients.
func (p *program) close() []*graph.Node {
	outputs := []*graph.Node{p.pick(), p.pick(), p.nodes[len(p.nodes)-1]}
	loss := ops.Mean(ops.Tanh(p.nodes[len(p.nodes)-1]))
	for range 2 {
		loss = ops.Add(loss, ops.Sum(ops.Sin(p.pick())))
	}
	outputs = append(outputs, loss)
	return append(outputs, autodiff.Grad(loss, p.g.Inputs(), autodiff.ZeroForUnused())...)
}

// agree runs a random program by the compiler and by the oracle.
func agree(t *testing.T, seed uint64, inPlace bool) (compiled bool) {
	t.Helper()
	p := newProgram(seed)
	for range 25 {
		p.grow()
		p.undo()
		if inPlace && p.rng.IntN(4) == 0 {
			p.write()
			p.undo()
		}
	}
	return p.agrees(t, seed)
}

// agrees compares the values of the compiled program and of the oracle.
func (p *program) agrees(t *testing.T, seed uint64) (compiled bool) {
	t.Helper()
	outputs := p.close()
	prog, err := exec.Compile(p.g, exec.Outputs(outputs...))
	if refused := new(graph.Mistake); errors.As(err, &refused) && (refused.Code == shapeinfer.CodeOrder || refused.Code == shapeinfer.CodeWriters) {
		return false // something needs both the old value and the new one
	}
	require.NoError(t, err, "%s", p.g)
	feed := exec.Feed{}
	for n, v := range p.feeds {
		feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	// The batch may stand in no input: then any number will do.
	want, errOracle := oracle.Eval(outputs, p.feeds)
	s := prog.NewSession()
	for range 2 { // the second run finds the arena as the first has left it
		out, err := s.Run(context.Background(), feed)
		require.Equal(t, errOracle == nil, err == nil, "seed %d: compiled: %v; oracle: %v\n%s", seed, err, errOracle, p.g)
		if err != nil {
			return true
		}
		require.NoError(t, s.CheckArguments(), "seed %d\n%s", seed, prog)
		for i, n := range outputs {
			compareValues(t, want[i], out.Array(n), 1e-9, 0, func() string {
				return fmt.Sprintf("seed %d, output %d (%s)\n%s\n%s", seed, i, graph.Describe(n), p.g, prog)
			})
		}
	}
	return true
}

// compareValues requires the same elements, as [other] has it. describe tells of the program.
func compareValues(t *testing.T, want oracle.Value, got exec.Array, part, slack float64, describe func() string) {
	t.Helper()
	if !slices.Equal(want.Shape, got.Shape) {
		require.Equal(t, want.Shape, got.Shape, describe())
	}
	if i := other(want, got, part, slack); i >= 0 {
		require.Failf(t, "other values", "element %d of %v, not of %v: %s", i, got.Data, want.Data, describe())
	}
}

// other gives the place of an element that is not the same, or -1. Floating-point ones may be
// off by a part of their size, and by some slack.
func other(want oracle.Value, got exec.Array, part, slack float64) int {
	numbers, have := want.Floats(), oracle.Value{DType: want.DType, Shape: got.Shape, Data: got.Data}
	if !want.DType.IsFloat() && fmt.Sprint(want) != fmt.Sprint(have) {
		return 0
	}
	for i, v := range have.Floats() {
		w := numbers[i]
		if v != w && !(math.IsNaN(v) && math.IsNaN(w)) && !(math.Abs(v-w) <= part*math.Max(1, math.Abs(w))+slack) {
			return i
		}
	}
	return -1
}

func TestRandomProgramsAgreeWithTheOracle(t *testing.T) {
	for seed := range uint64(400) {
		agree(t, seed, false)
	}
}

// The reference evaluator copies where the compiled program writes in place.
func TestRandomWritesAgreeWithTheOracle(t *testing.T) {
	compiled := 0
	for seed := range uint64(400) {
		if agree(t, seed, true) {
			compiled++
		}
	}
	require.Greater(t, compiled, 100, "most programs should be legal")
	t.Logf("%d of 400 programs are legal", compiled)
}

func FuzzProgramsAgreeWithTheOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { agree(t, seed, seed%2 == 1) })
}
