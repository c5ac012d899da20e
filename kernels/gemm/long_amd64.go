package gemm

import "github.com/broadloom/broadloom/kernels/cpu"

// longTileAVX512 computes a tile.
//
//go:noescape
func longTileAVX512(args *longTile)

// multipliesLong reports whether there is code for products of integers of 64 bits.
func multipliesLong() bool { return cpu.Chosen() == cpu.AVX512 }

// run computes the tile.
func (t *longTile) run() { longTileAVX512(t) }
