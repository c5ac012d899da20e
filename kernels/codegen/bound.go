package codegen

import "github.com/broadloom/broadloom/kernels/rowprog"

// mostCompared is the most pairs of instructions that are compared to find a bound.
const mostCompared = 64

// isNotPositive reports whether a value is at most 0, or NaN, because it is an element minus the maximum of its row, as
// in a softmax.
func (c *compiler) isNotPositive(v rowprog.Value) bool {
	in := &c.p.Insts[v]
	budget := mostCompared
	return in.Op == rowprog.OpSub && c.bounds(in.Args[1], in.Args[0], &budget)
}

// bounds reports whether x is never greater than a value, unless one of them is NaN.
func (c *compiler) bounds(greatest, x rowprog.Value, budget *int) bool {
	switch in := &c.p.Insts[greatest]; in.Op {
	case rowprog.OpReduce:
		return (in.Reduction == rowprog.Max || in.Reduction == rowprog.MaxNumber) && c.same(in.Args[0], x, budget)
	case rowprog.OpMax:
		return c.bounds(in.Args[0], x, budget) || c.bounds(in.Args[1], x, budget)
	}
	return false
}

// same reports whether two values are computed in the same way from operands that are only read.
func (c *compiler) same(x, y rowprog.Value, budget *int) bool {
	if x == y {
		return true
	}
	if *budget--; *budget < 0 {
		return false
	}
	a, b := &c.p.Insts[x], &c.p.Insts[y]
	switch {
	case a.Op != b.Op || a.Type != b.Type || a.Bits != b.Bits || a.Operand != b.Operand || a.Axis != b.Axis ||
		a.Reduction != b.Reduction:
		return false
	case a.Op == rowprog.OpReduce || a.Op == rowprog.OpLoad && c.p.Operands[a.Operand].Access != rowprog.In:
		return false
	}
	for i, u := range a.Uses() {
		if !c.same(u, b.Uses()[i], budget) {
			return false
		}
	}
	return true
}
