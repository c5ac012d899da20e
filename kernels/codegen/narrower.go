package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A program that reads and writes an operand in place may find the next row right after the last vector of a row, as
// sums of small images do. A load that overlaps a masked store, even its masked lanes, waits until that has reached the
// cache, 15 ns. So with AVX-512, the remainder of a row is written in vectors of a half and of a quarter first, and
// only the rest of it is masked.

// mostNarrower is the most micro-operations of a body for which this pays: a longer one hides the wait.
const mostNarrower = 16

// narrower lists the blocks on vectors of a half and of a quarter that write the remainder of a row; none if that does
// not pay.
func (c *compiler) narrower(b *block, p *plan) (list []*block) {
	if !c.target.isAVX512() || c.ofTiles || p.copies == 1 || b.guard || len(b.accs) > 0 ||
		len(b.insts) > mostNarrower || !c.rewritesRows() {
		return nil
	}
	for _, w := range []asm.Width{asm.W256, asm.W128} {
		if b = b.halved(w); b == nil {
			return nil
		}
		list = append(list, b)
	}
	return list
}

// rewritesRows reports whether rows of some operand are both read and written.
func (c *compiler) rewritesRows() bool {
	for _, o := range c.p.Operands {
		if o.Access == rowprog.InOut && o.Domain == rowprog.Vec {
			return true
		}
	}
	return false
}

// halved is the block on half as many lanes, with vectors of a width. It is nil if vectors have different widths, or
// some operation depends on the width.
func (b *block) halved(w asm.Width) *block {
	half := *b
	half.lanes, half.insts = b.lanes/2, make([]inst, len(b.insts))
	for i, in := range b.insts {
		switch in.form {
		case slotForm:
		case loadForm, unaryForm, binaryForm, fusedForm, blendForm, storeForm:
			if in.width != w+1 {
				return nil
			}
			in.width = w
		default:
			return nil
		}
		half.insts[i] = in
	}
	return &half
}

// streamed is the block on vectors whose results are written past the caches. If only memory limits its body, vectors
// have half of the width: AMD's Zen 4 then loads from memory a tenth faster.
func (c *compiler) streamed(b *block) *block {
	if c.target.isAVX512() && len(b.insts) <= mostNarrower {
		if half := b.halved(asm.W256); half != nil {
			return half
		}
	}
	return b
}
