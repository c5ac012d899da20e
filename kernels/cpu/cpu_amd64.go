package cpu

// cpuid is the instruction CPUID.
//
//go:noescape
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv reads the register that says what state the operating system saves.
func xgetbv() uint32

// floatControl reads MXCSR, the thread's floating-point settings; setFloatControl writes it.
func floatControl() uint32

func setFloatControl(v uint32)

// flushBits flush denormal results (FTZ) and operands (DAZ).
const flushBits = 1<<15 | 1<<6

// The bits of CPUID and of the state that matter here.
const (
	bitFMA     = 1 << 12 // leaf 1, ecx
	bitXSAVE   = 1 << 27
	bitAVX     = 1 << 28
	bitF16C    = 1 << 29
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
	const need1, need7 = bitFMA | bitXSAVE | bitAVX | bitF16C, bitAVX2 | bitBMI1 | bitBMI2
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

// leaves is the instruction [cpuid], or its answers on another processor.
type leaves func(leaf, sub uint32) (a, b, c, d uint32)

func detectCaches() hierarchy { return leaves(cpuid).caches() }

// The leaves with a cache for each sub-leaf. Both have the same form: Intel's, and AMD's if the last bit below is set
// (Intel 64 Software Developer's Manual, volume 2, CPUID; AMD64 Architecture Programmer's Manual, volume 3, appendix
// E).
const (
	leafCachesIntel = 4
	leafExtended    = 0x8000_0000
	leafFeatures    = 0x8000_0001
	leafCachesAMD   = 0x8000_001d
	bitCachesAMD    = 1 << 22 // leafFeatures, ecx
)

// caches queries the caches.
func (cpuid leaves) caches() hierarchy {
	h := common
	leaf := uint32(leafCachesIntel)
	if most, _, _, _ := cpuid(leafExtended, 0); most >= leafCachesAMD {
		if _, _, c, _ := cpuid(leafFeatures, 0); c&bitCachesAMD != 0 {
			leaf = leafCachesAMD
		}
	}
	if most, _, _, _ := cpuid(0, 0); leaf == leafCachesIntel && most < leaf {
		return h
	}
	const none, instructions, most = 0, 2, 16
	for sub := range uint32(most) {
		a, b, c, _ := cpuid(leaf, sub)
		kind, level := a&0x1f, a>>5&7
		if kind == none {
			break
		}
		if kind == instructions {
			continue
		}
		line, partitions, ways, sets := b&0xfff+1, b>>12&0x3ff+1, b>>22+1, c+1
		h.add(int(level), int(line)*int(partitions)*int(ways)*int(sets), int(ways))
	}
	return h
}
