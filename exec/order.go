package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// orderPass inserts the copies that are needed and orders the nodes: operands before
// users, and each write after all reads of what it destroys.
func orderPass(u *unit) error {
	u.rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		switch {
		case n.Op().Class == graph.Gather:
			return next.Copy(n, []*graph.Node{dense(in[0]), dense(in[1])})
		case n.Op().Class == graph.Update:
			return next.Copy(n, apart(in))
		case n.Op().View == nil:
			return nil
		}
		if _, ok := n.Op().View(n, shapeinfer.LayoutOf(in[0])); ok {
			return nil
		}
		if slices.Contains(n.Stretch(0), graph.Undecided) {
			return repeated(n, in[0])
		}
		return next.Copy(n, []*graph.Node{ops.Copy(in[0])})
	})
	writes := shapeinfer.FindWrites(u.g.Nodes())
	for i, n := range u.roots[:u.nOutputs] {
		if !hasOwnMemory(n) || writes.IsWritten(n) {
			u.g.At(n, func() { u.roots[i] = ops.Copy(n) })
		}
	}
	err := u.orderNodes()
	for err != nil && u.copyLateReads() {
		err = u.orderNodes()
	}
	return err
}

// orderNodes puts each write after all reads of what it destroys.
func (u *unit) orderNodes() error {
	u.writes = shapeinfer.FindWrites(u.g.Nodes())
	o := orderer{u: u, state: make([]uint8, len(u.g.Nodes()))}
	for _, n := range u.g.Nodes() {
		if err := o.visit(n); err != nil {
			return err
		}
	}
	u.order = o.order
	return nil
}

// copyLateReads copies what nodes read that cannot run before it is written. The check lets
// none through, but a simplification can bring one about: x·1 was a value of its own. It
// reports whether there are any.
func (u *unit) copyLateReads() (found bool) {
	late := shapeinfer.LateReads(u.g.Nodes())
	u.rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		for i, x := range n.Operands() {
			if state := late[n]; state != nil && shapeinfer.State(x) == state {
				in[i], found = ops.Copy(in[i]), true
			}
		}
		return next.Copy(n, in)
	})
	return found
}

// repeated copies the operand of an expansion into the shape of its result, where the
// binding of sizes decides which axes are repeated: strides cannot say it.
func repeated(n, x *graph.Node) *graph.Node {
	op := &graph.Op{Name: "repeat", Func: "Expand", Doc: "x repeated along axes.", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			c.SetStretch([][]graph.AxisKind{n.Stretch(0)})
			return n.DType(), n.Shape()
		},
		Emit: func(_ graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value { return x[0] },
	}
	return graph.Apply(op, nil, x)
}

// dense gives a value that lies in row-major order without gaps: itself or a copy.
func dense(x *graph.Node) *graph.Node {
	if shapeinfer.LayoutOf(x).IsDense() {
		return x
	}
	return ops.Copy(x)
}

// apart copies operands of a write that share memory with its destination at other
// positions. The check lets none through, but a simplification can bring one about.
func apart(in []*graph.Node) []*graph.Node {
	for i, x := range in[1:] {
		if shapeinfer.NeedsCopy(in[0], x) {
			in[i+1] = ops.Copy(x)
		}
	}
	return in
}

// hasOwnMemory reports whether a result is the whole of a memory that a kernel writes.
func hasOwnMemory(n *graph.Node) bool {
	memory := shapeinfer.Storage(n)
	wholly := shapeinfer.LayoutOf(n).IsRowMajor() && n.Shape().NumElements() == memory.Shape().NumElements()
	return wholly && (memory.Op().Class != graph.Source || memory.IsParam() && n != memory && n.Op().Class == graph.Update)
}

type orderer struct {
	u     *unit
	state []uint8 // 0 not seen, 1 being visited, 2 done
	order []*graph.Node
}

func (o *orderer) visit(n *graph.Node) error {
	switch o.state[n.ID()] {
	case 1:
		return &BugError{Pass: "order", Node: n, Err: fmt.Errorf("a write comes before a read of what it destroys")}
	case 2:
		return nil
	}
	o.state[n.ID()] = 1
	for _, list := range [][]*graph.Node{n.Operands(), o.u.writes.Before(n)} {
		for _, x := range list {
			if err := o.visit(x); err != nil {
				return err
			}
		}
	}
	o.state[n.ID()] = 2
	o.order = append(o.order, n)
	return nil
}
