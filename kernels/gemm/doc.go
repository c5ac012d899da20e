// Package gemm is the matrix product: C = A·B or C += A·B for batches of strided
// matrices. On amd64, products of floating-point matrices and of integers of up to 32 bits run in
// vector registers, on arm64 those of floating-point matrices; all others run in plain Go. All give the same bits.
//
// # Order of the sums
//
// Every element of C is computed separately, in an order that depends only on K (but in lanes: see below), so results
// do not change with the other sizes, the strides, the way in which rows are divided between threads, the position of
// an element in its tile or the processor. Up to 1024 products are one block; more are divided into as few blocks of at
// most [KC] as possible, equal except for rounding up to sixteen. In a block, a sum starts at zero and adds the
// products in the order of k: sum = fma(a, b, sum), rounded once. The first block's sum is stored to C, or added to it
// for C += A·B; the others are added in order, as C = C + sum. Products with zero are not skipped, so that NaN and
// infinity propagate; with K = 0 the sum is zero.
//
// # In vector registers
//
// A tile of C of 6 rows by 2 vectors (AVX2; 14 rows with AVX-512; NEON 4 rows by 4) stays in registers while
// the loop runs over a block of K. For AVX-512 there are two loops: in one each multiplication reads its element of
// A from memory, in the other a register holds it, repeated. A short measurement before the first product determines
// which is faster on this processor. Package gen writes these loops, one for each number
// of rows, with the encoder of package asm; they are static code in tile_amd64.s and tile_arm64.s. Those for NEON load
// a vector of each row of A, whose lanes multiply. They
// take four steps at a time, not because of the multiplications, which keep the processor busy
// anyway, but because of the instructions around them: a core's other thread, which may belong to another
// virtual machine, takes half of the instructions that the core can issue.
//
// A block of A stays in the second-level cache, and is used for all products of a batch that share A. It is as wide as
// a block of K and takes up to 240 kB, or a quarter of a larger second-level cache, but less than half of any. It is
// read in place, unless its rows would fall into a few sets of a cache that does not tolerate this, or its columns are
// contiguous: then it is copied, or transposed in registers along the way. A panel of B, of two vectors of columns,
// stays in the same cache, or in the first-level one if K is short, while the tiles of the block are computed: a step
// of a tile takes as long as loading three lines from there, and reads one. The first tiles of a panel copy the next
// one, a row for every fourth product of a sum, and so never wait for it. If there are fewer than four tiles, and in
// the first panel, the first tile copies the data that it multiplies. If A has more than one block, the copies are kept
// for the others. If the next panel is packed already, or will be transposed, each tile prefetches a share of it;
// otherwise tiles prefetch the part of A that the next tile needs. If the columns of A are contiguous and it is read in
// place, each tile prefetches a share of the next block of K.
//
// If C has one row or one column, contiguous rows of B are added up directly in memory. If it has up to four rows and
// columns of B are contiguous, or up to three columns and rows of A are contiguous, these are transposed in registers
// and multiplied at once, while the next columns are prefetched: a matrix times a vector takes as long as reading
// memory. Those that would fall into a few sets of a cache are copied before. If columns of B are contiguous and C has
// a few vectors of rows, the product is computed as its transpose, in which B is not packed, and then transposed.
// Matrices of a batch with few rows that share B are computed in groups, panel by panel of B; their rows fill a block
// of A. If such matrices have more rows, B is packed once for all.
//
// Matrices of one row that share B are joined into one with many rows (joinrows.go), and rows of short ones come in a
// different order.
//
// If C is large, its rows come from beyond the second-level cache. They are prefetched with the first products of a
// tile, one line with each.
//
// If a few rows are left below the last whole tile, both are divided into two tiles of about the same height: a tile
// needs the sums of four rows to keep the multipliers busy.
//
// With AVX-512, remaining columns that fill half of a vector or less use the loops for AVX2, and tiles have as many
// rows as a set of the first-level cache has lines if fourteen would fall into one set, unless the caches tolerate it.
//
// A run can compute a part of all sums, and continue those that others have started ([Part]): a tile then
// loads them before its first product. If the other values are treated as zeros, their products are
// skipped: they would change nothing.
//
// Machine code can continue with the sums of a tile while they are in registers, instead of
// storing them ([Epilogue]). The memory that it reads and writes is prefetched in the same way. Or another
// kernel can run on rows of the result: it is notified of rows of C as soon as they are complete, few enough to
// be in the second-level cache ([RowConsumer]). If B is needed elsewhere too, its panels can be traversed
// when they have been multiplied by the first block of A ([PanelReader]).
//
// Products so small that planning would take longer than computing them are computed in place, row by row, by code that
// other machine code can call too ([Product.Small]). Their sums have the same bits as those of other loops.
//
// # Windows
//
// Rows and columns of B can have offsets instead of strides: so a convolution is a product with the windows of an
// image, which are never stored as a matrix. If the positions of windows fill vectors, the first tile of a panel reads
// them in place, and copies them for the others. Other panels are copied in pieces, along the positions of windows or,
// for a gradient, along their elements. If C has so few rows that this would take a noticeable part of the time, the
// product is computed as its transpose instead: A is packed, once for a batch, each row of a tile is a window that is
// read in place, and the result is transposed.
//
// # Factors that are converted
//
// Products of float32 can have factors of float16, of bfloat16, and of integers of 8 or 4 bits with a scale for each
// block of elements, one or both ([Factor]). Blocks of A and panels of B are converted where they are packed, without
// any other copy; the sums are those of the same numbers as float32. One row reads contiguous rows of 16 bits in place,
// and up to four rows read columns of bfloat16 in place: words of two elements are transposed, and split in registers.
// Columns of float16 are converted a few at a time. Windows of 16 bits are converted piece by piece.
// If the processor has an instruction that adds two products of bfloat16, with the bits of two multiply-adds, and is
// faster with it, A and B are packed in pairs. Blocks with numbers so small that the instruction would treat some as
// zero are multiplied as float32.
//
// One row by contiguous columns of blocks can be computed in lanes ([Product.InLanes]): 16 lanes share each sum, so its
// order is another one, which depends on K and the blocks alone. The integers are read in place, from several columns
// at a time, and multiplied by a copy of the row; a block's sums are multiplied by its scale. With AVX-512, integers of
// 4 bits are looked up in a register. Minima add the product of the row's sums over blocks by them.
//
// For several rows by such columns, words of 32 bits are transposed, each with consecutive integers of a column, which
// is an eighth or a quarter of the numbers. Up to 8 rows (AVX2: 5) are multiplied by numbers that are made of a vector
// of words in registers. For more rows, a panel of float32 is made of them. Tiles prefetch the words of the next panel.
//
// # Integers
//
// Products of int32 wrap around, so their sums may be taken in any order. A and B may have integers of 8 or 16 bits
// ([Factor]): several consecutive ones along K are packed into a word of 32 bits, and an instruction multiplies those
// of two words and adds the products to a sum of 32 bits. Four unsigned bytes times four signed ones use VPDPBUSD, or
// VPDPWSSD as two pairs of 16 bits, to which other 8-bit integers are widened, next to those of 16 bits; without VNNI,
// VPMADDWD adds pairs. None of these saturates. If both bytes are signed, or both unsigned, the highest bits of A's are
// flipped for VPDPBUSD, and sums start with those of B's columns, times 128 or -128, to correct for this. Bytes with or
// without signs use the tile registers of AMX if the system grants them. Integers of 32 bits use VPMULLD. Rows of A are
// read in place if they consist of such words; B is packed, and windows are packed directly from the image, even if
// only every other element is in a window. Up to three rows of bytes are multiplied by B in place if its rows are
// contiguous, which become words in registers, or its columns, of which a vector is multiplied at a time. B can be
// packed in advance ([Product.PackB]), with the sums of its columns, unless each matrix of a batch has its own B.
//
// The same words can be pairs of bfloat16, whose sums are float32, but only in the tile registers of AMX:
// [MultipliesBFloat16] reports the order in which they are added.
//
// # In plain Go
//
// Blocks of A and B are packed in the order in which the innermost loop reads them.
// That loop keeps a tile of C of 3×2 elements in registers. Float32 has no fused
// multiply-add in Go. If the compiler fuses a product and a sum, which is detected when a
// program starts, that is used; otherwise, as on amd64, it is computed in float64, with a
// correction where rounding twice would differ.
//
// # Files
//
//   - product.go is the product of a batch, blocks.go one product and its blocks, part.go sums in parts, and
//     blocksums.go adds blocks of K that were computed separately. caches.go determines how much stays in the caches.
//   - simd.go computes a product in vector registers: simdpanel.go processes a panel, simdpack.go packs,
//     simdtranspose.go transposes along the way, simdprefetch.go prefetches. simdgemv.go is for single rows,
//     simdthin.go for few, and simdturned.go computes products as their transposes. simdasm.go finds the loops for a
//     type: simd_amd64.go and simd_arm64.go name those of table_amd64.go and table_arm64.go, autotune_amd64.go chooses
//     between some, and simd_other.go has none.
//   - offsets.go has windows: simdoffsets.go packs them, windowrows.go uses them as rows.
//   - halves.go converts factors of 16 bits, scaled.go those of integers with scales. lanes.go multiplies a row by
//     these, blocktile.go a few rows, and blockpanel.go makes panels of them. pairs.go multiplies pairs of bfloat16
//     with the loops that pairs_amd64.go chooses, and pairs_other.go has none.
//   - packed.go packs B in advance, shared.go for a batch, dotpacked.go in words; grouped.go has groups of matrices
//     that share B.
//   - dot.go is the product of integers and its blocks, dotpack.go packs them, dotthin.go multiplies few rows by B in
//     place. dot_amd64.go names the loops of dottable_amd64.go, dotplain.go has those in plain Go, and dot_other.go has
//     no others.
//   - small.go has small products, whose code small_amd64.go names, and small_other.go has none.
//   - long.go has products of integers of 64 bits, with a tile in long_amd64.s that long_amd64.go declares;
//     long_other.go has none.
//   - pack.go, tile.go and gemv.go are products in plain Go.
//   - epilogue.go, rows.go and reader.go pass tiles and rows of C and panels of B to other code.
package gemm
