package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// sort orders the kernels. Kernels that read products, kernels that store only sums, and products that are small
// compared with their factors run as soon as they can. Their operands are then in a cache, and need not be kept for
// long. Sums of a value that a product also reads wait for the product.
func (f *fuser) sort() (sorted []*Group) {
	kernels, leaves, products := f.groups, f.storedValues(), f.secondFactors()
	priorities := make([]priority, len(kernels))
	for at, k := range kernels {
		switch {
		case k.Class == graph.Contract && k.condenses():
			priorities[at] = early
		case k.Class != graph.Elementwise:
		case k.onlyStoresReductions(leaves) && f.orderAfterMatMul(at, products):
			priorities[at] = eager
		case slices.ContainsFunc(f.order.needs[at], f.isProduct):
			f.prepare(at)
			priorities[at] = early
		case k.onlyStoresReductions(leaves):
			priorities[at] = early
		}
	}
	for _, at := range f.order.sort(priorities) {
		if len(kernels[at].Nodes) > 0 {
			sorted = append(sorted, kernels[at])
		}
	}
	return sorted
}

// prepare makes products that a kernel reads wait for small values that it also reads, such as factors of a
// normalisation. In between, they would keep the kernel from continuing tiles of the product. A product does not count
// if the kernel only overwrites its operands.
func (f *fuser) prepare(at int) {
	read := f.makersRead(at)
	for _, p := range read {
		if !f.isProduct(p) {
			continue
		}
		for _, q := range read {
			if !f.isProduct(q) && isMuchSmaller(f.groups[q].Space, f.groups[p].Nodes[0].Shape()) &&
				!f.waiting.follows(q, p) {
				f.order.after(p, q)
			}
		}
	}
}

// makersRead lists the kernels that compute a kernel's operands.
func (f *fuser) makersRead(at int) (list []int) {
	for _, n := range f.groups[at].Nodes {
		for _, x := range n.Read() {
			if made := f.maker(x); made >= 0 && made != at && !slices.Contains(list, made) {
				list = append(list, made)
			}
		}
	}
	return list
}

// isMuchSmaller reports whether a shape is known to have far fewer elements than another one, or has a known size and
// the other one has not.
func isMuchSmaller(shape, than graph.Shape) bool {
	const much = 4
	own, known := shape.NumElements().Int()
	if !known {
		return false
	}
	other, known := than.NumElements().Int()
	return !known || much*own <= other
}

// condenses reports whether a product is much smaller than both factors, as the gradient of weights is, or sums a large
// factor to one row, as the gradient of a bias does. Its factors are better read while they are in a cache, and need
// not be kept.
func (k *Group) condenses() bool {
	n := k.Nodes[0]
	sums := n.Rank() > 1 && n.Shape()[n.Rank()-2] == 1 && isMuchSmaller(n.Shape(), n.In(1).Shape()) &&
		n.In(1).Op().Class != graph.Source
	return sums || !slices.ContainsFunc(n.Operands()[:2], func(x *graph.Node) bool {
		return !isMuchSmaller(n.Shape(), x.Shape())
	})
}

// isProduct reports whether a kernel is a matrix product.
func (f *fuser) isProduct(at int) bool { return f.groups[at].Class == graph.Contract }

// storedValues lists the values that kernels read from other kernels, and the roots.
func (f *fuser) storedValues() map[*graph.Node]bool {
	leaves := map[*graph.Node]bool{}
	for _, n := range f.u.Roots {
		leaves[alias.Viewed(n)] = true
	}
	for _, n := range f.u.Sequence {
		at := f.at[n.ID()]
		for _, x := range n.Read() {
			if at >= 0 && f.maker(x) != at && !slices.Contains(f.groups[at].Again, x) {
				leaves[alias.Viewed(x)] = true
			}
		}
	}
	return leaves
}

// onlyStoresReductions reports whether a kernel stores only reductions.
func (k *Group) onlyStoresReductions(leaves map[*graph.Node]bool) bool {
	return !slices.ContainsFunc(k.Nodes, func(n *graph.Node) bool {
		return n.Op().Class != graph.Reduce && (leaves[n] || n.Op().Class != graph.Elementwise)
	})
}

// orderAfterMatMul makes a kernel that sums one value wait for a product of which the value is the second factor. The
// value must not be a product, and the product must not depend on the sums. It reports whether there is such a product.
func (f *fuser) orderAfterMatMul(at int, products map[*graph.Node][]int) bool {
	k := f.groups[at]
	var read *graph.Node
	for _, n := range k.Nodes {
		for _, x := range n.Operands() {
			memory, made := alias.Viewed(x), f.maker(x)
			if !x.Shape().Equal(k.Space) || memory == read || made >= 0 && (made == at || f.isProduct(made)) {
				continue
			}
			if read != nil {
				return false
			}
			read = memory
		}
	}
	for _, p := range products[read] {
		if !f.waiting.follows(p, at) {
			f.order.after(at, p)
			return true
		}
	}
	return false
}

// secondFactors lists the products by second factor.
func (f *fuser) secondFactors() map[*graph.Node][]int {
	products := map[*graph.Node][]int{}
	for at := range f.groups {
		if f.isProduct(at) {
			factor := alias.Viewed(f.groups[at].Nodes[0].In(1))
			products[factor] = append(products[factor], at)
		}
	}
	return products
}
