package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// maxKernelNodes bounds a kernel, so that its program stays small enough for a back
// end's registers and caches.
const maxKernelNodes = 64

// fuser places nodes in kernels. A node may join a kernel on which nothing depends that
// the node needs, so that no cycle can come about. It takes operands from its own kernel
// only as they are computed there, element by element or row by row.
type fuser struct {
	u       *rewrite.Program
	groups  []*Group
	at      []int            // by the number of a node: the kernel that computes it, or -1
	behind  []bool           // by kernel: whether it runs after a large product
	byShape map[string][]int // open kernels that compute values of a shape, in order
	order   dependencies
	makers  []int                 // of what the node at hand reads, and of what reads what it destroys
	loops   map[*outline.Call]int // the kernels of loops
	before  search                // for what these need
	waiting search                // for what one kernel needs

	users    map[*graph.Node][]*graph.Node // see usersOf
	related  relations                     // see areRelated
	deferred map[*graph.Node]bool          // nodes that wait for their user
	kept     map[*graph.Node]bool          // roots, which are not
}

// Fuse groups nodes into kernels.
func Fuse(u *rewrite.Program) []*Group {
	f := fuser{u: u, at: slices.Repeat([]int{-1}, len(u.Graph.Nodes())), byShape: map[string][]int{}, deferred: map[*graph.Node]bool{}, kept: map[*graph.Node]bool{}, loops: map[*outline.Call]int{}}
	for _, n := range u.Roots {
		f.kept[alias.Viewed(n)] = true
	}
	f.before.d, f.waiting.d = &f.order, &f.order
	for _, n := range u.Sequence {
		u.At = n
		switch class := n.Op().Class; {
		case class == graph.Source || alias.IsView(n) || f.deferNode(n):
		case class == graph.Version:
			f.at[n.ID()] = f.maker(n.In(1)) // which comes after what made the old value
		case n.Op().Indexed:
			f.start(n, &Group{Class: graph.Gather, Space: n.Shape(), Closed: true})
		case class == graph.Elementwise && len(n.Operands()) == 1 && readsAcross(n) && f.isFoldedAcross(n):
			f.start(n, &Group{Class: class, Space: n.Shape(), Closed: true})
		case class == graph.Elementwise || class == graph.Update || f.picks(n):
			f.join(n, n.Shape())
		case class == graph.Reduce && !analysis.IsSumTo(n) && !analysis.FindsIndex(n):
			f.join(n, n.In(0).Shape())
		case class == graph.Reduce && analysis.FindsIndex(n):
			f.start(n, &Group{Class: graph.Elementwise, Space: n.In(0).Shape(), Closed: true})
		case class == graph.Reduce:
			f.start(n, &Group{Class: class, Space: n.In(0).Shape(), Closed: true})
		case class == graph.Loop:
			f.takeLoop(n)
		default:
			f.start(n, &Group{Class: class, Space: n.Shape(), Closed: true})
		}
	}
	for _, n := range u.Sequence {
		f.placeAlone(n)
	}
	f.computeAgain()
	f.copyPicked()
	return f.sort()
}

// takeLoop puts a result of a loop into the kernel of that loop.
func (f *fuser) takeLoop(n *graph.Node) {
	a, _ := outline.CallOf(n)
	at, known := f.loops[a.Call]
	if !known {
		f.start(n, &Group{Class: graph.Loop, Space: n.Shape(), Closed: true})
		f.loops[a.Call] = f.at[n.ID()] // behind kernels of operands that had been put off
		return
	}
	f.findMakers(n)
	f.add(n, f.groups[at].Space, at)
}

// maxCandidates bounds the kernels that a node is tried in.
const maxCandidates = 64

// join puts a node into the first kernel that it fits, or into a new one. Its elements,
// or those that it reduces, have the given shape.
func (f *fuser) join(n *graph.Node, shape graph.Shape) {
	with := f.placeDeferred(n, shape)
	list := f.byShape[shape.Compact()]
	list = list[max(len(list)-maxCandidates, 0):]
	low := len(f.order.place)
	for _, at := range list {
		if len(f.groups[at].Nodes) < maxKernelNodes {
			low = min(low, f.order.place[at])
		}
	}
	f.findMakers(append(slices.Clip(with), n)...)
	f.before.run(low, f.makers...)
	for _, at := range list {
		if len(f.groups[at].Nodes) < maxKernelNodes && !f.before.finds(at) && !f.waitsIn(n, at) && f.canTake(n, shape, at) && f.canTakeAll(with, at) {
			f.addAll(with, at)
			f.add(n, shape, at)
			return
		}
	}
	f.start(n, &Group{Class: graph.Elementwise, Space: shape}, with...)
}

