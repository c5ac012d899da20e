package gather

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/internal/loops"
)

// Bags adds up rows of src, of inner elements each, that the indices of each bag name, in their order: dst has a row for each of as many bags as
// indices are divided into. It gives the position of the first index that names no row, or -1.
func Bags[T float32 | float64](dst, src []T, index []int64, bags, inner int) (bad int) {
	clear(dst)
	if bags == 0 || inner == 0 {
		return -1
	}
	count, rows := len(index)/bags, int64(len(src)/inner)
	for i, at := range index {
		if at < 0 || at >= rows {
			return i
		}
	}
	f := vectors[T](Sum)
	var block aot.Block
	for b := range bags {
		to := dst[b*inner : (b+1)*inner]
		for _, at := range index[b*count : (b+1)*count] {
			from := src[int(at)*inner : (int(at)+1)*inner]
			switch {
			case inner < shortRow:
				for j := range to {
					to[j] += from[j]
				}
			case f != nil:
				x := unsafe.Pointer(unsafe.SliceData(to))
				block.Run(f, inner, x, x, unsafe.Pointer(unsafe.SliceData(from)))
			default:
				loops.Add(to, to, from)
			}
		}
	}
	return -1
}
