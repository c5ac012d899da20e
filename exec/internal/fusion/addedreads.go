package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// If a value would be kept for only one kernel, that kernel recomputes it from other values, provided that reading
// those takes no extra memory. They must be small, such as the scale and shift of a normalisation, or stay in memory
// for other kernels anyway, such as the result of relu, which the gradient of the next weights reads. So the mask of
// relu's gradient is never stored.

// mostFor returns the most that recomputing a value may cost.
func (r *repeater) mostFor(x *graph.Node) int {
	if count, known := x.Shape().NumElements().Int(); known && count >= minKeptElements && r.isAlone(x) {
		return maxKeptCost
	}
	return maxAgainCost
}

// isAlone reports whether at most this kernel and the one that computes a value read it.
func (r *repeater) isAlone(x *graph.Node) bool {
	return !r.kept[x] && !r.isRead(x, func(_ *graph.Node, by int) bool { return by != r.at && by != r.maker(x) })
}

// isRead reports whether some user of a value or of its views satisfies a condition, which gets the user and its
// kernel.
func (f *fuser) isRead(x *graph.Node, asked func(n *graph.Node, by int) bool) bool {
	return slices.ContainsFunc(f.usersOf(x), func(n *graph.Node) bool {
		if alias.IsView(n) || n.Op().Class == graph.Version {
			return f.isRead(n, asked)
		}
		return asked(n, f.at[n.ID()])
	})
}

// canAddRead reports whether the kernel can also read a value, and records the read.
func (r *repeater) canAddRead(y *graph.Node) bool {
	return r.mayAddRead(y) && (r.isSmall(y) || r.staysFor(y)) && r.readsBeforeWrites(y)
}

// mayAddRead reports whether reading a value is allowed, because it is not written in place. It does not decide whether
// that is worthwhile.
func (r *repeater) mayAddRead(y *graph.Node) bool {
	return r.alone && alias.State(y).Op().Class != graph.Update && !r.writes[alias.Storage(y)]
}

// readsBeforeWrites reports whether the kernel can read a value before it is overwritten, and records the read.
func (r *repeater) readsBeforeWrites(y *graph.Node) bool {
	if write := r.u.Writes.Of(alias.State(y)); write != nil { // the write must wait for the kernel
		if by := r.fuser.at[write.ID()]; by < 0 || by == r.at || r.waiting.follows(r.at, by) {
			return false
		}
	}
	r.addedReads = append(r.addedReads, y)
	return true
}

// picksRows reports whether a node picks rows and a fused kernel can do it.
func (f *fuser) picksRows(n *graph.Node) bool { return f.picks(n) && analysis.TakesRows(n) }

// canPickAgain reports whether the kernel can read operand i of a node that picks rows. Reading rows of a table takes
// as long as reading the picked ones, and inputs and parameters are in memory anyway, however large. The operand must
// be in memory.
func (r *repeater) canPickAgain(x *graph.Node, i int) bool {
	y, v := x.In(i), alias.Viewed(x.In(i))
	if r.maker(y) == r.at || r.writes[alias.Storage(y)] || r.again[v] {
		return false
	}
	_, isRead := r.reads[y]
	isThere := i == 0 && v.Op().Class == graph.Source && r.mayAddRead(y)
	if !isRead && !(isThere && r.readsBeforeWrites(y)) && !r.canAddRead(y) {
		return false
	}
	r.shown[v] = true
	return true
}

// isSmall reports whether a value is in memory anyway and much smaller than the kernel's values.
func (r *repeater) isSmall(y *graph.Node) bool {
	v := alias.Viewed(y)
	return isMuchSmaller(v.Shape(), r.k.Space) &&
		(v.Op().Class == graph.Source || r.maker(v) >= 0 &&
			r.isRead(v, func(_ *graph.Node, by int) bool { return by != r.maker(v) }))
}

// staysFor reports whether a value stays in memory for another kernel. This kernel must not depend on that one, and
// that one cannot recompute the value.
func (r *repeater) staysFor(y *graph.Node) bool {
	if !y.Shape().Equal(r.k.Space) || r.maker(y) < 0 || alias.IsView(y) {
		return false
	}
	r.before.run(0, r.at)
	return r.isRead(y, func(n *graph.Node, by int) bool {
		return by >= 0 && by != r.at && by != r.maker(y) && !r.before.finds(by) &&
			(r.groups[by].Class == graph.Contract ||
				r.groups[by].Class == graph.Elementwise && !slices.Contains(n.Operands(), y))
	})
}

// orderAddedReads makes the kernel run after those that compute its added operands, and before those that overwrite
// them.
func (r *repeater) orderAddedReads() {
	for _, y := range r.addedReads {
		if made := r.maker(y); made >= 0 {
			r.order.after(r.at, made)
		}
		if write := r.u.Writes.Of(alias.State(y)); write != nil {
			r.order.after(r.fuser.at[write.ID()], r.at)
		}
	}
}