// waitsIn reports whether a narrow value that needs no large product would wait for one in a kernel. What needs the value would wait too, such as the
// gradients of a row's scores, which can be computed block by block with the product. What comes of a state that is written in place, such as the averages
// of an optimiser, is needed by the write, which waits anyway.
func (f *fuser) waitsIn(n *graph.Node, at int) bool {
	return f.behind[at] && !rewrite.IsLargeMatrix(n) && !slices.ContainsFunc(f.makers, func(made int) bool { return f.behind[made] }) &&
		!slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return f.u.Writes.IsWritten(x) && x.Shape().Equal(n.Shape()) })
}

// maker returns the kernel that computes what a node shows, or -1.
func (f *fuser) maker(n *graph.Node) int { return f.at[alias.Viewed(n).ID()] }

// findMakers lists the kernels that must run before nodes, or with them.
func (f *fuser) findMakers(nodes ...*graph.Node) {
	f.makers = f.makers[:0]
	for _, n := range nodes {
		for _, x := range n.Operands() {
			if made := f.maker(x); made >= 0 {
				f.makers = append(f.makers, made)
			}
			for _, y := range rewrite.Awaited(x) {
				if made := f.maker(y); made >= 0 {
					f.makers = append(f.makers, made)
				}
			}
		}
		for _, r := range f.u.Writes.Before(n) {
			f.makers = append(f.makers, f.at[r.ID()])
		}
	}
}

// start begins a kernel with a node, and with others that were put off for it.
func (f *fuser) start(n *graph.Node, k *Group, with ...*graph.Node) {
	if k.Closed {
		f.placeDeferred(n, nil)
	}
	k.Row, k.Registers = -1, map[*graph.Node]Level{}
	f.groups, f.behind = append(f.groups, k), append(f.behind, false)
	at := f.order.add()
	if !k.Closed {
		f.open(k.Space, at)
	}
	f.findMakers(append(slices.Clip(with), n)...)
	f.addAll(with, at)
	f.add(n, k.Space, at)
}

// open notes that a kernel takes nodes of a shape.
func (f *fuser) open(shape graph.Shape, at int) {
	key := shape.Compact()
	i, _ := slices.BinarySearch(f.byShape[key], at)
	f.byShape[key] = slices.Insert(f.byShape[key], i, at)
}

// canTake reports whether a node can run in a kernel that none of its other makers needs.
func (f *fuser) canTake(n *graph.Node, shape graph.Shape, at int) bool {
	k := f.groups[at]
	l := k.levelOf(shape)
	taken := false
	if !f.canPick(n, l, at) {
		return false
	}
	for i, x := range n.Operands() {
		switch made := f.maker(x); {
		case made < 0:
		case made == at:
			taken = true
			if !k.InRegister(n, l, i) || n.Op().Class == graph.Update && i == 0 && !k.registersOf(x) {
				return false // a part that is written needs the whole in memory
			}
		case l == PerRow && k.Row == 0 && !f.waiting.follows(at, made):
			return false // for the sake of one element, the kernel does not wait for another one
		}
	}
	if l == PerRow && (!taken || n.Op().Class == graph.Reduce && (k.hasLongRows() || f.behind[at] && k.mayBeScores())) {
		return false // it has nothing to do with these rows, or would keep threads from sharing them, or chains from taking them
	}
	if !taken && (isLargeCopy(n) || isLargeCopy(k.Nodes[0]) && readsAcross(k.Nodes[0])) && !k.readsMemoryOf(n) {
		return false // it would wait for other values, and keep what it copies for as long; of a copy across rows it would take the order
	}
	if !taken && l == PerElement && isLarge(shape) && !k.readsMemoryOf(n) && !f.areRelated(n, k.Nodes[0]) {
		return false // it has nothing to do with the kernel, whose order of elements may not be its own, would wait for it, and keep what it reads for as long
	}
	for _, r := range f.u.Writes.Before(n) {
		if f.at[r.ID()] == at && !readsInPlace(r, n) {
			return false
		}
	}
	return k.rowsFit(n, l)
}

