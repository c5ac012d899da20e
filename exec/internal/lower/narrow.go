package lower

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// emit emits what n computes per element.
func (l *Lowering) emit(n *graph.Node, in []graph.Value) graph.Value {
	if n.Op().Class == graph.Gather {
		return graph.Value(l.pick(n, rowprog.Value(in[1])))
	}
	isNarrow := func(x *graph.Node) bool { return x.DType().Computed() != x.DType() }
	if !isNarrow(n) && !slices.ContainsFunc(n.Operands(), isNarrow) {
		return n.Op().Emit(l, n, in)
	}
	e, own := &narrow{l: l}, make([]graph.Value, len(in))
	for i, x := range n.Operands() {
		if i > 0 || !n.Op().Fill { // Fill does not read its first operand
			in[i] = l.widened(in[i], x.DType())
		}
		own[i] = e.value(in[i], x.DType())
	}
	v := n.Op().Emit(e, n, own)
	return l.Convert(e.values[v].v, n.DType())
}

// widened converts a stored value to the dtype in which it is computed.
func (l *Lowering) widened(x graph.Value, t graph.DType) graph.Value {
	return l.Convert(x, t.Computed())
}

// narrow is an Emitter for elements of which some have a dtype that is computed in another one. Integer results wrap
// around at once. Float16 and BFloat16 results are rounded when they are converted, and at the end, as in PyTorch.
type narrow struct {
	l      *Lowering
	values []narrowValue
}

// narrowValue is a value of a dtype, held in the dtype in which it is computed.
type narrowValue struct {
	v graph.Value
	t graph.DType
}

func (e *narrow) value(v graph.Value, t graph.DType) graph.Value {
	e.values = append(e.values, narrowValue{v, t})
	return graph.Value(len(e.values) - 1)
}

// Prim applies a primitive.
func (e *narrow) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	args := make([]graph.Value, len(x))
	for i, v := range x {
		args[i] = e.values[v].v
	}
	t := e.values[x[len(x)-1]].t
	result, err := p.Result(slices.Repeat([]graph.DType{t}, len(x))...)
	if p == graph.PrimSelect || err != nil {
		result = t
	}
	var v graph.Value
	if t == graph.Uint64 {
		v = unsigned{e.l}.prim(p, args)
	} else {
		v = e.l.Prim(p, args...)
	}
	if result.IsInt() && result != result.Computed() {
		v = e.wrapped(v, result)
	}
	return e.value(v, result)
}

// wrapped wraps an integer around to the range of its dtype.
func (e *narrow) wrapped(v graph.Value, t graph.DType) graph.Value {
	return e.l.widened(e.l.Convert(v, t), t)
}

// Const writes a number.
func (e *narrow) Const(t graph.DType, v float64) graph.Value {
	switch {
	case !t.IsInt():
		return e.value(e.l.Const(t.Computed(), v), t)
	case t == graph.Uint64 && v >= 0x1p63:
		return e.value(graph.Value(e.l.b.ConstInt(rowprog.I64, int64(uint64(v)))), t)
	}
	return e.value(graph.Value(e.l.b.ConstInt(TypeOf(t.Computed()), lastBits(int64(v), t))), t)
}

// lastBits wraps a number around to the range of an integer dtype.
func lastBits(v int64, t graph.DType) int64 {
	unused := 64 - 8*t.Size()
	if t.IsUnsigned() {
		return int64(uint64(v) << unused >> unused)
	}
	return v << unused >> unused
}

// Convert changes the type.
func (e *narrow) Convert(x graph.Value, t graph.DType) graph.Value {
	from := e.values[x]
	if from.t == t {
		return x
	}
	v, computed := from.v, t.Computed()
	switch {
	case from.t == graph.Uint64 && t.IsFloat():
		v = unsigned{e.l}.toFloat(v, computed)
	case from.t.IsFloat() && t == graph.Uint64:
		v = unsigned{e.l}.fromFloat(v, from.t.Computed())
	case from.t.Computed() == graph.Float32 && (t == graph.Int8 || t == graph.Uint8):
		v = e.lowByte(v)
	case from.t.IsFloat() && t.IsInt() && t != computed:
		v = e.l.Convert(e.l.Convert(v, graph.Int64), computed)
	default:
		v = e.l.Convert(v, computed)
	}
	if t != computed {
		v = e.wrapped(v, t) // or rounded
	}
	return e.value(v, t)
}

// lowByte converts a Float32 to an Int32 with the same last byte as its conversion to Int64. That byte is 0 from 2^31
// on, where numbers are multiples of 256, and all ones from 2^63 on, where all become the maximal Int64. Numbers below
// the range of Int32 also become an Int32 with last byte 0.
func (e *narrow) lowByte(v graph.Value) graph.Value {
	const floats, ints = graph.Float32, graph.Int32
	isBeyond := func(limit float64) graph.Value { return e.l.Prim(graph.PrimGe, v, e.l.Const(floats, limit)) }
	x := e.l.Convert(e.l.Prim(graph.PrimSelect, isBeyond(0x1p31), e.l.Const(floats, 0), v), ints)
	return e.l.Prim(graph.PrimSelect, isBeyond(0x1p63), e.l.Const(ints, -1), x)
}

