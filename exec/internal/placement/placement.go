package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// Alignment is the alignment of blocks, in bytes: a cache line.
const Alignment = hugepage.Line

// Aligned rounds up to a multiple of [Alignment].
func Aligned(bytes int) int { return (bytes + Alignment - 1) / Alignment * Alignment }

// MaxBytes is the number of bytes beyond which no memory is requested: the address space of a process on today's
// processors.
const MaxBytes = min(1<<47, math.MaxInt/2)

// ErrAddresses is the cause of the error if more than MaxBytes are needed.
var ErrAddresses = fmt.Errorf("a process cannot have more than %s", hugepage.Bytes(MaxBytes))

// Block is memory with a live range.
type Block struct {
	First, Last int // the live range, both ends included
	Bytes       int
}

// block is a placed block.
type block struct {
	Block
	number, at int
}

// Place returns the offsets of blocks, and the bytes that they need together. Blocks that are live at the same time do
// not overlap. All times are less than times. If the result exceeds [MaxBytes], the offsets are meaningless.
func Place(blocks []Block, times int) (at []int, bytes int) {
	most, peak := MostInUse(blocks, times)
	all, bytes := placed(unplaced(blocks), times, most, peak)
	at = make([]int, len(blocks))
	for _, k := range all {
		at[k.number] = k.at
	}
	return at, bytes
}

// unplaced numbers blocks.
func unplaced(blocks []Block) (all []block) {
	for i, k := range blocks {
		all = append(all, block{Block: k, number: i})
	}
	return all
}

// MostInUse returns the most bytes that are live at once, and when.
func MostInUse(blocks []Block, times int) (most, peak int) {
	change := make([]int, times+1)
	for _, k := range blocks {
		change[k.First] += k.Bytes
		change[k.Last+1] -= k.Bytes
	}
	inUse := 0
	for time, bytes := range change {
		if inUse += bytes; inUse > most {
			most, peak = inUse, time
		}
	}
	return most, peak
}

// maxPlaced limits how many blocks are placed again to improve one order. That takes a few milliseconds.
const maxPlaced = 1 << 13

// sizesInOrder are the keys by which blocks are sorted before they are placed, largest first: bytes, bytes times live
// range, and live range then bytes. The second closes gaps if few blocks live long, the third if many do. The last one
// places the blocks that are live at the peak below all others. So they have no gaps at the peak, and those that end
// later lie lower.
var sizesInOrder = [...]func(k Block, peak int) float64{
	func(k Block, _ int) float64 { return float64(k.Bytes) },
	func(k Block, _ int) float64 { return float64(k.Bytes) * k.life() },
	func(k Block, _ int) float64 { return k.life()*MaxBytes + float64(k.Bytes) },
	func(k Block, peak int) float64 {
		if k.First <= peak && peak <= k.Last {
			return math.MaxInt * float64(1+k.Last)
		}
		return float64(k.Bytes) * k.life()
	},
}

// life returns the number of kernels during which a block is live.
func (k Block) life() float64 { return float64(k.Last - k.First + 1) }

// placed returns the blocks with their offsets, and the bytes that they need. Each block lies at the lowest offset that
// is free while it lives. placed tries the orders of sizesInOrder, and improves the best ones until the blocks need
// little more than enough bytes. The smallest blocks, together less than a two-hundredth, then fill the gaps.
func placed(blocks []block, times, enough, peak int) (best []block, least int) {
	slices.SortStableFunc(blocks, func(x, y block) int { return cmp.Compare(y.Bytes, x.Bytes) })
	large := len(blocks)
	for bytes := 0; large > 0; large-- {
		if bytes += blocks[large-1].Bytes; bytes > enough/200 {
			break
		}
	}
	var orders []order
	for _, size := range sizesInOrder {
		o := order{blocks: slices.Clone(blocks[:large])}
		slices.SortStableFunc(o.blocks, func(x, y block) int {
			return cmp.Compare(size(y.Block, peak), size(x.Block, peak))
		})
		o.highest, o.end = place(o.blocks, times, math.MaxInt)
		if orders = append(orders, o); o.end <= enough+enough/100 || o.end > MaxBytes {
			break
		}
	}
	slices.SortStableFunc(orders, func(x, y order) int { return cmp.Compare(x.end, y.end) })
	least = math.MaxInt
	for _, o := range orders {
		if list, end := o.improve(times, enough, least); end < least {
			best, least = list, end
		}
		if least <= enough+enough/100 || least > MaxBytes {
			break
		}
	}
	best = append(best, blocks[large:]...)
	_, least = place(best, times, math.MaxInt)
	return best, least
}

// order is blocks in the order in which they were placed.
type order struct {
	blocks  []block
	highest int // index of the first block with the highest end
	end     int // the highest end
}

// improve returns the best order that it finds if it needs fewer than most bytes, or nil. While blocks need more than
// enough bytes, it moves the first block with the highest end to the front, where nothing keeps it from lying lower. It
// stops within a five-hundredth of enough.
func (o order) improve(times, enough, most int) (best []block, least int) {
	least = most
	for tried := 0; ; {
		if o.end < least {
			best, least = slices.Clone(o.blocks), o.end
		}
		if tried > maxPlaced || least <= enough+enough/500 || least > MaxBytes {
			return best, least
		}
		k := o.blocks[o.highest]
		copy(o.blocks[1:], o.blocks[:o.highest])
		o.blocks[0] = k
		o.highest, o.end = place(o.blocks, times, least)
		tried += o.highest + 1
	}
}

// place places blocks in their order. It returns the index of the first block with the highest end, and this end. It
// gives up at a block that ends at or above the limit, or above MaxBytes.
func place(blocks []block, times, limit int) (highest, end int) {
	taken := newTaken(len(blocks), times)
	for i := range blocks {
		k := &blocks[i]
		k.at = taken.firstFree(k.Block)
		if top := min(k.at, MaxBytes) + k.Bytes; top > end {
			if highest, end = i, top; end >= limit || end > MaxBytes {
				break
			}
		}
		taken.add(k.Block, k.at)
	}
	return highest, end
}
