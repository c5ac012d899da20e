package lower

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Chain is consecutive kernels that can run on one block of rows after another. What each computes for a row needs no
// other row of the kernels before it, except that it may sum over rows or combine rows by index. So matrices that only
// they exchange are never stored whole.
type Chain struct {
	First, Last int         // indices of the first and the last kernel
	Batch       graph.Shape // the axes before the rows
	Rows, Cols  graph.Dim   // Cols is the number of columns of the exchanged matrices
	Members     []ChainMember
	// Wide is the matrices that they exchange, [Batch…, Rows, Cols] each.
	Wide []*graph.Node
	// Over is the axes of the batch over which members sum rows, such as gradients of a bias that all examples share.
	// Matrices of one sum are computed one after the other.
	Over []int
}

// ChainMember is a kernel of a chain.
type ChainMember struct {
	Kernel Kernel
	Sums   bool // a product that sums over rows
	Adds   bool // a row program that sums rows over axes of the batch
	// Wide is the index in Chain.Wide of each operand of the kernel, or -1.
	Wide []int
}

// maxChainWindow is the number of kernels, from a product on, that are considered.
const maxChainWindow = 48

// FindChains finds chains that begin with products, and makes their kernels consecutive.
func FindChains(u *Program) error {
	touches, users := map[Kernel]touched{}, usersOf(u.Kernels)
	for _, k := range u.Kernels {
		touches[k] = touchedBy(k)
	}
	for i := 0; i < len(u.Kernels); i++ {
		product, ok := u.Kernels[i].(*MatMul)
		if !ok || product.inWords() || product.hasOffsets() || !product.Operands()[2].Layout.IsRowMajor() {
			continue
		}
		f := chainFinder{u: u, touches: touches, users: users, anchor: product,
			window: u.Kernels[i:min(i+maxChainWindow, len(u.Kernels))]}
		c := f.find()
		if c == nil {
			continue
		}
		c.First += i
		c.Last += i
		u.Chains = append(u.Chains, c)
		i = c.Last
	}
	u.findUnited(touches, users)
	return nil
}

// chainFinder finds a chain that begins with a product.
type chainFinder struct {
	u       *Program
	touches map[Kernel]touched
	users   map[*graph.Node][]Kernel // of each value's memory
	anchor  *MatMul
	window  []Kernel
	barred  map[Kernel]bool // that cannot be members

	members []Kernel
	made    map[*graph.Node]graph.Layout // what members compute row by row, with the layout
	sums    map[Kernel]bool
	adds    map[Kernel]bool
	over    []int // the axes over which those in adds sum
}

// find returns the chain, or nil. It counts First and Last from the window's first kernel.
func (f *chainFinder) find() *Chain {
	f.barred = map[Kernel]bool{}
	for {
		f.sort()
		wide := f.wide()
		if !slices.ContainsFunc(f.members, reducesRows) && !slices.ContainsFunc(f.members, isAgain) &&
			!f.multiplies(wide) {
			return nil // products and what follows them are fused tile by tile
		}
		outside := slices.IndexFunc(f.members, func(k Kernel) bool { return !f.exchanges(k, wide) })
		if outside < 0 {
			return f.chain(wide)
		}
		if f.members[outside] == Kernel(f.anchor) {
			return nil
		}
		f.barred[f.members[outside]] = true
	}
}

// sort separates members from kernels that must run after them.
func (f *chainFinder) sort() {
	f.members = nil
	f.made, f.sums, f.adds, f.over = map[*graph.Node]graph.Layout{}, map[Kernel]bool{}, map[Kernel]bool{}, nil
	byMembers, byAfter := touched{}, touched{}
	for _, k := range f.window {
		t := f.touches[k]
		needsAfter := t.conflicts(byAfter)
		switch {
		case !needsAfter && !f.barred[k] && f.joins(k):
			f.members = append(f.members, k)
			byMembers.add(t)
		case needsAfter || t.conflicts(byMembers):
			byAfter.add(t)
		}
	}
}

// joins reports whether a kernel can be a member, and records what it computes.
func (f *chainFinder) joins(k Kernel) bool {
	switch k := k.(type) {
	case *MatMul:
		return f.productJoins(k)
	case *Fused:
		return len(k.Parts) == 1 && f.loopJoins(k, k.Parts[0])
	}
	return false
}

