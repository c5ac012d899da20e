package ops_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestEntries runs every entry of the package, by the rows of [samples] and, for an
// elementwise operation without fixed arguments, without any row: the compiled program
// must agree with the reference evaluator for each dtype, pattern of broadcasting and kind
// of values, and gradients with central differences, twice. An entry that nothing reaches
// fails the test.
func TestEntries(t *testing.T) {
	reached := &reachedOps{names: map[string]bool{}}
	rows := allSamples()
	t.Run("rows", func(t *testing.T) {
		for _, s := range rows {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				reached.rows.Add(1)
				(&trial{T: t, sample: s, reached: reached}).run()
			})
		}
	})
	if int(reached.rows.Load()) < len(rows) {
		return // only some rows were asked for
	}
	known := map[string]bool{}
	for _, op := range ops.Entries() {
		require.False(t, known[op.Name], "two entries are called %q: the text form and Lookup need unique names",
			op.Name)
		known[op.Name] = true
		if !reached.has(op.Name) && !slices.Contains(neverInPlace, op.Name) {
			t.Errorf(
				"no row reaches the entry %q: add one to samples (samples_test.go), a call and the shapes of its operands",
				op.Name)
		}
	}
}

// neverInPlace are the writing twins of operations that only other operations use.
var neverInPlace = []string{"check_index_", "is_class_", "class_of_", "few_events_", "few_successes_", "sampled_"}

// allSamples returns the rows of the table, one for each elementwise entry that it does not
// name, and for all elementwise rows one that writes in place.
func allSamples() []sample {
	list := slices.Concat(samples, elementSamples, linalgSamples, spectrumSamples, functionSamples, fourierSamples)
	named := map[string]bool{}
	for _, s := range list {
		named[strings.Fields(s.name)[0]] = true
	}
	for _, op := range ops.Entries() {
		if op.Class == graph.Elementwise && op.MinIn > 0 && !named[op.Name] {
			call := func(in ...*graph.Node) *graph.Node { return ops.Apply(op, nil, in...) }
			list = append(list, sample{name: op.Name, arity: op.MinIn, call: call})
		}
	}
	for _, s := range list {
		if s.elementwise() {
			s.name, s.call, s.outOfPlace = "in place "+s.name, inPlace(s.call), s.call
			list = append(list, s)
		}
	}
	return list
}

// inPlace returns the call that writes the result of another into a copy of its first
// operand.
func inPlace(call func(in ...*graph.Node) *graph.Node) func(in ...*graph.Node) *graph.Node {
	return func(in ...*graph.Node) *graph.Node {
		y := call(in...)
		if !y.Judged() || y.Op().Class != graph.Elementwise || len(y.Operands()) == 0 {
			return y
		}
		return ops.InPlace(y.Op(), y.Attrs(), ops.Copy(y.In(0)), y.Operands()[1:]...)
	}
}

// reachedOps are the names of the operations that some graph held.
type reachedOps struct {
	sync.Mutex
	names map[string]bool
	rows  atomic.Int64 // that were run
}

func (r *reachedOps) has(name string) bool { return r.names[name] }

// note records the operations of a graph and of its composites' expansions.
func (r *reachedOps) note(g *graph.Graph) {
	for i := 0; i < len(g.Nodes()); i++ {
		n := g.Nodes()[i]
		r.Lock()
		r.names[n.Op().Name] = true
		r.Unlock()
		if n.Op().Expand != nil && n.Judged() {
			n.Op().Expand(n, n.Operands())
		}
	}
}

// trial is one row under test.
type trial struct {
	*testing.T
	sample
	reached *reachedOps
	failed  int
}

// maxTold bounds the failures that are printed for a row.
const maxTold = 5

func (tr *trial) fail(format string, args ...any) {
	tr.Helper()
	if tr.failed++; tr.failed <= maxTold {
		tr.Errorf(format, args...)
	}
}

