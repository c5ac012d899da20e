package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// Sequence inserts necessary copies and orders the nodes: operands before users, and each write after all reads of what
// it overwrites.
func Sequence(u *Program) error {
	if slices.ContainsFunc(u.Graph.Nodes(), mayNeedCopies) {
		u.insertCopies()
	}
	writes := alias.FindWrites(u.Graph.Nodes())
	for i, n := range u.Roots[:u.NumOutputs] {
		if !hasOwnMemory(n) || writes.IsWritten(n) {
			u.Graph.At(n, func() { u.Roots[i] = ops.Copy(n) })
		}
	}
	err := u.orderNodes()
	for err != nil && u.copyHazards() {
		err = u.orderNodes()
	}
	return err
}

// mayNeedCopies reports whether a node needs some operands in a certain layout.
func mayNeedCopies(n *graph.Node) bool {
	return n.Op().Class == graph.Gather || n.Op().Class == graph.Function || n.Op().Class == graph.Update ||
		n.Op().View != nil && !alias.IsView(n)
}

// insertCopies copies operands that do not have the layout that nodes need.
func (u *Program) insertCopies() {
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		switch {
		case n.Op().Class == graph.Gather:
			return next.Copy(n, []*graph.Node{Contiguous(in[0]), Contiguous(in[1])})
		case n.Op().Class == graph.Function:
			for i, x := range in {
				in[i] = Contiguous(x)
			}
			return next.Copy(n, in)
		case n.Op().Indexed:
			return next.Copy(n, append([]*graph.Node{in[0], Contiguous(in[1]), Contiguous(in[2])}, in[3:]...))
		case n.Op().Class == graph.Update:
			return next.Copy(n, withoutOverlap(in))
		case n.Op().View == nil:
			return nil
		}
		if _, ok := n.Op().View(n, alias.LayoutOf(in[0])); ok {
			return nil
		}
		if slices.Contains(n.Stretch(0), graph.Undecided) {
			return materialized(n, in[0])
		}
		return next.Copy(n, []*graph.Node{ops.Copy(in[0])})
	})
}

// orderNodes puts each write after all reads of what it overwrites.
func (u *Program) orderNodes() (err error) {
	u.Writes = alias.FindWrites(u.Graph.Nodes())
	u.Sequence = u.Writes.Order(u.Graph.Nodes(), func(loop []*graph.Node) {
		err = bug.At(loop[0], "a write comes before a read of what it destroys")
	})
	return err
}

// copyHazards copies operands of nodes that cannot run before these are overwritten. The check finds such hazards in
// users' graphs, but a simplification can create one: x·1 was a separate value. It reports whether there are any.
func (u *Program) copyHazards() (found bool) {
	late := alias.LateReads(u.Graph.Nodes())
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		for i, x := range n.Operands() {
			if state := late[n]; state != nil && alias.State(x) == state {
				in[i], found = ops.Copy(in[i]), true
			}
		}
		return next.Copy(n, in)
	})
	return found
}

// materialized copies the operand of an expansion into the shape of its result. It is needed if only bound sizes tell
// which axes are repeated: strides cannot express that.
func materialized(n, x *graph.Node) *graph.Node {
	op := &graph.Op{Name: "expand_copy", Func: "ExpandCopy", Doc: "x repeated along axes.", Class: graph.Elementwise,
		MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			c.SetStretch([][]graph.AxisKind{n.Stretch(0)})
			return n.DType(), n.Shape()
		},
		Emit: func(_ graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value { return x[0] },
	}
	return graph.Apply(op, nil, x)
}

// Contiguous returns a value in row-major order without gaps: itself or a copy.
func Contiguous(x *graph.Node) *graph.Node {
	if LiesDense(x) {
		return x
	}
	return ops.Copy(x)
}

// LiesDense reports whether a value is in row-major order without gaps. If insertCopies copies the operand of a
// movement, the result is a view of the copy.
func LiesDense(x *graph.Node) bool {
	l := alias.LayoutOf(x)
	if x.Op().View != nil && !alias.IsView(x) {
		if shown, ok := x.Op().View(x, graph.RowMajor(x.In(0).Shape())); ok {
			l = shown
		}
	}
	return l.IsDense()
}

// withoutOverlap copies operands of a write that share memory with its destination at other positions. The check finds
// these in users' graphs, but a simplification can create one.
func withoutOverlap(in []*graph.Node) []*graph.Node {
	for i, x := range in[1:] {
		if rules.NeedsCopy(in[0], x) {
			in[i+1] = ops.Copy(x)
		}
	}
	return in
}

// hasOwnMemory reports whether a result is the whole of a memory that a kernel writes.
func hasOwnMemory(n *graph.Node) bool {
	memory := alias.Storage(n)
	wholly := alias.LayoutOf(n).IsRowMajor() && n.Shape().NumElements() == memory.Shape().NumElements()
	return wholly && (memory.Op().Class != graph.Source ||
		memory.IsParam() && n != memory && n.Op().Class == graph.Update)
}
