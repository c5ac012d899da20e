package alias

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// A value has memory of its own or uses another value's. A view shows some of its operand's elements, a write (class
// Update) changes them, and a node of class Version names the whole after a write to a part. The functions here follow
// these chains; the check, the executor and the reference evaluator all use them.

// IsView reports whether the node shows its operand's elements in place. A movement that strides cannot express is a
// copy.
func IsView(n *graph.Node) bool { return n.IsView() }

// LayoutOf returns the layout of the node's elements in the memory of [Storage].
func LayoutOf(n *graph.Node) graph.Layout { return n.Layout() }

// Storage returns the value whose memory holds the node's elements.
func Storage(n *graph.Node) *graph.Node { return n.Storage() }

// Viewed returns the value under a chain of views.
func Viewed(n *graph.Node) *graph.Node { return n.Viewed() }

// State returns the state of memory that the node shows: the last write, or the value that owns the memory if nothing
// was written.
func State(n *graph.Node) *graph.Node {
	n = Viewed(n)
	for n.Op().Class == graph.Version {
		n = n.In(1)
	}
	return n
}

// ViewsOf lists the views that lead from the memory of [Storage] to the node, in order. It leaves out a view that
// only waits: made again for another value, it would wait for nothing.
func ViewsOf(n *graph.Node) (views []*graph.Node) {
	for memory := Storage(n); n != memory && !(n.Op().Class == graph.Version && isWhole(n)); n = n.In(0) {
		if n.Op().View != nil && !n.Op().Waits {
			views = append(views, n)
		}
	}
	slices.Reverse(views)
	return views
}

// ShowAs repeats views, such as those of [ViewsOf], for another value.
func ShowAs(views []*graph.Node, x *graph.Node) *graph.Node {
	for _, v := range views {
		x = graph.Apply(v.Op(), v.Attrs(), x)
	}
	return x
}
