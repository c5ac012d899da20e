package conformance

import (
	"encoding/json"
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// call is one operation of a case: its operands, with their names where the case has
// names, and its fixed arguments.
type call struct {
	in    []*graph.Node
	names []string
	attrs *attrs
	taken int
}

// builder makes the nodes of a call: one for most operations, several for those that
// give a list.
type builder func(c *call) []*graph.Node

// build makes the nodes of an operation by PyTorch's word for it. The error says what is
// not supported; a mistake of the case stands in the graph.
func build(op string, names []string, in []*graph.Node, raw map[string]json.RawMessage) ([]*graph.Node, error) {
	b, known := table[op]
	if !known {
		return nil, unsupported{"the operation"}
	}
	c := &call{in: in, names: names, attrs: newAttrs(raw)}
	out := b(c)
	if err := c.attrs.unread(); err != nil {
		return nil, err
	}
	if c.taken < len(in) {
		return nil, unsupported{fmt.Sprintf("%d operands", len(in))}
	}
	return out, nil
}

// operands takes all operands as a list.
func (c *call) operands() []*graph.Node {
	c.taken = len(c.in)
	return c.in
}

// next takes the next operand in order; one that is missing is nil, which the operation
// refuses.
func (c *call) next() *graph.Node {
	if c.taken++; c.taken > len(c.in) {
		return nil
	}
	return c.in[c.taken-1]
}

// param takes the operand of that name, or where operands have no names the next one. It
// is nil where there is none.
func (c *call) param(name string) *graph.Node {
	if c.names == nil {
		if c.taken >= len(c.in) {
			return nil
		}
		return c.next()
	}
	for i, n := range c.names {
		if n == name {
			c.taken++
			return c.in[i]
		}
	}
	return nil
}

// The builders of operations by the form of their calls.

func one(n *graph.Node) []*graph.Node { return []*graph.Node{n} }

func unary(f func(x *graph.Node) *graph.Node) builder {
	return func(c *call) []*graph.Node { return one(f(c.next())) }
}

// binary is also the form in which the second operand is a plain number, or the first one
// twice.
func binary(f func(x, y *graph.Node) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		x := c.next()
		if v := c.attrs.number("value"); v != nil {
			return one(f(x, v))
		}
		if c.attrs.flag("same_operand_twice", false) {
			return one(f(x, x))
		}
		return one(f(x, c.next()))
	}
}

func ternary(f func(x, y, z *graph.Node) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		x, y := c.next(), c.next()
		if v := c.attrs.number("value"); v != nil {
			return one(f(x, y, v))
		}
		return one(f(x, y, c.next()))
	}
}

// withNumber is an operation on a tensor and a plain number, under one of some names.
func withNumber(f func(x, v *graph.Node) *graph.Node, names ...string) builder {
	return func(c *call) []*graph.Node { return one(f(c.next(), c.attrs.number(names...))) }
}

func reversed(f func(x, y *graph.Node) *graph.Node) func(x, y *graph.Node) *graph.Node {
	return func(x, y *graph.Node) *graph.Node { return f(y, x) }
}

// truths is a reduction of truth values: of an empty list of axes it folds none.
func truths(f func(x *graph.Node, axes ...ops.Axis) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		if _, empty := c.attrs.axes("dim"); empty {
			c.attrs.flag("keepdim", false)
			return one(f(c.next(), ops.NoAxes()))
		}
		return one(f(c.next(), c.attrs.reduced()...))
	}
}

func reduction(f func(x *graph.Node, axes ...ops.Axis) *graph.Node) builder {
	return func(c *call) []*graph.Node { return one(f(c.next(), c.attrs.reduced()...)) }
}

// winner is max or min along an axis, of which the values are compared; without an axis
// it is that of all elements.
func winner(ofAll func(*graph.Node, ...ops.Axis) *graph.Node,
	along func(*graph.Node, int, ...ops.Axis) (values, indices *graph.Node)) builder {
	return func(c *call) []*graph.Node {
		list := c.attrs.reduced()
		if axes, _ := c.attrs.axes("dim"); len(axes) != 1 {
			return one(ofAll(c.next(), list...))
		}
		values, _ := along(c.next(), int(list[0]), list[1:]...)
		return one(values)
	}
}

// spread is the variance or the standard deviation.
func spread(f func(x *graph.Node, correction float64, axes ...ops.Axis) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		correction := c.attrs.float(1, "correction")
		return one(f(c.next(), correction, c.attrs.reduced()...))
	}
}

// alongAxis is an operation with one axis; other is the one where none is given.
func alongAxis(f func(x *graph.Node, axis int) *graph.Node, other int) builder {
	return func(c *call) []*graph.Node { return one(f(c.next(), c.attrs.integer(other, "dim"))) }
}

// indexed is an operation with an axis and indices.
func indexed(f func(x *graph.Node, axis int, index *graph.Node, opts ...ops.GatherOption) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		x := c.param("x")
		return one(f(x, c.attrs.integer(0, "dim"), c.param("index")))
	}
}

// sloped is an activation with one number.
func sloped(f func(x *graph.Node, v float64) *graph.Node, other float64, names ...string) builder {
	return func(c *call) []*graph.Node { return one(f(c.next(), c.attrs.float(other, names...))) }
}

func shaped(f func(x *graph.Node, shape ...graph.Dim) *graph.Node) builder {
	return func(c *call) []*graph.Node { return one(f(c.next(), c.attrs.shape("size", "shape")...)) }
}

func joined(f func(axis int, xs ...*graph.Node) *graph.Node) builder {
	return func(c *call) []*graph.Node { return one(f(c.attrs.integer(0, "dim"), c.operands()...)) }
}
