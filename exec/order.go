package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// copyOp gives a value memory of its own: an output that is a source or a view of
// something, and an arrangement that strides cannot express.
var copyOp = &graph.Op{Name: "copy", Func: "Copy", Doc: "x in memory of its own.", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
	Emit:  func(_ graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value { return x[0] },
}

// isView reports whether the node only names its operand's elements in another way.
func isView(n *graph.Node) bool { return n.Op().Class == graph.Movement && n.Op().View != nil }

// baseOf follows views to the value whose memory they show.
func baseOf(n *graph.Node) *graph.Node {
	for isView(n) {
		n = n.In(0)
	}
	return n
}

// storedIn follows views and writes to the value whose memory holds n.
func storedIn(n *graph.Node) *graph.Node {
	for isView(n) || n.Op().Class == graph.Update {
		n = n.In(0)
	}
	return n
}

// layoutOf gives the layout of a node in the memory of its base.
func layoutOf(n *graph.Node) (graph.Layout, bool) {
	if !isView(n) {
		return graph.RowMajor(n.Shape()), true
	}
	in, ok := layoutOf(n.In(0))
	if !ok {
		return in, false
	}
	return n.Op().View(n, in)
}

// orderPass inserts the copies that are needed and orders the nodes: operands before
// users, and each write after all reads of what it overwrites.
func orderPass(u *unit) error {
	u.rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if n.Op().Class == graph.Gather {
			return next.Copy(n, []*graph.Node{dense(in[0]), dense(in[1])})
		}
		if !isView(n) {
			return nil
		}
		c := next.Copy(n, in)
		if _, ok := layoutOf(c); !ok {
			c = next.Copy(n, []*graph.Node{graph.Apply(copyOp, nil, in[0])})
		}
		return c
	})
	for i, n := range u.roots[:u.nOutputs] {
		if !hasOwnMemory(n) {
			u.g.At(n, func() { u.roots[i] = graph.Apply(copyOp, nil, n) })
		}
	}
	o := orderer{u: u, state: make([]uint8, len(u.g.Nodes())), readers: readersOf(u.g)}
	for _, n := range u.g.Nodes() {
		if err := o.visit(n); err != nil {
			return err
		}
	}
	u.order = o.order
	return nil
}

// dense gives a value that lies in row-major order without gaps: itself or a copy.
func dense(x *graph.Node) *graph.Node {
	if layout, _ := layoutOf(x); layout.IsDense() {
		return x
	}
	return graph.Apply(copyOp, nil, x)
}

// hasOwnMemory reports whether a result lies densely in memory that a kernel of its own
// writes.
func hasOwnMemory(n *graph.Node) bool {
	layout, _ := layoutOf(n)
	base := baseOf(n)
	return base.Op().Class != graph.Source && layout.IsRowMajor() && layout.Shape.NumElements() == base.Shape().NumElements()
}

// readersOf lists, for each written version of a value, the nodes that read its memory,
// directly or through views.
func readersOf(g *graph.Graph) map[*graph.Node][]*graph.Node {
	readers := map[*graph.Node][]*graph.Node{}
	for _, n := range g.Nodes() {
		if n.Op().Class == graph.Update {
			readers[baseOf(n.In(0))] = nil
		}
	}
	if len(readers) == 0 {
		return readers
	}
	for _, n := range g.Nodes() {
		if isView(n) {
			continue
		}
		for _, x := range n.Operands() {
			if list, written := readers[baseOf(x)]; written && !slices.Contains(list, n) {
				readers[baseOf(x)] = append(list, n)
			}
		}
	}
	return readers
}

type orderer struct {
	u       *unit
	state   []uint8 // 0 not seen, 1 being visited, 2 done
	readers map[*graph.Node][]*graph.Node
	order   []*graph.Node
}

func (o *orderer) visit(n *graph.Node) error {
	switch o.state[n.ID()] {
	case 1:
		return &BugError{Pass: "order", Node: n, Err: fmt.Errorf("a write comes before a read of what it overwrites")}
	case 2:
		return nil
	}
	o.state[n.ID()] = 1
	for _, x := range n.Operands() {
		if err := o.visit(x); err != nil {
			return err
		}
	}
	if n.Op().Class == graph.Update {
		for _, r := range o.readers[baseOf(n.In(0))] {
			if r != n {
				if err := o.visit(r); err != nil {
					return err
				}
			}
		}
	}
	o.state[n.ID()] = 2
	o.order = append(o.order, n)
	return nil
}
