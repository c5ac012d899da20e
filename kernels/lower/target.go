package lower

import "github.com/broadloom/broadloom/kernels/amd64"

// Target is the instructions that code may use.
type Target uint8

// The targets.
const (
	AVX2   Target = iota // also FMA and BMI2
	AVX512               // F, DQ, BW and VL
)

// wide tells whether vectors have 64 bytes, not 32. Then there are 32 registers, and
// comparisons give mask registers, which are turned into masks in vectors.
func (t Target) wide() bool { return t == AVX512 }

// bytes is the size of a vector.
func (t Target) bytes() int {
	if t.wide() {
		return 64
	}
	return 32
}

// full is the width of a whole vector.
func (t Target) full() amd64.Width {
	if t.wide() {
		return amd64.W512
	}
	return amd64.W256
}

// registers is the number of vector registers.
func (t Target) registers() int {
	if t.wide() {
		return 32
	}
	return 16
}

// The mask registers: one for the lanes that take part, one for the operation at hand.
const (
	tailMask amd64.Vec = 2
	workMask amd64.Vec = 1
)

// compareOp is the instruction of a comparison that gives a mask register, in the place
// of one that gives a vector, with the size of elements.
func compareOp(op *amd64.Op) (k *amd64.Op, size int) {
	switch op {
	case amd64.CMPPS:
		return amd64.KCMPPS, 4
	case amd64.CMPPD:
		return amd64.KCMPPD, 8
	case amd64.PCMPEQD:
		return amd64.KPCMPEQD, 4
	case amd64.PCMPEQQ:
		return amd64.KPCMPEQQ, 8
	case amd64.PCMPGTD:
		return amd64.KPCMPGTD, 4
	case amd64.PCMPGTQ:
		return amd64.KPCMPGTQ, 8
	}
	return nil, 0
}

// blendOp is the instruction that blends by a mask register in the place of op, and that
// which makes a mask register of a vector's signs.
func blendOp(op *amd64.Op) (blend, signs *amd64.Op) {
	if op == amd64.BLENDVPD {
		return amd64.BLENDMPD, amd64.PMOVQ2M
	}
	return amd64.BLENDMPS, amd64.PMOVD2M
}

// roundOp is the instruction that rounds in the place of op.
func roundOp(op *amd64.Op) *amd64.Op {
	switch op {
	case amd64.ROUNDPS:
		return amd64.RNDSCALEPS
	case amd64.ROUNDPD:
		return amd64.RNDSCALEPD
	}
	return op
}
