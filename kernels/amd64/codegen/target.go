package codegen

import "github.com/broadloom/broadloom/kernels/amd64/asm"

// Target is the instructions that code may use.
type Target uint8

// The targets.
const (
	AVX2   Target = iota // also FMA, F16C and BMI2
	AVX512               // F, DQ, BW and VL
)

// isAVX512 reports whether vectors have 64 bytes, not 32. Then there are 32 registers, and
// comparisons give mask registers, which are turned into masks in vectors.
func (t Target) isAVX512() bool { return t == AVX512 }

// bytes is the size of a vector.
func (t Target) bytes() int {
	if t.isAVX512() {
		return 64
	}
	return 32
}

// full is the width of a whole vector.
func (t Target) full() asm.Width {
	if t.isAVX512() {
		return asm.W512
	}
	return asm.W256
}

// registers is the number of vector registers.
func (t Target) registers() int {
	if t.isAVX512() {
		return 32
	}
	return 16
}

// The mask registers: one for the lanes that take part, one for the operation at hand.
const (
	tailMask asm.Vec = 2
	workMask asm.Vec = 1
)

// compareOp is the instruction of a comparison that gives a mask register, in the place
// of one that gives a vector, with the size of elements.
func compareOp(op *asm.Op) (k *asm.Op, size int) {
	switch op {
	case asm.CMPPS:
		return asm.KCMPPS, 4
	case asm.CMPPD:
		return asm.KCMPPD, 8
	case asm.PCMPEQD:
		return asm.KPCMPEQD, 4
	case asm.PCMPEQQ:
		return asm.KPCMPEQQ, 8
	case asm.PCMPGTD:
		return asm.KPCMPGTD, 4
	case asm.PCMPGTQ:
		return asm.KPCMPGTQ, 8
	}
	return nil, 0
}

// blendOp is the instruction that blends by a mask register in the place of op, and that
// which makes a mask register of a vector's signs.
func blendOp(op *asm.Op) (blend, signs *asm.Op) {
	if op == asm.BLENDVPD {
		return asm.BLENDMPD, asm.PMOVQ2M
	}
	return asm.BLENDMPS, asm.PMOVD2M
}

// roundOp is the instruction that rounds in the place of op.
func roundOp(op *asm.Op) *asm.Op {
	switch op {
	case asm.ROUNDPS:
		return asm.RNDSCALEPS
	case asm.ROUNDPD:
		return asm.RNDSCALEPD
	}
	return op
}
