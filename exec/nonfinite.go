package exec

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
)

// NonFinite tells which operation of the user's graph was the first to make a NaN, or an infinity, that
// reached an output or an update of a program.
type NonFinite struct {
	Node  *graph.Node // a parameter or an input if the value was there before the run
	Index []int       // of the first element that is not finite
	Value float64     // that element: NaN, +Inf or -Inf
	// Count is the number of elements that are NaN, or infinite where Value is, of Elements in all.
	Count, Elements int
	// Operands are the values that went in, in the operation's order.
	Operands []OperandValues
	// Cause is what made the infinity of which the operation made a NaN; nil where the operands are finite.
	Cause *NonFinite
}

// OperandValues describes what an operation has read.
type OperandValues struct {
	Node     *graph.Node
	Min, Max float64 // of the elements that are not NaN; NaN where there are none
	NaN, Inf int     // how many elements are that
	// Element is the one of which an elementwise operation made the element of NonFinite.Index; nil for
	// other operations, and for operands that are no floats.
	Element *float64
}

// valuesAtOnce bounds the values that a search keeps in memory at a time.
const valuesAtOnce = 64

// FirstNonFinite computes every value of the program again, for the same inputs, and finds the operation that
// first made a NaN or an infinity. It returns nil where outputs and updates are finite: an infinity on the way,
// such as that of a mask, is no mistake. NaN is looked for first.
//
// It carries out no updates: parameters are copied. The values are those of the run that is asked about
// if the parameters are still those that it began with, as with [RunWithoutUpdates], or where
// optim.When kept the step back. After a step that wrote a NaN, the parameter that holds it is what is found.
// A loop counts as one operation. Functions of ops.Callback are called again, some of them several times, and ops.Print writes
// nothing. The search compiles the program in parts and takes much longer than a run.
func (s *Session) FirstNonFinite(ctx context.Context, feed Feed) (*NonFinite, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	f := finder{s: s, ctx: orBackground(ctx), feed: s.ownFeed(feed), found: map[*graph.Node]finiteness{}}
	if err := f.look(); err != nil {
		return nil, err
	}
	return f.report()
}

// ownFeed copies what a run would write in place.
func (s *Session) ownFeed(feed Feed) Feed {
	own := Feed{}
	for n, v := range feed {
		own[n] = v
		if !slices.ContainsFunc(s.prog.inputs, func(in inputSpec) bool { return in.node == n && in.written }) {
			continue
		}
		switch v := v.(type) {
		case *tensor.Dense:
			if v != nil {
				own[n] = v.Clone()
			}
		case Array:
			own[n] = v.Clone()
		default:
			own[n] = Array{Data: v}.Clone().Data
		}
	}
	return own
}

// finder looks for what is not finite.
type finder struct {
	s     *Session
	ctx   context.Context
	feed  Feed
	found map[*graph.Node]finiteness
}

// finiteness is what a value holds.
type finiteness struct {
	nan, inf           int
	firstNaN, firstInf int // of the elements in row-major order
	min, max           float64
	shape              []int
}

// look notes the finiteness of all values. A constant makes nothing: what reads it does.
func (f *finder) look() error {
	g := f.s.prog.source
	live := rewrite.Reachable(g, f.s.prog.request.roots())
	var part []*graph.Node
	for i, n := range g.Nodes() {
		if i < len(live) && live[i] && n.DType().IsFloat() && !n.IsConst() && n.Region() == nil {
			part = append(part, n)
		}
		if len(part) == valuesAtOnce {
			if err := f.compute(part, f.note); err != nil {
				return err
			}
			part = nil
		}
	}
	if len(part) == 0 {
		return nil
	}
	return f.compute(part, f.note)
}

// compute runs a program of some values, with copies of the parameters.
func (f *finder) compute(nodes []*graph.Node, visit func(*graph.Node, Array)) error {
	p, err := Compile(f.s.prog.source, Outputs(nodes...), OnWarning(nil))
	if err != nil {
		return err
	}
	s := p.NewSession(Seed(f.s.store.Seed), Threads(f.s.state.Threads))
	s.state.Flushes, s.state.Print = f.s.state.Flushes, io.Discard
	s.sizes = f.s.sizes
	for _, n := range p.params {
		value, err := f.s.Param(n)
		if err != nil {
			return err
		}
		if err := s.SetParam(n, value); err != nil {
			return err
		}
	}
	r, err := s.Run(f.ctx, f.feed)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		a, err := r.Array(n)
		if err != nil {
			return err
		}
		visit(n, a)
	}
	return nil
}

func (f *finder) note(n *graph.Node, a Array) { f.found[n] = finitenessOf(a) }

func finitenessOf(a Array) finiteness {
	v := finiteness{min: math.NaN(), max: math.NaN(), shape: slices.Clone(a.Shape)}
	switch d := a.Widened().Data.(type) {
	case []float32:
		countNonFinite(&v, d)
	case []float64:
		countNonFinite(&v, d)
	}
	return v
}

func countNonFinite[T float32 | float64](v *finiteness, data []T) {
	for i, x := range data {
		x := float64(x)
		switch {
		case math.IsNaN(x):
			if v.nan++; v.nan == 1 {
				v.firstNaN = i
			}
			continue
		case math.IsInf(x, 0):
			if v.inf++; v.inf == 1 {
				v.firstInf = i
			}
		}
		if !(v.min <= x) {
			v.min = x
		}
		if !(v.max >= x) {
			v.max = x
		}
	}
}

func hasNaN(v finiteness) bool { return v.nan > 0 }
func hasInf(v finiteness) bool { return v.inf > 0 }