// productJoins reports whether a product computes rows from the same rows of members' results, or sums over these rows.
func (f *chainFinder) productJoins(k *MatMul) bool {
	p, chain := k.MatMulSpec, f.anchor.MatMulSpec
	if p.inWords() || p.Block != 0 || p.hasOffsets() || !p.Batch.Equal(chain.Batch) ||
		!p.Operands[2].Layout.IsRowMajor() || isUndecided(p.Operands[:]) {
		return false
	}
	a, b := f.made[p.Operands[0].Base], f.made[p.Operands[1].Base]
	rank := len(p.Batch)
	switch {
	case p.M == chain.M && b.Strides == nil && f.sameRows(p.Operands[0], rank):
		f.made[p.Operands[2].Base] = p.Operands[2].Layout
		return true
	case p.K == chain.M && (a.Strides != nil || b.Strides != nil) && f.sameRows(p.Operands[0], rank+1) &&
		f.sameRows(p.Operands[1], rank):
		f.sums[k] = true
		return true
	}
	return false
}

// loopJoins reports whether a row program computes rows from the same rows. It may also sum some over the batch.
func (f *chainFinder) loopJoins(k Kernel, p *Loop) bool {
	chain := f.anchor.MatMulSpec
	rank := len(chain.Batch)
	if len(p.Space) != rank+2 || !p.Space[:rank].Equal(chain.Batch) || p.Space[rank] != chain.M ||
		isUndecided(p.Operands) || reducesAcross(p, rank) {
		return false
	}
	over, can := f.addsOver(p)
	if !can {
		return false
	}
	reads := false
	for _, o := range p.Operands {
		_, isMade := f.made[o.Base]
		switch {
		case o.Base == nil:
		case o.Write && (alias.Storage(o.Base) != o.Base || o.Base.Op().Class == graph.Update ||
			!ownsRows(o, rank, over)):
			return false
		case !o.Write && !f.sameRows(o, rank):
			return false
		case !o.Write && isMade:
			reads = true
		}
	}
	if !reads {
		return false
	}
	for i, o := range p.Operands {
		if o.Write && p.Program.Operands[i].Access != rowprog.Acc {
			f.made[o.Base] = o.Layout
		}
	}
	if over != nil {
		f.adds[k], f.over = true, over
	}
	return true
}

// addsOver returns the axes of the batch over which a row program sums rows, nil if it does not, and whether it fits a
// chain. The matrices of a sum follow each other in the chain, so all members must sum over the same axes.
func (f *chainFinder) addsOver(p *Loop) (axes []int, can bool) {
	for _, o := range p.Program.Operands {
		if o.Access != rowprog.Acc {
			continue
		}
		if o.Domain != rowprog.Vec || len(p.Axes) < 2 || !p.Program.ReducesOutermost() {
			return nil, false
		}
		for axis := range p.Axes {
			if o.Reduced.Has(axis) != (axis == 0) {
				return nil, false
			}
		}
		axes = p.Axes[0]
	}
	isOfRows := func(axis int) bool { return axis >= len(f.anchor.Batch) }
	return axes, !slices.ContainsFunc(axes, isOfRows) && (axes == nil || f.over == nil || slices.Equal(axes, f.over))
}

// reducesAcross reports whether a row program reduces along an axis of the iteration space, which is that of the
// chain's rows.
func reducesAcross(p *Loop, axis int) bool {
	return len(p.Axes) > 0 && slices.Contains(p.Axes[len(p.Axes)-1], axis) &&
		slices.ContainsFunc(p.Program.Insts, func(in rowprog.Inst) bool { return in.Op == rowprog.OpReduce })
}

func isUndecided(operands []fusion.Operand) bool {
	return slices.ContainsFunc(operands, func(o fusion.Operand) bool { return o.Undecided != nil })
}

// ownsRows reports whether a written value has separate elements for each row, in order. It may be broadcast along
// columns and along some axes.
func ownsRows(o fusion.Operand, rank int, over []int) bool {
	l := graph.Layout{Shape: slices.Clone(o.Layout.Shape), Strides: o.Layout.Strides, Offset: o.Layout.Offset}
	if l.Strides[rank+1] == 0 {
		l.Shape[rank+1] = 1
	}
	for _, axis := range over {
		if l.Strides[axis] == 0 {
			l.Shape[axis] = 1
		}
	}
	return l.IsRowMajor()
}

// sameRows reports whether an operand that members compute is read in the rows in which it is written. rows is the
// operand's axis of rows.
func (f *chainFinder) sameRows(o fusion.Operand, rows int) bool {
	if o.Base == nil {
		return true
	}
	written, isMade := f.made[o.Base]
	if !isMade {
		return !f.writes(o.Base)
	}
	rank := len(f.anchor.Batch)
	for axis, d := range f.anchor.Batch {
		if d != 1 && o.Layout.Strides[axis] != written.Strides[axis] {
			return false
		}
	}
	return o.Layout.Strides[rows] == written.Strides[rank] && o.Layout.Offset == written.Offset
}

