package fusion

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Group is nodes that run together, as one kernel.
type Group struct {
	Class  graph.Class   // Elementwise for a fused group, else the class of its only node
	Space  graph.Shape   // of a fused group: the iteration space
	Nodes  []*graph.Node // in order
	Closed bool          // takes no more nodes
	// Row is the axis of the iteration space from which on the kernel's rows run, where some
	// reduction over rows has fixed it; else -1.
	Row int
	// Registers says how often the kernel computes those values that it can hand on
	// without memory.
	Registers map[*graph.Node]Level
	// Again is values of other kernels that this one computes once more, in order, and does not read.
	Again []*graph.Node
	// Forwarded is where the kernel stores what it computes in assembled values: see ForwardStores.
	Forwarded   map[*graph.Node][]Operand
	forwardedTo []Reader // that find it there
	// Completes is the assembled values of which it stores the last slices, Backgrounds those of which
	// it stores the first ones, and fills the gaps before.
	Completes   []*graph.Node
	Backgrounds []*Assembly
	// Assembly is what a movement assembles; nil of another class.
	Assembly *Assembly

	memory map[*graph.Node]bool // that the first nodes read
	looked int                  // how many nodes these are
}

// Level says how often a fused kernel computes a value.
type Level uint8

const (
	PerElement Level = iota // of the iteration space
	PerRow
)

// String prints the nodes of the group.
func (k *Group) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s:", k.Class, k.Space.Compact())
	for _, n := range k.Members() {
		fmt.Fprintf(&b, " %s=%s", n.Label(), n.Op().Name)
	}
	return b.String()
}

// Computes returns the group: kernels are made of one.
func (k *Group) Computes() *Group { return k }

// Computed lists what the kernel computes, in order: see Again.
func (k *Group) Computed() []*graph.Node {
	return append(k.Again[:len(k.Again):len(k.Again)], k.Nodes...)
}
