package exec

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// group is nodes that run together, as one kernel.
type group struct {
	class  graph.Class   // Elementwise for a fused group, else the class of its only node
	domain graph.Shape   // of a fused group: the iteration space
	nodes  []*graph.Node // in order
	closed bool          // takes no more nodes
	// row is the axis of the domain from which on the kernel's rows run, where some
	// reduction over rows has fixed it; else -1.
	row int
	// registers says how often the kernel computes those values that it can hand on
	// without memory.
	registers map[*graph.Node]level
	// seats is where the kernel leaves what it computes in joined values: see placePass. It
	// leaves the last pieces of joins, and the first ones of fills, whose gaps it fills.
	seats map[*graph.Node][]operand
	joins []*graph.Node
	fills []*joining
	// joining is what a movement assembles; nil of another class.
	joining *joining
}

// level says how often a fused kernel computes a value.
type level uint8

const (
	perElement level = iota // of the domain
	perRow
)

// String prints the nodes of the group.
func (k *group) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s:", k.class, k.domain.Compact())
	for _, n := range k.members() {
		fmt.Fprintf(&b, " %s=%s", n.Label(), n.Op().Name)
	}
	return b.String()
}
