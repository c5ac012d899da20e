// Package gemm is the matrix product: C = A·B or C += A·B for batches of strided
// matrices. On amd64, products of floating-point matrices and of integers of up to 32 bits run in
// vector registers, on arm64 those of floating-point matrices; else, in plain Go. All give the same bits.
//
// # Order of the sums
//
// Every element of C is computed by itself, in an order that depends on nothing but K, so
// results do not change with the other sizes, the strides, the way in which rows are split
// over threads, the place of an element in its tile or the processor. Up to 1024 products are
// one block; more are cut into as few blocks of at most [KC] as there can be, equal but
// for rounding up to sixteen. In a block, a sum that starts at zero takes the products in the
// order of k: sum = fma(a, b, sum), rounded once. The first block's sum is stored to C, or
// added to it for C += A·B; the others are added in order, as C = C + sum.
// Products with zero are not skipped, so that NaN and infinity propagate; with K = 0 the
// sum is zero.
//
// # In vector registers
//
// A tile of C of 6 rows by 2 vectors (AVX2; 14 rows with AVX-512; NEON 4 rows by 4) stays in registers while
// the loop runs over a block of K. For AVX-512 there are two loops: in one each multiplication reads its element of
// A from memory, in the other a register has it, repeated. A short measurement before the first product tells
// which is faster on this processor. Package gen writes these loops, one for each number
// of rows, with the encoder of package asm; they stand in tile_amd64.s and tile_arm64.s as static code. Those of NEON load
// a vector of each row of A, whose lanes multiply. They
// make four steps at a time, not for the multiplications, which keep the processor busy
// anyway, but for what comes with them: a core's other thread, which may be another
// machine's, takes half of the instructions that it can begin.
//
// A block of A of up to 240 kB, or a quarter of a larger second-level cache, less than half of any, as wide as a block of K, stays in the second-level cache, and
// serves all products of a batch that share A. It is read where it lies, unless its rows
// would fall into a few sets of a cache that does not bear it, or its columns are contiguous: then it is copied, or
// transposed in registers on the way. A panel of B, of two vectors of columns, stays in the
// same cache, or in the first-level one where K is short, while the tiles of the block pass:
// a step of a tile takes as long as three lines need from there, and reads one. The first
// tiles of a panel copy the next one, a row for every fourth product of a sum, and so wait
// for none of it; where there are fewer than four tiles, and in the first panel, the first
// tile copies what it multiplies. Where A has more blocks than one, the copies are kept for the
// others. Where the next panel is packed already, or will be transposed, tiles fetch it, each a
// share; else they fetch what the next tile needs of A. Where the columns of A are contiguous and it is read where
// it lies, they fetch the next block of K, each a share.
//
// Where C has one row or one column, rows of B that are contiguous are added up as they lie
// in memory. Where it has up to four rows and columns of B are contiguous, or up to three columns and rows of A are,
// these are transposed in registers and multiplied at once, and the next columns are fetched meanwhile: a matrix times a vector takes as long as its memory does. Where columns of B are contiguous and C
// has a few vectors of rows, the product is computed as its transpose, in which B is not packed, and then transposed. Matrices of a batch with
// few rows that share B are computed in groups, panel by panel of B, whose rows fill a block of A; those with more have it packed once.
//
// Matrices of one row that share B are joined to one of many (joinrows.go), and rows of short ones come in another order.
//
// Rows of C that are written, where it is large, come late from beyond the second-level cache: they
// are asked for with the first products of a tile, a line with each.
//
// Where a few rows are left below the last whole tile, both are cut into two tiles of about the same height: a tile needs the sums of four rows
// to keep the multipliers busy.
//
// With AVX-512, what is left of columns that fill half of a vector or less takes the loops of
// AVX2, and tiles have as many rows as a set of the first-level cache has lines where fourteen would fall into one, unless the caches bear it.
//
// A run can compute a part of all sums, and go on with those that others have begun ([Part]): a tile then
// loads them before its first product. Where the others are taken for zeros, their products are left
// out: they would change nothing.
//
// Machine code can go on with the sums of a tile while they are in registers, in place of
// storing them ([Epilogue]). What it reads and writes is asked for in the same way. Or another
// kernel can run on rows of the result: it is told of rows of C as soon as they are whole, few enough to
// be in the second-level cache ([RowConsumer]). Who needs B as well can go through its panels
// when they have been multiplied with the first block of A ([PanelReader]).
//
// Products of so few numbers that a plan would take longer than they do are computed where they lie, row by row, by code that other machine code can call too
// ([Product.Small]). Their sums have the bits of other loops.
//
// # Windows
//
// Rows and columns of B can have offsets in place of strides: so a convolution is a product
// with the windows of an image, which are never laid out as a matrix. Where the places of
// windows fill vectors, the first tile of a panel reads them where they lie, and copies them
// for the others. Other panels are copied in pieces, along the places of windows or, for a
// gradient, along their elements. Where C has so few rows that this would take a part of the time, the product is computed as its transpose instead:
// A is packed, once for a batch, each row of a tile is a window that is read where it lies, and the result is transposed.
//
// # Factors of 16 bits
//
// Products of float32 can have factors of float16 and bfloat16, one or both ([Factor]). Blocks of A and panels of B are converted where they are
// packed, and no other copy of them is made; the sums are those of the same numbers as float32. Windows are converted piece by piece.
// Where the processor adds up two products of bfloat16 in an instruction, with the bits of two multiply-adds, and is faster so, A and B are packed in
// pairs. Blocks whose numbers are so small that it would take some for zero are multiplied as float32.
//
// # Integers
//
// Products of int32 wrap around, so their sums may be taken in any order. A and B may have integers of 8 or 16 bits ([Factor]): several
// that follow each other along K are packed into a word of 32 bits, and an instruction multiplies those of two words and adds
// the products to a sum of 32 bits. Four unsigned bytes by four signed ones take VPDPBUSD, or VPDPWSSD as two pairs of 16 bits,
// to which other integers of 8 bits are widened beside those of 16; without VNNI, VPMADDWD adds up pairs. None of these saturates.
// Where both bytes have a sign, or neither has one, the highest bits of A's are turned for VPDPBUSD, and sums begin with those of B's columns, times 128
// or -128, which correct for that.
// Bytes of all signs take the tile registers of AMX where the system grants them. Integers of 32 bits take VPMULLD. Rows of A are read
// where they lie if they are such words; B is packed, and windows are packed from where they lie, also where every other element is one of a window.
// Up to three rows of bytes are multiplied by B as it lies if its rows are contiguous, which become words in registers, or its columns, of which a vector
// is multiplied at a time. B can be packed in advance ([Product.PackB]), with the sums of its columns, unless matrices of a batch have their own.
//
// The same words can be pairs of bfloat16, whose sums are float32, in the tile registers of AMX alone: [MultipliesBFloat16] tells in which order they
// are added up.
//
// # In plain Go
//
// Blocks of A and B are packed in the order in which the innermost loop reads them.
// That loop keeps a tile of C of 3×2 elements in registers. Float32 has no fused
// multiply-add in Go. Where the compiler makes one of a product and a sum, which shows when a
// program starts, that is used; else, as on amd64, it is computed in float64, with a
// correction where rounding twice would differ.
//
// # Files
//
//   - product.go is the product of a batch, blocks.go one product and its blocks, part.go sums in parts, blocksums.go adds up
//     blocks of K that were computed apart. caches.go tells how much stays in the caches.
//   - simd.go computes a product in vector registers: simdpanel.go goes through a panel, simdpack.go packs, simdtranspose.go
//     transposes on the way, simdprefetch.go asks for memory ahead. simdgemv.go has single rows, simdthin.go few, and
//     simdturned.go computes products as their transposes. simdasm.go finds the loops of a type: simd_amd64.go and
//     simd_arm64.go name those of table_amd64.go and table_arm64.go, autotune_amd64.go chooses between some, and simd_other.go says
//     that there are none.
//   - offsets.go is windows: simdoffsets.go packs them, windowrows.go has them as rows.
//   - halves.go converts factors of 16 bits, pairs.go multiplies pairs of them by the loops that pairs_amd64.go chooses, and
//     pairs_other.go has none.
//   - packed.go packs B in advance, shared.go for a batch, dotpacked.go in words; grouped.go has groups of matrices that share B.
//   - dot.go is the product of integers and its blocks, dotpack.go packs them, dotthin.go has few rows by B as it lies.
//     dot_amd64.go names the loops of dottable_amd64.go, dotplain.go has those in plain Go, and dot_other.go says that there are
//     no others.
//   - small.go has small products, whose code small_amd64.go names, and small_other.go has none.
//   - pack.go, tile.go and gemv.go are products in plain Go.
//   - epilogue.go, rows.go and reader.go hand on tiles and rows of C and panels of B.
package gemm
