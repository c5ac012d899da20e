package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// laws are the claims. fails says how a node's operation breaks one, or returns "".
var laws = [...]struct {
	name    string
	claimed func(op *graph.Op) bool
	fails   func(t *trial) string
}{
	{"Identity", func(op *graph.Op) bool { return op.Identity != nil && op.Class == graph.Elementwise },
		(*trial).identity},
	{"Involution", func(op *graph.Op) bool { return op.Involution && !op.Ordered }, (*trial).involution},
	{"Fill", func(op *graph.Op) bool { return op.Fill && op.Class == graph.Update }, (*trial).fill},
	{"OutOfPlace", func(op *graph.Op) bool { return op.OutOfPlace != nil && op.Class == graph.Update },
		(*trial).outOfPlace},
	{"Aligned", func(op *graph.Op) bool { return op.Aligned != nil && op.Class == graph.Composite }, (*trial).aligned},
}

// call returns the text of a call of the operation.
func (t *trial) call(operands ...string) string {
	return t.n.Op().Func + "(" + strings.Join(operands, ", ") + ")"
}

// identity tries the identity elements: the other operand must be returned unchanged.
func (t *trial) identity() string {
	n := t.n
	if len(n.Operands()) != 2 || n.In(0).DType() != n.DType() || n.In(1).DType() != n.DType() {
		return "" // nothing relies on the claim then
	}
	for i := range 2 {
		e, ok := n.Op().Identity(n.DType(), i)
		number := n.DType().MakeSlice(1)
		graph.SetNumberAt(number, 0, e, int64(e))
		if v, _ := graph.NumberAt(number, 0); !ok || v != e && n.DType().IsFloat() {
			continue // the dtype does not have this number, so it never occurs
		}
		all := edges(n.DType())
		values := []any{all, all}
		values[i] = picked(number, make([]int, lengthOf(all)))
		failed := t.elements(values, func(in []*graph.Node) (got, want *graph.Node) {
			return graph.Apply(n.Op(), n.Attrs(), in...), in[1-i]
		})
		if failed != nil {
			return fmt.Sprintf("of %s it gives %s for operand %d: %s is %s", n.DType(), text(number, 0), i,
				t.call(failed.operands...), failed.got)
		}
	}
	return ""
}

// involution tries whether applying the operation twice returns the operand.
func (t *trial) involution() string {
	n := t.n
	if len(n.Operands()) != 1 || n.In(0).DType() != n.DType() {
		return fmt.Sprintf("it gives %s of %s: it would give its one operand again", n.DType(), dtypes(n.Operands()))
	}
	twice := func(in []*graph.Node) (got, want *graph.Node) {
		return graph.Apply(n.Op(), n.Attrs(), graph.Apply(n.Op(), n.Attrs(), in[0])), in[0]
	}
	if n.Op().Class == graph.Elementwise {
		if failed := t.elements([]any{edges(n.DType())}, twice); failed != nil {
			return fmt.Sprintf("%s of %s is %s", t.call(t.call(failed.operands...)), n.DType(), failed.got)
		}
		return ""
	}
	x := n.In(0).Shape()
	count, static := x.NumElements().Int()
	if !static || !x.IsStatic() || count > maxTried || count == 0 {
		return ""
	}
	zeros := graph.ConstantOf(n.Graph().Derive(), n.DType().MakeSlice(int(count)), x...)
	if got, _ := twice([]*graph.Node{zeros}); got.Err() == nil && !isLike(got, zeros) {
		return fmt.Sprintf("applied twice to shape %s it gives shape %s", x, got.Shape())
	}
	if failed, _ := t.elementsOf([]any{distinct(n.DType(), int(count))}, x, twice); failed != nil {
		return fmt.Sprintf("applied twice to the numbers 0, 1, … in shape %s it gives %s in the place of %s", x,
			failed.got, failed.want)
	}
	return ""
}

// dtypes lists the dtypes of nodes.
func dtypes(of []*graph.Node) string {
	names := make([]string, len(of))
	for i, x := range of {
		names[i] = x.DType().String()
	}
	return strings.Join(names, ", ")
}

// written returns the operation of a write as one that returns a new value.
func (t *trial) written() *graph.Op {
	op, n := *t.n.Op(), t.n
	op.Class, op.Fill, op.OutOfPlace, op.Promote, op.Grad = graph.Elementwise, false, nil, nil, nil
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) { return n.DType(), slices.Clone(c.Shape(0)) }
	return &op
}

