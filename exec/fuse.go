package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/portable"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// maxKernelNodes bounds a kernel, so that its program stays small enough for a back
// end's registers and caches.
const maxKernelNodes = 64

// kernel is a group of nodes that run together.
type kernel struct {
	class  graph.Class   // Elementwise for a fused group, else the class of its only node
	domain graph.Shape   // of a fused group: the iteration space
	nodes  []*graph.Node // in order
	closed bool          // takes no more nodes
	member map[*graph.Node]bool
	parts  []*part  // the row programs that it consists of
	choice bool     // only one of the parts runs, by the sizes bound
	matmul *product // of a matrix product
	gather *picking // of elements picked or added by index
}

// part is one row program of a kernel, and what its operands are.
type part struct {
	prog     *rowprog.Program
	kernel   *portable.Kernel
	operands []operand
	domain   graph.Shape
	axes     [][]int // the domain's axes over which each axis of the program runs; the row is last
	folds    []int   // of one part out of several: the undecided axes that it sums over
}

// String prints the kernel: its nodes and, once lowered, its programs.
func (k *kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s:", k.class, k.domain.Compact())
	for _, n := range k.nodes {
		fmt.Fprintf(&b, " %s=%s", n.Label(), n.Op().Name)
	}
	for _, p := range k.parts {
		b.WriteString("\n" + p.prog.String())
	}
	return b.String()
}

// fuser places nodes in kernels. Kernels are in the order in which they run; a node
// may join any kernel that runs no earlier than those that make its operands, so that
// no cycle can come about.
type fuser struct {
	u        *unit
	at       map[*graph.Node]int // the kernel that computes a node
	byDomain map[string][]int    // open kernels by iteration space, in order
}

// fusePass groups nodes into kernels.
func fusePass(u *unit) error {
	f := fuser{u, map[*graph.Node]int{}, map[string][]int{}}
	for _, n := range u.order {
		switch {
		case n.Op().Class == graph.Source || shapeinfer.IsView(n):
		case n.Op().Class == graph.Version:
			f.at[n] = max(f.after(n.In(0), true), f.after(n.In(1), true))
		default:
			f.place(n)
		}
	}
	return nil
}

func (f *fuser) place(n *graph.Node) {
	switch n.Op().Class {
	case graph.Elementwise, graph.Update:
		f.join(n, n.Shape(), f.earliest(n), false)
	case graph.Reduce:
		if isSumTo(n) {
			f.start(n, &kernel{class: graph.Reduce, domain: n.In(0).Shape(), closed: true})
			return
		}
		index := n.Op().Fold == graph.FoldArgMax || n.Op().Fold == graph.FoldArgMin
		f.join(n, n.In(0).Shape(), f.earliest(n), index)
	default:
		f.start(n, &kernel{class: n.Op().Class, domain: n.Shape(), closed: true})
	}
}

// earliest gives the first kernel in which the node can run.
func (f *fuser) earliest(n *graph.Node) int {
	first := 0
	for i, x := range n.Operands() {
		first = max(first, f.after(x, f.inRegister(n, i)))
	}
	if n.Op().Class == graph.Update {
		for _, r := range f.u.writes.Before(n) {
			at := f.at[r]
			if !f.readsInPlace(r, n) {
				at++
			}
			first = max(first, at)
		}
	}
	return first
}

// after gives the first kernel in which a value can be used: the one that makes it,
// if the use takes it from a register, else the next.
func (f *fuser) after(x *graph.Node, inRegister bool) int {
	at, computed := f.at[shapeinfer.Viewed(x)]
	switch {
	case !computed:
		return 0
	case inRegister:
		return at
	}
	return at + 1
}

// inRegister reports whether operand i of n, where n shares its kernel, is taken as it
// was computed: the same element, not a view, a repetition or a sum.
func (f *fuser) inRegister(n *graph.Node, i int) bool {
	x := n.In(i)
	if x.Op().Class != graph.Elementwise && x.Op().Class != graph.Update {
		return false
	}
	for _, k := range n.Stretch(i) {
		if k != graph.Same {
			return false
		}
	}
	return true
}

// readsInPlace reports whether r reads of what a write destroys only the element that is
// written next, so that it may share a kernel with the write.
func (f *fuser) readsInPlace(r, write *graph.Node) bool {
	switch r.Op().Class {
	case graph.Elementwise, graph.Update, graph.Reduce:
	default:
		return false
	}
	for i, x := range r.Operands() {
		if shapeinfer.Storage(x) != shapeinfer.Storage(write) {
			continue
		}
		for _, k := range r.Stretch(i) {
			if k != graph.Same {
				return false
			}
		}
		if !x.Shape().Equal(write.Shape()) || !sameCells(x, write) {
			return false
		}
	}
	return true
}

// sameCells reports whether the elements of two values of one memory lie in the same
// places.
func sameCells(x, y *graph.Node) bool {
	a, b := shapeinfer.LayoutOf(x), shapeinfer.LayoutOf(y)
	return a.Offset == b.Offset && slices.Equal(a.Strides, b.Strides)
}

// join puts the node into the first kernel of its iteration space from first on, or
// into a new one.
func (f *fuser) join(n *graph.Node, domain graph.Shape, first int, alone bool) {
	key := domain.Compact()
	if !alone {
		list := f.byDomain[key]
		i, _ := slices.BinarySearch(list, first)
		for _, at := range list[i:] {
			if k := f.u.kernels[at]; len(k.nodes) < maxKernelNodes {
				f.add(n, at)
				return
			}
		}
	}
	at := f.start(n, &kernel{class: graph.Elementwise, domain: domain, closed: alone})
	if !alone {
		f.byDomain[key] = append(f.byDomain[key], at)
	}
}

func (f *fuser) start(n *graph.Node, k *kernel) int {
	k.member = map[*graph.Node]bool{}
	f.u.kernels = append(f.u.kernels, k)
	at := len(f.u.kernels) - 1
	f.add(n, at)
	return at
}

func (f *fuser) add(n *graph.Node, at int) {
	k := f.u.kernels[at]
	k.nodes = append(k.nodes, n)
	k.member[n] = true
	f.at[n] = at
}
