package opref

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// longestCost is the longest formula that is still useful to a reader.
const longestCost = 60

// cost counts the arithmetic of an example: primitives of one element, as [graph.Prim] lists them, summed over the
// elements of all its parts.
func cost(f ops.Function, n *graph.Node) string {
	if f.Cost != "" {
		return f.Cost
	}
	c := &counting{seen: map[*graph.Node]bool{}}
	c.visit(n)
	total := c.total.String()
	switch {
	case c.unknown, len(total) > longestCost:
		return "that of its parts"
	case c.total != 0:
		return total + " operations"
	case c.moved != 0:
		return "no arithmetic: " + c.moved.String() + " elements are written"
	}
	return "none: it is a view"
}

// counting sums the work of nodes up.
type counting struct {
	seen         map[*graph.Node]bool
	total, moved graph.Dim
	unknown      bool
}

func (c *counting) visit(n *graph.Node) {
	if c.seen[n] {
		return
	}
	c.seen[n] = true
	op := n.Op()
	if op.Class == graph.Composite {
		c.visit(op.Expand(n, n.Operands()))
		return
	}
	for _, x := range n.Operands() {
		c.visit(x)
	}
	size := n.Shape().NumElements()
	switch op.Class {
	case graph.Elementwise, graph.Update:
		e := &tally{types: []graph.DType{graph.InvalidDType}}
		op.Emit(e, n, e.operands(n))
		c.total = c.total.Plus(size.Times(graph.Dim(e.prims)))
		c.moved = c.moved.Plus(size)
	case graph.Reduce:
		c.total = c.total.Plus(n.In(0).Shape().NumElements())
	case graph.Contract:
		inner := n.In(0).Shape()
		c.total = c.total.Plus(size.Times(inner[len(inner)-1]).Times(2))
	case graph.Gather:
		if op.Fold != graph.NoFold {
			c.total = c.total.Plus(n.In(0).Shape().NumElements())
		}
		c.moved = c.moved.Plus(size)
	case graph.Movement:
		if op.View == nil {
			c.moved = c.moved.Plus(size)
		}
	case graph.Source, graph.Version:
	default:
		c.unknown = true
	}
}

// tally is an emitter that counts primitives.
type tally struct {
	types []graph.DType
	prims int
}

func (e *tally) value(t graph.DType) graph.Value {
	e.types = append(e.types, t)
	return graph.Value(len(e.types) - 1)
}

func (e *tally) operands(n *graph.Node) []graph.Value {
	in := make([]graph.Value, len(n.Operands()))
	for i, x := range n.Operands() {
		in[i] = e.value(x.DType())
	}
	return in
}

func (e *tally) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	types := make([]graph.DType, len(x))
	for i, v := range x {
		types[i] = e.types[v]
	}
	e.prims++
	t, _ := p.Result(types...)
	return e.value(t)
}

func (e *tally) Const(t graph.DType, _ float64) graph.Value       { return e.value(t) }
func (e *tally) Convert(_ graph.Value, t graph.DType) graph.Value { return e.value(t) }
func (e *tally) TypeOf(x graph.Value) graph.DType                 { return e.types[x] }
func (e *tally) Index(int) graph.Value                            { return e.value(graph.Int64) }
func (e *tally) Size(graph.Dim) graph.Value                       { return e.value(graph.Int64) }
func (e *tally) Check(graph.Value, graph.Claim)                   {}
