package conformance

import (
	"math"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// write builds a step that changes its first operand in place. The error says what is not
// supported.
func write(s *step, in []*graph.Node) (*graph.Node, error) {
	c := &call{in: in, attrs: newAttrs(s.Attrs)}
	w := writers[s.Op]
	if w == nil {
		op := ops.Lookup(strings.TrimSuffix(s.Op, "_"))
		if op == nil || op.Class != graph.Elementwise {
			return nil, unsupported{"the operation"}
		}
		w = writer(op, nil)
	}
	n := w(c)
	if err := c.attrs.unread(); err != nil {
		return nil, err
	}
	if c.taken < len(in) {
		return nil, unsupported{"more operands"}
	}
	return n, nil
}

// writers are the steps whose operation is not that of their name without the "_".
var writers = map[string]func(c *call) *graph.Node{
	"fill_":        fill,
	"copy_":        fill,
	"zero_":        func(c *call) *graph.Node { return ops.CopyInPlace(c.next(), graph.Num(0)) },
	"masked_fill_": fillWhere,
	"clamp_": func(c *call) *graph.Node {
		bounds := ops.ClampAttrs{Min: c.attrs.float(math.Inf(-1), "min"), Max: c.attrs.float(math.Inf(1), "max")}
		return writer(ops.Lookup("clamp"), bounds)(c)
	},
}

// writer writes what an elementwise operation gives. Operands that are not there are
// plain numbers.
func writer(op *graph.Op, attrs any) func(c *call) *graph.Node {
	return func(c *call) *graph.Node {
		operands := c.operands()
		others := append([]*graph.Node{}, operands[1:]...)
		if v := c.attrs.number("value", "weight", "exponent"); v != nil {
			others = append(others, v)
		}
		return ops.InPlace(op, attrs, operands[0], others...)
	}
}

func fill(c *call) *graph.Node {
	x := c.next()
	if v := c.attrs.number("value"); v != nil {
		return ops.CopyInPlace(x, v)
	}
	return ops.CopyInPlace(x, c.next())
}

// fillWhere writes a number where a mask is true.
func fillWhere(c *call) *graph.Node {
	x, mask := c.next(), c.next()
	v := c.attrs.number("value")
	if v == nil {
		v = c.next()
	}
	return ops.CopyInPlace(x, ops.MaskedFill(x, mask, v))
}
