package exec

import (
	"context"
	"io"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
)

// NonFinite is the operation of the user's graph that was the first to produce a NaN, or an infinity, that reached an
// output or an update of a program.
type NonFinite struct {
	Node *graph.Node // a parameter or an input if the value was there before the run
	// Steps are the positions of the steps that produced it, in the loops around the operation, outermost first; nil
	// outside loops.
	Steps []int
	Index []int   // of the first element that is not finite
	Value float64 // that element: NaN, +Inf or -Inf
	// Count is the number of elements that are NaN, or infinite if Value is, out of Elements; within a loop, those of
	// the step.
	Count, Elements int
	// Operands are the operation's operands, in order.
	Operands []OperandValues
	// Cause is the origin of the infinity from which the operation made a NaN; nil if the operands are finite.
	Cause *NonFinite
}

// OperandValues describes the values of an operand.
type OperandValues struct {
	Node     *graph.Node
	Min, Max float64 // of the elements that are not NaN; NaN if there are none
	NaN, Inf int     // how many elements are that
	// Element is the one from which an elementwise operation computed the element at NonFinite.Index; nil for other
	// operations, and for operands that are not floats.
	Element *float64
}

// valuesAtOnce is the most values that a search keeps in memory at a time.
const valuesAtOnce = 64

// FirstNonFinite recomputes every value of the program for the same inputs, and finds the operation that first produced
// a NaN or an infinity. It returns nil if outputs and updates are finite: an intermediate infinity, such as that of a
// mask, is not a fault. It searches for NaN first.
//
// It performs no updates: parameters are copied. The values are those of the run in question if the parameters are the
// same as before it, as after [Session.RunWithoutUpdates], or if optim.When skipped the step. After a step that wrote a
// NaN, the result is the parameter that holds it. In the body of a loop, it is the first operation in the first such
// step. Functions of ops.Callback are called again, some of them several times, and ops.Print writes nothing. The
// search compiles the program in parts and takes much longer than a run.
func (s *Session) FirstNonFinite(ctx context.Context, feed Feed) (*NonFinite, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	f := finder{s: s, ctx: orBackground(ctx), feed: s.ownFeed(feed), found: map[*graph.Node]finiteness{}}
	f.bodies.init()
	if err := f.look(); err != nil {
		return nil, err
	}
	return f.report()
}

// ownFeed copies fed values that a run would write in place.
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

// finder searches for values that are not finite.
type finder struct {
	s     *Session
	ctx   context.Context
	feed  Feed
	found map[*graph.Node]finiteness // outside of loops
	bodies
}

// finiteness is what is known of a value's elements.
type finiteness struct {
	nan, inf           int
	firstNaN, firstInf int // indices in row-major order
	min, max           float64
	shape              []int
}

// look computes the finiteness of all values. It skips constants: operations that read them are found instead.
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

// compute runs a program that computes nodes of the user's graph, or of a copy of it, with copies of the parameters.
func (f *finder) compute(nodes []*graph.Node, visit func(*graph.Node, Array)) error {
	if len(nodes) == 0 {
		return nil
	}
	p, err := Compile(nodes[0].Graph(), Outputs(nodes...), OnWarning(nil))
	if err != nil {
		return err
	}
	s := p.NewSession(Seed(f.s.store.Seed), Threads(f.s.state.Threads))
	s.state.Flushes, s.state.Print = f.s.state.Flushes, io.Discard
	s.sizes = f.s.sizes
	for _, n := range p.params {
		value, err := f.s.Param(n.Source())
		if err != nil {
			return err
		}
		if err := s.SetParam(n, value); err != nil {
			return err
		}
	}
	feed := f.feed
	if p.source != f.s.prog.source {
		feed = Feed{}
		for _, n := range p.source.Inputs() {
			if v, fed := f.feed[n.Source()]; fed {
				feed[n] = v
			}
		}
	}
	r, err := s.Run(f.ctx, feed)
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

// report finds the operation and describes it.
func (f *finder) report() (*NonFinite, error) {
	var roots []instance
	for _, n := range f.s.prog.request.roots() {
		roots = append(roots, instance{node: n})
	}
	for _, bad := range []func(finiteness) bool{hasNaN, hasInf} {
		if p, err := f.maker(roots, bad); err != nil || p.node != nil {
			if err != nil {
				return nil, err
			}
			return f.describe(p, bad)
		}
	}
	return nil, nil
}

// maker returns the first operation that made a bad value and from which bad values lead to one of the roots; none of
// its operands is bad.
func (f *finder) maker(roots []instance, bad func(finiteness) bool) (first instance, err error) {
	seen := map[instanceKey]bool{}
	var visit func(instances []instance) (any bool)
	visit = func(instances []instance) (any bool) {
		for _, p := range instances {
			if v, known := f.at(p); !known || !bad(v) {
				continue
			}
			any = true
			if key := f.key(p); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			from, failed := f.sources(p)
			if err == nil {
				err = failed
			}
			if !visit(from) && (first.node == nil || p.isBefore(first)) {
				first = p
			}
		}
		return any
	}
	visit(roots)
	return first, err
}

// readBy returns the operands of an operation. For results of a loop, these are what the loop reads from outside.
func readBy(n *graph.Node) (operands []*graph.Node) {
	own, isLoop := n.Loop()
	if !isLoop || own.Role < graph.LoopEnd {
		return n.Operands()
	}
	seen := map[*graph.Node]bool{}
	var add func(o *graph.Node)
	add = func(o *graph.Node) {
		if seen[o] {
			return
		}
		seen[o] = true
		if a, is := o.Loop(); !own.Body.Holds(o.Region()) && !(is && a.Body == own.Body) {
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

// describe describes an operation, with its operands' values.
func (f *finder) describe(p instance, bad func(finiteness) bool) (*NonFinite, error) {
	operands := readBy(p.node)
	instances := []instance{p}
	for _, o := range operands {
		if o.DType().IsFloat() {
			instances = append(instances, p.of(o))
		}
	}
	values, err := f.values(instances)
	if err != nil {
		return nil, err
	}
	v := finitenessOf(values[p.node])
	r := &NonFinite{Node: p.node, Steps: p.loops(), Count: v.nan, Elements: memory.CountOf(v.shape)}
	at := v.firstNaN
	if v.nan == 0 || !bad(finiteness{nan: 1}) {
		r.Count, at = v.inf, v.firstInf
	}
	r.Index = indexOf(at, v.shape)
	r.Value = *elementAt(values[p.node], r.Index)
	for _, o := range operands {
		described := OperandValues{Node: o, Min: math.NaN(), Max: math.NaN()}
		if a, known := values[o]; known {
			v := finitenessOf(a)
			described.Min, described.Max, described.NaN, described.Inf = v.min, v.max, v.nan, v.inf
			if p.node.Op().Class == graph.Elementwise {
				described.Element = elementAt(a, r.Index)
			}
		}
		r.Operands = append(r.Operands, described)
	}
	if math.IsNaN(r.Value) {
		source, err := f.maker(instances[1:], hasInf)
		if err != nil || source.node == nil {
			return r, err
		}
		r.Cause, err = f.describe(source, hasInf)
		return r, err
	}
	return r, nil
}

// indexOf returns the index of an element from its position in row-major order.
func indexOf(at int, shape []int) []int {
	index := make([]int, len(shape))
	for k, size := range slices.Backward(shape) {
		index[k], at = at%size, at/size
	}
	return index
}

// elementAt returns the element of an operand for an index of the broadcast result.
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