// minCopied is the number of elements from which on a copy has a kernel for itself.
const minCopied = 1 << 14

// isLarge reports whether a shape has so many elements, as far as its sizes are known, that it does not matter how many kernels go through them.
func isLarge(shape graph.Shape) bool {
	const least = 1 << 14
	count := int64(1)
	for _, d := range shape {
		if n, known := d.Int(); known && count < least {
			count *= n
		}
	}
	return count >= least
}

// isLargeCopy reports whether a node does nothing but bring many elements into another order.
func isLargeCopy(n *graph.Node) bool {
	count, known := n.Shape().NumElements().Int()
	return n.Op().Class == graph.Elementwise && len(n.Operands()) == 1 && alias.IsView(n.In(0)) && (!known || count >= minCopied)
}

// readsMemoryOf reports whether a kernel reads memory that a node reads.
func (k *Group) readsMemoryOf(n *graph.Node) bool {
	if k.memory == nil {
		k.memory = map[*graph.Node]bool{}
	}
	for ; k.looked < len(k.Nodes); k.looked++ {
		for _, x := range k.Nodes[k.looked].Operands() {
			if x.Rank() > 0 {
				k.memory[alias.Storage(x)] = true
			}
		}
	}
	return slices.ContainsFunc(n.Operands(), func(y *graph.Node) bool { return k.memory[alias.Storage(y)] })
}

// add makes a node, whose makers are known, a member of a kernel.
func (f *fuser) add(n *graph.Node, shape graph.Shape, at int) {
	k := f.groups[at]
	k.Nodes = append(k.Nodes, n)
	f.at[n.ID()] = at
	f.order.after(at, f.makers...)
	f.behind[at] = f.behind[at] || n.Op().Class == graph.Contract && rewrite.IsLargeMatrix(n) || slices.ContainsFunc(f.makers, func(made int) bool { return f.behind[made] })
	switch {
	case k.Closed:
	case n.Op().Class != graph.Reduce:
		k.Registers[n] = k.levelOf(shape)
	case k.levelOf(shape) == PerElement:
		row := rowOf(n)
		if k.Row < 0 && row >= 0 && k.canHaveRows(row) {
			k.Row = row
			f.open(k.Space[:row], at)
			if ones := k.rowShape(); len(ones) > row {
				f.open(ones, at)
			}
		}
		if k.Row >= 0 && k.Row == row {
			k.Registers[n] = PerRow
		}
	}
}

// readsInPlace reports whether r reads of what a write destroys only the element that is
// written next, so that it may share a kernel with the write.
func readsInPlace(r, write *graph.Node) bool {
	if r.Op().Indexed || write.Op().Indexed {
		return false
	}
	switch r.Op().Class {
	case graph.Elementwise, graph.Update, graph.Reduce:
	default:
		return false
	}
	if write.Op().Fill && alias.Repeats(prove.NewProver(write.Graph().Bounds), write) != prove.Refused {
		return false // what is read for a later element may have been filled for an earlier one
	}
	for i, x := range r.Operands() {
		if alias.Storage(x) != alias.Storage(write) {
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
	a, b := alias.LayoutOf(x), alias.LayoutOf(y)
	return a.Offset == b.Offset && slices.Equal(a.Strides, b.Strides)
}

// rowOf returns the axis from which on a reduction folds all axes and before which it
// folds none, or -1. Axes of size 1 are folded or not as need be.
func rowOf(n *graph.Node) int {
	space, axes := n.In(0).Shape(), n.Op().Axes(n)
	row := len(space)
	for row > 0 && (space[row-1] == 1 || slices.Contains(axes, row-1)) {
		row--
	}
	for row < len(space) && !slices.Contains(axes, row) {
		row++ // leading axes of size 1 that are not folded
	}
	long := false
	for axis, d := range space {
		reduced := slices.Contains(axes, axis)
		if reduced && axis < row {
			return -1
		}
		long = long || reduced && d != 1
	}
	if !long {
		return -1
	}
	return row
}
