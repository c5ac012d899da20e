package lower

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// These methods make a Lowering a graph.Emitter: operations emit what they compute per element into the kernel's row
// program.

// PrimOps maps primitives to the kernels' operations of the same names.
var PrimOps = func() map[graph.Prim]rowprog.Op {
	byName := map[string]rowprog.Op{}
	for _, o := range rowprog.Primitives() {
		byName[o.String()] = o
	}
	table := map[graph.Prim]rowprog.Op{}
	for _, p := range graph.Prims() {
		if o, ok := byName[p.String()]; ok {
			table[p] = o
		}
	}
	return table
}()

// OpCosts returns the costs of the kernels' operations: see PrimCost.
var OpCosts = func() map[rowprog.Op]int {
	costs := map[rowprog.Op]int{}
	for p, o := range PrimOps {
		costs[o] = analysis.PrimCost(p)
	}
	return costs
}()

// Prim applies a primitive.
func (l *Lowering) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	args := make([]rowprog.Value, len(x))
	for i, v := range x {
		args[i] = rowprog.Value(v)
	}
	return graph.Value(l.b.Apply(PrimOps[p], args...))
}

// Const emits a number.
func (l *Lowering) Const(t graph.DType, v float64) graph.Value {
	return graph.Value(l.b.Const(TypeOf(t), v))
}

// Convert emits a conversion.
func (l *Lowering) Convert(x graph.Value, t graph.DType) graph.Value {
	return graph.Value(l.b.Convert(rowprog.Value(x), TypeOf(t)))
}

// TypeOf returns the type of a value.
func (l *Lowering) TypeOf(x graph.Value) graph.DType { return dtypeOf(l.b.TypeOf(rowprog.Value(x))) }

// Index emits the position along an axis of the iteration space.
func (l *Lowering) Index(axis int) graph.Value {
	at := l.axisOf[axis]
	if at < 0 {
		return graph.Value(l.b.ConstInt(rowprog.I64, 0))
	}
	return graph.Value(l.b.Iota(at))
}

// Size emits a size of the program.
func (l *Lowering) Size(d graph.Dim) graph.Value {
	if n, whole := d.Int(); whole {
		return graph.Value(l.b.ConstInt(rowprog.I64, n))
	}
	return graph.Value(l.b.Load(l.operand(fusion.Operand{Size: d}, graph.Int64, rowprog.In)))
}

// Check emits a check that stops the run if ok is false.
func (l *Lowering) Check(ok graph.Value, c graph.Claim) {
	f, culprit := RuntimeCheck{Claim: c, Node: l.node}, ok
	if c.Operand > 0 || !l.node.Op().Fill { // Fill does not read its first operand
		f.On, culprit = l.loaded(l.node, l.k.LevelFor(l.node), c.Operand), l.in[c.Operand]
	}
	l.b.Guard(rowprog.Value(ok), rowprog.Value(culprit), l.fault(f))
}

// divisorCode returns the fault for a division of integers by zero. It names no operand, because the divisor need not
// be one.
func (l *Lowering) divisorCode() rowprog.FaultCode {
	return l.fault(RuntimeCheck{Claim: graph.Claim{Message: "ZeroDivisionError: an integer is divided by zero"},
		Node: l.node})
}

// fault adds a fault and returns its code.
func (l *Lowering) fault(f RuntimeCheck) rowprog.FaultCode {
	l.u.RuntimeChecks = append(l.u.RuntimeChecks, f)
	return rowprog.FaultCode(len(l.u.RuntimeChecks) - 1)
}
