package exec

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Stats is what one run of a program takes, with all sizes known.
type Stats struct {
	Kernels int
	Moved   int // bytes between memory and processor, each operand read and each result written once
	Unfused int // the same if each operation were a kernel of its own
	Flops   int // operations on elements; a fused multiply-add counts as two
	Peak    int // bytes of the session's arena
	Live    int // bytes of the values that are alive at once, at the worst moment: no plan needs less
}

// Stats evaluates the plan for the given named sizes. All names that inputs have must be
// given.
func (p *Program) Stats(sizes map[string]int) (*Stats, error) {
	b, err := p.bindingFor(sizes)
	if err != nil {
		return nil, err
	}
	s := &Stats{Kernels: len(p.kernels), Peak: b.arena, Live: b.live(p)}
	for _, k := range p.kernels {
		t := b.traffic(k)
		s.Moved, s.Unfused = s.Moved+t.Moved, s.Unfused+t.Unfused
		s.Flops += b.flops(k)
	}
	return s, nil
}

// live gives the most bytes of the arena's values that are alive at once. Values that
// take over the memory of another one count once.
func (b *binding) live(p *Program) int {
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
