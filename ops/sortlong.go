package ops

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
)

// longKey is the rank of an element of 64 bits, and its place.
type longKey struct{ rank, place uint64 }

const longKeyWords = 2

func longKeys(a *graph.Arrays, n int) []longKey {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*longKey)(unsafe.Pointer(unsafe.SliceData(a.Words(longKeyWords*n)))), n)
}

// long is elements of 64 bits.
type long interface{ int64 | uint64 | float64 }

// ranks says how elements have ranks that are in their order, and which element a rank is that of.
type ranks[T long] struct {
	of      func(v T) uint64
	element func(rank uint64) T
}

const highest = 1 << 63

var (
	ranksOfInt64 = ranks[int64]{func(v int64) uint64 { return uint64(v) ^ highest }, func(rank uint64) int64 {
		return int64(rank ^ highest)
	}}
	ranksOfUint64 = ranks[uint64]{func(v uint64) uint64 { return v }, func(rank uint64) uint64 { return rank }}
	// As [rankOfFloat32].
	ranksOfFloat64 = ranks[float64]{func(v float64) uint64 {
		if v != v {
			return math.MaxUint64
		}
		bits := math.Float64bits(v + 0)
		return bits ^ (uint64(int64(bits)>>63) | highest)
	}, func(rank uint64) float64 {
		return math.Float64frombits(rank ^ (uint64(int64(^rank)>>63) | highest))
	}}
)

// orderLong finds the first places in the order of elements.
func orderLong[T long](a *graph.Arrays, out []int64, x []T, descending bool, by ranks[T]) {
	flip := uint64(0)
	if descending {
		flip = math.MaxUint64
	}
	var keys []longKey
	if k := len(out); isFew(k, len(x)) {
		keys = fewLong(a, k, x, flip, by)
	} else {
		keys = longKeys(a, len(x))
		for i, v := range x {
			keys[i] = longKey{by.of(v) ^ flip, uint64(i)}
		}
		keys = sortedLong(keys, longKeys(a, len(x)))
	}
	for i := range out {
		out[i] = int64(keys[i].place)
	}
}

// fewLong returns the keys of the first k places in their order. Of elements whose rank is that of the last one, those
// count that come first. Most elements come behind the last one found so far, which a comparison tells; with NaN all
// comparisons are false.
func fewLong[T long](a *graph.Arrays, k int, x []T, flip uint64, by ranks[T]) []longKey {
	if k == 0 {
		return nil
	}
	found, descending := a.Words(k), flip != 0
	for i := range found {
		found[i] = by.of(x[i]) ^ flip
	}
	least := heapOf(found)
	last := by.element(least[0] ^ flip)
	for _, v := range x[k:] {
		if descending && v <= last || !descending && v >= last {
			continue
		}
		if r := by.of(v) ^ flip; r < least[0] {
			least.replaceTop(r)
			last = by.element(least[0] ^ flip)
		}
	}
	equal := 0
	for _, r := range least {
		if r == least[0] {
			equal++
		}
	}
	keys := longKeys(a, k)[:0]
	for i, v := range x {
		if descending && v < last || !descending && v > last {
			continue
		}
		r := by.of(v) ^ flip
		switch {
		case r > least[0], r == least[0] && equal == 0:
			continue
		case r == least[0]:
			equal--
		}
		if keys = append(keys, longKey{r, uint64(i)}); len(keys) == k {
			break
		}
	}
	return sortedLong(keys, nil)
}

// leastLongByDigits is from how many longer keys on they are sorted by digits.
const leastLongByDigits = 512

// sortedLong is [sorted] of longer keys.
func sortedLong(keys, spare []longKey) []longKey {
	const digits, bits = 6, 11
	if len(keys) < leastLongByDigits || len(spare) < len(keys) {
		slices.SortFunc(keys, func(x, y longKey) int {
			if c := cmp.Compare(x.rank, y.rank); c != 0 {
				return c
			}
			return cmp.Compare(x.place, y.place)
		})
		return keys
	}
	var ends [digits][1 << bits]uint32
	for _, k := range keys {
		for d := range ends {
			ends[d][k.rank>>(d*bits)&(1<<bits-1)]++
		}
	}
	for d := range ends {
		begin, shift, counts := uint32(0), d*bits, &ends[d]
		if counts[keys[0].rank>>shift&(1<<bits-1)] == uint32(len(keys)) {
			continue // all have the same digit
		}
		for i, n := range counts {
			counts[i], begin = begin, begin+n
		}
		for _, k := range keys {
			at := &counts[k.rank>>shift&(1<<bits-1)]
			spare[*at] = k
			*at++
		}
		keys, spare = spare, keys
	}
	return keys
}
