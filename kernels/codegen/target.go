package codegen

import "github.com/broadloom/broadloom/kernels/asm"

// Target is the set of instructions that code may use.
type Target uint8

// The targets.
const (
	AVX2   Target = iota // also FMA, F16C and BMI2
	AVX512               // F, DQ, BW and VL
	NEON                 // of arm64, as which the instructions of AVX2 are written
)

// Machine is the machine that code is written for.
func (t Target) Machine() asm.Machine {
	if t == NEON {
		return asm.ARM64
	}
	return asm.AMD64
}

// mask4 and mask8 are the registers with masks of the active lanes, of 4 and of 8 bytes, if such masks are vectors.
func (t Target) mask4() asm.Vec { return asm.Vec(t.registers() - 1) }
func (t Target) mask8() asm.Vec { return asm.Vec(t.registers() - 2) }

// isAVX512 reports whether vectors have 64 bytes, not 32. There are then 32 registers, and comparisons give mask
// registers, which are expanded to masks in vectors.
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
	switch t {
	case AVX512:
		return 32
	case NEON:
		return int(asm.FirstTemporary)
	}
	return 16
}

// The mask registers: one for the active lanes, one for the current operation.
const (
	tailMask asm.Vec = 2
	workMask asm.Vec = 1
)

// compareOp is the comparison that gives a mask register instead of a vector, with the size of elements.
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

// blendOp is the instruction that replaces op to blend by a mask register, and the one that makes a mask register from
// a vector's signs.
func blendOp(op *asm.Op) (blend, signs *asm.Op) {
	if op == asm.BLENDVPD {
		return asm.BLENDMPD, asm.PMOVQ2M
	}
	return asm.BLENDMPS, asm.PMOVD2M
}

// extremeOp is the instruction that replaces op to give the lesser or the greater number. That of NEON gives NaN if
// either is NaN, and orders zeros.
func (t Target) extremeOp(op *asm.Op) *asm.Op {
	if t != NEON {
		return op
	}
	switch op {
	case asm.MINPS:
		return asm.FMINPS
	case asm.MINPD:
		return asm.FMINPD
	case asm.MAXPS:
		return asm.FMAXPS
	}
	return asm.FMAXPD
}

// roundOp is the instruction that replaces op to round.
func roundOp(op *asm.Op) *asm.Op {
	switch op {
	case asm.ROUNDPS:
		return asm.RNDSCALEPS
	case asm.ROUNDPD:
		return asm.RNDSCALEPD
	}
	return op
}
