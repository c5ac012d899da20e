package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// sort brings the kernels into an order. Those that go on with products, and those that leave
// nothing but sums, run as soon as they can: what they read is in a cache then, and need not be
// kept for long. Sums of what a product reads anyway wait for that.
func (f *fuser) sort() {
	kernels, leaves := f.u.kernels, f.leaves()
	hurries := make([]hurry, len(kernels))
	for at, k := range kernels {
		switch {
		case k.class != graph.Elementwise:
		case k.leavesSums(leaves) && f.meetsProduct(at):
			hurries[at] = next
		case k.leavesSums(leaves) || slices.ContainsFunc(f.order.needs[at], f.isProduct):
			hurries[at] = soon
		}
	}
	f.u.kernels = nil
	for _, at := range f.order.sort(hurries) {
		f.u.kernels = append(f.u.kernels, kernels[at])
	}
}

// isProduct reports whether a kernel is a matrix product.
func (f *fuser) isProduct(at int) bool { return f.u.kernels[at].class == graph.Contract }

// leaves lists the values that kernels read that other kernels compute, and the roots.
func (f *fuser) leaves() map[*graph.Node]bool {
	leaves := map[*graph.Node]bool{}
	for _, n := range f.u.roots {
		leaves[shapeinfer.Viewed(n)] = true
	}
	for _, n := range f.u.order {
		at, computed := f.at[n]
		for _, x := range n.Operands() {
			if x = shapeinfer.Viewed(x); computed && f.at[x] != at {
				leaves[x] = true
			}
		}
	}
	return leaves
}

// leavesSums reports whether all that a kernel leaves for others are sums or other reductions.
func (k *kernel) leavesSums(leaves map[*graph.Node]bool) bool {
	return !slices.ContainsFunc(k.nodes, func(n *graph.Node) bool {
		return n.Op().Class != graph.Reduce && (leaves[n] || n.Op().Class != graph.Elementwise)
	})
}

// meetsProduct has a kernel of sums of a value wait for a product of which that is the second
// factor, if the value is no product itself and that product does not need the sums. It reports
// whether there is one.
func (f *fuser) meetsProduct(at int) bool {
	k := f.u.kernels[at]
	read := map[*graph.Node]bool{}
	for _, n := range k.nodes {
		for _, x := range n.Operands() {
			memory := shapeinfer.Viewed(x)
			if made, computed := f.at[memory]; x.Shape().Equal(k.domain) && (!computed || made != at && !f.isProduct(made)) {
				read[memory] = true
			}
		}
	}
	if len(read) != 1 {
		return false
	}
	for p, product := range f.u.kernels {
		if f.isProduct(p) && read[shapeinfer.Viewed(product.nodes[0].In(1))] && !f.order.follows(p, at) {
			f.order.after(at, p)
			return true
		}
	}
	return false
}
