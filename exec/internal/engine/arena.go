package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/hugepage"
)

// extent is memory of the arena for the buffers that take it over from each other.
type extent struct {
	s           *lower.Buffer
	first, last int // the kernels between which it is in use
	bytes, at   int
	chain       *chainTask // whose threads' memory it is, in place of a buffer
}

// maxPlaced bounds the blocks that are placed anew to improve one order: a few milliseconds.
const maxPlaced = 1 << 13

// sizesInOrder are the sizes by which blocks are placed, the largest first: their bytes, bytes by the time that they live, and
// this time, then bytes. The second closes gaps where few blocks live long, the third where many do. By the last, those that live at the time when most is
// in use lie below all others, without a gap then, and the longer they stay the lower.
var sizesInOrder = [...]func(k extent, peak int) float64{
	func(k extent, _ int) float64 { return float64(k.bytes) },
	func(k extent, _ int) float64 { return float64(k.bytes) * k.life() },
	func(k extent, _ int) float64 { return k.life()*maxArena + float64(k.bytes) },
	func(k extent, peak int) float64 {
		if k.first <= peak && peak <= k.last {
			return math.MaxInt * float64(1+k.last)
		}
		return float64(k.bytes) * k.life()
	},
}

// life is the number of kernels during which it is in use.
func (k extent) life() float64 { return float64(k.last - k.first + 1) }

// placed returns the blocks with their places, and the bytes that they take: each lies at the lowest place that is free while it lives. The order in
// which they are placed is that of a size, the best one, improved. Blocks that together make up less than a two-hundredth fill what the others leave.
func placed(blocks []extent, times int) (best []extent, least int) {
	enough, peak := mostLive(blocks, times)
	slices.SortStableFunc(blocks, func(x, y extent) int { return cmp.Compare(y.bytes, x.bytes) })
	large := len(blocks)
	for bytes := 0; large > 0; large-- {
		if bytes += blocks[large-1].bytes; bytes > enough/200 {
			break
		}
	}
	var orders []order
	for _, size := range sizesInOrder {
		o := order{blocks: slices.Clone(blocks[:large])}
		slices.SortStableFunc(o.blocks, func(x, y extent) int { return cmp.Compare(size(y, peak), size(x, peak)) })
		o.highest, o.end = place(o.blocks, times, math.MaxInt)
		if orders = append(orders, o); o.end <= enough+enough/100 || o.end > maxArena {
			break
		}
	}
	slices.SortStableFunc(orders, func(x, y order) int { return cmp.Compare(x.end, y.end) })
	least = math.MaxInt
	for _, o := range orders {
		if list, end := o.improve(times, enough, least); end < least {
			best, least = list, end
		}
		if least <= enough+enough/100 || least > maxArena {
			break
		}
	}
	best = append(best, blocks[large:]...)
	_, least = place(best, times, math.MaxInt)
	return best, least
}

// order is blocks in the order in which they were placed.
type order struct {
	blocks  []extent
	highest int // the number of the first that ends highest
	end     int // of that one
}

// improve returns the best order that it finds in fewer bytes than some, or else none. While blocks take more bytes than are enough, the first one that lies
// as high as the best end is placed before all others, as nothing would have kept it from lying lower. A five-hundredth more is enough.
func (o order) improve(times, enough, most int) (best []extent, least int) {
	least = most
	for tried := 0; ; {
		if o.end < least {
			best, least = slices.Clone(o.blocks), o.end
		}
		if tried > maxPlaced || least <= enough+enough/500 || least > maxArena {
			return best, least
		}
		k := o.blocks[o.highest]
		copy(o.blocks[1:], o.blocks[:o.highest])
		o.blocks[0] = k
		o.highest, o.end = place(o.blocks, times, least)
		tried += o.highest + 1
	}
}

