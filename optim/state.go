package optim

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// shared is what the updates of all parameters in one call share.
type shared struct {
	g       *graph.Graph
	fn      string
	name    string            // the user's name for the optimiser, or ""
	owner   string            // the parameter after which state of the whole optimiser is named
	owners  map[string]string // and that of each group
	when    *graph.Node
	count   *graph.Node // the number of steps, this one included; nil where nothing asked
	scalars map[scalarKey]*graph.Node
	writes  []*graph.Node // those of state
	refused *graph.Node   // the first mistake
}

// scalarKey says which scalar of a step: the groups of the parameter, its kind and dtype.
type scalarKey struct {
	group, kind string
	t           graph.DType
}

// update is the update of one parameter.
type update struct {
	*shared
	settings
	rule  *rule
	group string
	w     *graph.Node
	t     graph.DType
	rows  *namedRows // that alone are updated; nil for all
}

// build returns the write of the parameter.
func (u *update) build(grad *graph.Node) *graph.Node {
	if u.usedRows {
		if u.rows = namedRowsOf(grad); u.rows != nil {
			grad = u.rows.grad
		}
	}
	if u.maximize {
		grad = ops.Neg(grad)
	}
	decoupled := u.rule.decoupled || u.decoupled
	w := u.now(u.w)
	if u.decay != 0 && !decoupled && !u.rule.ownDecay {
		grad = ops.Add(grad, ops.Mul(w, graph.Num(u.decay)))
	}
	step := u.rule.step(u, grad)
	kept := w
	if u.decay != 0 && decoupled {
		kept = ops.Mul(w, u.scalar("kept", u.keptShare))
	}
	switch {
	case u.rows != nil && kept == w:
		return ops.SubInPlace(u.w, u.change(step))
	case u.rows != nil:
		return ops.SubInPlace(u.w, u.change(ops.Sub(w, ops.Sub(kept, step))))
	case kept == w && u.when == nil:
		return ops.SubInPlace(u.w, step)
	}
	return u.write(u.w, ops.Sub(kept, step))
}

// keptShare returns the share of a parameter that decoupled weight decay leaves.
func (u *update) keptShare() *graph.Node {
	if u.rate.fixed() {
		return graph.Num(1 - u.rate.number*u.decay)
	}
	return ops.Sub(graph.Num(1.0), ops.Mul(u.learningRate(), graph.Num(u.decay)))
}

// write replaces a parameter's value in runs that carry out the update.
func (u *shared) write(w, next *graph.Node) *graph.Node {
	if u.when != nil {
		next = ops.Where(u.when, next, w)
	}
	return ops.CopyInPlace(w, next)
}

// conditionOf returns the condition that [When] gave the update of a parameter, as write and change have written it;
// nil if it gave none.
func conditionOf(update *graph.Node) *graph.Node {
	if len(update.Operands()) != 2 {
		return nil
	}
	next := unconverted(update.In(1))
	switch {
	case next.Op() == opWhere && unconverted(next.In(2)) == update.In(0):
		return next.In(0)
	case next.Op() == opSegmentSum && next.In(0).Op() == opWhere && next.In(0).In(0).Op() == opAnd:
		return next.In(0).In(0).In(1)
	}
	return nil
}

var opWhere, opAnd, opSegmentSum = ops.Lookup("where"), ops.Lookup("logical_and"), ops.Lookup("segment_sum")

// unconverted returns what was converted to another dtype.
func unconverted(x *graph.Node) *graph.Node {
	for x.Op() == graph.CastOp {
		x = x.In(0)
	}
	return x
}

// keep declares what the optimiser remembers about the parameter, which begins with zeros, and
// returns its value after this step.
func (u *update) keep(kind string, next func(old *graph.Node) *graph.Node) *graph.Node {
	return u.keepFrom(0, kind, u.w.Shape(), next)
}

// keepFrom is keep of a state of another shape or beginning.
func (u *update) keepFrom(start filled, kind string, shape graph.Shape,
	next func(old *graph.Node) *graph.Node) *graph.Node {
	old := u.state(u.w.Name(), kind, u.t, start, shape)
	if u.rows != nil {
		before := u.now(old)
		v := next(before)
		u.writes = append(u.writes, ops.SubInPlace(old, u.change(ops.Sub(before, v))))
		return v
	}
	v := u.write(old, next(old))
	u.writes = append(u.writes, v)
	return v
}

