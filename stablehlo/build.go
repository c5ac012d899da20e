package stablehlo

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// builder appends instructions to a block, with the position of the current node.
type builder struct {
	block *block
	at    graph.Pos
}

// apply appends an instruction with one result.
func (b *builder) apply(op string, out tensor, attrs []attr, in ...*value) *value {
	return b.append(op, []tensor{out}, attrs, nil, in).out[0]
}

// stable is apply for an operation of StableHLO that has no properties.
func (b *builder) stable(op string, out tensor, in ...*value) *value {
	return b.apply("stablehlo."+op, out, nil, in...)
}

// same is stable for a result that has the type of the last operand.
func (b *builder) same(op string, in ...*value) *value {
	return b.stable(op, in[len(in)-1].tensor, in...)
}

func (b *builder) append(op string, out []tensor, attrs []attr, regions []*block, in []*value) *instr {
	i := &instr{op: op, in: in, attrs: attrs, regions: regions, pos: b.at}
	for _, t := range out {
		i.out = append(i.out, &value{tensor: t, def: i})
	}
	b.block.body = append(b.block.body, i)
	return i
}

// within builds in another block, and then returns to this one.
func (b *builder) within(inner *block, build func()) {
	outer := b.block
	b.block = inner
	defer func() { b.block = outer }()
	build()
}

// while writes a loop that starts from begin and applies step to the values as long as more is true of them.
func (b *builder) while(begin []*value, more func([]*value) *value, step func([]*value) []*value) []*value {
	goesOn, body := newBlock("stablehlo.return"), newBlock("stablehlo.return")
	types := typesOf(begin)
	for _, t := range types {
		goesOn.argument(t)
		body.argument(t)
	}
	b.within(goesOn, func() { goesOn.out = []*value{more(goesOn.args)} })
	b.within(body, func() { body.out = step(body.args) })
	return b.append("stablehlo.while", types, nil, []*block{goesOn, body}, begin).out
}

// constant is a constant with elements in row-major order, or one element that all have.
func (b *builder) constant(t tensor, data any) *value { return b.literal(t, elements(t, data)) }

// literal is a constant of elements as MLIR writes them.
func (b *builder) literal(t tensor, elements string) *value {
	text := "dense<" + elements + "> : " + t.String()
	if v := b.block.consts[text]; v != nil {
		return v
	}
	v := b.apply("stablehlo.constant", t, []attr{{"value", text}})
	b.block.consts[text] = v
	return v
}

// number returns the element of a constant of rank 0, as MLIR writes it; ok is false of other values.
func number(x *value) (element string, ok bool) {
	if x.def == nil || x.def.op != "stablehlo.constant" || len(x.shape) > 0 {
		return "", false
	}
	return between(x.def.attrs[0].value.(string), "dense<", "> : "), true
}

// splat is a constant of one number.
func (b *builder) splat(t tensor, x float64) *value {
	switch {
	case t.dtype == graph.Bool:
		return b.constant(t, []bool{x != 0})
	case t.dtype.IsInt() && x >= 0x1p63:
		return b.whole(t, int64(uint64(x)))
	case t.dtype.IsInt():
		return b.whole(t, int64(x))
	}
	return b.constant(t, []float64{x})
}

// whole is a constant of one integer, as a number of t.
func (b *builder) whole(t tensor, x int64) *value {
	if t.dtype.IsFloat() {
		return b.splat(t, float64(x))
	}
	return b.constant(t, []int64{x})
}

// iota is the position along an axis.
func (b *builder) iota(t tensor, axis int) *value {
	return b.apply("stablehlo.iota", t, []attr{{"iota_dimension", fmt.Sprintf("%d : i64", axis)}})
}

