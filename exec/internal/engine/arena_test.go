package engine

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBlocksLieAtTheLowestFreePlaces compares with a search through all blocks.
func TestBlocksLieAtTheLowestFreePlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		times := 1 + r.IntN(40)
		blocks := make([]extent, r.IntN(60))
		for i := range blocks {
			first := r.IntN(times)
			blocks[i] = extent{first: first, last: first + r.IntN(times-first), bytes: 64 * r.IntN(6)}
		}
		slices.SortStableFunc(blocks, func(x, y extent) int { return cmp.Compare(y.bytes, x.bytes) })
		taken := newTimeline(times)
		var placed []extent // by place
		for _, k := range blocks {
			want := 0
			for _, o := range placed {
				if o.first <= k.last && k.first <= o.last && want < o.at+o.bytes && o.at < want+k.bytes {
					want = o.at + o.bytes
				}
			}
			k.at = taken.firstFree(k)
			require.Equal(t, want, k.at)
			taken.add(k)
			placed = append(placed, k)
			slices.SortStableFunc(placed, func(x, y extent) int { return cmp.Compare(x.at, y.at) })
		}
	}
}