// writes reports whether a member writes to a value's memory.
func (f *chainFinder) writes(base *graph.Node) bool {
	return slices.ContainsFunc(f.members, func(k Kernel) bool {
		return slices.ContainsFunc(k.Operands(), func(o fusion.Operand) bool {
			return o.Write && alias.Storage(o.Base) == alias.Storage(base)
		})
	})
}

// wide lists the matrices with the product's number of columns that only members exchange.
func (f *chainFinder) wide() (list []*graph.Node) {
	rank := len(f.anchor.Batch)
	for _, k := range f.members {
		for _, o := range k.Operands() {
			if l, isMade := f.made[o.Base]; !o.Write || !isMade || slices.Contains(list, o.Base) ||
				l.Shape[rank+1] != f.anchor.N || l.Strides[rank+1] != 1 {
				continue
			}
			if !f.u.isRoot(o.Base) && !slices.ContainsFunc(f.users[o.Base], func(k Kernel) bool {
				return !slices.Contains(f.members, k)
			}) {
				list = append(list, o.Base)
			}
		}
	}
	return list
}

// usersOf lists the kernels that read or write each value's memory.
func usersOf(kernels []Kernel) map[*graph.Node][]Kernel {
	users := map[*graph.Node][]Kernel{}
	for _, k := range kernels {
		for _, o := range k.Operands() {
			if o.Base != nil {
				base := alias.Storage(o.Base)
				users[base] = append(users[base], k)
			}
		}
	}
	return users
}

// uses reports whether a kernel reads or writes a value's memory.
func uses(k Kernel, base *graph.Node) bool {
	return slices.ContainsFunc(k.Operands(), func(o fusion.Operand) bool {
		return o.Base != nil && alias.Storage(o.Base) == base
	})
}

// exchanges reports whether a kernel reads or writes one of the wide matrices.
func (f *chainFinder) exchanges(k Kernel, wide []*graph.Node) bool {
	return slices.ContainsFunc(wide, func(n *graph.Node) bool { return uses(k, n) })
}

// multiplies reports whether the first product computes scores that a member multiplies again, so that they need not be
// stored whole. Layers with weights exchange tiles in memory instead.
func (f *chainFinder) multiplies(wide []*graph.Node) bool {
	return scores.IsProduct(f.anchor.Nodes[0]) && slices.ContainsFunc(f.members, func(k Kernel) bool {
		product, ok := k.(*MatMul)
		return ok && slices.ContainsFunc(product.Operands()[:2], func(o fusion.Operand) bool {
			return slices.Contains(wide, o.Base)
		})
	})
}

// reducesRows reports whether a kernel is a row program with reductions.
func reducesRows(k Kernel) bool {
	loop, ok := k.(*Fused)
	return ok && !loop.Parts[0].Program.Columnwise()
}

// isAgain reports whether a kernel is a recomputed product, so that its matrix need not stay in memory.
func isAgain(k Kernel) bool {
	product, ok := k.(*MatMul)
	return ok && rewrite.IsAgain(product.Nodes[0])
}

// others lists the kernels among the members that are no members, in order: those on which members depend come before
// them, all others after. A recomputed product comes after, since it is meant to run late.
func (f *chainFinder) others(among []Kernel) (before, after []Kernel) {
	first := slices.Clone(f.members)
	for _, k := range slices.Backward(among) {
		switch {
		case slices.Contains(f.members, k):
		case slices.ContainsFunc(first, func(x Kernel) bool {
			return f.touches[x].conflicts(f.touches[k]) && slices.Index(among, x) > slices.Index(among, k)
		}):
			first, before = append(first, k), append(before, k)
		default:
			after = append(after, k)
		}
	}
	slices.Reverse(before)
	slices.Reverse(after)
	return before, after
}

// chain makes the chain, and makes its members consecutive.
func (f *chainFinder) chain(wide []*graph.Node) *Chain {
	before, after := f.others(f.window[:slices.Index(f.window, f.members[len(f.members)-1])+1])
	c := &Chain{First: len(before), Last: len(before) + len(f.members) - 1, Batch: f.anchor.Batch, Rows: f.anchor.M,
		Cols: f.anchor.N, Wide: wide, Over: f.over}
	for _, k := range f.members {
		m := ChainMember{Kernel: k, Sums: f.sums[k], Adds: f.adds[k]}
		for _, o := range k.Operands() {
			m.Wide = append(m.Wide, slices.Index(wide, o.Base))
		}
		c.Members = append(c.Members, m)
	}
	copy(f.window, slices.Concat(before, f.members, after))
	return c
}
