package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// A kernel often reads a value and what is computed from that in a few operations, as the gradient of a
// sigmoid s reads s and 1 - s: it computes the second once more rather than read it. Where all who need
// the value do, it is in no memory.

// maxAgainCost bounds the cost of what is computed again in place of one load: see [analysis.Cost]. A large value that would be kept for one kernel alone, as a
// factor of a gradient is from forward to backward, may cost maxKeptCost: to write it and read it again would take longer.
const (
	maxAgainCost    = 6
	maxKeptCost     = 40
	minKeptElements = 1 << 16 // its elements
)

// computeAgain finds for each kernel which of the values that it reads it computes again, from others
// that it reads. What nobody else needs is then left out of the kernel that computed it first.
func (f *fuser) computeAgain() {
	found := false
	for at, k := range f.groups {
		if k.Class == graph.Elementwise && !k.Closed {
			(&repeater{fuser: f, at: at, k: k, reads: map[*graph.Node]bool{}, shown: map[*graph.Node]bool{}, writes: map[*graph.Node]bool{}, again: map[*graph.Node]bool{}}).run()
			found = found || len(k.Again) > 0
		}
	}
	for found && f.leaveOut() {
	}
}

// leaveOut drops what no kernel takes from those that compute it, and reports whether there was something.
func (f *fuser) leaveOut() (dropped bool) {
	uses := make([]int, len(f.at))
	for _, n := range f.u.Roots {
		uses[alias.Viewed(n).ID()]++
	}
	use := func(n *graph.Node, k *Group) {
		for _, x := range n.Read() {
			if !slices.Contains(k.Again, x) {
				uses[alias.Viewed(x).ID()]++
			}
		}
	}
	for _, k := range f.groups {
		for i := len(k.Again) - 1; i >= 0; i-- {
			n := k.Again[i]
			reads := func(m *graph.Node) bool { return slices.Contains(m.Operands(), n) }
			if slices.ContainsFunc(k.Nodes, reads) || slices.ContainsFunc(k.Again[i:], reads) {
				use(n, k)
				continue
			}
			k.Again, dropped = slices.Delete(k.Again, i, i+1), true
			delete(k.Registers, n)
		}
	}
	for _, n := range slices.Backward(f.u.Sequence) {
		at := f.at[n.ID()]
		if at < 0 {
			continue
		}
		k := f.groups[at]
		i := slices.Index(k.Nodes, n)
		switch {
		case n.Op().Class == graph.Version:
			use(n, &Group{})
		case i < 0:
		case uses[n.ID()] == 0 && (n.Op().Class == graph.Elementwise || f.picksRows(n) && k.Class == graph.Elementwise):
			k.Nodes, dropped = slices.Delete(k.Nodes, i, i+1), true
			delete(k.Registers, n)
		default:
			use(n, k)
		}
	}
	return dropped
}

// repeater finds what one kernel computes again.
type repeater struct {
	*fuser
	at     int
	k      *Group
	reads  map[*graph.Node]bool // from memory: whether element by element everywhere
	shown  map[*graph.Node]bool // what it reads through views, which show other elements of it: it must be in memory
	writes map[*graph.Node]bool // the memory that is written in place
	again  map[*graph.Node]bool
	// Of the candidate at hand: what it may cost, whether no other kernel reads it, and what is read for it that was not read before.
	most       int
	alone      bool
	addedReads []*graph.Node
}

func (r *repeater) run() {
	for _, n := range r.k.Nodes {
		if n.Op().Class == graph.Update {
			r.writes[alias.Storage(n)] = true
		}
		level := r.k.LevelFor(n)
		for i, x := range n.Operands() {
			if alias.IsView(x) || r.picks(n) && (i == 0 || !x.Shape().Equal(n.Shape())) {
				r.shown[alias.Viewed(x)] = true
			}
			if r.maker(x) != r.at {
				before, known := r.reads[x]
				r.reads[x] = (before || !known) && level == PerElement && allSame(n.Stretch(i))
			}
		}
	}
	var candidates []*graph.Node
	for x, whole := range r.reads {
		if r.most = r.mostFor(x); whole && r.isCheap(x) {
			candidates = append(candidates, x)
		}
	}
	slices.SortFunc(candidates, func(x, y *graph.Node) int { return x.ID() - y.ID() })
	for _, x := range candidates {
		delete(r.reads, x)
		r.most, r.alone, r.addedReads = r.mostFor(x), r.isAlone(x), nil
		if list, cost := r.recipe(x, nil, 0); cost <= r.most && len(r.k.Nodes)+len(r.k.Again)+len(list) <= maxKernelNodes {
			for _, n := range list {
				r.again[n] = true
				r.k.Registers[n] = PerElement
			}
			r.k.Again = append(r.k.Again, list...)
			r.orderAddedReads()
		} else {
			r.reads[x] = true
		}
	}
}

// isCheap reports whether a value is computed by another kernel element by element, in a few operations
// that give the same whenever they are carried out.
func (r *repeater) isCheap(x *graph.Node) bool {
	made := r.maker(x)
	return (x.Op().Class == graph.Elementwise && len(x.Operands()) > 0 || r.picksRows(x) && r.canPick(x, PerElement, r.at)) && !r.shown[x] && made >= 0 && made != r.at && x.Shape().Equal(r.k.Space) &&
		!isUndecided(x) && r.k.rowsFit(x, PerElement) &&
		analysis.Cost(x) <= r.most && (r.picksRows(x) || !analysis.CanFail(x)) && !analysis.DependsOnPosition(x) && len(r.u.Writes.Before(x)) == 0
}

// recipe adds to a list what must be computed for a value, operands first, and to a cost theirs. The cost is
// more than the most where more is needed than the kernel reads, or can.
func (r *repeater) recipe(x *graph.Node, list []*graph.Node, cost int) ([]*graph.Node, int) {
	if !r.isCheap(x) {
		return list, r.most + 1
	}
	if cost += max(analysis.Cost(x), 1); cost > r.most {
		return list, cost
	}
	for i, y := range x.Operands() {
		_, isNumber := y.ScalarValue()
		_, isRead := r.reads[y]
		switch {
		case r.picksRows(x):
			if slices.Contains(list, y) || !r.canPickAgain(x, i) {
				return list, r.most + 1
			}
		case isNumber || r.again[y] || slices.Contains(list, y):
		case isRead && !r.writes[alias.Storage(y)] || r.canAddRead(y):
		default:
			if list, cost = r.recipe(y, list, cost); cost > r.most {
				return list, cost
			}
		}
	}
	return append(list, x), cost
}

// isUndecided reports whether the sizes decide how a node's operands are repeated.
func isUndecided(n *graph.Node) bool {
	for i := range n.Operands() {
		if slices.Contains(n.Stretch(i), graph.Undecided) {
			return true
		}
	}
	return false
}
