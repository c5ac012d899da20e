package gather

import (
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/internal/prefetch"
)

// Bags adds up rows of src, of inner elements each, that the indices of each bag name, in their order: dst has a row for each of as many bags as
// indices are divided into. It gives the position of the first index that names no row, or -1.
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
