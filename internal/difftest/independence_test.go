package difftest

import (
	"context"
	"flag"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

var examples = flag.Int("examples", 300,
	"how many random programs are run to see whether examples are as independent as was proved")

// claim is a value of a random program with an axis whose examples are proved to be independent.
type claim struct {
	y    *graph.Node
	axis int
}

// independence tries what is proved of one program.
type independence struct {
	*testing.T
	c      *checker
	of     []graph.AxisOf
	name   string
	claims []claim
}

// maxClaims bounds the values of a program that are looked at.
const maxClaims = 16

// TestIndependenceIsTrue replaces one example of random programs by others: where examples are proved to
// be independent, no other row of the result may change.
func TestIndependenceIsTrue(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(*examples) {
		p := Generate(500_000 + seed)
		p.Gradient = nil
		i := &independence{T: t, c: &checker{p: p, v: &Verdict{}, rng: newRand(seed)}}
		if i.c.b = build(p); i.c.b.uncounted || !i.find() {
			continue
		}
		i.try(counts)
		if t.Failed() {
			t.Fatalf("program %d:\n%s", 500_000+seed, Source(p, i.c.v.Binding))
		}
	}
	t.Log(counts)
	require.Greater(t, counts["rows that depend on their example"], *examples/2)
}

// find draws axes along which examples are fed, and finds values that are proved to treat them
// independently.
func (i *independence) find() bool {
	b, rng := i.c.b, i.c.rng
	i.name = i.c.p.Names[rng.IntN(len(i.c.p.Names))].Name
	size := graph.SymbolicDim(i.name)
	for _, x := range b.g.Inputs() {
		axes := []int{}
		for axis, d := range x.Shape() {
			if d == size {
				axes = append(axes, axis)
			}
		}
		if len(axes) > 0 && rng.IntN(8) > 0 {
			i.of = append(i.of, graph.AxisOf{Node: x, Axis: axes[rng.IntN(len(axes))]})
		}
	}
	if len(i.of) == 0 {
		return false
	}
	if rng.IntN(2) == 0 {
		i.differentiate()
	}
	for _, n := range b.g.Nodes() {
		if !n.Judged() || n.IsInput() || n.IsParam() || n.IsConst() {
			continue
		}
		for axis, d := range n.Shape() {
			if d == size && axisflow.Independent(n, axis, i.of) == nil {
				i.claims = append(i.claims, claim{n, axis})
			}
		}
	}
	rng.Shuffle(len(i.claims), func(a, b int) { i.claims[a], i.claims[b] = i.claims[b], i.claims[a] })
	i.claims = i.claims[:min(len(i.claims), maxClaims)]
	return len(i.claims) > 0
}

// differentiate adds the gradients of a random value with respect to the inputs that hold examples.
func (i *independence) differentiate() {
	var values, inputs []*graph.Node
	for _, n := range i.c.b.g.Nodes() {
		if n.Judged() && n.DType().IsFloat() && !n.IsInput() && !n.IsParam() && !n.IsConst() {
			values = append(values, n)
		}
	}
	for _, a := range i.of {
		if a.Node.DType().IsFloat() {
			inputs = append(inputs, a.Node)
		}
	}
	if len(values) == 0 || len(inputs) == 0 || i.c.b.g.Err() != nil {
		return
	}
	y := values[i.c.rng.IntN(len(values))]
	autodiff.Grad(ops.Sum(ops.Square(y)), inputs, autodiff.ZeroForUnused())
}

// try runs the program with and without a change of one example.
func (i *independence) try(counts map[string]int) {
	var outputs []*graph.Node
	for _, c := range i.claims {
		if !slices.Contains(outputs, c.y) {
			outputs = append(outputs, c.y)
		}
	}
	prog, err := exec.Compile(i.c.b.g, exec.Outputs(outputs...), exec.OnWarning(nil))
	if err != nil {
		counts["programs that are refused"]++
		return
	}
	for k := range i.c.p.Bindings {
		if i.c.v.Binding = k; i.c.p.Sizes(k)[i.name] < 2 {
			continue
		}
		row := i.c.rng.IntN(i.c.p.Sizes(k)[i.name])
		before, errBefore := i.run(prog, -1)
		after, errAfter := i.run(prog, row)
		if errBefore != nil || errAfter != nil {
			counts["runs that are refused"]++
			continue
		}
		for _, c := range i.claims {
			i.compare(c, before, after, row, counts)
		}
	}
}

// run runs the program; an example that is not -1 is replaced.
func (i *independence) run(prog *exec.Program, row int) (*exec.Results, error) {
	opts := []exec.SessionOption{exec.Threads(1)}
	if !i.c.told() {
		for name, v := range i.c.p.Sizes(i.c.v.Binding) {
			opts = append(opts, exec.Size(name, v))
		}
	}
	s, feed := prog.NewSession(opts...), exec.Feed{}
	for id, in := range i.c.p.Inputs {
		x, data := i.c.b.values[id], slices.Clone(i.c.data(id))
		a := i.c.array(id, data)
		at := slices.IndexFunc(i.of, func(a graph.AxisOf) bool { return a.Node == x })
		if row >= 0 && at >= 0 {
			replaceRow(data, a.Shape, i.of[at].Axis, row, in.T)
			a = i.c.array(id, data)
		}
		if !in.Param {
			feed[x] = a
		} else if err := s.SetParam(x, a); err != nil {
			return nil, err
		}
	}
	return s.Run(context.Background(), feed)
}

// replaceRow gives a row the elements of the next one, and others where these are floating-point numbers.
func replaceRow(data []float64, shape []int, axis, row int, t eager.DType) {
	before := slices.Clone(data)
	rows(shape, axis, func(at, k, inner int) {
		if k != row {
			return
		}
		next := at + ((row+1)%shape[axis]-row)*inner
		if data[at] = before[next]; t.IsFloat() {
			data[at] += 0.25
		}
	})
}

// rows calls f with the place of each element, its row, and the distance of rows.
func rows(shape []int, axis int, f func(at, row, inner int)) {
	count, inner := 1, 1
	for i, n := range shape {
		count *= n
		if i > axis {
			inner *= n
		}
	}
	for at := range count {
		f(at, at/inner%shape[axis], inner)
	}
}

// compare requires that no other row than the one that was replaced has changed.
func (i *independence) compare(c claim, before, after *exec.Results, row int, counts map[string]int) {
	a, err := before.Array(c.y)
	require.NoError(i, err)
	b, err := after.Array(c.y)
	require.NoError(i, err)
	x, _ := cellsOf(a)
	y, _ := cellsOf(b)
	changed := false
	rows(a.Shape, c.axis, func(at, k, _ int) {
		if x[at].I == y[at].I && (x[at].V == y[at].V || math.IsNaN(x[at].V) && math.IsNaN(y[at].V)) {
			return
		}
		if changed = true; k != row {
			i.Errorf("row %d of %s, axis %d, has changed with example %d of %v: %v, then %v", k, graph.Describe(c.y),
				c.axis, row, i.of, x[at], y[at])
		}
	})
	if counts["rows"]++; changed {
		counts["rows that depend on their example"]++
	}
	if changed && addsByIndex(c.y, map[*graph.Node]bool{}) {
		counts["rows that elements were added to by index"]++
	}
}

// addsByIndex reports whether a value is computed from one of which elements were added by index.
func addsByIndex(n *graph.Node, seen map[*graph.Node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	return n.Op().Class == graph.Gather && n.Op().Fold == graph.FoldSum ||
		slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return x != nil && addsByIndex(x, seen) })
}