// TypeOf returns the type of a value.
func (e *narrow) TypeOf(x graph.Value) graph.DType { return e.values[x].t }

// Index emits the position along an axis.
func (e *narrow) Index(axis int) graph.Value { return e.value(e.l.Index(axis), graph.Int64) }

// Size emits a size of the program.
func (e *narrow) Size(d graph.Dim) graph.Value { return e.value(e.l.Size(d), graph.Int64) }

// Check emits a check that stops the run if ok is false.
func (e *narrow) Check(ok graph.Value, c graph.Claim) { e.l.Check(e.values[ok].v, c) }

// unsigned implements operations of unsigned 64-bit integers with signed ones of the same bits.
type unsigned struct{ *Lowering }

func (u unsigned) whole(v int64) graph.Value { return graph.Value(u.b.ConstInt(rowprog.I64, v)) }

// ordered maps to signed integers with the same order.
func (u unsigned) ordered(x graph.Value) graph.Value {
	return u.Prim(graph.PrimXor, x, u.whole(math.MinInt64))
}

func (u unsigned) isHigh(x graph.Value) graph.Value { return u.Prim(graph.PrimLt, x, u.whole(0)) }

// half returns x/2, rounded down.
func (u unsigned) half(x graph.Value) graph.Value {
	return u.Prim(graph.PrimAnd, u.Prim(graph.PrimFloorDiv, x, u.whole(2)), u.whole(math.MaxInt64))
}

func (u unsigned) prim(p graph.Prim, x []graph.Value) graph.Value {
	switch p {
	case graph.PrimLt, graph.PrimLe, graph.PrimGt, graph.PrimGe:
		return u.Prim(p, u.ordered(x[0]), u.ordered(x[1]))
	case graph.PrimMax, graph.PrimMin:
		return u.ordered(u.Prim(p, u.ordered(x[0]), u.ordered(x[1])))
	case graph.PrimDiv, graph.PrimFloorDiv:
		return u.quotient(x[0], x[1])
	case graph.PrimRem:
		return u.Prim(graph.PrimSub, x[0], u.Prim(graph.PrimMul, u.quotient(x[0], x[1]), x[1]))
	case graph.PrimPow:
		// Half of an exponent is never negative.
		root := u.Prim(graph.PrimPow, x[0], u.half(x[1]))
		odd := u.Prim(graph.PrimNe, u.Prim(graph.PrimAnd, x[1], u.whole(1)), u.whole(0))
		return u.Prim(graph.PrimMul, u.Prim(graph.PrimMul, root, root), u.Prim(graph.PrimSelect, odd, x[0], u.whole(1)))
	case graph.PrimAbs:
		return x[0]
	case graph.PrimSign:
		return u.Prim(graph.PrimSelect, u.Prim(graph.PrimEq, x[0], u.whole(0)), u.whole(0), u.whole(1))
	}
	return u.Prim(p, x...)
}

// quotient returns x/y, rounded down. Twice the quotient of x/2 and y is right or 1 too small. If y is at least 2^63,
// the quotient is 0 or 1.
func (u unsigned) quotient(x, y graph.Value) graph.Value {
	q := u.Prim(graph.PrimMul, u.Prim(graph.PrimDiv, u.half(x), y), u.whole(2))
	rest := u.Prim(graph.PrimSub, x, u.Prim(graph.PrimMul, q, y))
	more := u.Prim(graph.PrimGe, u.ordered(rest), u.ordered(y))
	q = u.Prim(graph.PrimAdd, q, u.Prim(graph.PrimSelect, more, u.whole(1), u.whole(0)))
	once := u.Prim(graph.PrimGe, u.ordered(x), u.ordered(y))
	return u.Prim(graph.PrimSelect, u.isHigh(y), u.Prim(graph.PrimSelect, once, u.whole(1), u.whole(0)), q)
}

// toFloat rounds once. Half of a large number, with the dropped bit kept below the rounding position, is doubled
// exactly.
func (u unsigned) toFloat(x graph.Value, t graph.DType) graph.Value {
	half := u.Convert(u.Prim(graph.PrimOr, u.half(x), u.Prim(graph.PrimAnd, x, u.whole(1))), t)
	return u.Prim(graph.PrimSelect, u.isHigh(x), u.Prim(graph.PrimAdd, half, half), u.Convert(x, t))
}

// fromFloat truncates. Numbers from 2^64 on become the maximum.
func (u unsigned) fromFloat(x graph.Value, t graph.DType) graph.Value {
	limit := u.Const(t, 0x1p63)
	high := u.ordered(u.Convert(u.Prim(graph.PrimSub, x, limit), graph.Int64))
	return u.Prim(graph.PrimSelect, u.Prim(graph.PrimGe, x, limit), high, u.Convert(x, graph.Int64))
}
