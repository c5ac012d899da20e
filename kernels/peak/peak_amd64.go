package peak

import "github.com/broadloom/broadloom/kernels/cpu"

// chains is the number of sums that a loop keeps: more than the multiply-adds in flight on any processor (two units, of
// a latency of five).
const chains = 12

// Loop makes turns of multiply-adds with the widest vectors that Broadloom uses. Their
// number is the same for every type of elements.
func Loop() error {
	switch cpu.Chosen() {
	case cpu.AVX512:
		loop512(turns)
	case cpu.AVX2:
		loop256(turns)
	}
	return nil
}

func vectorBytes() int {
	switch cpu.Chosen() {
	case cpu.AVX512:
		return 64
	case cpu.AVX2:
		return 32
	}
	return 0
}

// loop256 adds products to twelve vectors of 32 bytes in each turn; turns ≥ 1.
//
//go:noescape
func loop256(turns int)

// loop512 is loop256 with vectors of 64 bytes.
//
//go:noescape
func loop512(turns int)
