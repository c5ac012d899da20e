package lower

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The methods here make a lowering a graph.Emitter: operations write the meaning of
// their elements into the kernel's row program.

// PrimOps returns the kernels' operation of each primitive: they have the same names.
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

// OpCosts returns the cost of the kernels' operations: see PrimCost.
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

// Const writes a number.
func (l *Lowering) Const(t graph.DType, v float64) graph.Value {
	return graph.Value(l.b.Const(TypeOf(t), v))
}

// Convert changes the type.
func (l *Lowering) Convert(x graph.Value, t graph.DType) graph.Value {
	return graph.Value(l.b.Convert(rowprog.Value(x), TypeOf(t)))
}

// TypeOf returns the type of a value.
func (l *Lowering) TypeOf(x graph.Value) graph.DType { return dtypeOf(l.b.TypeOf(rowprog.Value(x))) }

// Index is the position along an axis of the iteration space.
func (l *Lowering) Index(axis int) graph.Value {
	at := l.axisOf[axis]
	if at < 0 {
		return graph.Value(l.b.ConstInt(rowprog.I64, 0))
	}
	return graph.Value(l.b.Iota(at))
}

// Size is a size of the program.
func (l *Lowering) Size(d graph.Dim) graph.Value {
	if n, whole := d.Int(); whole {
		return graph.Value(l.b.ConstInt(rowprog.I64, n))
	}
	return graph.Value(l.b.Load(l.operand(fusion.Operand{Size: d}, graph.Int64, rowprog.In)))
}

// Check stops the run where ok is false.
func (l *Lowering) Check(ok graph.Value, c graph.Claim) {
	f, culprit := RuntimeCheck{Claim: c, Node: l.node}, ok
	if c.Operand > 0 || !l.node.Op().Fill { // whose first operand is of no account
		f.On, culprit = l.loaded(l.node, l.k.LevelFor(l.node), c.Operand), l.in[c.Operand]
	}
	l.b.Guard(rowprog.Value(ok), rowprog.Value(culprit), l.fault(f))
}

// divisorCode is the fault of a division of integers by zero that the node's meaning does not
// check for: what divides need not be an operand.
func (l *Lowering) divisorCode() rowprog.FaultCode {
	return l.fault(RuntimeCheck{Claim: graph.Claim{Message: "ZeroDivisionError: an integer is divided by zero"}, Node: l.node})
}

// fault adds a fault and gives its code.
func (l *Lowering) fault(f RuntimeCheck) rowprog.FaultCode {
	l.u.RuntimeChecks = append(l.u.RuntimeChecks, f)
	return rowprog.FaultCode(len(l.u.RuntimeChecks) - 1)
}
