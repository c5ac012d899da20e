package exec

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// kernel is a group of nodes that run together.
type kernel struct {
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

	parts   []*part  // the row programs that it consists of
	follows bool     // it can take the rows or tiles of the product before it
	beside  bool     // it can sum what the product before it reads, beside that
	choice  bool     // only one of the parts runs, by the sizes bound
	matmul  *product // of a matrix product
	gather  *picking // of elements picked or added by index
	joining *joining // of values put side by side
}

// level says how often a fused kernel computes a value.
type level uint8

const (
	perElement level = iota // of the domain
	perRow
)

// part is one row program of a kernel, and what its operands are.
type part struct {
	prog     *rowprog.Program
	kernel   backend.Kernel
	tiles    *backend.Tiles // what it does with tiles of the product before it, if it can
	edges    backend.Kernel // what it does then with columns that fill no tiles
	operands []operand
	domain   graph.Shape
	axes     [][]int // the domain's axes over which each axis of the program runs; the row is last
	folds    []int   // of one part out of several: the undecided axes that it sums over
}

// String prints the kernel: its nodes and, once lowered, its programs.
func (k *kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s:", k.class, k.domain.Compact())
	for _, n := range k.members() {
		fmt.Fprintf(&b, " %s=%s", n.Label(), n.Op().Name)
	}
	switch {
	case k.beside:
		b.WriteString("\n  may run beside the product before it")
	case !k.follows:
	case k.parts[0].tiles != nil && k.parts[0].prog.ReducesOutermost():
		b.WriteString("\n  may go on with tiles of the product before it")
	case k.parts[0].tiles != nil:
		b.WriteString("\n  may go on with tiles of the product before it, or follow its rows")
	case !k.parts[0].prog.ReducesOutermost():
		b.WriteString("\n  may follow the rows of the product before it")
	}
	for _, p := range k.parts {
		b.WriteString("\n" + p.prog.String())
	}
	return b.String()
}
