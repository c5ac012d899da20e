package gemm

import "github.com/broadloom/broadloom/kernels/cpu"

// sizes are the bytes that products keep in the processor's caches. No sum depends on them.
var sizes = sizesFor(cpu.Data(1), cpu.Data(2), cpu.Data(3))

// cacheSizes is what a product has in the caches at a time.
type cacheSizes struct {
	// A set of the first-level cache comes again after so many bytes, and holds so many lines: a
	// tile reads no more rows than these if all fall into a few sets.
	way, lines int
	// Rows of A that fall into a few sets are read where they lie, by tiles as high as others, if the caches bear it.
	bearsConflicts bool
	// block is the size of a block of A, which stays in the second-level cache.
	block int
	// result is the size up to which C stays in the second-level cache, rows that of the
	// rows of C that a consumer is told of at a time, where it can be chosen.
	result, rows int
	// packed is the memory for panels of B that stay packed while blocks of rows of A pass, which the
	// third-level cache has.
	packed int
}

// sizesFor chooses sizes for the caches of a processor. A larger share of a second-level cache of 1 MB, or of
// a third-level cache of 32 MB that others share, made products no faster, so these are bounded; of 480 MB, products of float64 gained
// a fiftieth.
//
// Where the second-level cache has 2 MB and sets of the first-level cache have 12 lines, as in Intel's Xeons from the fourth
// generation on, it is faster to read rows that fall into few sets again than to copy them: by a fiftieth for rows of 4096 bytes, a
// twentieth for rows of 2048.
func sizesFor(l1, l2, l3 cpu.Cache) cacheSizes {
	return cacheSizes{
		way:            l1.WayBytes(),
		lines:          l1.Ways,
		bearsConflicts: l1.Ways >= 12 && l2.Bytes >= 2<<20,
		block:          min(max(240<<10, l2.Bytes*15/64), l2.Bytes*15/32),
		result:         min(256<<10, l2.Bytes/2),
		rows:           min(128<<10, l2.Bytes/4),
		packed:         min(max(4<<20, min(8<<20, l3.Bytes/32)), l3.Bytes/2),
	}
}
