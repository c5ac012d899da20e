package graph

import (
	"fmt"
	"math"
	"math/bits"
)

// isCountable refuses a value of more elements, or bytes, than an int64 can count. What is
// computed from it is not judged.
func (n *Node) isCountable() bool {
	count := n.leastCount()
	switch {
	case count > math.MaxInt64:
		n.fail(&Mistake{Code: CodeOverflow, Summary: "numel: integer multiplication overflow",
			Detail: []string{fmt.Sprintf("the result %s has more elements than an int64 can count", n.shape)}})
		return false
	case times(count, uint64(n.dtype.Size())) > math.MaxInt64:
		n.fail(
			&Mistake{Code: CodeOverflow, Summary: fmt.Sprintf(
				"Storage size calculation overflowed with sizes=%s", n.shape),
				Detail: []string{fmt.Sprintf("%s elements of %d bytes are more than an int64 can count",
					n.shape.NumElements(), n.dtype.Size())}})
		return false
	}
	return true
}

// leastCount returns the product of the sizes that are whole numbers, or 0 where another size
// may be 0.
func (n *Node) leastCount() uint64 {
	count := uint64(1)
	for _, d := range n.shape {
		if size, whole := d.Int(); whole {
			count = times(count, uint64(size))
		}
	}
	if count <= math.MaxInt32 {
		return count // that is countable in every dtype
	}
	for _, d := range n.shape {
		if names := d.Symbols(); !d.IsConst() &&
			(len(names) != 1 || SymbolicDim(names[0]) != d || n.g.Bounds(names[0]).Min < 1) {
			return 0
		}
	}
	return count
}

// times multiplies; a product too large is the largest number.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}
