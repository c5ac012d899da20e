package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// A kernel often reads a value and another one that is cheap to compute from it: the gradient of a sigmoid s reads s
// and 1 - s. The kernel then recomputes the second value instead of reading it. If all users do, it is never stored.

// maxAgainCost is the most that recomputing may cost instead of a load: see [analysis.Cost]. A large value that would
// be kept for only one kernel, such as a factor of a gradient from forward to backward, may cost maxKeptCost: storing
// and loading it would take longer.
const (
	maxAgainCost    = 6
	maxKeptCost     = 40
	minKeptElements = 1 << 16 // its least number of elements
)

// computeAgain finds for each kernel which operands it recomputes from others that it reads. It then removes values
// without other users from the kernels that computed them first.
func (f *fuser) computeAgain() {
	found := false
	for at, k := range f.groups {
		if k.Class == graph.Elementwise && !k.Closed {
			(&repeater{fuser: f, at: at, k: k, reads: map[*graph.Node]bool{}, shown: map[*graph.Node]bool{},
				writes: map[*graph.Node]bool{}, again: map[*graph.Node]bool{}}).run()
			found = found || len(k.Again) > 0
		}
	}
	for found && f.leaveOut() {
	}
}

// leaveOut removes unused values from the kernels that compute them, and reports whether there were any.
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

// repeater finds what one kernel recomputes.
type repeater struct {
	*fuser
	at     int
	k      *Group
	reads  map[*graph.Node]bool // from memory: whether only elementwise
	shown  map[*graph.Node]bool // values under views that it reads: they must be in memory
	writes map[*graph.Node]bool // memory that is written in place
	again  map[*graph.Node]bool
	// Of the current candidate: what it may cost, whether no other kernel reads it, and which reads it adds.
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
		if list, cost := r.recipe(x, nil, 0); cost <= r.most &&
			len(r.k.Nodes)+len(r.k.Again)+len(list) <= maxKernelNodes {
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

// isCheap reports whether another kernel computes a value elementwise, at a low cost, and with the same result each
// time.
func (r *repeater) isCheap(x *graph.Node) bool {
	made := r.maker(x)
	return (x.Op().Class == graph.Elementwise && len(x.Operands()) > 0 ||
		r.picksRows(x) && r.canPick(x, PerElement, r.at)) && !r.shown[x] && made >= 0 && made != r.at &&
		x.Shape().Equal(r.k.Space) &&
		!isUndecided(x) && r.k.rowsFit(x, PerElement) &&
		analysis.Cost(x) <= r.most && (r.picksRows(x) || !analysis.CanFail(x)) && !analysis.DependsOnPosition(x) &&
		len(r.u.Writes.Before(x)) == 0
}

// recipe appends to a list what must be computed for a value, operands first, and adds its cost. The cost exceeds the
// most if something else would have to be read.
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

// isUndecided reports whether it depends on sizes how a node's operands are broadcast.
func isUndecided(n *graph.Node) bool {
	for i := range n.Operands() {
		if slices.Contains(n.Stretch(i), graph.Undecided) {
			return true
		}
	}
	return false
}
