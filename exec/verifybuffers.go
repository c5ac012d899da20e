package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/shapeinfer"
)

// verifyBuffers checks that every buffer lives as long as kernels use it, and that one which
// takes over another one's memory begins where that one ends.
func verifyBuffers(u *unit) error {
	for at, k := range u.kernels {
		for _, o := range k.operands() {
			if o.base == nil {
				continue
			}
			s := u.storageOf[o.base]
			switch {
			case s == nil:
				return invalidAt(o.base, "kernel %d uses it, and it has no buffer", at)
			case s.kind == inArena && (at < s.first || at > s.last):
				return invalidAt(o.base, "kernel %d uses it, and its buffer lives from kernel %d to %d", at, s.first, s.last)
			case s.dtype != o.base.DType():
				return invalidAt(o.base, "its buffer is of %s", s.dtype)
			}
		}
	}
	for i, n := range u.roots[:u.nOutputs] {
		s := u.storageOf[shapeinfer.Viewed(n)]
		switch {
		case s == nil:
			return invalidAt(n, "output %d has no buffer", i)
		case s.kind == inArena && s.last < len(u.kernels):
			return invalidAt(n, "output %d has a buffer that ends with kernel %d of %d", i, s.last, len(u.kernels))
		}
	}
	for _, s := range u.storages {
		if from := s.taken; from != nil {
			switch {
			case from.heir != s:
				return invalidAt(s.node, "it takes over a buffer that is given to another one")
			case from.last != s.first || from.count != s.count || from.dtype.Size() != s.dtype.Size():
				return invalidAt(s.node, "it takes over the buffer of %s, which ends with kernel %d and has %s elements", from.node.Label(), from.last, from.count)
			}
		}
	}
	return nil
}

// verify checks that buffers that live at the same time lie apart within the arena, and that
// the arguments of row programs stay within the memory that they name.
func (b *binding) verify(p *code) error {
	for i, s := range p.storages {
		end := b.offsets[s.index] + b.eval(s.count)*s.dtype.Size()
		if at := b.offsets[s.index]; at < 0 || at%alignment != 0 || end > b.arena {
			return fmt.Errorf("%s lies at bytes %d to %d of %d", s.node.Label(), at, end, b.arena)
		}
		for _, other := range p.storages[:i] {
			if s.root() == other.root() || s.last < other.first || other.last < s.first {
				continue
			}
			start, stop := b.offsets[other.index], b.offsets[other.index]+b.eval(other.count)*other.dtype.Size()
			if b.offsets[s.index] < stop && start < end {
				return fmt.Errorf("%s and %s live at the same time and share bytes", s.node.Label(), other.node.Label())
			}
		}
	}
	for _, st := range b.steps {
		if k, ok := st.kernel.(*boundPart); ok {
			if err := k.part.prog.Verify(); err != nil {
				return err
			}
		}
	}
	return nil
}
