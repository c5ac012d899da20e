package engine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
)

// TestBlocksLieAtTheLowestFreePlaces compares with a search through all blocks.
func TestBlocksLieAtTheLowestFreePlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		slices.SortStableFunc(blocks, func(x, y extent) int { return cmp.Compare(y.bytes, x.bytes) })
		list, tree := &listed{}, newTimeline(times)
		var placed []extent // by place
		for _, k := range blocks {
			want := 0
			for _, o := range placed {
				if o.first <= k.last && k.first <= o.last && want < o.at+o.bytes && o.at < want+k.bytes {
					want = o.at + o.bytes
				}
			}
			require.Equal(t, want, list.firstFree(k))
			require.Equal(t, want, tree.firstFree(k))
			k.at = want
			list.add(k)
			tree.add(k)
			placed = append(placed, k)
			slices.SortStableFunc(placed, func(x, y extent) int { return cmp.Compare(x.at, y.at) })
		}
	}
}

// randomBlocks makes blocks of some times.
func randomBlocks(r *rand.Rand, times, count int) []extent {
	blocks := make([]extent, count)
	for i := range blocks {
		first := r.IntN(times)
		blocks[i] = extent{first: first, last: first + r.IntN(times-first), bytes: 64 * r.IntN(6)}
	}
	return blocks
}

// TestPlacesLieApart wants places that no two blocks share at a time, and no more bytes than those of the
// largest first.
func TestPlacesLieApart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	gained := 0
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		first := slices.Clone(blocks)
		slices.SortStableFunc(first, func(x, y extent) int { return cmp.Compare(y.bytes, x.bytes) })
		_, before := place(first, times, math.MaxInt)
		most, _ := mostLive(blocks, times)
		list, end := placed(blocks, times)
		require.LessOrEqual(t, end, before)
		require.GreaterOrEqual(t, end, most)
		gained += before - end
		for i, k := range list {
			require.LessOrEqual(t, k.at+k.bytes, end)
			for _, o := range list[:i] {
				apart := k.last < o.first || o.last < k.first || k.at+k.bytes <= o.at || o.at+o.bytes <= k.at
				require.True(t, apart || k.bytes*o.bytes == 0, "%+v and %+v", k, o)
			}
		}
	}
	require.Positive(t, gained)
}

// TestLongLivesCloseGaps wants fewer bytes for some blocks than the largest first give, however those at the top are moved.
func TestLongLivesCloseGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	gained := 0
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		most, peak := mostLive(blocks, times)
		before := bestOf(blocks, times, most, peak, 1)
		_, end := placed(blocks, times)
		require.LessOrEqual(t, end, before)
		gained += before - end
	}
	require.Positive(t, gained)
}

// TestBlocksOfThePeakLieBelowOthers wants fewer bytes for some blocks than all other orders give.
func TestBlocksOfThePeakLieBelowOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	gained := 0
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		most, peak := mostLive(blocks, times)
		before := bestOf(blocks, times, most, peak, 3)
		_, end := placed(blocks, times)
		if before > most+most/100 {
			gained += before - end
		}
	}
	require.Positive(t, gained)
}

// bestOf returns the fewest bytes that the first orders give, improved.
func bestOf(blocks []extent, times, most, peak, orders int) (end int) {
	end = math.MaxInt
	for _, size := range sizesInOrder[:orders] {
		o := order{blocks: slices.Clone(blocks)}
		slices.SortStableFunc(o.blocks, func(x, y extent) int { return cmp.Compare(size(y, peak), size(x, peak)) })
		o.highest, o.end = place(o.blocks, times, math.MaxInt)
		_, end = o.improve(times, most, end)
	}
	return end
}

// TestCrowdedBuffersLieInDifferentSets wants some lines behind large buffers of even sizes that many are worked on with, and behind no others.
func TestCrowdedBuffersLieInDifferentSets(t *testing.T) {
	for _, c := range []struct {
		count   graph.Dim
		crowded bool
		more    int
	}{{1 << 17, true, stagger}, {1 << 17, false, 0}, {1<<17 + 16, true, 0}, {1 << 14, true, 0}, {1<<17 + 128, true, stagger}} {
		s := &lower.Buffer{Count: c.count, Dtype: graph.Float32, Crowded: c.crowded}
		blocks := new(Specialization).blocks(&Code{Buffers: []*lower.Buffer{s}})
		size, _ := c.count.Int()
		require.Equal(t, int(4*size)+c.more, blocks[0].bytes, "%d elements", size)
	}
}
