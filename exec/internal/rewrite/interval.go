package rewrite

import (
	"math"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/graph"
)

// interval is the integers from least to most.
type interval struct{ least, most int64 }

// intervalOfDType is all integers of a dtype; those of 64 bits have no bounds that matter here.
func intervalOfDType(t graph.DType) interval {
	switch {
	case t == graph.Bool:
		return interval{0, 1}
	case t.IsUnsigned() && t.Bits() < 64:
		return interval{0, 1<<t.Bits() - 1}
	case t.IsUnsigned() || t.Bits() == 64:
		return interval{math.MinInt64, math.MaxInt64}
	}
	return interval{-1 << (t.Bits() - 1), 1<<(t.Bits()-1) - 1}
}

// isWithin reports whether all integers are in another interval.
func (i interval) isWithin(other interval) bool {
	return other.least <= i.least && i.most <= other.most
}

func (i interval) union(other interval) interval {
	return interval{min(i.least, other.least), max(i.most, other.most)}
}

// intervals finds between which integers the elements of nodes are, from what makes them.
type intervals map[*graph.Node]interval

// of returns the interval of a node of an integer dtype.
func (f intervals) of(n *graph.Node) interval {
	if i, known := f[n]; known {
		return i
	}
	whole := intervalOfDType(n.DType())
	f[n] = whole // of what leads to itself
	i := f.made(n)
	if !i.isWithin(whole) {
		i = whole // it wraps around
	}
	f[n] = i
	return i
}

func (f intervals) made(n *graph.Node) interval {
	whole := intervalOfDType(n.DType())
	if v, ok := n.ScalarValue(); ok && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return interval{int64(v), int64(v)}
	}
	switch op := n.Op(); {
	case op.Class == graph.Movement && len(n.Operands()) > 0:
		i := f.of(n.In(0))
		for _, x := range n.Read()[1:] {
			i = i.union(f.of(x))
		}
		if op.Assemble != nil {
			v := op.Assemble(n).Value
			if v != math.Trunc(v) || math.Abs(v) >= 1<<53 {
				return whole
			}
			i = i.union(interval{int64(v), int64(v)})
		}
		return i
	case op.Class == graph.Elementwise && op.Emit != nil && len(n.Operands()) > 0:
		e := &intervalEmitter{}
		in := make([]graph.Value, len(n.Operands()))
		for k, x := range n.Operands() {
			if !x.DType().IsInt() && x.DType() != graph.Bool {
				return whole
			}
			in[k] = e.add(f.of(x), x.DType())
		}
		defer bug.Blame(n)
		return e.values[op.Emit(e, n, in)].interval
	}
	return whole
}

// intervalEmitter computes with intervals.
type intervalEmitter struct{ values []intervalValue }

type intervalValue struct {
	interval
	dtype graph.DType
}

// add notes a value of a dtype; one that could wrap around may be any.
func (e *intervalEmitter) add(i interval, t graph.DType) graph.Value {
	if whole := intervalOfDType(t); t.IsFloat() || !i.isWithin(whole) {
		i = whole
	}
	e.values = append(e.values, intervalValue{i, t})
	return graph.Value(len(e.values) - 1)
}

// Prim computes sums, differences, negations and bounds of integers that are far from those of 64 bits; the result of others may be any.
func (e *intervalEmitter) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	types := make([]graph.DType, len(x))
	small := true
	for i, v := range x {
		types[i] = e.values[v].dtype
		small = small && e.values[v].isWithin(interval{-1 << 40, 1 << 40})
	}
	t, err := p.Result(types...)
	if err != nil {
		t = types[len(types)-1]
	}
	whole := intervalOfDType(t)
	if !t.IsInt() || !small {
		return e.add(whole, t)
	}
	a := e.values[x[0]].interval
	b := e.values[x[len(x)-1]].interval
	switch p {
	case graph.PrimAdd:
		return e.add(interval{a.least + b.least, a.most + b.most}, t)
	case graph.PrimSub:
		return e.add(interval{a.least - b.most, a.most - b.least}, t)
	case graph.PrimNeg:
		return e.add(interval{-a.most, -a.least}, t)
	case graph.PrimMax:
		return e.add(interval{max(a.least, b.least), max(a.most, b.most)}, t)
	case graph.PrimMin:
		return e.add(interval{min(a.least, b.least), min(a.most, b.most)}, t)
	case graph.PrimSelect:
		return e.add(b.union(e.values[x[1]].interval), t)
	}
	return e.add(whole, t)
}

func (e *intervalEmitter) Const(t graph.DType, v float64) graph.Value {
	if t.IsInt() && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return e.add(interval{int64(v), int64(v)}, t)
	}
	return e.add(intervalOfDType(t), t)
}

func (e *intervalEmitter) Convert(x graph.Value, t graph.DType) graph.Value {
	if from := e.values[x]; (from.dtype.IsInt() || from.dtype == graph.Bool) && t.IsInt() {
		return e.add(from.interval, t)
	}
	return e.add(intervalOfDType(t), t)
}

func (e *intervalEmitter) TypeOf(x graph.Value) graph.DType { return e.values[x].dtype }

func (e *intervalEmitter) Check(graph.Value, graph.Claim) {}

func (e *intervalEmitter) Index(int) graph.Value {
	return e.add(interval{0, math.MaxInt64}, graph.Int64)
}

func (e *intervalEmitter) Size(graph.Dim) graph.Value {
	return e.add(interval{0, math.MaxInt64}, graph.Int64)
}
