package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/placement"
	"github.com/broadloom/broadloom/kernels/hugepage"
)

// extent is arena memory for buffers that reuse it in turn. Its live range counts kernels.
type extent struct {
	placement.Block
	s     *lower.Buffer
	chain *chainTask // the chain whose threads use it, instead of a buffer
}

// assignOffsets places the arena's buffers.
func (b *Specialization) assignOffsets(p *Code) {
	all := b.extents(p)
	places, end := placement.Place(blocksOf(all), len(p.Kernels)+1)
	largest := func() *lower.Buffer {
		return slices.MaxFunc(all, func(x, y extent) int { return cmp.Compare(x.Bytes, y.Bytes) }).s
	}
	if end > placement.MaxBytes {
		panic(b.tooMuch(p, end, largest(), placement.ErrAddresses))
	}
	b.Arena, b.Offsets = end, make([]int, len(p.Buffers))
	for i, k := range all {
		if k.chain != nil {
			k.chain.at = places[i]
			continue
		}
		for s := k.s; s != nil; s = s.ReusedBy {
			b.Offsets[s.Index] = places[i]
		}
	}
	if err := hugepage.Check(b.Arena); err != nil {
		panic(b.tooMuch(p, b.Arena, largest(), err))
	}
}

// extents lists what needs memory.
func (b *Specialization) extents(p *Code) []extent {
	return append(b.bufferExtents(p), b.chainExtents(p)...)
}

// blocksOf returns the blocks of extents.
func blocksOf(extents []extent) (blocks []placement.Block) {
	for _, k := range extents {
		blocks = append(blocks, k.Block)
	}
	return blocks
}

// Buffers whose sizes are multiples of a page have corresponding elements in the same cache sets, which hold 8 to 16
// lines each: a kernel with more operands finds nothing in the cache. So large buffers of such sizes are padded by some
// lines if such a kernel uses them. Others are not, because of 4K aliasing: a load waits for a preceding store at the
// same offset in a page.
const (
	minStaggered = 128 << 10
	evenly       = 512
	stagger      = 17 * placement.Alignment
)

// arenaShift is where a large arena begins in a page: in its middle. Inputs and parameters most often begin with a
// page, and a load takes longer if a store before it, of an element of a result, is at about the same offset in a page:
// x + y·z of half a million elements takes 0.94 of the time, and with its gradient 0.9 (AMD Zen 4).
const arenaShift = 2 << 10

// makeArena allocates an arena.
func (s *State) makeArena(bytes int) {
	shift := 0
	if bytes >= minStaggered {
		shift = arenaShift
	}
	s.Arena, s.later = hugepage.MakeLater(bytes+shift, hugepage.Slow)
	s.Arena = s.Arena[shift:]
}

// bufferExtents lists the memory of buffers.
func (b *Specialization) bufferExtents(p *Code) (extents []extent) {
	for _, s := range p.Buffers {
		if s.Reuses != nil {
			continue
		}
		if s.Repeat != nil {
			extents = append(extents,
				extent{placement.Block{First: s.First, Last: s.Last, Bytes: b.bodies[s.Repeat].scratch}, s, nil})
			continue
		}
		count := b.Eval(s.Count)
		if count > placement.MaxBytes/s.Dtype.Size() {
			panic(b.tooMuch(p, min(count, math.MaxInt/s.Dtype.Size())*s.Dtype.Size(), s, placement.ErrAddresses))
		}
		k := extent{placement.Block{First: s.First, Last: s.Last, Bytes: count * s.Dtype.Size()}, s, nil}
		for heir := s.ReusedBy; heir != nil; heir = heir.ReusedBy {
			k.Last = max(k.Last, heir.Last)
		}
		if b.wide[s] != nil {
			k.Bytes = 0
		}
		b.liveInChains(&k)
		k.Bytes = placement.Aligned(k.Bytes)
		if k.Bytes >= minStaggered && k.Bytes%evenly == 0 && s.Crowded {
			k.Bytes += stagger
		}
		extents = append(extents, k)
	}
	return extents
}

// liveInChains extends the live range of a buffer that is used inside a chain to the whole chain.
func (b *Specialization) liveInChains(k *extent) {
	for _, c := range b.chains {
		if c.First <= k.First && k.First <= c.Last {
			k.First = c.First
		}
		if c.First <= k.Last && k.Last <= c.Last {
			k.Last = c.Last
		}
	}
}

// chainExtents lists the memory of chains.
func (b *Specialization) chainExtents(p *Code) (extents []extent) {
	for _, c := range b.chains {
		extents = append(extents,
			extent{placement.Block{First: c.First, Last: c.Last, Bytes: c.memory()}, p.BufferOf[c.Wide[0]], c})
	}
	return extents
}
