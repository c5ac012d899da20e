package shapeinfer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// FuzzSymbolicWrites makes programs that write views of values of named sizes. What is
// accepted before sizes are known must be accepted with all numbers that can be bound:
// of numbers, each cell is compared.
func FuzzSymbolicWrites(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { compareWrites(t, seed) })
}

func TestSymbolicWritesAgreeWithNumbers(t *testing.T) {
	verdicts := map[string]int{}
	for seed := range uint64(600) {
		verdicts[compareWrites(t, seed)]++
	}
	t.Log(verdicts)
	require.NotZero(t, verdicts["accepted"])
	require.NotZero(t, verdicts["refused rightly"])
	require.Less(t, verdicts["refused for want of proof"], verdicts["accepted"])
}

// writeStep makes a view of a value, or a value from two.
type writeStep struct {
	op       string
	in       []int
	axis     int
	from, to graph.Dim
	step     int
}

// writer makes up a program of views of one value, with writes and reads.
type writer struct {
	rng    *rand.Rand
	shape  graph.Shape
	bounds graph.Bounds
	steps  []writeStep
}

func compareWrites(t *testing.T, seed uint64) (verdict string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	size := func() graph.Dim {
		n, m := graph.SymbolicDim("n"), graph.SymbolicDim("m")
		return []graph.Dim{n, n, m, n.Times(2), n.Plus(1), n.Plus(m), 4, 3, 1}[rng.IntN(9)]
	}
	w := &writer{rng: rng, bounds: graph.Bounds{Min: rng.Int64N(3), MayBeOne: rng.IntN(4) == 0}}
	for range 1 + rng.IntN(3) {
		w.shape = append(w.shape, size())
	}
	for range 2 + rng.IntN(7) {
		w.add()
	}
	g, x := w.build(nil)
	report := shapeinfer.Check(g)
	refused := ""
	for _, m := range report.Errors {
		switch m.Code {
		case graph.CodeSelfOverlap, graph.CodeOperandOverlap, graph.CodeOrder, graph.CodeWriters:
			refused = string(m.Code)
		default:
			return "other mistake"
		}
	}
	tried := false
	for n := range int64(6) {
		for m := range int64(6) {
			at := map[string]int64{"n": n, "m": m}
			numbers, y := w.build(at)
			if y == nil || n < w.bounds.Min || m < w.bounds.Min {
				continue
			}
			shape, _ := y.Shape().Ints()
			_, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: shape}}, report.Requirements,
				shapeinfer.Sizes{"n": n, "m": m})
			if err != nil {
				continue
			}
			tried = true
			if err := shapeinfer.Check(numbers).Err(); err != nil {
				if refused == "" {
					t.Fatalf("seed %d: accepted, but for %v: %v\n%s", seed, at, err, w)
				}
				return "refused rightly"
			}
		}
	}
	switch {
	case !tried:
		return "never valid"
	case refused == "":
		return "accepted"
	}
	return "refused for want of proof"
}

// add adds a step that makes sense for some sizes.
func (w *writer) add() {
	_, values, _ := w.values(nil)
	at := w.rng.IntN(len(values))
	shape := values[at].Shape()
	s := writeStep{in: []int{at}, step: 1 + w.rng.IntN(3)/2}
	if len(shape) > 0 {
		s.axis = w.rng.IntN(len(shape))
	}
	kinds := []string{"slice", "slice", "select", "transpose", "flip", "diagonal", "expand", "strided", "reshape",
		"window", "add_", "add_", "add_", "fill_", "add"}
	s.op = kinds[w.rng.IntN(len(kinds))]
	d := graph.Dim(4)
	if len(shape) > 0 {
		d = shape[s.axis]
	}
	place := func() graph.Dim {
		return []graph.Dim{0, 0, 1, 2, -1, d, d.FloorDiv(2), d.Minus(1), ops.End, graph.SymbolicDim("m"),
			graph.SymbolicDim("n")}[w.rng.IntN(11)]
	}
	s.from, s.to = place(), place()
	if s.op == "reshape" || s.op == "strided" {
		s.in[0] = 0 // of other views, sizes decide whether it is a copy
	}
	if s.op == "add_" || s.op == "add" {
		s.in = append(s.in, w.rng.IntN(len(values)))
	}
	w.steps = append(w.steps, s)
	if _, _, ok := w.values(nil); !ok {
		w.steps = w.steps[:len(w.steps)-1]
	}
}

// build returns the graph, with numbers for the names unless at is nil, and the value that is viewed: nil if its sizes
// are invalid.
func (w *writer) build(at map[string]int64) (*graph.Graph, *graph.Node) {
	g, values, _ := w.values(at)
	if len(values) == 0 {
		return nil, nil
	}
	return g, values[0]
}

