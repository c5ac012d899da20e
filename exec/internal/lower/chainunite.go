package lower

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Rows that are only combined by index need not be stored either: messages from the edges of a graph to its nodes, and
// gradients of picked rows. The kernel that computes them and those that combine them form a chain.

// UnitesByIndex reports whether a chain's rows are combined by index.
func (c *Chain) UnitesByIndex() bool {
	_, is := c.Members[len(c.Members)-1].Kernel.(*Gather)
	return is
}

// findUnited finds these chains.
func (u *Program) findUnited(touches map[Kernel]touched, users map[*graph.Node][]Kernel) {
	for i := range u.Kernels {
		k, isLoop := u.Kernels[i].(*Fused)
		if !isLoop || u.isInChain(i) || u.mayBeFused(i, k) || !computesRows(k) {
			continue
		}
		var wide []*graph.Node
		var sums []Kernel
		for _, o := range k.Parts[0].Operands {
			if o.Base == nil || !o.Write || slices.Contains(wide, o.Base) || u.isRoot(o.Base) {
				continue
			}
			if by := unitedBy(k, o, users[o.Base]); by != nil && u.comesNext(i, by, sums, touches) {
				wide, sums = append(wide, o.Base), append(sums, by...)
			}
		}
		if len(wide) == 0 {
			continue
		}
		space, c := k.Parts[0].Space, &Chain{First: i, Last: i + len(sums), Wide: wide}
		c.Rows, c.Cols = space[0], space[1:].NumElements()
		u.bringNext(i, sums)
		for _, m := range u.Kernels[i : c.Last+1] {
			member := ChainMember{Kernel: m}
			for _, o := range m.Operands() {
				member.Wide = append(member.Wide, slices.Index(wide, o.Base))
			}
			c.Members = append(c.Members, member)
		}
		at, _ := slices.BinarySearchFunc(u.Chains, i, func(c *Chain, first int) int { return c.First - first })
		u.Chains = slices.Insert(u.Chains, at, c)
	}
}

// isInChain reports whether a kernel belongs to a chain.
func (u *Program) isInChain(at int) bool {
	return slices.ContainsFunc(u.Chains, func(c *Chain) bool { return c.First <= at && at <= c.Last })
}

// isRoot reports whether a node is the memory of one of the program's roots.
func (u *Program) isRoot(n *graph.Node) bool {
	if u.rootMemory == nil {
		u.rootMemory = make(map[*graph.Node]bool, len(u.Roots))
		for _, r := range u.Roots {
			u.rootMemory[alias.Storage(r)] = true
		}
	}
	return u.rootMemory[n]
}

// mayBeFused reports whether a kernel can be fused with a product just before it, which has priority.
func (u *Program) mayBeFused(at int, k *Fused) bool {
	for i := max(at-2, 0); i < at; i++ {
		if product, is := u.Kernels[i].(*MatMul); is &&
			(canFuseWithResult(k, product) || canFuseWithFactor(k, product)) {
			return true
		}
	}
	return false
}

// computesRows reports whether a kernel computes rows independently. A row may have several axes.
func computesRows(k *Fused) bool {
	if len(k.Parts) != 1 {
		return false
	}
	p := k.Parts[0]
	if len(p.Space) < 2 || isUndecided(p.Operands) || reducesAcross(p, 0) {
		return false
	}
	for i, o := range p.Operands {
		if o.Write && (p.Program.Operands[i].Access == rowprog.Acc || alias.Storage(o.Base) != o.Base ||
			o.Base.Op().Class == graph.Update || o.Layout.Strides[0] == 0) {
			return false
		}
	}
	return true
}

// unitedBy returns the kernels that combine by index the rows that a kernel writes; nil if there are none, or the rows
// have other readers.
func unitedBy(k *Fused, o fusion.Operand, users []Kernel) (by []Kernel) {
	space := k.Parts[0].Space
	for _, user := range users {
		if user == Kernel(k) || slices.Contains(by, user) {
			continue
		}
		g, is := user.(*Gather)
		if !is || !o.Layout.IsRowMajor() || g.Fold == graph.NoFold || g.Outer != 1 || g.Count != space[0] ||
			g.Inner != space[1:].NumElements() {
			return nil
		}
		from := g.GatherSpec.Operands[0]
		if from.Base != o.Base || !from.Layout.IsRowMajor() || from.Layout.Offset != 0 ||
			g.GatherSpec.Operands[1].Base == o.Base {
			return nil
		}
		by = append(by, user)
	}
	return by
}

// comesNext reports whether kernels can move directly behind the kernel at a position and some others.
func (u *Program) comesNext(at int, next, others []Kernel, touches map[Kernel]touched) bool {
	left := len(next)
	var between []Kernel
	for i := at + 1; i < min(at+maxChainWindow, len(u.Kernels)) && left > 0; i++ {
		k := u.Kernels[i]
		switch {
		case slices.Contains(others, k):
		case u.isInChain(i):
			return false
		case !slices.Contains(next, k):
			between = append(between, k)
		case slices.ContainsFunc(between, func(m Kernel) bool { return touches[m].conflicts(touches[k]) }):
			return false
		default:
			left--
		}
	}
	return left == 0
}

// bringNext moves kernels directly behind the kernel at a position.
func (u *Program) bringNext(at int, kernels []Kernel) {
	rest := slices.DeleteFunc(slices.Clone(u.Kernels[at+1:]), func(k Kernel) bool {
		return slices.Contains(kernels, k)
	})
	copy(u.Kernels[at+1:], slices.Concat(kernels, rest))
}
