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

// Chain is kernels, one behind the other, that can run on a block of rows after another: what each
// computes of a row needs no other row of what those before it compute, or is a sum over rows, or unites rows by index. So the
// matrices that they alone exchange need never be in memory as a whole.
type Chain struct {
	First, Last int         // kernels of the program
	Batch       graph.Shape // the axes before the rows
	Rows, Cols  graph.Dim   // Cols is that of the matrices that they exchange
	Members     []ChainMember
	// Wide is the matrices that they exchange, [Batch…, Rows, Cols] each.
	Wide []*graph.Node
	// Over is the axes of the batch over which members add up rows, such as gradients of a bias that all examples share: the matrices of one sum are
	// computed one after the other.
	Over []int
}

// ChainMember is a kernel of a chain.
type ChainMember struct {
	Kernel Kernel
	Sums   bool // a product that sums over the rows
	Adds   bool // a row program that adds up rows over axes of the batch
	// Wide is for each operand of the kernel the number of the matrix in Chain.Wide that it is, or -1.
	Wide []int
}

// maxChainWindow bounds the kernels behind a product that are looked at.
const maxChainWindow = 48

// FindChains looks for chains behind products, and brings the kernels of each together.
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
		f := chainFinder{u: u, touches: touches, users: users, anchor: product, window: u.Kernels[i:min(i+maxChainWindow, len(u.Kernels))]}
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

// chainFinder looks for a chain that begins with a product.
type chainFinder struct {
	u       *Program
	touches map[Kernel]touched
	users   map[*graph.Node][]Kernel // of each value's memory
	anchor  *MatMul
	window  []Kernel
	barred  map[Kernel]bool // that turned out to be no members

	members []Kernel
	made    map[*graph.Node]graph.Layout // what members compute row by row, as they write it
	sums    map[Kernel]bool
	adds    map[Kernel]bool
	over    []int // the axes over which these do
}

