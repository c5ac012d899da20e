package gemm

import "github.com/broadloom/broadloom/kernels/cpu"

// sizes are how many bytes products keep in the processor's caches. No sum depends on them.
var sizes = sizesFor(cpu.Data(1), cpu.Data(2), cpu.Data(3))

// cacheSizes says how much of a product is in the caches at a time.
type cacheSizes struct {
	// Addresses that differ by way fall into the same set of the first-level cache, which holds lines lines. A tile
	// reads at most this many rows if all fall into a few sets.
	way, lines int
	// The caches tolerate rows of A that fall into a few sets: these are read in place, by tiles of the usual height.
	bearsConflicts bool
	// block is the size of a block of A, which stays in the second-level cache.
	block int
	// result is the size up to which C stays in the second-level cache. rows is the size of the rows of C that a
	// consumer gets at a time, if it can be chosen.
	result, rows int
	// packed is the memory for panels of B that stay packed in the third-level cache while blocks of rows of A pass.
	packed int
}

// sizesFor chooses sizes for a processor's caches. They are bounded: a larger share of a second-level cache of 1 MB, or
// of a shared third-level cache of 32 MB, made products no faster. With a third-level cache of 480 MB, products of
// float64 gained a fiftieth.
//
// Intel's Xeons from the fourth generation on have a second-level cache of 2 MB, and 12 lines per set of the
// first-level cache. There it is faster to read rows that fall into a few sets again than to copy them: by a fiftieth
// for rows of 4096 bytes, by a twentieth for rows of 2048.
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
