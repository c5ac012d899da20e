package alias

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Writes is the order that in-place operations impose on a program: a write destroys what
// was in its memory, so it comes after all that reads it.
type Writes struct {
	p *prove.Prover
	// next returns the write that changes a state of memory: see [State].
	next map[*graph.Node]*graph.Node
	// second are writes of a state that another write changes already.
	second []*graph.Node
	before map[*graph.Node][]*graph.Node
}

// FindWrites looks through nodes of one graph, each after its operands.
func FindWrites(nodes []*graph.Node) *Writes {
	w := &Writes{next: map[*graph.Node]*graph.Node{}, before: map[*graph.Node][]*graph.Node{}}
	for _, n := range nodes {
		if n.Op().Class != graph.Update || !n.Judged() || n.Err() != nil {
			continue
		}
		old := State(n.In(0))
		if w.next[old] != nil {
			w.second = append(w.second, n)
			continue
		}
		w.next[old] = n
	}
	if len(w.next) == 0 {
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

// reads reports whether the node reads its operands' elements, and does not only name
// them.
func reads(n *graph.Node) bool { return n.Op().Class != graph.Version && !IsView(n) }

// addReads puts n before the first write after each state that it reads which changes
// something of what it reads.
func (w *Writes) addReads(n *graph.Node) {
	for _, x := range n.Operands() {
		if x.Graph() != n.Graph() || !x.Judged() {
			continue
		}
		for write := w.next[State(x)]; write != nil && write != n; write = w.next[write] {
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

// changes reports whether a write may change what a view of its memory shows.
func (w *Writes) changes(write, x *graph.Node) bool {
	dest := write.In(0)
	return dest == x || isWhole(dest) || isWhole(x) || !Disjoint(w.p, LayoutOf(dest), LayoutOf(x))
}

// isWhole reports whether a value is all of its memory, which then meets every view.
func isWhole(n *graph.Node) bool {
	l := LayoutOf(n)
	return l.IsRowMajor() && l.Shape.Equal(Storage(n).Shape())
}

// Before lists the nodes that read what a write destroys: they must run before it.
func (w *Writes) Before(write *graph.Node) []*graph.Node { return w.before[write] }

// Any reports whether the program writes anything in place.
func (w *Writes) Any() bool { return len(w.next) > 0 }

// IsWritten reports whether an in-place operation changes the state of memory that the
// node names.
func (w *Writes) IsWritten(n *graph.Node) bool { return w.next[State(n)] != nil }
