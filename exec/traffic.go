package exec

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// traffic counts the bytes that one run of a kernel moves, and what its operations would move
// if each were a kernel of its own.
func (b *binding) traffic(k kernel) (moved, unfused int) {
	type use struct {
		base  *graph.Node
		write bool
	}
	seen := map[use]int{}
	picks, ok := k.(*gathering)
	ok = ok && !picks.add
	for i, o := range k.operands() {
		if o.base == nil {
			continue
		}
		most := b.bytes(o.base) // windows reach some elements again and again
		if ok && i == 0 {       // it reads what it picks
			most = min(most, b.bytes(picks.node))
		}
		u := use{o.base, o.write}
		bytes := min(b.touched(o)*o.base.DType().Size(), most-seen[u])
		seen[u] += bytes
		moved += bytes
	}
	members := k.of().members()
	if len(members) == 1 {
		return moved, moved
	}
	for _, n := range members {
		unfused += b.bytes(n)
		for i, x := range n.Operands() {
			if i == 0 || x != n.In(i-1) {
				unfused += b.bytes(x)
			}
		}
	}
	return moved, unfused
}

// touched counts the elements of memory that an operand's layout reaches.
func (b *binding) touched(o operand) int {
	count := 1
	for axis, stride := range b.strides(o) {
		if stride != 0 {
			count *= b.eval(o.layout.Shape[axis])
		}
	}
	return count
}

func (b *binding) bytes(n *graph.Node) int { return b.eval(n.Shape().NumElements()) * n.DType().Size() }

// live gives the most bytes of the arena's values that are alive at once. Values that
// take over the memory of another one count once.
func (b *binding) live(p *code) int {
	most := 0
	for at := range len(p.kernels) + 1 {
		sum := 0
		for _, s := range p.storages {
			last := s.last
			for heir := s.heir; heir != nil; heir = heir.heir {
				last = max(last, heir.last)
			}
			if s.taken == nil && s.first <= at && at <= last {
				sum += b.eval(s.count) * s.dtype.Size()
			}
		}
		most = max(most, sum)
	}
	return most
}

// flops counts the operations on elements of one run of a kernel.
func (b *binding) flops(k kernel) int {
	if m, ok := k.(*matmul); ok {
		return 2 * b.eval(m.batch.NumElements()) * b.eval(m.m) * b.eval(m.n) * b.eval(m.k)
	}
	count := 0
	for _, part := range b.chosen(k) {
		each := 0
		for i := range part.prog.Insts {
			in := &part.prog.Insts[i]
			switch {
			case in.Op == rowprog.OpFMA:
				each += 2
			case in.Op.IsPrimitive() && in.Domain == rowprog.Vec || in.Op == rowprog.OpReduce || in.Op == rowprog.OpAccumulate:
				each++
			}
		}
		count += each * b.eval(graph.Shape(part.domain).NumElements())
	}
	return count
}
