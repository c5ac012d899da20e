package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

type attrs = []*wire.Attribute

// builder appends operators to a block.
type builder struct {
	main, block *block
	scope       string
	consts      map[string]*value // the constants of the model, by type and elements
	initial     []*value          // in their order
}

// apply appends an operator with one result. ONNX's operators that move elements do not take those of 8 bits: float16
// carries them.
func (b *builder) apply(op string, out tensor, a attrs, in ...*value) *value {
	if out.dtype.IsStorage() && op != "Cast" && op != "Identity" {
		wide := slices.Clone(in)
		for i, x := range wide {
			if x != nil && x.dtype.IsStorage() {
				wide[i] = b.cast(x, graph.Float16)
			}
		}
		return b.cast(b.append(op, []tensor{out.of(graph.Float16)}, a, nil, wide).out[0], out.dtype)
	}
	return b.append(op, []tensor{out}, a, nil, in).out[0]
}

// append appends an operator. One that computes what another one of the block does is that one.
func (b *builder) append(op string, out []tensor, a attrs, bodies []inner, in []*value) *instr {
	key := ""
	if len(bodies) == 0 && op != "Identity" {
		key = keyOf(op, out, a, in)
		if i := b.block.made[key]; i != nil {
			return i
		}
	}
	i := b.added(op, out, a, bodies, in)
	if key != "" {
		if b.block.made == nil {
			b.block.made = map[string]*instr{}
		}
		b.block.made[key] = i
	}
	return i
}

// keyOf tells all of an operator that decides what it computes.
func keyOf(op string, out []tensor, a attrs, in []*value) string {
	var k strings.Builder
	k.WriteString(op)
	for _, v := range in {
		fmt.Fprintf(&k, " %p", v)
	}
	for _, t := range out {
		fmt.Fprint(&k, " ", t.dtype, []graph.Dim(t.shape))
	}
	for _, v := range a {
		fmt.Fprint(&k, " ", v.Name, v.Float, v.Int, string(v.String), v.Ints, v.Floats)
	}
	return k.String()
}

func (b *builder) added(op string, out []tensor, a attrs, bodies []inner, in []*value) *instr {
	i := &instr{op: op, in: in, attrs: a, inner: bodies, scope: b.scope}
	for _, t := range out {
		i.out = append(i.out, &value{tensor: t, def: i})
	}
	b.block.body = append(b.block.body, i)
	return i
}

// within builds in another block, and then returns to this one.
func (b *builder) within(other *block, build func()) {
	outer := b.block
	b.block = other
	defer func() { b.block = outer }()
	build()
}

// joint returns the sizes that values have together, by the rule of broadcasting.
func joint(in ...*value) (shape graph.Shape) {
	for _, x := range in {
		if len(x.shape) > len(shape) {
			shape = append(slices.Repeat(graph.Shape{1}, len(x.shape)-len(shape)), shape...)
		} else {
			shape = slices.Clone(shape)
		}
		for i, d := range x.shape {
			at := &shape[len(shape)-len(x.shape)+i]
			switch {
			case *at == 1:
				*at = d
			case d != 1 && d != *at:
				*at = graph.BroadcastDim(*at, d)
			}
		}
	}
	return shape
}

// same applies an operator whose result has the dtype of the last operand and the sizes of all.
func (b *builder) same(op string, in ...*value) *value {
	return b.apply(op, tensor{in[len(in)-1].dtype, joint(in...)}, nil, in...)
}

// test applies an operator that gives truth values.
func (b *builder) test(op string, in ...*value) *value {
	return b.apply(op, tensor{graph.Bool, joint(in...)}, nil, in...)
}

// choose is x where a condition is true, and else y.
func (b *builder) choose(condition, x, y *value) *value {
	if x.dtype == graph.Bool {
		return b.test("Or", b.test("And", condition, x), b.test("And", b.test("Not", condition), y))
	}
	return b.carried("Where", x.dtype, func(c func(*value) *value) *value {
		return b.same("Where", condition, c(x), c(y))
	})
}

// cast changes the dtype by ONNX's rule, which leaves floating-point numbers open that no integer is.
func (b *builder) cast(x *value, to graph.DType) *value {
	if x.dtype == to {
		return x
	}
	a := attrs{attrInt("to", int(dataTypes[to]))}
	if to.IsStorage() { // else an infinity becomes the greatest number
		a = append(a, attrInt("saturate", 0))
	}
	return b.apply("Cast", x.of(to), a, x)
}

// reshape gives the same elements, in row-major order, another shape.
func (e *exporter) reshape(x *value, shape graph.Shape) *value {
	if slices.Equal(x.shape, shape) {
		return x
	}
	t := tensor{x.dtype, slices.Clone(shape)}
	if x.data != nil && x.data.single {
		return e.initialiser(t, x.data)
	}
	to, open := make([]int64, len(shape)), 0
	for i, d := range shape {
		n, static := d.Int()
		if to[i] = n; !static {
			open++
			to[i] = -1
		} else if n == 0 {
			open = 2
		}
	}
	if open > 1 {
		return e.apply("Reshape", t, attrs{attrInt("allowzero", 1)}, x, e.sizes(shape))
	}
	if slices.Contains(shape, 0) {
		return e.apply("Reshape", t, attrs{attrInt("allowzero", 1)}, x, e.ints(to))
	}
	return e.apply("Reshape", t, nil, x, e.ints(to))
}