func (tr *trial) run() {
	defer func() {
		if p := recover(); p != nil {
			tr.Fatalf(
				"panic: %v: where the operation has fixed arguments, give it a row in samples (samples_test.go)", p)
		}
	}()
	accepted := 0
	for i, p := range tr.patterns(3, 5) {
		for _, dt := range graph.DTypes() {
			if i > 0 && !p.mixed && dt != dt.Computed() {
				continue // the kernel is that of another dtype but for where it loads and stores
			}
			if tr.compare(p, dt, "random", "special") {
				accepted++
			}
		}
	}
	for _, length := range []int{1, 2, 31, 67, 258} {
		for _, p := range tr.patterns(2, length)[:1] {
			tr.compare(p, graph.Float32, "random")
		}
	}
	if accepted == 0 {
		tr.fail("no dtype was accepted for any pattern")
	}
	tr.differentiate()
}

// pattern is a way in which operands meet.
type pattern struct {
	name     string
	shapes   [][]int
	views    bool // operands are transposed views of inputs
	symbolic bool // sizes are known only when they are bound
	mixed    bool // operands have different dtypes
}

// fed returns the shape of what operand i's input is fed.
func (p pattern) fed(i int) []int {
	if s := p.shapes[i]; !p.views || len(s) != 2 {
		return s
	}
	return []int{p.shapes[i][1], p.shapes[i][0]}
}

// patterns returns the shapes of the row, or the patterns of broadcasting.
func (tr *trial) patterns(rows, cols int) []pattern {
	if tr.shapes != nil {
		return []pattern{{name: "row", shapes: tr.shapes},
			{name: "row of named sizes", shapes: tr.shapes, symbolic: true}}
	}
	full := []int{rows, cols}
	list := []pattern{
		{name: "same", shapes: repeated(tr.arity, full)},
		{name: "scalar", shapes: repeated(tr.arity, full, []int{})},
		{name: "empty axis", shapes: repeated(tr.arity, []int{0, cols}, []int{1})},
		{name: "transposed", shapes: repeated(tr.arity, full), views: true},
	}
	if tr.arity > 1 {
		list = append(list,
			pattern{name: "row", shapes: repeated(tr.arity, full, []int{cols})},
			pattern{name: "column", shapes: repeated(tr.arity, full, []int{rows, 1})},
			pattern{name: "both stretch", shapes: repeated(tr.arity, []int{cols, 1}, []int{1, cols})},
			pattern{name: "missing lead", shapes: repeated(tr.arity, []int{cols}, full)},
			pattern{name: "mixed dtypes", shapes: repeated(tr.arity, full, []int{cols}), mixed: true},
			pattern{name: "named sizes", shapes: repeated(tr.arity, full, []int{rows, 1}), symbolic: true})
	}
	return list
}

// repeated returns the first shape to all operands but the last, which has the last one.
func repeated(arity int, shapes ...[]int) [][]int {
	list := make([][]int, arity)
	for i := range list {
		list[i] = shapes[0]
	}
	list[arity-1] = shapes[len(shapes)-1]
	return list
}

// build makes the graph of the row for operands of a dtype.
func (tr *trial) build(p pattern, dt graph.DType) (g *graph.Graph, in []*graph.Node, y *graph.Node) {
	g = graph.New(tr.name, graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently}))
	in, y = tr.buildIn(g, "", p, dt)
	return g, in, y
}

// buildIn makes the nodes of the row in a graph, with a prefix to the names of its inputs.
func (tr *trial) buildIn(g *graph.Graph, prefix string, p pattern, dt graph.DType) (in []*graph.Node, y *graph.Node) {
	var operands []*graph.Node
	for i, s := range p.shapes {
		t := dt
		switch {
		case tr.indexOf(i) > 0:
			t = graph.Int64
		case tr.isTruth(i):
			t = graph.Bool
		case p.mixed && i > 0 && dt != graph.Float64:
			t = dt + 1
		}
		shape := graph.MakeShape(s...)
		for axis, n := range s {
			if p.symbolic && n > 1 {
				shape[axis] = g.Dim(fmt.Sprintf("n%d", n))
			}
		}
		if p.views && len(s) == 2 {
			shape = graph.MakeShape(s[1], s[0])
		}
		x := g.Input(fmt.Sprintf("%sx%d", prefix, i), t, shape...)
		in = append(in, x)
		if p.views && len(s) == 2 {
			x = ops.Transpose(x, 0, 1)
		}
		operands = append(operands, x)
	}
	return in, tr.call(operands...)
}

