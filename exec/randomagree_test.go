package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// work is what a program computes from values.
type work struct {
	outputs, writes []*graph.Node // writes of parameters and mutable inputs
	feeds           map[*graph.Node]reference.Value
}

// compile compiles the work for outputs and some more, with options.
func (w work) compile(more []*graph.Node, opts ...exec.Option) (*exec.Program, error) {
	return exec.Compile(w.outputs[0].Graph(),
		append(opts, exec.OnWarning(nil), exec.Outputs(slices.Concat(w.outputs, more)...),
			exec.Updates(w.writes...))...)
}

// values returns the outputs, and what is written after all writes, as the oracle has it.
func (w work) values() ([]reference.Value, error) {
	list := slices.Clone(w.outputs)
	for _, n := range w.writes {
		list = append(list, ops.After(alias.Storage(n), n))
	}
	return reference.Eval(list, w.feeds)
}

// runner is a session, which runs in some way.
type runner struct {
	*exec.Session
	about string
	run   func(context.Context, exec.Feed, ...exec.RunOption) (*exec.Results, error)
}

func newRunner(prog *exec.Program, threads int) runner {
	s := prog.NewSession(exec.Threads(threads))
	return runner{s, fmt.Sprintf("%d threads", threads), s.Run}
}

// runners are sessions of which the same bits are expected.
func (k *kind) runners(prog *exec.Program) (list []runner) {
	for _, threads := range append(k.threads, k.threads[len(k.threads)-1]) {
		list = append(list, newRunner(prog, threads))
	}
	apart := &list[len(k.threads)]
	apart.about, apart.run = "each kernel by itself", apart.RunApart
	return list
}

// values runs a program on copies of what it is fed, and gives what [work.values] gives.
func (r runner) values(w work) (list []exec.Array, err error) {
	feed := exec.Feed{}
	for n, v := range w.feeds {
		v = reference.FromFloats(v.DType, v.Floats(), v.Shape...)
		feed[n] = toArray(v)
		if n.IsParam() {
			delete(feed, n)
			if err := r.SetParam(n, toArray(v)); err != nil {
				return nil, err
			}
		}
	}
	out, err := r.run(context.Background(), feed)
	if err != nil {
		return nil, err
	}
	for _, n := range w.outputs {
		array, err := out.Array(n)
		if err != nil {
			return nil, err
		}
		list = append(list, array)
	}
	for _, n := range w.writes {
		memory := alias.Storage(n)
		array, written := feed[memory].(exec.Array)
		if !written {
			array, err = r.Param(memory)
		}
		list = append(list, array)
	}
	return list, err
}

func toArray(v reference.Value) exec.Array { return exec.Array{Shape: v.Shape, Data: v.Data} }

// agrees compares one compiled program at several sizes in turn with the oracle's values of
// the program for those sizes, and the runners with each other. It gives the number of sizes at
// which the program has values.
func (p *program) agrees(t *testing.T) (valid int) {
	t.Helper()
	asked, nodes := p.finish(), slices.Clone(p.g.Nodes())
	w := asked.complete(p.feeds)
	options := slices.Clone(p.kind.options)
	if p.seed%2 == 1 {
		options = append(options, exec.Shuffled(p.seed))
	}
	prog, err := w.compile(nil, options...)
	if viewed(err) {
		return 0 // something needs both the old value and the new one
	}
	if err != nil {
		p.neverValid(t, err, nodes, asked)
		return 0
	}
	runners := p.kind.runners(prog)
	for _, at := range p.bindings() {
		if !p.bind(at) {
			continue
		}
		describe := func(of string) string { return fmt.Sprintf("seed %d, %v, %s\n%s\n%s", p.seed, at, of, p.g, prog) }
		got, err := p.sameBits(t, runners, w, describe)
		switch {
		case p.isLarge() && err == nil:
			p.compareLarge(t, w, got, describe)
		case !p.isLarge() && p.compare(t, got, err, asked, describe):
			valid++
		}
		for _, n := range p.g.Params() { // the next run goes on from there
			v, _ := runners[0].Param(n)
			p.feeds[n] = reference.Value{DType: n.DType(), Shape: v.Shape, Data: v.Data}
		}
	}
	return valid
}

// sameBits runs a program in several sessions, of which it requires the same.
func (p *program) sameBits(t *testing.T, runners []runner, w work, describe func(string) string) (first []exec.Array,
	err error) {
	t.Helper()
	for i, r := range runners {
		got, failed := r.values(w)
		if wrong := r.CheckArguments(); wrong != nil && !p.writes() {
			require.NoError(t, wrong, describe(r.about))
		}
		if i == 0 {
			first, err = got, failed
		}
		if (failed == nil) != (err == nil) {
			require.Failf(t, "other error", "%s: %v; %s: %v; %s", runners[0].about, err, r.about, failed, describe(""))
		}
		compareAll(t, first, got, 0, nil, func(k int) string { return describe(fmt.Sprint(r.about, ", value ", k)) })
	}
	return first, err
}

// writes reports whether the program writes in place. Then a kernel may have several operands
// for the same memory, which the check of arguments does not know to be right.
func (p *program) writes() bool {
	return slices.ContainsFunc(p.g.Nodes(), func(n *graph.Node) bool { return n.Op().Class == graph.Update })
}

