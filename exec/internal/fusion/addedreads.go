package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Where a value is kept for one kernel alone, that reads something else in its place, if this takes no memory: small values, such as the scale and shift
// of a normalisation, and what stays in memory for others anyway, as what relu gives does for the gradient of the weights that read it. So the mask of
// relu's gradient is in no memory.

// mostFor bounds the cost of a value that a kernel computes again.
func (r *repeater) mostFor(x *graph.Node) int {
	if count, known := x.Shape().NumElements().Int(); known && count >= minKeptElements && r.isAlone(x) {
		return maxKeptCost
	}
	return maxAgainCost
}

// isAlone reports whether no other kernel reads a value but the one that computes it.
func (r *repeater) isAlone(x *graph.Node) bool {
	return !r.kept[x] && !r.isRead(x, func(_ *graph.Node, by int) bool { return by != r.at && by != r.maker(x) })
}

// isRead reports whether a node that reads a value, itself or a view of it, and its kernel are such as are asked for.
func (f *fuser) isRead(x *graph.Node, asked func(n *graph.Node, by int) bool) bool {
	return slices.ContainsFunc(f.usersOf(x), func(n *graph.Node) bool {
		if alias.IsView(n) || n.Op().Class == graph.Version {
			return f.isRead(n, asked)
		}
		return asked(n, f.at[n.ID()])
	})
}

// canAddRead reports whether the kernel can read a value that it does not read yet, and notes it.
func (r *repeater) canAddRead(y *graph.Node) bool {
	return r.mayAddRead(y) && (r.isSmall(y) || r.staysFor(y)) && r.readsBeforeWrites(y)
}

// mayAddRead reports whether a value is none that is written, be it worth to read it or not.
func (r *repeater) mayAddRead(y *graph.Node) bool {
	return r.alone && alias.State(y).Op().Class != graph.Update && !r.writes[alias.Storage(y)]
}

// readsBeforeWrites reports whether the kernel can read a value before that is overwritten, and notes it.
func (r *repeater) readsBeforeWrites(y *graph.Node) bool {
	if write := r.u.Writes.Of(alias.State(y)); write != nil { // which must wait for the kernel
		if by := r.fuser.at[write.ID()]; by < 0 || by == r.at || r.waiting.follows(r.at, by) {
			return false
		}
	}
	r.addedReads = append(r.addedReads, y)
	return true
}

// picksRows reports whether a node picks rows as a kernel of elements can.
func (f *fuser) picksRows(n *graph.Node) bool { return f.picks(n) && analysis.TakesRows(n) }

// canPickAgain reports whether the kernel can read operand i of a node that picks rows, which is in memory then: rows of a table take as long to read as what
// was picked of them, and inputs and parameters are in memory anyway, however large.
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

// isSmall reports whether a value that is in memory anyway takes far less than those of the kernel.
func (r *repeater) isSmall(y *graph.Node) bool {
	v := alias.Viewed(y)
	return isMuchSmaller(v.Shape(), r.k.Space) &&
		(v.Op().Class == graph.Source || r.maker(v) >= 0 && r.isRead(v, func(_ *graph.Node, by int) bool { return by != r.maker(v) }))
}

// staysFor reports whether a value stays in memory for another kernel, which this one does not need, and which cannot compute it again.
func (r *repeater) staysFor(y *graph.Node) bool {
	if !y.Shape().Equal(r.k.Space) || r.maker(y) < 0 || alias.IsView(y) {
		return false
	}
	r.before.run(0, r.at)
	return r.isRead(y, func(n *graph.Node, by int) bool {
		return by >= 0 && by != r.at && by != r.maker(y) && !r.before.finds(by) &&
			(r.groups[by].Class == graph.Contract || r.groups[by].Class == graph.Elementwise && !slices.Contains(n.Operands(), y))
	})
}

// orderAddedReads has the kernel run after those that compute what it reads in addition, and before those that overwrite that.
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
