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

// maxKernelNodes limits the size of a kernel, so that its program fits a back end's registers and caches.
const maxKernelNodes = 64

// fuser places nodes in kernels. A node may join a kernel unless one of the node's dependencies depends on that kernel,
// so no cycle can arise. It takes operands from its own kernel only as they are computed there, element by element or
// row by row.
type fuser struct {
	u       *rewrite.Program
	groups  []*Group
	at      []int            // by node ID: the kernel that computes it, or -1
	behind  []bool           // by kernel: whether it depends on a large product
	byShape map[string][]int // open kernels that compute values of a shape, in order
	order   dependencies
	makers  []int                 // the kernels on which the current node depends
	loops   map[*outline.Call]int // the kernels of loops
	before  search                // the dependencies of makers
	waiting search                // the dependencies of one kernel

	users    map[*graph.Node][]*graph.Node // see usersOf
	related  relations                     // see areRelated
	deferred map[*graph.Node]bool          // nodes that wait for their user
	kept     map[*graph.Node]bool          // roots, which are never deferred
}

// Fuse groups nodes into kernels.
func Fuse(u *rewrite.Program) []*Group {
	f := fuser{u: u, at: slices.Repeat([]int{-1}, len(u.Graph.Nodes())), byShape: map[string][]int{},
		deferred: map[*graph.Node]bool{}, kept: map[*graph.Node]bool{}, loops: map[*outline.Call]int{}}
	for _, n := range u.Roots {
		f.kept[alias.Viewed(n)] = true
	}
	f.before.d, f.waiting.d = &f.order, &f.order
	for _, n := range u.Sequence {
		u.Visit(n)
		switch class := n.Op().Class; {
		case class == graph.Source || alias.IsView(n) || f.deferNode(n):
		case class == graph.Version:
			f.at[n.ID()] = f.maker(n.In(1)) // it comes after what made the old value
		case f.narrowsParam(n):
			f.start(n, &Group{Class: class, Space: n.Shape(), Closed: true})
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

// takeLoop puts a result of a loop into the loop's kernel.
func (f *fuser) takeLoop(n *graph.Node) {
	a, _ := outline.CallOf(n)
	at, known := f.loops[a.Call]
	if !known {
		f.start(n, &Group{Class: graph.Loop, Space: n.Shape(), Closed: true})
		f.loops[a.Call] = f.at[n.ID()] // after kernels of deferred operands
		return
	}
	f.findMakers(n)
	f.add(n, f.groups[at].Space, at)
}

// maxCandidates is the most kernels that a node tries to join.
const maxCandidates = 64

// join puts a node into the first kernel that it fits, or into a new one. shape is that of its elements, or of those
// that it reduces.
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
		if len(f.groups[at].Nodes) < maxKernelNodes && !f.before.finds(at) && !f.waitsIn(n, at) &&
			f.canTake(n, shape, at) && f.canTakeAll(with, at) {
			f.addAll(with, at)
			f.add(n, shape, at)
			return
		}
	}
	f.start(n, &Group{Class: graph.Elementwise, Space: shape}, with...)
}

// waitsIn reports whether a narrow value that depends on no large product would wait for one in a kernel. Its users
// would wait too, such as the gradients of a row's scores, which can be computed block by block with the product.
// Values computed from a state that is written in place, such as an optimiser's averages, are exempt: the write needs
// them and waits anyway.
func (f *fuser) waitsIn(n *graph.Node, at int) bool {
	return f.behind[at] && !rewrite.IsLargeMatrix(n) &&
		!slices.ContainsFunc(f.makers, func(made int) bool { return f.behind[made] }) &&
		!slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool {
			return f.u.Writes.IsWritten(x) && x.Shape().Equal(n.Shape())
		})
}

// maker returns the kernel that computes a value or the value under a view, or -1.
func (f *fuser) maker(n *graph.Node) int { return f.at[alias.Viewed(n).ID()] }

// findMakers finds the kernels that must run before nodes, or with them.
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

// start makes a kernel of a node, and of deferred ones that it uses.
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

// open lets nodes of a shape join a kernel.
func (f *fuser) open(shape graph.Shape, at int) {
	key := shape.Compact()
	i, _ := slices.BinarySearch(f.byShape[key], at)
	f.byShape[key] = slices.Insert(f.byShape[key], i, at)
}

// canTake reports whether a node can join a kernel. None of the node's other dependencies depends on that kernel.
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
				return false // a write to a part needs the whole in memory
			}
		case l == PerRow && k.Row == 0 && !f.waiting.follows(at, made):
			return false // the kernel must not wait for another one for a single element
		}
	}
	if l == PerRow && (!taken || n.Op().Class == graph.Reduce && (k.hasLongRows() || f.behind[at] && k.mayBeScores())) {
		// It is unrelated to these rows, or would keep threads from sharing them, or chains from including them.
		return false
	}
	if !taken && (isLargeCopy(n) || isLargeCopy(k.Nodes[0]) && readsAcross(k.Nodes[0])) && !k.readsMemoryOf(n) {
		// It would wait for other values, and keep its copied operand as long. After a copy across rows it would
		// inherit that order.
		return false
	}
	if !taken && l == PerElement && isLarge(shape) && !k.readsMemoryOf(n) && !f.areRelated(n, k.Nodes[0]) {
		// It is unrelated to the kernel: it may want another order, would wait for it, and keep its operands as long.
		return false
	}
	for _, r := range f.u.Writes.Before(n) {
		if f.at[r.ID()] == at && !readsInPlace(r, n) {
			return false
		}
	}
	return k.rowsFit(n, l)
}

// minCopied is the number of elements from which a copy gets a separate kernel.
const minCopied = 1 << 14

// isLarge reports whether the known sizes of a shape have so large a product that the number of kernels that traverse
// it does not matter.
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

// isLargeCopy reports whether a node only copies many elements from a view.
func isLargeCopy(n *graph.Node) bool {
	count, known := n.Shape().NumElements().Int()
	return n.Op().Class == graph.Elementwise && len(n.Operands()) == 1 && alias.IsView(n.In(0)) &&
		(!known || count >= minCopied)
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

// add adds a node, whose makers are known, to a kernel.
func (f *fuser) add(n *graph.Node, shape graph.Shape, at int) {
	k := f.groups[at]
	k.Nodes = append(k.Nodes, n)
	f.at[n.ID()] = at
	f.order.after(at, f.makers...)
	f.behind[at] = f.behind[at] || n.Op().Class == graph.Contract && rewrite.IsLargeMatrix(n) ||
		slices.ContainsFunc(f.makers, func(made int) bool { return f.behind[made] })
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

// readsInPlace reports whether r reads only the element that a write overwrites next, so that both may share a kernel.
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
		return false // an element that is read later may have been filled before
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

// sameCells reports whether elements of two views of one memory have the same addresses.
func sameCells(x, y *graph.Node) bool {
	a, b := alias.LayoutOf(x), alias.LayoutOf(y)
	return a.Offset == b.Offset && slices.Equal(a.Strides, b.Strides)
}

// rowOf returns the axis from which a reduction folds all axes, if it folds none before; otherwise -1. Axes of size 1
// count as folded or not, as needed.
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
