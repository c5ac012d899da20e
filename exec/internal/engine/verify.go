package engine

import (
	"fmt"

	"github.com/broadloom/broadloom/exec/internal/placement"
)

// Verify checks that buffers that are live at the same time are disjoint and within the arena, and that row programs
// are valid.
func (b *Specialization) Verify(p *Code) error {
	for i, s := range p.Buffers {
		if b.wide[s] != nil {
			continue // threads have blocks of it
		}
		end := b.Offsets[s.Index] + b.sizeOf(s)
		if at := b.Offsets[s.Index]; at < 0 || at%placement.Alignment != 0 || end > b.Arena {
			return fmt.Errorf("%s lies at bytes %d to %d of %d", s.Node.Label(), at, end, b.Arena)
		}
		for _, other := range p.Buffers[:i] {
			if b.wide[other] != nil || s.Root() == other.Root() || s.Last < other.First || other.Last < s.First {
				continue
			}
			start, stop := b.Offsets[other.Index], b.Offsets[other.Index]+b.sizeOf(other)
			if b.Offsets[s.Index] < stop && start < end {
				return fmt.Errorf("%s and %s live at the same time and share bytes", s.Node.Label(), other.Node.Label())
			}
		}
	}
	if err := b.verifyChains(p); err != nil {
		return err
	}
	for _, l := range b.Launches {
		if k, ok := l.Task.(*LoopTask); ok {
			if err := k.Loop.Program.Verify(); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyChains checks that the memory of chains is disjoint from buffers that are live at the same time, and that
// blocks are within the matrices.
func (b *Specialization) verifyChains(p *Code) error {
	for _, c := range b.chains {
		for _, k := range b.bufferExtents(p) {
			at := b.Offsets[k.s.Index]
			if k.Bytes > 0 && k.First <= c.Last && c.First <= k.Last && at < c.at+c.memory() && c.at < at+k.Bytes {
				return fmt.Errorf("%s lies in the memory of the chain of kernels %d to %d", k.s.Node.Label(), c.First,
					c.Last)
			}
		}
		row := 0
		for _, at := range c.blocks {
			if at.lo != row || at.hi <= at.lo || at.hi > c.rows || at.left < 0 || at.left >= at.right ||
				at.right > c.cols || at.hi-at.lo > c.blocks[0].hi {
				return fmt.Errorf("a chain has the block %+v", at)
			}
			row = at.hi
		}
	}
	return nil
}
