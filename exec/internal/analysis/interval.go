package analysis

import (
	"math"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/graph"
)

// Interval is the set of integers from Least to Most.
type Interval struct{ Least, Most int64 }

// IntervalOf returns the interval of all integers of a dtype. Those of 64 bits have no bounds that matter here.
func IntervalOf(t graph.DType) Interval {
	switch {
	case t == graph.Bool:
		return Interval{0, 1}
	case t.IsUnsigned() && t.Bits() < 64:
		return Interval{0, 1<<t.Bits() - 1}
	case t.IsUnsigned() || t.Bits() == 64:
		return Interval{math.MinInt64, math.MaxInt64}
	}
	return Interval{-1 << (t.Bits() - 1), 1<<(t.Bits()-1) - 1}
}

// IsWithin reports whether an interval lies within another.
func (i Interval) IsWithin(other Interval) bool {
	return other.Least <= i.Least && i.Most <= other.Most
}

// union returns the smallest interval that contains both.
func (i Interval) union(other Interval) Interval {
	return Interval{min(i.Least, other.Least), max(i.Most, other.Most)}
}

// Intervals finds bounds of the integers that nodes compute, from their operations.
type Intervals map[*graph.Node]Interval

// Of returns the interval of a node of an integer dtype.
func (f Intervals) Of(n *graph.Node) Interval {
	if i, known := f[n]; known {
		return i
	}
	whole := IntervalOf(n.DType())
	f[n] = whole // for nodes that depend on themselves
	i := f.made(n)
	if !i.IsWithin(whole) {
		i = whole // it can overflow
	}
	f[n] = i
	return i
}

func (f Intervals) made(n *graph.Node) Interval {
	whole := IntervalOf(n.DType())
	if v, ok := n.ScalarValue(); ok && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return Interval{int64(v), int64(v)}
	}
	switch op := n.Op(); {
	case op.Class == graph.Movement && len(n.Operands()) > 0:
		i := f.Of(n.In(0))
		for _, x := range n.Read()[1:] {
			i = i.union(f.Of(x))
		}
		if op.Assemble != nil {
			v := op.Assemble(n).Value
			if v != math.Trunc(v) || math.Abs(v) >= 1<<53 {
				return whole
			}
			i = i.union(Interval{int64(v), int64(v)})
		}
		return i
	case op.Class == graph.Elementwise && op.Emit != nil && len(n.Operands()) > 0:
		e := &intervalEmitter{}
		in := make([]graph.Value, len(n.Operands()))
		for k, x := range n.Operands() {
			if !x.DType().IsInt() && x.DType() != graph.Bool {
				return whole
			}
			in[k] = e.add(f.Of(x), x.DType())
		}
		defer bug.Blame(n)
		return e.values[op.Emit(e, n, in)].Interval
	}
	return whole
}

// intervalEmitter computes with intervals instead of elements.
type intervalEmitter struct{ values []intervalValue }

type intervalValue struct {
	Interval
	dtype graph.DType
}

// add records a value of a dtype. A value that could overflow gets the dtype's whole interval.
func (e *intervalEmitter) add(i Interval, t graph.DType) graph.Value {
	if whole := IntervalOf(t); t.IsFloat() || !i.IsWithin(whole) {
		i = whole
	}
	e.values = append(e.values, intervalValue{i, t})
	return graph.Value(len(e.values) - 1)
}

// Prim computes sums, differences, negations, maxima, minima and selections of integers within 2^40, which cannot
// overflow 64 bits. Other results get the dtype's whole interval.
func (e *intervalEmitter) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	types := make([]graph.DType, len(x))
	small := true
	for i, v := range x {
		types[i] = e.values[v].dtype
		small = small && e.values[v].IsWithin(Interval{-1 << 40, 1 << 40})
	}
	t, err := p.Result(types...)
	if err != nil {
		t = types[len(types)-1]
	}
	whole := IntervalOf(t)
	if !t.IsInt() || !small {
		return e.add(whole, t)
	}
	a := e.values[x[0]].Interval
	b := e.values[x[len(x)-1]].Interval
	switch p {
	case graph.PrimAdd:
		return e.add(Interval{a.Least + b.Least, a.Most + b.Most}, t)
	case graph.PrimSub:
		return e.add(Interval{a.Least - b.Most, a.Most - b.Least}, t)
	case graph.PrimNeg:
		return e.add(Interval{-a.Most, -a.Least}, t)
	case graph.PrimMax:
		return e.add(Interval{max(a.Least, b.Least), max(a.Most, b.Most)}, t)
	case graph.PrimMin:
		return e.add(Interval{min(a.Least, b.Least), min(a.Most, b.Most)}, t)
	case graph.PrimSelect:
		return e.add(b.union(e.values[x[1]].Interval), t)
	}
	return e.add(whole, t)
}

func (e *intervalEmitter) Const(t graph.DType, v float64) graph.Value {
	if t.IsInt() && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return e.add(Interval{int64(v), int64(v)}, t)
	}
	return e.add(IntervalOf(t), t)
}

func (e *intervalEmitter) Convert(x graph.Value, t graph.DType) graph.Value {
	if from := e.values[x]; (from.dtype.IsInt() || from.dtype == graph.Bool) && t.IsInt() {
		return e.add(from.Interval, t)
	}
	return e.add(IntervalOf(t), t)
}

func (e *intervalEmitter) TypeOf(x graph.Value) graph.DType { return e.values[x].dtype }

func (e *intervalEmitter) Check(graph.Value, graph.Claim) {}

func (e *intervalEmitter) Index(int) graph.Value {
	return e.add(Interval{0, math.MaxInt64}, graph.Int64)
}

func (e *intervalEmitter) Size(graph.Dim) graph.Value {
	return e.add(Interval{0, math.MaxInt64}, graph.Int64)
}
