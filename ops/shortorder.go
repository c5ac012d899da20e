package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// mostInNetwork is the greatest length of an axis that is sorted by a sorting network, whose comparisons are the same
// for all rows. Longer rows are sorted one at a time.
const mostInNetwork = 16

// inShortOrder returns the first indices in sorted order along an axis, as many as shape has there, like opOrder, by a
// sorting network. It returns nil if the axis is too long or elements have more than 32 bits. The network sorts 64-bit
// keys: the rank of an element, then its index.
func inShortOrder(x node, axis int, shape graph.Shape, descending bool) node {
	if x.Rank() == 0 {
		return nil
	}
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	size, known := x.Shape()[axis].Int()
	k, both := shape[axis].Int()
	if !known || !both || size < 2 || size > mostInNetwork || k < 1 || k > size {
		return nil
	}
	ranks := ranksIn32(x)
	if ranks == nil {
		return nil
	}
	if descending {
		ranks = BitNot(ranks)
	}
	wide := Mul(Cast(ranks, graph.Int64), num64(1<<placeBits))
	keys := make([]node, size)
	for i := range keys {
		keys[i] = Add(Select(wide, axis, graph.Dim(i)), num64(int64(i)))
	}
	mergeExchange(len(keys), func(i, j int) { keys[i], keys[j] = Minimum(keys[i], keys[j]), Maximum(keys[i], keys[j]) })
	places := make([]node, k)
	for i := range places {
		places[i] = BitAnd(keys[i], num64(1<<placeBits-1))
	}
	return Stack(axis, places...)
}

// ranksIn32 returns integers that are ordered like elements of up to 32 bits: zeros are equal, and NaN is the greatest.
// It returns nil for wider elements.
func ranksIn32(x node) node {
	switch t := x.DType(); {
	case t == graph.Bool || t.IsInt() && t.Size() < 4 || t == graph.Int32:
		return Cast(x, graph.Int32)
	case t.IsFloat() && t.Size() <= 4:
		x = Cast(x, graph.Float32)
		bits := BitCast(Add(x, num(0)), graph.Int32) // -0 + 0 is 0
		falling := BitXor(bits, num64(math.MaxInt32))
		return Where(IsNaN(x), num64(math.MaxInt32), Where(Less(bits, num64(0)), falling, bits))
	}
	return nil
}

// mergeExchange calls a function with the places of a network that sorts n numbers, in which the lesser of two comes
// first: Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2M, by Batcher.
func mergeExchange(n int, exchange func(i, j int)) {
	top := 1
	for 2*top < n {
		top *= 2
	}
	for p := top; p > 0; p /= 2 {
		for q, r, d := top, 0, p; ; {
			for i := range n - d {
				if i&p == r {
					exchange(i, i+d)
				}
			}
			if q == p {
				break
			}
			d, q, r = q-p, q/2, p
		}
	}
}
