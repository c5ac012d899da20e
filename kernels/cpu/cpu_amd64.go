package cpu

// cpuid is the instruction CPUID.
//
//go:noescape
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv reads the register that tells what state the operating system saves.
func xgetbv() uint32

// The bits of CPUID and of the state that matter here.
const (
	bitFMA     = 1 << 12 // leaf 1, ecx
	bitXSAVE   = 1 << 27
	bitAVX     = 1 << 28
	bitAVX2    = 1 << 5 // leaf 7, ebx
	bitBMI1    = 1 << 3
	bitBMI2    = 1 << 8
	bitsAVX512 = 1<<16 | 1<<17 | 1<<30 | 1<<31 // F, DQ, BW, VL
	stateAVX   = 1<<1 | 1<<2
	state512   = stateAVX | 1<<5 | 1<<6 | 1<<7
)

func detect() ISA {
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return Portable
	}
	_, _, c1, _ := cpuid(1, 0)
	_, b7, _, _ := cpuid(7, 0)
	const need1, need7 = bitFMA | bitXSAVE | bitAVX, bitAVX2 | bitBMI1 | bitBMI2
	if c1&need1 != need1 || b7&need7 != need7 {
		return Portable
	}
	state := xgetbv()
	switch {
	case state&stateAVX != stateAVX:
		return Portable
	case b7&bitsAVX512 == bitsAVX512 && state&state512 == state512:
		return AVX512
	}
	return AVX2
}
