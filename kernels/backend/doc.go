// Package backend compiles row programs for the current machine. It makes machine code if processor, system and program
// allow it, or else uses the portable interpreter, which has vector code for single primitives. All give the same bits.
//
// The environment variables BROADLOOM_ISA (avx512, avx2 or portable) and BROADLOOM_JIT
// (0 for no machine code) override the choice; BROADLOOM_DUMP names a directory to which
// programs and their machine code are written.
//
// kernel.go compiles programs, codecache.go caches compiled code, codeparts.go loads it into memory, and native.go
// calls machine code. The other files are ways to call it: with code that reads elements that are apart (stepped.go),
// on operands copied to contiguous rows (pack.go, with copy.go, transpose.go) or to long rows (flat.go, with
// interleave.go and apart.go), on blocks of short rows (rowblocks.go), divided into short calls (cut.go), one chunk
// of a row after another (chunked.go), without any elements (fill.go). call.go is a call with known sizes, list.go
// combines several calls, steps.go repeats a list many times, static.go calls code that is part of the binary, and
// tile.go makes calls on tiles of products. dump.go writes programs and code to files.
package backend
