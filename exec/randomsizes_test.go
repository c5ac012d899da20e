package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
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

// sized is a random program over named sizes and several dtypes. It is made in steps, each
// from a number, so that it can be made again without a step that was a mistake.
type sized struct {
	program
	seed     uint64
	steps    []uint64
	float    graph.DType
	seq      graph.Dim
	names    []string
	limit    map[*graph.Node]graph.Dim // inputs that are indices below a size
	exact    map[*graph.Node]bool      // values that are formed without rounding
	wide     bool                      // numbered computes in float64 what is float32
	negative bool                      // numbered met a negative size
}

// Sizes at which the number of elements of a value is bounded.
var (
	smallSizes = map[string]int64{"batch": 5, "seq": 4}
	largeSizes = map[string]int64{"batch": 41, "seq": 30}
)

func newSized(seed uint64, steps ...uint64) *sized {
	p := &sized{seed: seed, names: []string{"batch", "seq"}, limit: map[*graph.Node]graph.Dim{}, exact: map[*graph.Node]bool{}}
	p.rng, p.feeds = rand.New(rand.NewPCG(seed, 31)), map[*graph.Node]oracle.Value{}
	p.g = graph.New("sized", graph.WithPolicy(graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
	p.batch = p.g.Dim("batch", graph.AtLeast(p.rng.Int64N(2)))
	p.seq = p.g.Dim("seq", graph.AtLeast(p.rng.Int64N(3)))
	p.float = []graph.DType{graph.Float32, graph.Float64}[p.rng.IntN(2)]
	// These tell the sizes.
	p.nodes = append(p.nodes, p.input(p.float, []graph.Dim{p.batch, p.batch.Times(2).Plus(1)}[p.rng.IntN(2)], 3))
	p.nodes = append(p.nodes, p.input(p.float, p.seq, []graph.Dim{p.batch, p.seq, 2}[p.rng.IntN(3)]))
	p.nodes = append(p.nodes, p.input(p.float, p.shapeOf(p.rng.IntN(4))...), p.input(graph.Int64, p.shapeOf(p.rng.IntN(3))...))
	for _, step := range steps {
		p.take(step)
	}
	return p
}

// grown is a program of some steps, none of which is a mistake.
func grown(seed uint64, count int, writes bool) *sized {
	p := newSized(seed)
	draw := rand.New(rand.NewPCG(seed, 5))
	for range count {
		step := draw.Uint64() &^ 1
		if writes && draw.IntN(4) == 0 {
			step |= 1 // writes in place
		}
		if !p.take(step) {
			p = newSized(seed, p.steps...)
		}
	}
	return p
}

// finish gives the outputs, and the values by which the last one of them is differentiated.
func (p *sized) finish() (outputs, by []*graph.Node) {
	outputs = []*graph.Node{p.pick(), p.pick(), p.nodes[len(p.nodes)-1]}
	loss := ops.Mean(ops.Tanh(p.floats()))
	for range 2 {
		loss = ops.Add(loss, ops.Sum(ops.Sin(p.floats())))
	}
	for _, n := range p.g.Inputs() {
		if n.DType().IsFloat() && !p.writes() {
			by = append(by, n)
		}
	}
	return append(outputs, loss), by
}

func gradients(outputs, by []*graph.Node) []*graph.Node {
	return append(outputs, autodiff.Grad(outputs[len(outputs)-1], by, autodiff.ZeroForUnused())...)
}

func (p *sized) writes() bool {
	return slices.ContainsFunc(p.g.Nodes(), func(n *graph.Node) bool { return n.Op().Class == graph.Update })
}

// draw makes the value of an input at the sizes of the run.
func (p *sized) draw(n *graph.Node) oracle.Value {
	v := p.value(n.Shape())
	data := v.Data.([]float64)
	limit, isIndex := p.limit[n]
	below, _ := limit.Eval(p.bound)
	for i, x := range data {
		switch {
		case isIndex:
			data[i] = math.Floor((x + 1) / 2 * float64(below))
		case n.DType() == graph.Bool:
			data[i] = math.Ceil(x)
		case n.DType() == graph.Int64:
			data[i] = math.Round(4 * x)
		}
	}
	return oracle.FromFloats(n.DType(), data, v.Shape...)
}

// bindings are sizes for the runs of a session: some twice, and small ones after large ones.
func (p *sized) bindings() []map[string]int64 {
	draw := rand.New(rand.NewPCG(p.seed, 17))
	return []map[string]int64{smallSizes, {"batch": 1, "seq": 3}, largeSizes, {"batch": draw.Int64N(4), "seq": draw.Int64N(6)},
		{"batch": draw.Int64N(2), "seq": draw.Int64N(2)}, smallSizes}
}

// bind draws the values of the inputs at some sizes, unless one has a negative size there.
func (p *sized) bind(at map[string]int64) bool {
	p.at, p.rng = at, rand.New(rand.NewPCG(p.seed, uint64(64*at["batch"]+at["seq"])))
	for _, n := range p.g.Inputs() {
		if sizes, _ := p.sizes(n.Shape()); slices.ContainsFunc(sizes, func(v int) bool { return v < 0 }) {
			return false
		}
		p.feeds[n] = p.draw(n)
	}
	return true
}

// anyEmpty reports whether a value has no elements at the sizes of the run; CumSum consists of
// some that may have none.
func (p *sized) anyEmpty() bool {
	return slices.ContainsFunc(p.g.Nodes(), func(n *graph.Node) bool { return n.Op().Name == "cumsum" || p.elements(n, p.at) <= 0 })
}

// neverValid requires that a program which is refused has values at no sizes.
func (p *sized) neverValid(t *testing.T, refusal error, outputs, by []*graph.Node) {
	t.Helper()
	all := slices.DeleteFunc(slices.Clone(p.g.Nodes()), func(n *graph.Node) bool { return n.GradientOf() != nil })
	for _, at := range p.bindings() {
		if !p.bind(at) || at["batch"] == largeSizes["batch"] {
			continue
		}
		if _, err := p.numbered(append(all, outputs...), by); err == nil && !p.refusable() {
			require.NoError(t, refusal, "seed %d, %v: it has values\n%s", p.seed, at, p.g)
		}
	}
}

// refusable reports whether the sizes of the run may be refused though numbers are not: slices
// by numbers are cut at the ends of an axis, and the diagonal of a matrix may be of either side.
func (p *sized) refusable() bool {
	return slices.ContainsFunc(p.g.Requirements(), func(r graph.Requirement) bool {
		if r.Kind != graph.MustBeAtLeast || r.Node.Op().Name != "slice" && r.Node.Op().Name != "diagonal" {
			return false
		}
		a, _ := r.A.Eval(p.bound)
		b, _ := r.B.Eval(p.bound)
		return a < b
	})
}

// sizesAgree compares one compiled program at several sizes in turn with the oracle's values
// of the program for those sizes, and one thread with four. It gives the number of sizes at which
// the program has values.
func sizesAgree(t *testing.T, seed uint64) (valid int) {
	t.Helper()
	return grown(seed, 14, seed%3 == 0).agree(t)
}

func (p *sized) agree(t *testing.T) (valid int) {
	t.Helper()
	outputs, by := p.finish()
	all := gradients(outputs, by)
	prog, err := exec.Compile(p.g, exec.Outputs(all...))
	if viewed(err) {
		return 0 // something needs both the old value and the new one
	}
	if err != nil {
		p.neverValid(t, err, outputs, by)
		return 0
	}
	one, four := prog.NewSession(exec.Threads(1)), prog.NewSession(exec.Threads(4))
	empty := false
	for _, at := range p.bindings() {
		if !p.bind(at) {
			continue
		}
		describe := func(of string) string { return fmt.Sprintf("seed %d, %v, %s\n%s\n%s", p.seed, at, of, p.g, prog) }
		out, err := p.sameBits(t, one, four, all, describe)
		if empty = empty || p.anyEmpty(); !empty {
			require.NoError(t, one.CheckArguments(), "seed %d, %v", p.seed, at)
		}
		if at["batch"] == largeSizes["batch"] {
			continue // too large for the oracle
		}
		want, errWant := p.numbered(outputs, by)
		switch {
		case viewed(errWant) || err != nil && errWant == nil && p.refusable():
		case (errWant == nil) != (err == nil):
			require.Failf(t, "other error", "compiled: %v; with numbers: %v; %s", err, errWant, describe(""))
		case err == nil:
			valid++
			for k, n := range all {
				slack := 0.0
				if p.narrow() && other(want[k], out.Array(n), p.part(), 0) >= 0 {
					slack = p.rounding(want[k], k, outputs, by)
				}
				compareValues(t, want[k], out.Array(n), p.part(), slack, func() string { return describe(graph.Describe(n)) })
			}
		}
	}
	return valid
}

// sameBits runs a program in two sessions, of which it requires the same.
func (p *sized) sameBits(t *testing.T, one, four *exec.Session, outputs []*graph.Node, describe func(string) string) (*exec.Results, error) {
	t.Helper()
	feed := exec.Feed{}
	for n, v := range p.feeds {
		feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	out, err := one.Run(context.Background(), feed)
	again, errAgain := four.Run(context.Background(), feed)
	if (err == nil) != (errAgain == nil) {
		require.Failf(t, "other error", "one thread: %v; four: %v; %s", err, errAgain, describe(""))
	}
	if err != nil {
		return nil, err
	}
	for _, n := range outputs {
		sameElements(t, out.Array(n), again.Array(n), func() string { return describe(graph.Describe(n)) })
	}
	return out, nil
}

// viewed reports whether a write is a mistake with numbers alone: what is a copy for some sizes
// may be a view at others.
func viewed(err error) bool {
	m := new(graph.Mistake)
	return errors.As(err, &m) && slices.Contains([]graph.Code{shapeinfer.CodeSelfOverlap, shapeinfer.CodeOperandOverlap, shapeinfer.CodeOrder,
		shapeinfer.CodeWriters}, m.Code)
}

// part is the part of its size by which a value may be off.
func (p *sized) part() float64 {
	if p.narrow() {
		return 1e-4
	}
	return 1e-9
}

func (p *sized) narrow() bool {
	return slices.ContainsFunc(p.g.Nodes(), func(n *graph.Node) bool { return n.DType() == graph.Float32 })
}

// sameElements requires the same bits.
func sameElements(t *testing.T, x, y exec.Array, describe func() string) {
	t.Helper()
	if reflect.DeepEqual(x, y) {
		return
	}
	a, b := fmt.Sprint(x), fmt.Sprint(y) // NaN is NaN
	if a != b {
		require.Failf(t, "other bits", "one thread: %s\nfour threads: %s\n%s", a, b, describe())
	}
}

// One compiled program serves all sizes.
func TestRandomSizesAgreeWithTheOracle(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	seeds, valid := uint64(120), 0
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		if sizesAgree(t, seed) > 0 {
			valid++
		}
	}
	require.Greater(t, valid, int(seeds/2), "most programs should have values at some sizes")
	t.Logf("%d of %d programs have values", valid, seeds)
}

func FuzzSizes(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { sizesAgree(t, seed) })
}
