package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// Alignment is that of places, in bytes: a cache line.
const Alignment = hugepage.Line

// Aligned is the next multiple of it.
func Aligned(bytes int) int { return (bytes + Alignment - 1) / Alignment * Alignment }

// MaxBytes is the number of bytes beyond which no memory is asked for: what a process can
// address, on the processors of today.
const MaxBytes = min(1<<47, math.MaxInt/2)

// ErrAddresses is why there is no memory of more than MaxBytes.
var ErrAddresses = fmt.Errorf("no process has more than %s", hugepage.Bytes(MaxBytes))

// Block is memory that is in use during some time.
type Block struct {
	First, Last int // the times between which it is, these included
	Bytes       int
}

// block is a block at a place.
type block struct {
	Block
	number, at int
}

// Place returns the places of blocks, of which no two that are in use at once share bytes, and the bytes that they take together.
// times is behind the last time. Where they take more than [MaxBytes], places mean nothing.
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

// MostInUse is the most bytes that are in use at once, and when they are.
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

// maxPlaced bounds the blocks that are placed anew to improve one order: a few milliseconds.
const maxPlaced = 1 << 13

// sizesInOrder are the sizes by which blocks are placed, the largest first: their bytes, bytes by the time that they live, and
// this time, then bytes. The second closes gaps where few blocks live long, the third where many do. By the last, those that live at the time when most is
// in use lie below all others, without a gap then, and the longer they stay the lower.
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

// life is the number of kernels during which it is in use.
func (k Block) life() float64 { return float64(k.Last - k.First + 1) }

// placed returns the blocks with their places, and the bytes that they take: each lies at the lowest place that is free while it lives. The order in
// which they are placed is that of a size, the best one, improved: until they take little more bytes than are enough. Blocks that together make up less than a two-hundredth fill what the others leave.
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
		slices.SortStableFunc(o.blocks, func(x, y block) int { return cmp.Compare(size(y.Block, peak), size(x.Block, peak)) })
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
	highest int // the number of the first that ends highest
	end     int // of that one
}

// improve returns the best order that it finds in fewer bytes than some, or else none. While blocks take more bytes than are enough, the first one that lies
// as high as the best end is placed before all others, as nothing would have kept it from lying lower. A five-hundredth more is enough.
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

// place places blocks in their order, and returns the number of the first that ends highest, and where it ends. It gives up with one
// that ends at a limit or behind it, or beyond MaxBytes.
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
