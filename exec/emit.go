package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The methods here make a lowering a graph.Emitter: operations write the meaning of
// their elements into the kernel's row program.

// primOps gives the kernels' operation of each primitive: they have the same names.
var primOps = func() map[graph.Prim]rowprog.Op {
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

// opCosts gives the cost of the kernels' operations: see primCost.
var opCosts = func() map[rowprog.Op]int {
	costs := map[rowprog.Op]int{}
	for p, o := range primOps {
		costs[o] = primCost(p)
	}
	return costs
}()

// Prim applies a primitive.
func (l *lowering) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	args := make([]rowprog.Value, len(x))
	for i, v := range x {
		args[i] = rowprog.Value(v)
	}
	return graph.Value(l.b.Apply(primOps[p], args...))
}

// Const writes a number.
func (l *lowering) Const(t graph.DType, v float64) graph.Value {
	return graph.Value(l.b.Const(typeOf(t), v))
}

// Convert changes the type.
func (l *lowering) Convert(x graph.Value, t graph.DType) graph.Value {
	return graph.Value(l.b.Convert(rowprog.Value(x), typeOf(t)))
}

// TypeOf gives the type of a value.
func (l *lowering) TypeOf(x graph.Value) graph.DType { return dtypeOf(l.b.TypeOf(rowprog.Value(x))) }

// Index is the position along an axis of the domain.
func (l *lowering) Index(axis int) graph.Value {
	at := l.axisOf[axis]
	if at < 0 {
		return graph.Value(l.b.ConstInt(rowprog.I64, 0))
	}
	return graph.Value(l.b.Iota(at))
}

// Size is a size of the program.
func (l *lowering) Size(d graph.Dim) graph.Value {
	if n, whole := d.Int(); whole {
		return graph.Value(l.b.ConstInt(rowprog.I64, n))
	}
	return graph.Value(l.b.Load(l.operand(operand{size: d}, graph.Int64, rowprog.In)))
}

// Check stops the run where ok is false.
func (l *lowering) Check(ok graph.Value, c graph.Claim) {
	f, culprit := fault{claim: c, node: l.node}, ok
	if c.Operand > 0 || !l.node.Op().Fill { // whose first operand is of no account
		f.on, culprit = l.loaded(l.node, l.k.levelFor(l.node), c.Operand), l.in[c.Operand]
	}
	l.b.Guard(rowprog.Value(ok), rowprog.Value(culprit), l.fault(f))
}

// divisorCode is the fault of a division of integers by zero that the node's meaning does not
// check for: what divides need not be an operand.
func (l *lowering) divisorCode() rowprog.FaultCode {
	return l.fault(fault{claim: graph.Claim{Message: "ZeroDivisionError: an integer is divided by zero"}, node: l.node})
}

// fault adds a fault and gives its code.
func (l *lowering) fault(f fault) rowprog.FaultCode {
	l.u.faults = append(l.u.faults, f)
	return rowprog.FaultCode(len(l.u.faults) - 1)
}

// missingPrims lists primitives that the kernels do not have; a test wants none.
func missingPrims() (names []string) {
	for _, p := range graph.Prims() {
		if _, ok := primOps[p]; !ok {
			names = append(names, fmt.Sprint(p))
		}
	}
	return names
}