// place places blocks in their order, and returns the number of the first that ends highest, and where it ends. It gives up with one
// that ends at a limit or behind it, or beyond maxArena.
func place(blocks []extent, times, limit int) (highest, end int) {
	taken := newTaken(len(blocks), times)
	for i := range blocks {
		k := &blocks[i]
		k.at = taken.firstFree(*k)
		if top := min(k.at, maxArena) + k.bytes; top > end {
			if highest, end = i, top; end >= limit || end > maxArena {
				break
			}
		}
		taken.add(*k)
	}
	return highest, end
}

// mostLive is the most bytes that are in use at once, and when they are.
func mostLive(blocks []extent, times int) (most, peak int) {
	change := make([]int, times+1)
	for _, k := range blocks {
		change[k.first] += k.bytes
		change[k.last+1] -= k.bytes
	}
	live := 0
	for time, bytes := range change {
		if live += bytes; live > most {
			most, peak = live, time
		}
	}
	return most, peak
}

// assignOffsets places the arena's buffers.
func (b *Specialization) assignOffsets(p *Code) {
	blocks, end := placed(append(b.blocks(p), b.chainMemory(p)...), len(p.Kernels)+1)
	largest := func() *lower.Buffer {
		return slices.MaxFunc(blocks, func(x, y extent) int { return cmp.Compare(x.bytes, y.bytes) }).s
	}
	if end > maxArena {
		panic(b.tooMuch(p, end, largest(), errAddresses))
	}
	b.Offsets = make([]int, len(p.Buffers))
	for _, k := range blocks {
		if k.chain != nil {
			k.chain.at = k.at
		} else {
			for s := k.s; s != nil; s = s.ReusedBy {
				b.Offsets[s.Index] = k.at
			}
		}
		b.Arena = max(b.Arena, k.at+k.bytes)
	}
	if err := hugepage.Check(b.Arena); err != nil {
		panic(b.tooMuch(p, b.Arena, largest(), err))
	}
}

// Buffers whose sizes are multiples of a page have their elements in the same sets of a cache, which has place for 8 to 16 lines in each: a kernel that works
// on more finds nothing there. So large buffers of such sizes are followed by some lines where such a kernel works on them. Elsewhere they are not, because
// of 4K aliasing: a load waits for a store just before if their places in pages are the same.
const (
	minStaggered = 128 << 10
	evenly       = 512
	stagger      = 17 * alignment
)

// blocks lists what is to be placed.
func (b *Specialization) blocks(p *Code) (blocks []extent) {
	for _, s := range p.Buffers {
		if s.Reuses != nil {
			continue
		}
		if s.Repeat != nil {
			blocks = append(blocks, extent{s: s, first: s.First, last: s.Last, bytes: b.bodies[s.Repeat].scratch})
			continue
		}
		count := b.Eval(s.Count)
		if count > maxArena/s.Dtype.Size() {
			panic(b.tooMuch(p, min(count, math.MaxInt/s.Dtype.Size())*s.Dtype.Size(), s, errAddresses))
		}
		k := extent{s: s, first: s.First, last: s.Last, bytes: count * s.Dtype.Size()}
		for heir := s.ReusedBy; heir != nil; heir = heir.ReusedBy {
			k.last = max(k.last, heir.Last)
		}
		if b.wide[s] != nil {
			k.bytes = 0
		}
		b.liveInChains(&k)
		k.bytes = (k.bytes + alignment - 1) / alignment * alignment
		if k.bytes >= minStaggered && k.bytes%evenly == 0 && s.Crowded {
			k.bytes += stagger
		}
		blocks = append(blocks, k)
	}
	return blocks
}

// liveInChains has a buffer that is used by kernels of a chain live as long as that runs.
func (b *Specialization) liveInChains(k *extent) {
	for _, c := range b.chains {
		if c.First <= k.first && k.first <= c.Last {
			k.first = c.First
		}
		if c.First <= k.last && k.last <= c.Last {
			k.last = c.Last
		}
	}
}

// chainMemory lists the memory of chains.
func (b *Specialization) chainMemory(p *Code) (blocks []extent) {
	for _, c := range b.chains {
		blocks = append(blocks, extent{s: p.BufferOf[c.Wide[0]], first: c.First, last: c.Last, bytes: c.memory(), chain: c})
	}
	return blocks
}
