package fusion

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Group is a set of nodes that run as one kernel.
type Group struct {
	Class  graph.Class   // Elementwise for a fused group, else the class of its only node
	Space  graph.Shape   // of a fused group: the iteration space
	Nodes  []*graph.Node // in topological order
	Closed bool          // no more nodes may join
	// Row is the first axis of the kernel's rows in the iteration space, if a reduction over rows has fixed it;
	// otherwise -1.
	Row int
	// Registers holds the values that the kernel can pass on without memory, and how often it computes them.
	Registers map[*graph.Node]Level
	// Again is the values of other kernels that this one recomputes instead of reading them, in topological order.
	Again []*graph.Node
	// Forwarded is where the kernel stores values in assembled ones: see ForwardStores.
	Forwarded   map[*graph.Node][]Operand
	forwardedTo []Reader // that read those
	// Completes is the assembled values whose last slices it stores. Backgrounds is those whose first slices it stores;
	// it fills their backgrounds before.
	Completes   []*graph.Node
	Backgrounds []*Assembly
	// Assembly is the assembly that a movement does; nil for other classes.
	Assembly *Assembly

	memory map[*graph.Node]bool // that the first nodes read
	looked int                  // the number of these nodes
}

// Level says how often a fused kernel computes a value.
type Level uint8

const (
	PerElement Level = iota // for each element of the iteration space
	PerRow
)

// String lists the nodes of the group.
func (k *Group) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s:", k.Class, k.Space.Compact())
	for _, n := range k.Members() {
		fmt.Fprintf(&b, " %s=%s", n.Label(), n.Op().Name)
	}
	return b.String()
}

// Computes returns the group. Kernels embed one.
func (k *Group) Computes() *Group { return k }

// Computed lists all that the kernel computes, in topological order, including Again.
func (k *Group) Computed() []*graph.Node {
	return append(k.Again[:len(k.Again):len(k.Again)], k.Nodes...)
}