// fill tries whether the second operand is stored as it is.
func (t *trial) fill() string {
	n := t.n
	if len(n.Operands()) != 2 || n.In(1).DType() != n.DType() {
		return "its operands are not the destination and what is stored there, of one dtype"
	}
	op := t.written()
	all := edges(n.DType())
	failed := t.elements(tuples([]any{all, all}), func(in []*graph.Node) (got, want *graph.Node) {
		return graph.Apply(op, n.Attrs(), in...), in[1]
	})
	if failed == nil {
		return ""
	}
	return fmt.Sprintf("%s of %s stores %s", t.call(failed.operands...), n.DType(), failed.got)
}

// outOfPlace tries whether the out-of-place operation returns what is written.
func (t *trial) outOfPlace() string {
	n := t.n
	op, other := t.written(), n.Op().OutOfPlace
	var values []any
	for _, x := range n.Operands() {
		values = append(values, edges(x.DType()))
	}
	failed := t.elements(tuples(values), func(in []*graph.Node) (got, want *graph.Node) {
		return graph.Apply(op, n.Attrs(), in...), ops.Cast(graph.Apply(other, n.Attrs(), in...), n.DType())
	})
	if failed == nil {
		return ""
	}
	return fmt.Sprintf("%s of %s stores %s, and %s gives %s", t.call(failed.operands...), n.DType(), failed.got,
		other.Func, failed.want)
}

// aligned changes operands at the last position of one axis after another: the result may only change at that position
// of the aligned axis.
func (t *trial) aligned() string {
	n := t.n
	count, static := n.Shape().NumElements().Int()
	if !static || count == 0 || count > maxTried {
		return ""
	}
	values := make([]any, len(n.Operands()))
	for i, x := range n.Operands() {
		size, known := x.Shape().NumElements().Int()
		if !known || !x.Shape().IsStatic() || size > maxTried || size == 0 {
			return ""
		}
		values[i] = distinct(x.DType(), int(size))
		if !x.DType().IsFloat() {
			values[i] = x.DType().MakeSlice(int(size)) // indices: 0 is always in range
		}
	}
	before := t.whole(values)
	for i, x := range n.Operands() {
		axes := n.Op().Aligned(n, i)
		if before == nil || !x.DType().IsFloat() || len(axes) != x.Rank() {
			continue
		}
		for axis, of := range axes {
			at := int(sizeOf(x, axis)) - 1
			if of < 0 || at == 0 {
				continue
			}
			changed := slices.Clone(values)
			changed[i] = changedAt(values[i], x, axis, at)
			if k, after := t.whole(changed), 0; k != nil {
				for ; after < int(count) && (same(before, after, k, after) || at == positionOn(n, after, of)); after++ {
				}
				if after < int(count) {
					return fmt.Sprintf(
						"axis %d of operand %d is read at the position of axis %d of the result: what is at %d there changes the result at %d",
						axis, i, of, at, positionOn(n, after, of))
				}
			}
		}
	}
	return ""
}

// whole computes the node with other elements in its operands; nil if that fails.
func (t *trial) whole(values []any) any {
	g := t.n.Graph().Derive()
	in := make([]*graph.Node, len(values))
	for i, x := range t.n.Operands() {
		in[i] = graph.ConstantOf(g, values[i], x.Shape()...)
	}
	y := graph.Apply(t.n.Op(), t.n.Attrs(), in...)
	if !isLike(y, y) || !y.Shape().Equal(t.n.Shape()) {
		return nil
	}
	return t.evaluate(g, []*graph.Node{y})[y]
}

// changedAt returns a copy of a value's elements, changed at one position of an axis.
func changedAt(data any, x *graph.Node, axis, at int) any {
	index := make([]int, lengthOf(data))
	for i := range index {
		index[i] = i
	}
	out := picked(data, index)
	for i := range index {
		if positionOn(x, i, axis) == at {
			v, _ := graph.NumberAt(out, i)
			graph.SetNumberAt(out, i, v+0.5, 0)
		}
	}
	return out
}

// positionOn returns the position on an axis of an element, whose index is in row-major order.
func positionOn(x *graph.Node, element, axis int) int {
	for k := x.Rank() - 1; k > axis; k-- {
		element /= int(sizeOf(x, k))
	}
	return element % int(sizeOf(x, axis))
}

func sizeOf(x *graph.Node, axis int) int64 {
	size, _ := x.Shape()[axis].Int()
	return size
}