// values builds the program; ok is false where the last step makes no sense.
func (w *writer) values(at map[string]int64) (g *graph.Graph, values []*graph.Node, ok bool) {
	g = graph.New("writes", graph.WithPolicy(graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
	size := func(d graph.Dim) graph.Dim {
		if at == nil || d.IsConst() {
			return d
		}
		v, _ := d.Eval(func(name string) (int64, bool) { return at[name], true })
		return graph.Dim(v)
	}
	if at == nil {
		for _, name := range []string{"n", "m"} {
			g.Dim(name, func(b *graph.Bounds) { *b = w.bounds })
		}
	}
	shape := slices.Clone(w.shape)
	for i := range shape {
		if shape[i] = size(shape[i]); at != nil && shape[i] < 0 {
			return nil, nil, false
		}
	}
	values = append(values, ops.Neg(g.Input("x", f32, shape...)))
	ok = true
	for _, s := range w.steps {
		x := values[s.in[0]]
		y := s.build(x, values, size)
		isWrong := y.Err() != nil && !slices.Contains(
			[]graph.Code{graph.CodeSelfOverlap, graph.CodeOperandOverlap}, y.Err().(*graph.Mistake).Code)
		ok = y.Judged() && !isWrong
		values = append(values, y)
	}
	return g, values, ok
}

func (s writeStep) build(x *graph.Node, values []*graph.Node, size func(graph.Dim) graph.Dim) *graph.Node {
	rank := x.Rank()
	from, to := size(s.from), size(s.to)
	switch s.op {
	case "slice":
		return ops.Slice(x, s.axis, from, to, s.step)
	case "select":
		return ops.Select(x, s.axis, from)
	case "transpose":
		return ops.Transpose(x, s.axis, rank-1)
	case "flip":
		return ops.Flip(x, s.axis)
	case "diagonal":
		return ops.Diagonal(x, s.step-2, s.axis, rank-1)
	case "expand":
		return ops.Expand(x, append(graph.Shape{2}, x.Shape()...)...)
	case "strided":
		return ops.AsStrided(values[0], graph.Shape{2, to}, []graph.Dim{from, graph.Dim(s.step)}, graph.Dim(s.axis))
	case "reshape":
		return ops.Reshape(values[0], -1)
	case "window":
		return ops.Window(x, s.axis, 2, s.step, 1)
	case "add_":
		return ops.AddInPlace(x, values[s.in[1]])
	case "fill_":
		return ops.CopyInPlace(x, graph.Num(0))
	}
	return ops.Add(x, values[s.in[1]])
}

// String lists the steps.
func (w *writer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "x0 = %s, bounds %v\n", w.shape, w.bounds)
	for i, s := range w.steps {
		fmt.Fprintf(&b, "x%d = %s %v axis %d from %s to %s step %d\n", i+1, s.op, s.in, s.axis, s.from, s.to, s.step)
	}
	return b.String()
}

// TestWritesToConstantParts: views of a matrix with named sizes by constant bounds show each
// element once, whatever the bounds of the names, and parts side by side are apart.
func TestWritesToConstantParts(t *testing.T) {
	type N = *graph.Node
	slice := func(axis int, start, stop graph.Dim, step int) func(N) N {
		return func(x N) N { return ops.Slice(x, axis, start, stop, step) }
	}
	for name, view := range map[string]func(N) N{
		"columns":          slice(2, 0, 2, 1),
		"inner columns":    slice(2, 2, 5, 1),
		"every second":     slice(2, 0, 6, 2),
		"last columns":     slice(2, -3, -1, 1),
		"a column":         func(x N) N { return ops.Unsqueeze(ops.Select(x, 2, 4), 2) },
		"backwards":        func(x N) N { return ops.Flip(slice(2, 0, 2, 1)(x), 2, 0) },
		"transposed":       func(x N) N { return slice(0, 0, 2, 1)(ops.Transpose(x, 0, 2)) },
		"diagonal":         func(x N) N { return ops.Diagonal(x, 0, 0, 1) },
		"part of diagonal": func(x N) N { return slice(0, 0, 2, 1)(ops.Diagonal(x, 0, 0, 1)) },
	} {
		g := graph.New("g")
		m, n := g.Dim("m"), g.Dim("n")
		ops.InPlace(ops.Lookup("exp"), nil, view(ops.Copy(g.Input("x", graph.Float32, m, m, n))))
		require.NoError(t, g.Err(), name)
	}
	for name, c := range map[string]struct {
		to, from func(N) N
		fails    bool
	}{
		"columns side by side": {slice(2, 0, 2, 1), slice(2, 2, 4, 1), false},
		"columns that overlap": {slice(2, 0, 2, 1), slice(2, 1, 3, 1), true},
		"odd and even":         {slice(2, 0, 4, 2), slice(2, 1, 4, 2), false},
		"backwards":            {func(x N) N { return ops.Flip(slice(2, 0, 2, 1)(x), 2) }, slice(2, 2, 4, 1), false},
		"backwards, the same":  {func(x N) N { return ops.Flip(slice(2, 0, 2, 1)(x), 2) }, slice(2, 0, 2, 1), true},
		"two columns": {func(x N) N { return ops.Select(x, 2, 0) }, func(x N) N {
			return ops.Select(x, 2, 3)
		}, false},
		"two rows": {func(x N) N { return ops.Select(x, 1, 0) }, func(x N) N { return ops.Select(x, 1, 3) },
			false},
		"first and last two": {slice(2, 0, 2, 1), slice(2, -2, ops.End, 1), true}, // of three
		"repeated": {func(x N) N { return ops.Window(x, 2, 2, 1, 1) }, func(N) N { return graph.Num(1) },
			true},
	} {
		g := graph.New("g")
		x := ops.Copy(g.Input("x", graph.Float32, g.Dim("k"), g.Dim("m"), g.Dim("n")))
		ops.AddInPlace(c.to(x), c.from(x))
		require.Equal(t, c.fails, g.Err() != nil, "%s: %v", name, g.Err())
	}
}
