// Package backend compiles row programs for the machine at hand: to machine code where
// processor, system and program allow it, else for the portable interpreter, which then
// uses vector code of single primitives. All give the same bits.
//
// The environment variables BROADLOOM_ISA (avx512, avx2 or portable) and BROADLOOM_JIT
// (0 for no machine code) override the choice; BROADLOOM_DUMP names a directory to which
// programs and their machine code are written.
//
// kernel.go compiles programs, codecache.go keeps what was compiled, codeparts.go brings it into memory, and native.go calls those that are machine code. The other files
// say how: copied to rows that lie side by side (pack.go, with copy.go, transpose.go) or to long
// ones (flat.go, with interleave.go and apart.go), in blocks where they are short (rowblocks.go), cut into short calls (cut.go), a chunk of a row after the
// other (chunked.go), on nothing at all (fill.go). call.go is a call whose sizes are settled,
// list.go several as one, steps.go a list many times, static.go a call of code that is part of the program, tile.go calls on tiles of products. dump.go writes programs and code to
// files.
package backend