// compare compares a run with the oracle's values of the program with numbers, and at some
// sizes with what that compiles to as well. It reports whether there are values.
func (p *program) compare(t *testing.T, got []exec.Array, err error, asked wanted, describe func(string) string) bool {
	t.Helper()
	w, errWant := p.numbered(asked)
	var want []reference.Value
	if errWant == nil {
		want, errWant = w.values()
	}
	switch {
	case viewed(errWant) || err != nil && errWant == nil && p.refusable():
		return false
	case (errWant == nil) != (err == nil):
		require.Failf(t, "other error", "compiled: %v; with numbers: %v; %s", err, errWant, describe(""))
	case err != nil:
		return false
	}
	exact := make([]exec.Array, len(want))
	for k, v := range want {
		exact[k] = toArray(v)
	}
	slack := func(k int) float64 { return p.rounding(want[k], k, asked) }
	compareAll(t, exact, got, p.tolerance(), slack, func(k int) string { return describe(fmt.Sprint("value ", k)) })
	if (int64(p.seed)+p.at["batch"]+p.at["seq"])%3 != 0 {
		return true // some compile it
	}
	prog, err := w.compile(nil, append(slices.Clone(p.kind.options), exec.Shuffled(p.seed))...)
	if viewed(err) {
		return true
	}
	require.NoError(t, err, describe("with numbers"))
	got, err = newRunner(prog, 1).values(w)
	require.NoError(t, err, describe("with numbers"))
	compareAll(t, exact, got, p.tolerance(), slack, func(k int) string {
		return describe(fmt.Sprint("with numbers, value ", k))
	})
	return true
}

// compareLarge compares a run with that of a program which gives all values, so that few
// kernels are fused: there are too many elements for the oracle.
func (p *program) compareLarge(t *testing.T, w work, got []exec.Array, describe func(string) string) {
	t.Helper()
	if !p.kind.open || p.narrow() {
		return
	}
	prog, err := w.compile(p.nodes, p.kind.options...)
	if err != nil {
		return // an old value is needed as well
	}
	want, err := newRunner(prog, 1).values(w)
	if err != nil {
		return // the other values ask for more of the sizes
	}
	compareAll(t, want, got, p.tolerance(), nil, func(k int) string {
		return describe(fmt.Sprint("all values as outputs, value ", k))
	})
}

// neverValid requires that a program which is refused has values at no sizes.
func (p *program) neverValid(t *testing.T, refusal error, nodes []*graph.Node, asked wanted) {
	t.Helper()
	asked.outputs = append(nodes, asked.outputs...)
	for _, at := range p.bindings() {
		if !p.bind(at) || p.isLarge() {
			continue
		}
		w, err := p.numbered(asked)
		if err == nil {
			_, err = w.values()
		}
		if err == nil && !p.refusable() {
			require.NoError(t, refusal, "seed %d, %v: it has values\n%s", p.seed, at, p.g)
		}
	}
}

// refusable reports whether the sizes of the run may be refused though numbers are not: slices
// by numbers are cut at the ends of an axis, and the diagonal of a matrix may be of either side.
func (p *program) refusable() bool {
	return slices.ContainsFunc(p.g.Requirements(), func(r graph.Requirement) bool {
		if r.Kind != graph.MustBeAtLeast || r.Node.Op().Name != "slice" && r.Node.Op().Name != "diagonal" {
			return false
		}
		a, _ := r.A.Eval(p.bound)
		b, _ := r.B.Eval(p.bound)
		return a < b
	})
}

// viewed reports whether a write is a mistake that may be one at some sizes alone: what is a
// copy for some may be a view at others.
func viewed(err error) bool {
	m := new(graph.Mistake)
	return errors.As(err, &m) && slices.Contains(
		[]graph.Code{graph.CodeSelfOverlap, graph.CodeOperandOverlap, graph.CodeOrder,
			graph.CodeWriters, graph.CodeImmutable, graph.CodeLeaf}, m.Code)
}

// tolerance is the part of its size by which a value may be off.
func (p *program) tolerance() float64 {
	if p.narrow() {
		return 1e-4
	}
	return 1e-9
}

func (p *program) narrow() bool {
	return slices.ContainsFunc(p.g.Nodes(), func(n *graph.Node) bool { return n.DType() == graph.Float32 })
}

// compareAll requires equal elements, as [other] defines it. describe returns text about a value, and slack, unless
// nil, its tolerance.
func compareAll(t *testing.T, want, got []exec.Array, part float64, slack func(k int) float64,
	describe func(k int) string) {
	t.Helper()
	for k, v := range got {
		i := other(want[k], v, part, 0)
		if i >= 0 && slack != nil {
			i = other(want[k], v, part, slack(k))
		}
		if i >= 0 {
			require.Failf(t, "other values", "element %d of %.2000s, not of %.2000s: %s", i, fmt.Sprint(v),
				fmt.Sprint(want[k]), describe(k))
		}
	}
}

// other returns the place of an element that is not the same, or -1. Floating-point ones may be
// off by a part of their size, and by some slack.
func other(want, got exec.Array, part, slack float64) int {
	switch {
	case !slices.Equal(want.Shape, got.Shape):
		return 0
	case reflect.DeepEqual(want.Data, got.Data):
		return -1
	}
	numbers, isFloat := floatsOf(want)
	have, _ := floatsOf(got)
	for i, v := range have {
		w := numbers[i]
		if v != w && !(math.IsNaN(v) && math.IsNaN(w)) &&
			!(isFloat && math.Abs(v-w) <= part*math.Max(1, math.Abs(w))+slack) {
			return i
		}
	}
	return -1
}

// floatsOf returns the elements as numbers.
func floatsOf(a exec.Array) (numbers []float64, isFloat bool) {
	v := reference.Value{DType: dtypeOf(a.Data), Shape: a.Shape, Data: a.Data}
	return v.Floats(), v.DType.IsFloat()
}

func dtypeOf(data any) graph.DType {
	switch data.(type) {
	case []bool:
		return graph.Bool
	case []int32:
		return graph.Int32
	case []int64:
		return graph.Int64
	case []float32:
		return graph.Float32
	}
	return graph.Float64
}
