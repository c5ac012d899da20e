package engine

import (
	"fmt"
)

// Verify checks that buffers that live at the same time lie apart within the arena, and that
// the arguments of row programs stay within the memory that they name.
func (b *Specialization) Verify(p *Code) error {
	for i, s := range p.Buffers {
		end := b.Offsets[s.Index] + b.Eval(s.Count)*s.Dtype.Size()
		if at := b.Offsets[s.Index]; at < 0 || at%alignment != 0 || end > b.Arena {
			return fmt.Errorf("%s lies at bytes %d to %d of %d", s.Node.Label(), at, end, b.Arena)
		}
		for _, other := range p.Buffers[:i] {
			if s.Root() == other.Root() || s.Last < other.First || other.Last < s.First {
				continue
			}
			start, stop := b.Offsets[other.Index], b.Offsets[other.Index]+b.Eval(other.Count)*other.Dtype.Size()
			if b.Offsets[s.Index] < stop && start < end {
				return fmt.Errorf("%s and %s live at the same time and share bytes", s.Node.Label(), other.Node.Label())
			}
		}
	}
	for _, st := range b.Launches {
		if k, ok := st.Task.(*LoopTask); ok {
			if err := k.Loop.Program.Verify(); err != nil {
				return err
			}
		}
	}
	return nil
}