// compare compares element by element: the direction is EQ, NE, LT, LE, GT or GE.
func (b *builder) compare(direction string, x, y *value) *value {
	kind := "UNSIGNED"
	switch {
	case x.dtype.IsFloat():
		kind = "FLOAT"
	case x.dtype.IsInt() && !x.dtype.IsUnsigned():
		kind = "SIGNED"
	}
	return b.apply("stablehlo.compare", x.of(graph.Bool), []attr{
		{"comparison_direction", "#stablehlo<comparison_direction " + direction + ">"},
		{"compare_type", "#stablehlo<comparison_type " + kind + ">"},
	}, x, y)
}

// choose is x if a condition is true, else y.
func (b *builder) choose(condition, x, y *value) *value { return b.same("select", condition, x, y) }

// reshape gives another shape to the same elements, in row-major order.
func (b *builder) reshape(x *value, shape []int) *value {
	if slices.Equal(x.shape, shape) {
		return x
	}
	return b.stable("reshape", tensor{x.dtype, shape}, x)
}

// transpose makes axis permutation[i] of x axis i.
func (b *builder) transpose(x *value, permutation []int) *value {
	shape, moves := make([]int, len(permutation)), false
	for i, a := range permutation {
		shape[i] = x.shape[a]
		moves = moves || i != a
	}
	if !moves {
		return x
	}
	return b.apply("stablehlo.transpose", tensor{x.dtype, shape}, []attr{{"permutation", permutation}}, x)
}

// slice takes elements from start up to and without limit, step apart.
func (b *builder) slice(x *value, start, limit, step []int) *value {
	shape, whole := make([]int, len(start)), true
	for i := range shape {
		shape[i] = max(0, (limit[i]-start[i]+step[i]-1)/step[i])
		whole = whole && shape[i] == x.shape[i] && step[i] == 1
	}
	if whole {
		return x
	}
	return b.apply("stablehlo.slice", tensor{x.dtype, shape},
		[]attr{{"start_indices", start}, {"limit_indices", limit}, {"strides", step}}, x)
}

// pad puts a number before, after and between elements.
func (b *builder) pad(x, number *value, low, high, between []int) *value {
	shape, whole := make([]int, len(low)), true
	for i, n := range x.shape {
		shape[i] = low[i] + n + max(n-1, 0)*between[i] + high[i]
		whole = whole && low[i] == 0 && high[i] == 0 && (between[i] == 0 || n < 2)
	}
	if whole {
		return x
	}
	return b.apply("stablehlo.pad", tensor{x.dtype, shape},
		[]attr{{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", between}}, x, number)
}

// concat joins values along an axis.
func (b *builder) concat(list []*value, axis int) *value {
	if len(list) == 1 {
		return list[0]
	}
	shape := slices.Clone(list[0].shape)
	for _, x := range list[1:] {
		shape[axis] += x.shape[axis]
	}
	return b.apply("stablehlo.concatenate", tensor{list[0].dtype, shape},
		[]attr{{"dimension", fmt.Sprintf("%d : i64", axis)}}, list...)
}

// reverse turns axes around.
func (b *builder) reverse(x *value, list []int) *value {
	if len(list) == 0 {
		return x
	}
	return b.apply("stablehlo.reverse", x.tensor, []attr{{"dimensions", list}}, x)
}

// broadcastInDim makes axis i of x axis at[i] of the result, and repeats axes of size 1.
func (b *builder) broadcastInDim(x *value, shape, at []int) *value {
	return b.apply("stablehlo.broadcast_in_dim", tensor{x.dtype, shape}, []attr{{"broadcast_dimensions", at}}, x)
}

// broadcast repeats a value by the rule of broadcasting: axes are lined up from the last one.
func (b *builder) broadcast(x *value, shape []int) *value {
	if slices.Equal(x.shape, shape) {
		return x
	}
	if element, is := number(x); is {
		return b.literal(tensor{x.dtype, shape}, element)
	}
	at := make([]int, len(x.shape))
	for i := range at {
		at[i] = len(shape) - len(at) + i
	}
	return b.broadcastInDim(x, shape, at)
}
