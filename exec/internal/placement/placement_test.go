package placement

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBlocksLieAtTheLowestFreePlaces compares with an exhaustive search.
func TestBlocksLieAtTheLowestFreePlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		slices.SortStableFunc(blocks, func(x, y Block) int { return cmp.Compare(y.Bytes, x.Bytes) })
		list, tree := &listed{}, newTimeline(times)
		var placed []block // by offset
		for _, k := range blocks {
			want := 0
			for _, o := range placed {
				if o.First <= k.Last && k.First <= o.Last && want < o.at+o.Bytes && o.at < want+k.Bytes {
					want = o.at + o.Bytes
				}
			}
			require.Equal(t, want, list.firstFree(k))
			require.Equal(t, want, tree.firstFree(k))
			list.add(k, want)
			tree.add(k, want)
			placed = append(placed, block{Block: k, at: want})
			slices.SortStableFunc(placed, func(x, y block) int { return cmp.Compare(x.at, y.at) })
		}
	}
}

// randomBlocks makes blocks of some times.
func randomBlocks(r *rand.Rand, times, count int) []Block {
	blocks := make([]Block, count)
	for i := range blocks {
		first := r.IntN(times)
		blocks[i] = Block{First: first, Last: first + r.IntN(times-first), Bytes: 64 * r.IntN(6)}
	}
	return blocks
}

// TestPlacesLieApart wants no overlap of blocks that are live at the same time, and no more bytes than placing the
// largest first needs.
func TestPlacesLieApart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	gained := 0
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		first := unplaced(blocks)
		slices.SortStableFunc(first, func(x, y block) int { return cmp.Compare(y.Bytes, x.Bytes) })
		_, before := place(first, times, math.MaxInt)
		most, _ := MostInUse(blocks, times)
		at, end := Place(blocks, times)
		require.LessOrEqual(t, end, before)
		require.GreaterOrEqual(t, end, most)
		gained += before - end
		for i, k := range blocks {
			require.LessOrEqual(t, at[i]+k.Bytes, end)
			for j, o := range blocks[:i] {
				apart := k.Last < o.First || o.Last < k.First || at[i]+k.Bytes <= at[j] || at[j]+o.Bytes <= at[i]
				require.True(t, apart || k.Bytes*o.Bytes == 0, "%+v and %+v", k, o)
			}
		}
	}
	require.Positive(t, gained)
}

// TestLongLivesCloseGaps has blocks for which placing the largest first needs more bytes, even if improved.
func TestLongLivesCloseGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	gained := 0
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		most, peak := MostInUse(blocks, times)
		before := bestOf(blocks, times, most, peak, 1)
		_, end := Place(blocks, times)
		require.LessOrEqual(t, end, before)
		gained += before - end
	}
	require.Positive(t, gained)
}

// TestBlocksOfThePeakLieBelowOthers has blocks for which all other orders need more bytes.
func TestBlocksOfThePeakLieBelowOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	gained := 0
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := randomBlocks(r, times, r.IntN(60))
		most, peak := MostInUse(blocks, times)
		before := bestOf(blocks, times, most, peak, 3)
		_, end := Place(blocks, times)
		if before > most+most/100 {
			gained += before - end
		}
	}
	require.Positive(t, gained)
}

// bestOf returns the fewest bytes of the first few orders, improved.
func bestOf(blocks []Block, times, most, peak, orders int) (end int) {
	end = math.MaxInt
	for _, size := range sizesInOrder[:orders] {
		o := order{blocks: unplaced(blocks)}
		slices.SortStableFunc(o.blocks, func(x, y block) int {
			return cmp.Compare(size(y.Block, peak), size(x.Block, peak))
		})
		o.highest, o.end = place(o.blocks, times, math.MaxInt)
		_, end = o.improve(times, most, end)
	}
	return end
}