// report finds the operation, and then what it read.
func (f *finder) report() (*NonFinite, error) {
	roots := f.s.prog.request.roots()
	for _, bad := range []func(finiteness) bool{hasNaN, hasInf} {
		if n := f.maker(roots, bad); n != nil {
			return f.describe(n, hasNaN(f.found[n]))
		}
	}
	return nil, nil
}

// maker returns the first operation that made what is bad and reaches one of the roots over values that are bad
// too; none of its operands is.
func (f *finder) maker(roots []*graph.Node, bad func(finiteness) bool) (first *graph.Node) {
	seen := map[*graph.Node]bool{}
	var visit func(nodes []*graph.Node) (any bool)
	visit = func(nodes []*graph.Node) (any bool) {
		for _, n := range nodes {
			if v, known := f.found[n]; !known || !bad(v) {
				continue
			}
			any = true
			if seen[n] {
				continue
			}
			seen[n] = true
			if !visit(readBy(n)) && (first == nil || n.ID() < first.ID()) {
				first = n
			}
		}
		return any
	}
	visit(roots)
	return first
}

// readBy returns the operands of an operation. Those of what comes out of a loop are what the loop reads from outside: its
// body is no part of a search.
func readBy(n *graph.Node) (operands []*graph.Node) {
	own, isLoop := n.Loop()
	if !isLoop {
		return n.Operands()
	}
	seen := map[*graph.Node]bool{}
	var add func(o *graph.Node)
	add = func(o *graph.Node) {
		if seen[o] {
			return
		}
		seen[o] = true
		if a, is := o.Loop(); o.Region() == nil && !(is && a.Body == own.Body) {
			operands = append(operands, o)
			return
		}
		for _, inner := range o.Operands() {
			add(inner)
		}
	}
	add(n)
	return operands
}

// describe tells of an operation, with the values that it read.
func (f *finder) describe(n *graph.Node, nan bool) (*NonFinite, error) {
	v := f.found[n]
	r := &NonFinite{Node: n, Value: math.NaN(), Count: v.nan, Elements: engine.CountOf(v.shape)}
	at := v.firstNaN
	if !nan {
		r.Count, at = v.inf, v.firstInf
	}
	r.Index = indexOf(at, v.shape)
	operands := readBy(n)
	read := slices.DeleteFunc(slices.Clone(operands), func(o *graph.Node) bool { return !o.DType().IsFloat() })
	values := map[*graph.Node]*float64{}
	err := f.compute(append(slices.Clone(read), n), func(x *graph.Node, a Array) {
		if x == n {
			r.Value = *elementAt(a, r.Index)
		} else if n.Op().Class == graph.Elementwise {
			values[x] = elementAt(a, r.Index)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, o := range operands {
		described := OperandValues{Node: o, Min: math.NaN(), Max: math.NaN(), Element: values[o]}
		if v, known := f.found[o]; known {
			described.Min, described.Max, described.NaN, described.Inf = v.min, v.max, v.nan, v.inf
		}
		r.Operands = append(r.Operands, described)
	}
	if source := f.maker(read, hasInf); nan && source != nil {
		r.Cause, err = f.describe(source, false)
	}
	return r, err
}

// indexOf returns the index of an element of which the place in row-major order is known.
func indexOf(at int, shape []int) []int {
	index := make([]int, len(shape))
	for k, size := range slices.Backward(shape) {
		index[k], at = at%size, at/size
	}
	return index
}

// elementAt returns the element that meets an index of a broadcast result.
func elementAt(a Array, index []int) *float64 {
	at, skipped := 0, len(index)-len(a.Shape)
	if skipped < 0 {
		return nil
	}
	for k, size := range a.Shape {
		i := index[skipped+k]
		if size == 1 {
			i = 0
		}
		if i >= size {
			return nil
		}
		at = at*size + i
	}
	v, _ := graph.NumberAt(a.Data, at)
	return &v
}

// String tells of the operation, its place and its operands, a line each.
func (n *NonFinite) String() string {
	var b strings.Builder
	b.WriteString(n.headline())
	for _, o := range n.Operands {
		b.WriteString("\n  " + o.String())
	}
	if n.Cause != nil {
		b.WriteString("\n  the infinity: " + strings.ReplaceAll(n.Cause.String(), "\n", "\n  "))
	}
	return b.String()
}

func (n *NonFinite) headline() string {
	switch {
	case n.Node.IsParam():
		return fmt.Sprintf("%s: parameter %s holds %g at %v before the run (%d of %d elements): an earlier run wrote it, or it was set so",
			n.Node.Pos(), n.Node.Label(), n.Value, n.Index, n.Count, n.Elements)
	case n.Node.IsInput():
		return fmt.Sprintf("%s: input %s is fed %g at %v (%d of %d elements)", n.Node.Pos(), n.Node.Label(), n.Value, n.Index, n.Count, n.Elements)
	}
	return fmt.Sprintf("%s: %s makes %g at %v (%d of %d elements)", n.Node.Pos(), graph.Describe(n.Node), n.Value, n.Index, n.Count, n.Elements)
}

// String tells of the operand's values.
func (o OperandValues) String() string {
	text := fmt.Sprintf("%s, %s%v", o.Node.Called(), o.Node.DType(), o.Node.Shape())
	if o.Element != nil {
		text += fmt.Sprintf(", is %g there", *o.Element)
	}
	if !math.IsNaN(o.Min) {
		text += fmt.Sprintf(", from %g to %g", o.Min, o.Max)
	}
	if o.NaN > 0 {
		text += fmt.Sprintf(", %d NaN", o.NaN)
	}
	return text
}
