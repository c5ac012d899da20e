package gather

import (
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/internal/prefetch"
)

// Bags sums rows of src, of inner elements each, by bags of indices, in their order. dst has a row for each of bags
// bags, into which the indices are divided equally. It returns the position of the first index out of range, or -1.
func Bags[T float32 | float64](dst, src []T, index []int64, bags, inner int) (bad int) {
	clear(dst)
	if bags == 0 || inner == 0 {
		return -1
	}
	if bad := check(Shape{Size: len(src) / inner, Count: len(index)}, index); bad >= 0 {
		return bad
	}
	count, f := len(index)/bags, vectors[T](Sum)
	var m Scratch
	rows := prefetch.Of(src, inner)
	for b := range bags {
		to := dst[b*inner : (b+1)*inner]
		for i := b * count; i < (b+1)*count; i++ {
			fetchAhead(&rows, index, i)
			at := index[i]
			from := src[int(at)*inner : (int(at)+1)*inner]
			if inner >= shortRow {
				computeRows(&m, f, loops.Add, to, from)
				continue
			}
			for j := range to {
				to[j] += from[j]
			}
		}
	}
	return -1
}
