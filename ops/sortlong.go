package ops

import (
	"cmp"
	"math"
	mathbits "math/bits"
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

// ranks says how elements have ranks that are in their order, what the ranks of many are and the bits in which these
// differ, and which element a rank is that of.
type ranks[T long] struct {
	of      func(v T) uint64
	each    func(out []uint64, x []T) (differing uint64) // from the first element of x
	element func(rank uint64) T
}

const highest = 1 << 63

var (
	ranksOfInt64 = ranks[int64]{func(v int64) uint64 { return uint64(v) ^ highest },
		func(out []uint64, x []int64) (differing uint64) {
			for i, v := range x {
				out[i], differing = uint64(v)^highest, differing|uint64(v^x[0])
			}
			return differing
		}, func(rank uint64) int64 { return int64(rank ^ highest) }}
	ranksOfUint64 = ranks[uint64]{func(v uint64) uint64 { return v }, func(out, x []uint64) (differing uint64) {
		for i, r := range x {
			out[i], differing = r, differing|(r^x[0])
		}
		return differing
	}, func(rank uint64) uint64 { return rank }}
	ranksOfFloat64 = ranks[float64]{rankOfFloat64, func(out []uint64, x []float64) (differing uint64) {
		if len(x) == 0 {
			return 0
		}
		first := rankOfFloat64(x[0])
		for i, v := range x {
			r := rankOfFloat64(v)
			out[i], differing = r, differing|(r^first)
		}
		return differing
	}, func(rank uint64) float64 {
		return math.Float64frombits(rank ^ (uint64(int64(^rank)>>63) | highest))
	}}
)

// rankOfFloat64 is [rankOfFloat32] of a longer number.
func rankOfFloat64(v float64) uint64 {
	if v != v {
		return math.MaxUint64
	}
	b := math.Float64bits(v + 0)
	return b ^ (uint64(int64(b)>>63) | highest)
}

// orderLong finds the first places in the order of elements.
func orderLong[T long](a *graph.Arrays, out []int64, x []T, descending bool, by ranks[T]) {
	flip := uint64(0)
	if descending {
		flip = math.MaxUint64
	}
	if k := len(out); isFew(k, len(x)) {
		for i, key := range fewLong(a, k, x, flip, by) {
			out[i] = int64(key.place)
		}
		return
	}
	room := a.Words(2 * len(x))
	var all []uint64
	if len(out) == len(x) && len(x) > 0 { // where places go in the end
		all = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(out))), len(x))
	} else {
		all = a.Words(len(x))
	}
	differing := uint64(0)
	for done := 0; done < len(x); {
		end := nextSteps(a, done, len(x), 1)
		differing |= by.each(all[done:end], x[done:end])
		differing |= all[done] ^ all[0]
		done = end
	}
	placesOf(sortedRanks(a, all, differing, flip, room[:len(x)], room[len(x):]), out)
}

// sortedRanks returns keys that are in the order of ranks, each exclusive-or flip: the places in their low bits, and
// before them as many bits of the rank as fit, from the first one in which ranks differ. Of ranks that agree in these,
// the others are compared.
func sortedRanks(a *graph.Arrays, all []uint64, differing, flip uint64, keys, spare []uint64) []uint64 {
	shift := max(mathbits.Len64(differing)-(64-placeBits), 0)
	for rest, i := all, 0; len(rest) > 0; {
		for _, r := range nextPart(a, &rest) {
			keys[i] = (r^flip)>>shift<<placeBits | uint64(uint32(i))
			i++
		}
	}
	if shift == 0 {
		return sorted(a, keys, spare)
	}
	compare := func(run []uint64) { sortByRank(a, run, all, flip) }
	if leastByLongDigits <= len(keys) && len(keys) < mostByTwoDigits {
		return sortedByTwoDigits(a, keys, spare, compare)
	}
	keys = sorted(a, keys, spare)
	eachRun(a, keys, placeBits, compare)
	return keys
}

// eachRun calls f for the keys that agree in all bits from the first-th on, where there are several.
func eachRun(a *graph.Arrays, keys []uint64, first int, f func(run []uint64)) {
	for i := 1; i < len(keys); i++ {
		if i%polledPart == 0 {
			a.Poll(polledPart)
		}
		if keys[i]>>first != keys[i-1]>>first {
			continue
		}
		begin := i - 1
		for i++; i < len(keys) && keys[i]>>first == keys[begin]>>first; {
			i++
		}
		f(keys[begin:i])
	}
}

// sortByRank sorts keys, which are in the order of their places, by the ranks of these.
func sortByRank(a *graph.Arrays, keys, all []uint64, flip uint64) {
	compare := func(x, y uint64) int {
		a.Poll(1)
		return cmp.Or(cmp.Compare(all[uint32(x)]^flip, all[uint32(y)]^flip), cmp.Compare(uint32(x), uint32(y)))
	}
	if len(keys) < leastLongByDigits {
		slices.SortFunc(keys, compare)
		return
	}
	if slices.IsSortedFunc(keys, compare) { // as where all ranks are equal
		return
	}
	long := longKeys(a, 2*len(keys))
	for i, key := range keys {
		long[i] = longKey{all[uint32(key)] ^ flip, uint64(uint32(key))}
	}
	for i, key := range sortedLong(a, long[:len(keys)], long[len(keys):]) {
		keys[i] = key.place
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
	for rest := x[k:]; len(rest) > 0; {
		for _, v := range nextPart(a, &rest) {
			if descending && v <= last || !descending && v >= last {
				continue
			}
			if r := by.of(v) ^ flip; r < least[0] {
				least.replaceTop(r)
				last = by.element(least[0] ^ flip)
			}
		}
	}
	equal := 0
	for _, r := range least {
		if r == least[0] {
			equal++
		}
	}
	room := longKeys(a, 2*k)
	keys := room[:0:k]
	for i, v := range x {
		if i%polledPart == 0 {
			a.Poll(polledPart)
		}
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
	if k < leastWholeByDigits {
		return sortedLong(a, keys, nil)
	}
	return sortedLong(a, keys, room[k:])
}

// leastLongByDigits is from how many longer keys on they are sorted by digits.
const leastLongByDigits = 512

// sortedLong is [sorted] of longer keys.
func sortedLong(a *graph.Arrays, keys, spare []longKey) []longKey {
	const digits, width = 6, 11
	if len(keys) < leastLongByDigits || len(spare) < len(keys) {
		slices.SortFunc(keys, func(x, y longKey) int {
			if c := cmp.Compare(x.rank, y.rank); c != 0 {
				return c
			}
			return cmp.Compare(x.place, y.place)
		})
		return keys
	}
	var ends [digits][1 << width]uint32
	for rest := keys; len(rest) > 0; {
		for _, k := range nextPart(a, &rest) {
			for d := range ends {
				ends[d][k.rank>>(d*width)&(1<<width-1)]++
			}
		}
	}
	for d := range ends {
		begin, shift, counts := uint32(0), d*width, &ends[d]
		if counts[keys[0].rank>>shift&(1<<width-1)] == uint32(len(keys)) {
			continue // all have the same digit
		}
		for i, n := range counts {
			counts[i], begin = begin, begin+n
		}
		for rest := keys; len(rest) > 0; {
			for _, k := range nextPart(a, &rest) {
				at := &counts[k.rank>>shift&(1<<width-1)]
				spare[*at] = k
				*at++
			}
		}
		keys, spare = spare, keys
	}
	return keys
}
