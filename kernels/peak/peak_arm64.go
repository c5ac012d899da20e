package peak

import "github.com/broadloom/broadloom/kernels/cpu"

// chains is the number of sums that the loop keeps: more than the multiply-adds in flight on any processor (four units,
// of a latency of four).
const chains = 24

// Loop makes turns of multiply-adds with the vectors that Broadloom uses. Their
// number is the same for every type of elements.
func Loop() error {
	if cpu.Chosen() == cpu.NEON {
		loop128(turns)
	}
	return nil
}

func vectorBytes() int {
	if cpu.Chosen() == cpu.NEON {
		return 16
	}
	return 0
}

// loop128 adds products to vectors of 16 bytes in each turn; turns ≥ 1.
//
//go:noescape
func loop128(turns int)
