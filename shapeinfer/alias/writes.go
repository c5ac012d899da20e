package alias

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Writes is the order that in-place and ordered operations impose on a program: a write destroys the old value of its
// memory, so it comes after all reads of it; an ordered operation comes after those before it.
type Writes struct {
	p *prove.Prover
	// next has, by the ID of a state of memory (see [State]), the write that changes it; it is nil if nothing is
	// written.
	next []*graph.Node
	// second are writes of a state that another write changes already.
	second []*graph.Node
	before map[*graph.Node][]*graph.Node
}

// FindWrites finds the writes among nodes of one graph, in topological order.
func FindWrites(nodes []*graph.Node) *Writes {
	w := &Writes{before: map[*graph.Node][]*graph.Node{}}
	last := map[*graph.Region]*graph.Node{} // ordered operation, by body
	for _, n := range nodes {
		if n.Op().Ordered {
			if before := last[n.Region()]; before != nil {
				w.before[n] = append(w.before[n], before)
			}
			last[n.Region()] = n
		}
		if n.Op().Class != graph.Update || !n.Judged() || n.Err() != nil {
			continue
		}
		if w.next == nil {
			w.next = make([]*graph.Node, len(n.Graph().Nodes()))
		}
		old := State(n.In(0))
		if w.next[old.ID()] != nil {
			w.second = append(w.second, n)
			continue
		}
		w.next[old.ID()] = n
	}
	if !w.Any() {
		return w
	}
	w.p = prove.NewProver(nodes[0].Graph().Bounds)
	for _, n := range nodes {
		if n.Judged() && reads(n) {
			w.addReads(n)
		}
	}
	return w
}

// reads reports whether the node reads its operands' elements, instead of only naming them.
func reads(n *graph.Node) bool { return n.Op().Class != graph.Version && !IsView(n) }

// addReads puts n before the first write after each state that it reads that changes an element it reads.
func (w *Writes) addReads(n *graph.Node) {
	for _, x := range n.Operands() {
		if x.Graph() != n.Graph() || !x.Judged() {
			continue
		}
		for write := w.Of(State(x)); write != nil && write != n; write = w.Of(write) {
			if w.changes(write, x) {
				w.before[write] = appendOnce(w.before[write], n)
				break
			}
		}
	}
}

func appendOnce(list []*graph.Node, n *graph.Node) []*graph.Node {
	if len(list) > 0 && list[len(list)-1] == n {
		return list
	}
	return append(list, n)
}

// changes reports whether a write may change elements that a view of its memory shows.
func (w *Writes) changes(write, x *graph.Node) bool {
	dest := write.In(0)
	return dest == x || isWhole(dest) || isWhole(x) || !Disjoint(w.p, LayoutOf(dest), LayoutOf(x))
}

// isWhole reports whether a value is all of its memory, and so overlaps every view.
func isWhole(n *graph.Node) bool {
	l := LayoutOf(n)
	return l.IsRowMajor() && l.Shape.Equal(Storage(n).Shape())
}

// Before lists the nodes that must run before n in addition to its operands: for a write, the readers of the value
// that it destroys, and for an ordered operation, the one before it.
func (w *Writes) Before(n *graph.Node) []*graph.Node {
	if n.Op().Class != graph.Update && !n.Op().Ordered {
		return nil
	}
	return w.before[n]
}

// Of returns the write that changes a state of memory, or nil: see [State].
func (w *Writes) Of(state *graph.Node) *graph.Node {
	if id := state.ID(); id < len(w.next) {
		return w.next[id]
	}
	return nil
}

// Any reports whether the program writes anything in place.
func (w *Writes) Any() bool { return w.next != nil }

// IsWritten reports whether an in-place operation changes the state of memory that the node shows.
func (w *Writes) IsWritten(n *graph.Node) bool { return w.Of(State(n)) != nil }