// compare runs a pattern by the oracle and by a compiled program, on each kind of values.
// It returns false where the operation refuses the dtype.
func (tr *trial) compare(p pattern, dt graph.DType, kinds ...string) bool {
	g, in, y := tr.build(p, dt)
	if g.Err() != nil {
		return false // a dtype or, of named sizes, arguments that need numbers
	}
	about := fmt.Sprintf("%s %v %s", p.name, p.shapes, dt)
	prog, err := exec.Compile(g, exec.Outputs(y), exec.OnWarning(nil))
	if err != nil {
		tr.fail("%s: %v", about, err)
		return true
	}
	session := prog.NewSession()
	for _, kind := range kinds {
		fed := feeds{}
		for i, x := range in {
			fed[x] = tr.values(x, p.fed(i), i, kind)
		}
		want, errWant := reference.Eval([]*graph.Node{y}, fed)
		got, errGot := runSession(session, y, fed)
		switch {
		case (errWant == nil) != (errGot == nil):
			tr.fail("%s %s: the oracle says %v, the program %v", about, kind, errWant, errGot)
		case errWant == nil:
			if i := tr.firstDifference(want[0], got); i >= 0 {
				tr.fail("%s %s: element %d is %v by the oracle and %v by the program\n%s",
					about, kind, i, elementOf(want[0], i), elementOf(got, i), feedText(in, fed))
			}
		}
	}
	tr.reached.note(g)
	return true
}

func runSession(s *exec.Session, y *graph.Node, fed feeds) (reference.Value, error) {
	feed := exec.Feed{}
	for n, v := range fed {
		feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	out, err := s.Run(context.Background(), feed)
	if err != nil {
		return reference.Value{}, err
	}
	a, err := out.Array(y)
	return reference.Value{DType: y.DType(), Shape: a.Shape, Data: a.Data}, err
}

// firstDifference returns the first element in which two values differ by more than the last
// digits, and -1 where there is none. Zeros of elementwise operations have signs; sums
// have the error of what cancels in them.
func (tr *trial) firstDifference(want, got reference.Value) int {
	if fmt.Sprint(want.Shape) != fmt.Sprint(got.Shape) || want.DType != got.DType {
		return 0
	}
	tolerance := map[graph.DType]float64{graph.Float16: 1e-3, graph.BFloat16: 8e-3, graph.Float32: 2e-6,
		graph.Float64: 1e-13}[want.DType]
	// Below it there are fewer digits.
	least := map[graph.DType]float64{graph.Float16: 1e-4, graph.BFloat16: 1e-33, graph.Float32: 1e-33,
		graph.Float64: 1e-295}[want.DType]
	if !tr.elementwise() || tr.cancels {
		least = 1
	}
	w, g := want.Floats(), got.Floats()
	for i := range w {
		switch {
		case math.IsNaN(w[i]) && math.IsNaN(g[i]):
		case w[i] == 0 && g[i] == 0:
			if tr.elementwise() && math.Signbit(w[i]) != math.Signbit(g[i]) {
				return i
			}
		case w[i] == g[i]:
		case math.Abs(w[i]-g[i]) <= tolerance*max(math.Abs(w[i]), least) && !math.IsInf(w[i], 0):
		default:
			return i
		}
	}
	return -1
}

func elementOf(v reference.Value, i int) any {
	if f := v.Floats(); i < len(f) {
		return f[i]
	}
	return v
}

func feedText(in []*graph.Node, fed feeds) string {
	var b strings.Builder
	for _, x := range in {
		fmt.Fprintf(&b, "    %s = %s\n", x.Label(), fed[x])
	}
	return b.String()
}