// state declares a state named after a parameter.
func (u *shared) state(owner, kind string, t graph.DType, start filled, shape graph.Shape) (s *graph.Node) {
	return u.stateOf(owner, kind, t, start, shape)
}

// stateOf is state with any initial values.
func (u *shared) stateOf(owner, kind string, t graph.DType, start graph.Initializer,
	shape graph.Shape) (s *graph.Node) {
	if u.name != "" {
		kind = u.name + graph.ScopeSeparator + kind
	}
	full := owner + graph.ScopeSeparator + kind
	if first := u.g.ByName(full); first != nil && u.refused == nil {
		u.refused = refuse(u.fn, fmt.Sprintf(
			"the state %s already belongs to the optimiser at %s: use optim.Name to give each optimiser of a parameter its own name",
			full, first.Pos()), u.g.ByName(owner))
	}
	if u.refused != nil {
		return u.refused
	}
	u.g.InScope(owner, func() { s = u.g.State(kind, t, start, shape...) })
	return s
}

// steps returns the number of steps, this one included, as Float64.
func (u *shared) steps() *graph.Node {
	if u.count == nil {
		count := ops.AddInPlace(u.state(u.owner, "step", graph.Int64, 0, nil), u.one())
		u.writes = append(u.writes, count)
		u.count = ops.Cast(count, graph.Float64)
	}
	return u.count
}

// one returns by how much a run moves the count of steps.
func (u *shared) one() *graph.Node {
	if u.when != nil {
		return ops.Cast(u.when, graph.Int64)
	}
	return graph.Num(1)
}

// scalarState declares a Float64 that all parameters of a group share, and returns its value
// after this step.
func (u *update) scalarState(kind string, start filled, next func(old *graph.Node) *graph.Node) *graph.Node {
	key := scalarKey{u.group, kind, graph.Float64}
	if u.scalars[key] == nil {
		old := u.state(u.owners[u.group], kind, graph.Float64, start, nil)
		u.scalars[key] = u.write(old, next(old))
		u.writes = append(u.writes, u.scalars[key])
	}
	return u.scalars[key]
}

// scalar returns a number of the step as the parameter's dtype. It is computed once for all
// parameters of a group, in Float64: 1-β2 would lose four of Float32's seven digits.
func (u *update) scalar(kind string, formula func() *graph.Node) *graph.Node {
	key := scalarKey{u.group, kind, graph.Float64}
	v, known := u.scalars[key]
	if !known {
		v = formula()
		u.scalars[key] = v
	}
	if key.t = u.t; key.t == graph.Float64 || v.Graph() == nil {
		return v
	}
	cast, known := u.scalars[key]
	if !known {
		cast = ops.Cast(v, u.t)
		u.scalars[key] = cast
	}
	return cast
}

// learningRate returns the rate of this step in Float64.
func (u *update) learningRate() *graph.Node {
	if u.rate.fixed() {
		return graph.Num(u.rate.number)
	}
	key := scalarKey{u.group, "rate", graph.Float64}
	if u.scalars[key] == nil {
		u.scalars[key] = u.rate.at(func() *graph.Node { return ops.Sub(u.steps(), graph.Num(1.0)) })
	}
	return u.scalars[key]
}

// rateOf returns the rate of this step as the parameter's dtype.
func (u *update) rateOf() *graph.Node { return u.scalar("rate", u.learningRate) }

// filled is an initializer: all elements are the same.
type filled float64

// Fill fills dst.
func (f filled) Fill(dst any, _ []int, _ uint64) {
	if f == 0 { // as dst holds already: memory that nobody has touched costs nothing
		return
	}
	switch dst := dst.(type) {
	case []float32:
		for i := range dst {
			dst[i] = float32(f)
		}
	case []float64:
		for i := range dst {
			dst[i] = float64(f)
		}
	default:
		_, count := graph.DTypeOfSlice(dst)
		for i := range count {
			graph.SetNumberAt(dst, i, float64(f), int64(f))
		}
	}
}

// String returns the initializer's name.
func (f filled) String() string { return fmt.Sprintf("filled with %g", float64(f)) }