// find returns the chain, or nil. Its first kernel is counted from the window's.
func (f *chainFinder) find() *Chain {
	f.barred = map[Kernel]bool{}
	for {
		f.sort()
		wide := f.wide()
		if !slices.ContainsFunc(f.members, reducesRows) && !slices.ContainsFunc(f.members, isAgain) && !f.multiplies(wide) {
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

// sort tells members from kernels that must run after them.
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

// joins reports whether a kernel can be a member, and notes what it computes.
func (f *chainFinder) joins(k Kernel) bool {
	switch k := k.(type) {
	case *MatMul:
		return f.productJoins(k)
	case *Fused:
		return len(k.Parts) == 1 && f.loopJoins(k, k.Parts[0])
	}
	return false
}

// productJoins reports whether rows of a product come from the same rows of what members compute, or
// it sums over these rows.
func (f *chainFinder) productJoins(k *MatMul) bool {
	p, chain := k.MatMulSpec, f.anchor.MatMulSpec
	if p.inWords() || p.hasOffsets() || !p.Batch.Equal(chain.Batch) || !p.Operands[2].Layout.IsRowMajor() || isUndecided(p.Operands[:]) {
		return false
	}
	a, b := f.made[p.Operands[0].Base], f.made[p.Operands[1].Base]
	rank := len(p.Batch)
	switch {
	case p.M == chain.M && b.Strides == nil && f.sameRows(p.Operands[0], rank):
		f.made[p.Operands[2].Base] = p.Operands[2].Layout
		return true
	case p.K == chain.M && (a.Strides != nil || b.Strides != nil) && f.sameRows(p.Operands[0], rank+1) && f.sameRows(p.Operands[1], rank):
		f.sums[k] = true
		return true
	}
	return false
}

// loopJoins reports whether a row program computes rows from the same rows, be it that it adds up some over the batch.
func (f *chainFinder) loopJoins(k Kernel, p *Loop) bool {
	chain := f.anchor.MatMulSpec
	rank := len(chain.Batch)
	if len(p.Space) != rank+2 || !p.Space[:rank].Equal(chain.Batch) || p.Space[rank] != chain.M || isUndecided(p.Operands) || reducesAcross(p, rank) {
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
		case o.Write && (alias.Storage(o.Base) != o.Base || o.Base.Op().Class == graph.Update || !ownsRows(o, rank, over)):
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

// addsOver returns the axes of the batch over which a row program adds up rows, nil if it does not, and whether a chain can: the matrices of a sum follow each
// other then, so that all members add up over the same axes.
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

// reducesAcross reports whether a row program reduces over an axis of its iteration space, that of rows, to values that its elements take.
func reducesAcross(p *Loop, axis int) bool {
	return len(p.Axes) > 0 && slices.Contains(p.Axes[len(p.Axes)-1], axis) &&
		slices.ContainsFunc(p.Program.Insts, func(in rowprog.Inst) bool { return in.Op == rowprog.OpReduce })
}

func isUndecided(operands []fusion.Operand) bool {
	return slices.ContainsFunc(operands, func(o fusion.Operand) bool { return o.Undecided != nil })
}

// ownsRows reports whether what is written has elements of its own for each row, in order: of all matrices of the batch along some axes, as it is repeated
// along these.
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

// sameRows reports whether an operand, if members compute it, is read at the rows where they write it:
// the axis for rows has the given number.
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

// writes reports whether a member writes a value's memory, other than row by row.
func (f *chainFinder) writes(base *graph.Node) bool {
	return slices.ContainsFunc(f.members, func(k Kernel) bool {
		return slices.ContainsFunc(k.Operands(), func(o fusion.Operand) bool {
			return o.Write && alias.Storage(o.Base) == alias.Storage(base)
		})
	})
}

// wide lists the matrices of the product's columns that members alone exchange.
func (f *chainFinder) wide() (list []*graph.Node) {
	rank := len(f.anchor.Batch)
	for _, k := range f.members {
		for _, o := range k.Operands() {
			if l, isMade := f.made[o.Base]; !o.Write || !isMade || slices.Contains(list, o.Base) || l.Shape[rank+1] != f.anchor.N || l.Strides[rank+1] != 1 {
				continue
			}
			if !f.u.isRoot(o.Base) && !slices.ContainsFunc(f.users[o.Base], func(k Kernel) bool { return !slices.Contains(f.members, k) }) {
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
	return slices.ContainsFunc(k.Operands(), func(o fusion.Operand) bool { return o.Base != nil && alias.Storage(o.Base) == base })
}

// exchanges reports whether a member reads or writes one of the wide matrices.
func (f *chainFinder) exchanges(k Kernel, wide []*graph.Node) bool {
	return slices.ContainsFunc(wide, func(n *graph.Node) bool { return uses(k, n) })
}

// multiplies reports whether scores, the first product, are never whole for the sake of a second one: layers of weights
// take their tiles from each other in memory.
func (f *chainFinder) multiplies(wide []*graph.Node) bool {
	return scores.IsProduct(f.anchor.Nodes[0]) && slices.ContainsFunc(f.members, func(k Kernel) bool {
		product, ok := k.(*MatMul)
		return ok && slices.ContainsFunc(product.Operands()[:2], func(o fusion.Operand) bool { return slices.Contains(wide, o.Base) })
	})
}

// reducesRows reports whether a kernel is a row program with reductions.
func reducesRows(k Kernel) bool {
	loop, ok := k.(*Fused)
	return ok && !loop.Parts[0].Program.Columnwise()
}

// isAgain reports whether a kernel is a product that is computed again, so as not to be in memory until then.
func isAgain(k Kernel) bool {
	product, ok := k.(*MatMul)
	return ok && rewrite.IsAgain(product.Nodes[0])
}

// others lists what stands among the members, in order: what they need comes before them, and all else
// after them, as a product that is computed again does, in order to be computed late.
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

// chain makes the chain of the members, which it brings together.
func (f *chainFinder) chain(wide []*graph.Node) *Chain {
	before, after := f.others(f.window[:slices.Index(f.window, f.members[len(f.members)-1])+1])
	c := &Chain{First: len(before), Last: len(before) + len(f.members) - 1, Batch: f.anchor.Batch, Rows: f.anchor.M, Cols: f.anchor.N, Wide: wide, Over: f.over}
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
