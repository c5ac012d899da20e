package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// mostInserted is how many places are found at most by keeping the first ones so far in order.
const mostInserted = 8

// inserted puts a key in its place among the k least so far, which are in order.
func inserted(least []uint64, key uint64, k int) []uint64 {
	n := len(least)
	switch {
	case n < k:
		least = append(least, key)
	case key >= least[n-1]:
		return least
	default:
		n--
	}
	for ; n > 0 && least[n-1] > key; n-- {
		least[n] = least[n-1]
	}
	least[n] = key
	return least
}

// leastSelected is from how many keys on the least ones are found before they are sorted, if they are not few.
const leastSelected = 4096

// placeBits is how many bits of a key are a place; the others are a rank.
const placeBits = 32

// leastKeys returns the least k keys and some more, in the order of their places: those whose ranks begin with the
// digits of the k-th or lesser ones. It has as much spare memory as there are keys, and returns what it has left.
func leastKeys(a *graph.Arrays, keys, spare []uint64, k int) (least, rest []uint64) {
	const shift = 64 - 11
	var counts [1 << 11]uint32
	for rest := keys; len(rest) > 0; {
		for _, key := range nextPart(a, &rest) {
			counts[key>>shift]++
		}
	}
	last, found := uint64(0), 0
	for found += int(counts[0]); found < k; found += int(counts[last]) {
		last++
	}
	least = spare[:0]
	for rest := keys; len(rest) > 0; {
		for _, key := range nextPart(a, &rest) {
			if key>>shift <= last {
				least = append(least, key)
			}
		}
	}
	return least, keys
}

// From leastByDigits keys on, they are sorted by digits of their ranks, and from leastByLongDigits on by longer ones.
const (
	leastByDigits      = 64
	leastByLongDigits  = 1024
	leastWholeByDigits = 4096 // keys in any order
	longDigit          = 11   // bits
)

// sorted sorts keys of a rank and a place, which are in the order of their places, in their memory or in as much spare:
// many by digits of their ranks, the last digits first, and else by comparisons.
func sorted(a *graph.Arrays, keys, spare []uint64) []uint64 {
	switch {
	case len(keys) < leastByDigits || len(spare) < len(keys):
		slices.Sort(keys)
		return keys
	case len(keys) < leastByLongDigits:
		var ends [4][1 << 8]uint32
		for _, k := range keys {
			ends[0][k>>placeBits&0xff]++
			ends[1][k>>(placeBits+8)&0xff]++
			ends[2][k>>(placeBits+16)&0xff]++
			ends[3][k>>(placeBits+24)]++
		}
		for d := range ends {
			keys, spare = sortedByDigit(a, keys, spare, ends[d][:], placeBits+8*d)
		}
		return keys
	}
	keys, _ = sortedByHalf(a, keys, spare, placeBits)
	return keys
}

// sortedWhole is [sorted] of keys in any order.
func sortedWhole(a *graph.Arrays, keys, spare []uint64) []uint64 {
	if len(keys) < leastWholeByDigits {
		slices.Sort(keys)
		return keys
	}
	keys, spare = sortedByHalf(a, keys, spare[:len(keys)], 0)
	keys, _ = sortedByHalf(a, keys, spare, placeBits)
	return keys
}

// sortedByHalf sorts keys by their ranks, or their places: the placeBits bits from one on.
func sortedByHalf(a *graph.Arrays, keys, spare []uint64, shift int) (in, rest []uint64) {
	const bits = longDigit
	var ends [3][1 << bits]uint32
	for rest := keys; len(rest) > 0; {
		for _, k := range nextPart(a, &rest) {
			ends[0][k>>shift&(1<<bits-1)]++
			ends[1][k>>(shift+bits)&(1<<bits-1)]++
			ends[2][k>>(shift+2*bits)&(1<<(placeBits-2*bits)-1)]++
		}
	}
	for d := range ends {
		counts := ends[d][:]
		if d == 2 {
			counts = counts[:1<<(placeBits-2*bits)]
		}
		keys, spare = sortedByDigit(a, keys, spare, counts, shift+bits*d)
	}
	return keys, spare
}

// mostByTwoDigits is up to how many keys two digits of ranks that differ in their first bits tell most of them
// apart.
const mostByTwoDigits = 1 << 18

// sortedByTwoDigits is [sorted] of keys whose ranks differ in their first bits: it sorts them by their first two
// digits, and then those that agree in these. It calls f for those of equal ranks.
func sortedByTwoDigits(a *graph.Arrays, keys, spare []uint64, f func(run []uint64)) []uint64 {
	const second, first = 64 - 2*longDigit, 64 - longDigit
	var ends [2][1 << longDigit]uint32
	for _, k := range keys {
		ends[0][k>>second&(1<<longDigit-1)]++
		ends[1][k>>first]++
	}
	keys, spare = sortedByDigit(a, keys, spare, ends[0][:], second)
	keys, spare = sortedByDigit(a, keys, spare, ends[1][:], first)
	eachRun(a, keys, second, func(run []uint64) {
		if len(run) > fewInRun {
			copy(run, sorted(a, run, spare[:len(run)]))
		} else {
			for i, k := range run {
				for ; i > 0 && run[i-1] > k; i-- {
					run[i] = run[i-1]
				}
				run[i] = k
			}
		}
		eachRun(a, run, placeBits, f)
	})
	return keys
}

// fewInRun is up to how many keys each is put in its place among those before it.
const fewInRun = 16

// sortedByDigit sorts keys by a digit, of whose values there are so many each, which it overwrites. It returns their
// memory, and what is spare then.
func sortedByDigit(a *graph.Arrays, keys, spare []uint64, counts []uint32, shift int) (in, rest []uint64) {
	mask := uint64(len(counts) - 1)
	if counts[keys[0]>>shift&mask] == uint32(len(keys)) {
		return keys, spare // all have the same digit
	}
	begin := uint32(0)
	for i, n := range counts {
		counts[i], begin = begin, begin+n
	}
	for rest := keys; len(rest) > 0; {
		for _, k := range nextPart(a, &rest) {
			at := &counts[k>>shift&mask]
			spare[*at] = k
			*at++
		}
	}
	return spare[:len(keys)], keys
}

// heap is keys of which none is less than those below it: the greatest is at the top.
type heap []uint64

// heapOf makes a heap of keys, in their memory.
func heapOf(keys []uint64) heap {
	h := heap(keys)
	for at := len(h)/2 - 1; at >= 0; at-- {
		h.sink(at)
	}
	return h
}

// replaceTop replaces the greatest key by a lesser one.
func (h heap) replaceTop(key uint64) {
	h[0] = key
	h.sink(0)
}

func (h heap) sink(at int) {
	for {
		child := 2*at + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1] > h[child] {
			child++
		}
		if h[at] >= h[child] {
			return
		}
		h[at], h[child] = h[child], h[at]
		at = child
	}
}