// transpose makes axis permutation[i] of x axis i.
func (b *builder) transpose(x *value, permutation []int) *value {
	shape, moves := make(graph.Shape, len(permutation)), false
	for i, a := range permutation {
		shape[i] = x.shape[a]
		moves = moves || i != a
	}
	if !moves {
		return x
	}
	return b.apply("Transpose", tensor{x.dtype, shape}, attrs{attrInts("perm", permutation)}, x)
}

// expand repeats a value by the rule of broadcasting, up to the given sizes.
func (e *exporter) expand(x *value, shape graph.Shape) *value {
	if slices.Equal(x.shape, shape) {
		return x
	}
	return e.carried("Expand", x.dtype, func(c func(*value) *value) *value {
		return e.apply("Expand", tensor{heldBy("Expand", x.dtype), slices.Clone(shape)}, nil, c(x), e.sizes(shape))
	})
}

// span is a part of an axis: size elements from start, step apart, which may be negative.
type span struct {
	axis       int
	start      graph.Dim
	size, step graph.Dim
}

// slice takes parts of axes.
func (e *exporter) slice(x *value, spans ...span) *value {
	shape := slices.Clone(x.shape)
	var starts, ends, steps graph.Shape
	var axes []int64
	var turned []int
	for _, s := range spans {
		if s.start == 0 && s.size == x.shape[s.axis] && s.step == 1 {
			continue
		}
		start, end := s.start, s.start.Plus(s.size.Minus(1).Times(s.step)).Plus(1)
		if step, static := s.step.Int(); static && step < 0 {
			last := end.Minus(1)
			switch n, known := last.Int(); {
			case step == -1 && s.size == x.shape[s.axis]:
				start, end = -1, beforeFirst
			case known && n > 0:
				end = last.Minus(1)
			case known: // -1 were the last element
				end = beforeFirst
			default:
				turned = append(turned, s.axis)
				start, end, s.step = last, s.start.Plus(1), graph.Dim(-step)
			}
		}
		shape[s.axis] = s.size
		axes = append(axes, int64(s.axis))
		starts, ends, steps = append(starts, start), append(ends, end), append(steps, s.step)
	}
	if len(axes) > 0 {
		x = e.apply("Slice", tensor{x.dtype, shape}, nil, x, e.sizes(starts), e.sizes(ends), e.ints(axes),
			e.sizes(steps))
	}
	for _, axis := range turned {
		x = e.flip(x, axis)
	}
	return x
}

// beforeFirst is the end of a part that goes backwards to the first element.
const beforeFirst = graph.Dim(-1 << 31)

// flip turns an axis around.
func (b *builder) flip(x *value, axis int) *value {
	back := b.ints([]int64{-1})
	return b.apply("Slice", x.tensor, nil, x, back, b.ints([]int64{int64(beforeFirst)}), b.ints([]int64{int64(axis)}),
		back)
}

// concat joins values along an axis.
func (b *builder) concat(axis int, list ...*value) *value {
	if len(list) == 1 {
		return list[0]
	}
	shape := slices.Clone(list[0].shape)
	for _, x := range list[1:] {
		shape[axis] = shape[axis].Plus(x.shape[axis])
	}
	return b.apply("Concat", tensor{list[0].dtype, shape}, attrs{attrInt("axis", axis)}, list...)
}

// pad puts a number before and after elements.
func (e *exporter) pad(x, number *value, low, high graph.Shape) *value {
	shape, whole := make(graph.Shape, len(low)), true
	for i, n := range x.shape {
		shape[i] = low[i].Plus(n).Plus(high[i])
		whole = whole && low[i] == 0 && high[i] == 0
	}
	if whole {
		return x
	}
	return e.carried("Pad", x.dtype, func(c func(*value) *value) *value {
		return e.apply("Pad", tensor{heldBy("Pad", x.dtype), shape}, nil, c(x), e.sizes(slices.Concat(low, high)),
			c(number))
	})
}

// gather picks elements along an axis: the axes of the index stand in its place.
func (b *builder) gather(x, index *value, axis int) *value {
	shape := slices.Concat(x.shape[:axis], index.shape, x.shape[axis+1:])
	var a attrs
	if axis != 0 {
		a = attrs{attrInt("axis", axis)}
	}
	return b.apply("Gather", tensor{x.dtype, shape}, a, x, index)
}

// iota is the position along an axis of a value with as many axes as the shape, as [n, 1, …].
func (e *exporter) iota(shape graph.Shape, axis int) *value {
	flat := e.count(shape[axis])
	behind := len(shape) - axis - 1
	if behind == 0 {
		return flat
	}
	return e.reshape(flat, append(graph.Shape{shape[axis]}, slices.Repeat(graph.Shape{1}, behind)...))
}

// count is 0, 1, … up to without n.
func (e *exporter) count(n graph.Dim) *value {
	if size, static := n.Int(); static && size <= maxConstant {
		list := make([]int64, size)
		for i := range list {
			list[i] = int64(i)
		}
		return e.ints(list)
	}
	return e.apply("Range", tensor{graph.Int64, graph.Shape{n}}, nil, e.whole(graph.Int64, 0), e.size(n),
		e.whole(graph.Int64, 1))
}

// maxConstant is the most elements of places that are written down: more are counted by the model.
const maxConstant = 4096
