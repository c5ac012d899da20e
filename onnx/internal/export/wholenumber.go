package export

import "github.com/broadloom/broadloom/graph"

// wholeNumbers applies a primitive of two integers whose meaning ONNX leaves open where the second one is 0 or
// negative: a quotient and a remainder by 0 are 0, and a negative power is truncated towards 0.
func (e *exporter) wholeNumbers(p graph.Prim, x, y *value) *value {
	if p == graph.PrimPow {
		return e.wholePower(x, y)
	}
	t := x.dtype
	zero, one := e.number(t, 0), e.number(t, 1)
	_, c, isConst := numberOf(y)
	if isConst && c > 0 && p != graph.PrimDiv {
		switch r := e.same("Mod", x, y); { // which has the sign of the divisor
		case p == graph.PrimRem:
			return r
		case t.IsUnsigned():
			return e.same("Div", x, y)
		case c&(c-1) == 0:
			return e.same("Div", e.same("Sub", x, r), y)
		}
	}
	divisor := y
	if !isConst || c == 0 {
		divisor = e.choose(e.compare("Equal", y, zero), one, y)
	}
	unless := func(result *value) *value { // 0 where the divisor is 0
		if isConst && c != 0 {
			return result
		}
		return e.choose(e.compare("Equal", y, zero), zero, result)
	}
	minus := e.whole(t, -1)
	if !t.IsUnsigned() && !isConst { // the least number by -1 ends the process
		isMinus := e.compare("Equal", y, minus)
		plain := e.same("Div", x, e.choose(isMinus, one, divisor))
		return e.byQuotient(p, x, divisor, unless, e.choose(isMinus, e.same("Sub", zero, plain), plain))
	}
	if isConst && c == -1 && !t.IsUnsigned() {
		return e.byQuotient(p, x, divisor, unless, e.same("Sub", zero, x))
	}
	return e.byQuotient(p, x, divisor, unless, e.same("Div", x, divisor))
}

// byQuotient goes on from a truncated quotient q.
func (e *exporter) byQuotient(p graph.Prim, x, divisor *value, unless func(*value) *value, q *value) *value {
	if p == graph.PrimDiv {
		return unless(q)
	}
	r := e.same("Sub", x, e.same("Mul", q, divisor))
	turned := e.turned(r, divisor)
	if p == graph.PrimRem {
		return unless(e.choose(turned, e.same("Add", r, divisor), r))
	}
	return unless(e.choose(turned, e.same("Sub", q, e.number(q.dtype, 1)), q))
}

// wholePower multiplies; of a negative exponent it is the inverse, truncated towards 0.
func (e *exporter) wholePower(x, y *value) *value {
	t := x.dtype
	if _, k, isConst := numberOf(y); isConst && k >= 0 && k <= 4 {
		power := x
		if k == 0 {
			power = e.number(t, 1)
		}
		for i := int64(1); i < k; i++ {
			power = e.same("Mul", power, x)
		}
		return e.expand(power, joint(x, y))
	}
	if t.IsUnsigned() {
		return e.bySquaring(x, y)
	}
	zero, one, minus := e.number(t, 0), e.number(t, 1), e.whole(t, -1)
	negative := e.compare("Less", y, zero)
	odd := e.compare("Equal", e.same("BitwiseAnd", y, one), one)
	inverse := e.choose(e.compare("Equal", x, minus), e.choose(odd, minus, one),
		e.choose(e.compare("Equal", x, one), one, zero))
	return e.choose(negative, inverse, e.bySquaring(x, e.choose(negative, zero, y)))
}

// bySquaring is x to the power of y, of y ≥ 0: in a loop over the bits of y.
func (e *exporter) bySquaring(x, y *value) *value {
	t := tensor{x.dtype, joint(x, y)}
	if t.isEmpty() {
		return e.expand(e.number(x.dtype, 1), t.shape)
	}
	x, y = e.expand(x, t.shape), e.expand(y, t.shape)
	body := &block{}
	body.argument(tensor{graph.Int64, graph.Shape{}})
	more := body.argument(tensor{graph.Bool, graph.Shape{}})
	power, base, left := body.argument(t), body.argument(t), body.argument(t)
	e.within(body, func() {
		one, two := e.number(x.dtype, 1), e.whole(x.dtype, 2)
		odd := e.compare("Equal", e.same("BitwiseAnd", left, one), one)
		body.out = []*value{
			e.apply("Identity", more.tensor, nil, more),
			e.same("Mul", power, e.choose(odd, base, one)), e.same("Mul", base, base), e.same("Div", left, two),
		}
	})
	begin := []*value{e.whole(graph.Int64, int64(x.dtype.Bits())), e.number(graph.Bool, 1),
		e.expand(e.number(x.dtype, 1), t.shape), x, y}
	return e.append("Loop", []tensor{t, t, t}, nil, []inner{{"body", body}}, begin).out[0]
}

// ONNX Runtime adds and multiplies the integers of a reduction as float64, which has fewer digits than they, and no
// overflow.

// wholeSum adds integers of 64 bits by a product with ones.
func (e *exporter) wholeSum(x *value, list []int, keep bool) *value {
	flat, axis := e.flatOver(x, list)
	ones := e.expand(e.number(graph.Int64, 1), graph.Shape{flat.shape[axis]})
	t := tensor{graph.Int64, flat.shape[:axis]}
	y := e.cast(e.apply("MatMul", t, nil, e.cast(flat, graph.Int64), ones), x.dtype)
	return e.reshape(y, folded(x.shape, list, keep))
}

// wholeProduct multiplies integers: one half with the other as long as there are several, or in a loop over an axis
// whose size has a name.
func (e *exporter) wholeProduct(x *value, list []int, keep bool) *value {
	flat, axis := e.flatOver(x, list)
	size, static := flat.shape[axis].Int()
	if !static {
		return e.reshape(e.loopOver(flat, axis), folded(x.shape, list, keep))
	}
	if size == 0 {
		return e.expand(e.number(x.dtype, 1), folded(x.shape, list, keep))
	}
	for ; size > 1; size = (size + 1) / 2 {
		half := graph.Dim(size / 2)
		y := e.same("Mul", e.slice(flat, span{axis, 0, half, 1}), e.slice(flat, span{axis, half, half, 1}))
		if size%2 == 1 {
			y = e.concat(axis, y, e.slice(flat, span{axis, graph.Dim(size - 1), 1, 1}))
		}
		flat = y
	}
	return e.reshape(flat, folded(x.shape, list, keep))
}

// loopOver multiplies the elements of an axis one by one.
func (e *exporter) loopOver(x *value, axis int) *value {
	t := tensor{x.dtype, append(append(graph.Shape{}, x.shape[:axis]...), x.shape[axis+1:]...)}
	body := &block{}
	at := body.argument(tensor{graph.Int64, graph.Shape{}})
	more := body.argument(tensor{graph.Bool, graph.Shape{}})
	product := body.argument(t)
	e.within(body, func() {
		body.out = []*value{e.apply("Identity", more.tensor, nil, more), e.same("Mul", product, e.gather(x, at, axis))}
	})
	begin := []*value{e.size(x.shape[axis]), e.number(graph.Bool, 1), e.expand(e.number(x.dtype, 1), t.shape)}
	return e.append("Loop", []tensor{t}, nil, []inner{{"body", body}}, begin).out[0]
}
