package asm

// op makes the description of an instruction with the same W bit in both forms.
func op(name string, mm, pp, w uint8, code byte) *Op {
	return &Op{Name: name, mm: mm, pp: pp, w: w, ew: w, op: code, digit: -1}
}

// wide is op for the instructions on 64-bit elements whose VEX form ignores W.
func wide(name string, mm, pp uint8, code byte) *Op {
	o := op(name, mm, pp, 0, code)
	o.ew = 1
	return o
}

// shift is an instruction that shifts by an immediate number.
func shift(name string, code byte, digit int8, ew uint8) *Op {
	o := op(name, 1, 1, 0, code)
	o.digit, o.ew = digit, ew
	return o
}

// only is an instruction of [ARM64].
func only(name string) *Op {
	o := op(name, 0, 0, 0, 0)
	o.noVEX, o.noEVEX = true, true
	return o
}

func (o *Op) of(u unit) *Op { o.unit = u; return o }
func (o *Op) onlyVEX() *Op  { o.noEVEX = true; return o }
func (o *Op) onlyEVEX() *Op { o.noVEX = true; return o }

// Moves. Those with St store.
var (
	MOVUPS   = op("vmovups", 1, 0, 0, 0x10)
	MOVUPSSt = op("vmovups", 1, 0, 0, 0x11)
	MOVAPS   = op("vmovaps", 1, 0, 0, 0x28)
	MOVNTPS  = op("vmovntps", 1, 0, 0, 0x2b)
	MOVSS    = op("vmovss", 1, 2, 0, 0x10).of(elem4Unit) // of memory: the other lanes become zero
	MOVSD    = wide("vmovsd", 1, 3, 0x10).of(elem8Unit)  // as is this
	MOVHPD   = wide("vmovhpd", 1, 1, 0x16).of(elem8Unit) // v with the upper element of memory
	// of memory, into the lane that bits 4 and 5 of the number say
	INSERTPS    = op("vinsertps", 3, 1, 0, 0x21).of(elem4Unit)
	MOVSSSt     = op("vmovss", 1, 2, 0, 0x11).of(elem4Unit)
	MOVSDSt     = wide("vmovsd", 1, 3, 0x11).of(elem8Unit)
	MOVQ        = op("vmovq", 1, 1, 1, 0x6e).of(elem8Unit)   // from a general register
	MOVQSt      = op("vmovq", 1, 1, 1, 0x7e).of(elem8Unit)   // to a general register, in the place of src
	PEXTRQSt    = op("vpextrq", 3, 1, 1, 0x16).of(elem8Unit) // so is this
	MASKMOVPS   = op("vmaskmovps", 2, 1, 0, 0x2c).onlyVEX()
	MASKMOVPSSt = op("vmaskmovps", 2, 1, 0, 0x2e).onlyVEX()
	MASKMOVPD   = op("vmaskmovpd", 2, 1, 0, 0x2d).onlyVEX()
	MASKMOVPDSt = op("vmaskmovpd", 2, 1, 0, 0x2f).onlyVEX()
	BROADCASTSS = op("vbroadcastss", 2, 1, 0, 0x18).of(elem4Unit)
	BROADCASTSD = wide("vbroadcastsd", 2, 1, 0x19).of(elem8Unit) // not of 128 bits
	PBROADCASTD = op("vpbroadcastd", 2, 1, 0, 0x58).of(elem4Unit)
	PBROADCASTQ = wide("vpbroadcastq", 2, 1, 0x59).of(elem8Unit)
	PBROADCASTB = op("vpbroadcastb", 2, 1, 0, 0x78).of(elem1Unit)
	PBROADCASTW = op("vpbroadcastw", 2, 1, 0, 0x79).of(elem2Unit)
	PINSRW      = op("vpinsrw", 1, 1, 0, 0xc4).of(elem2Unit)
	PEXTRBSt    = op("vpextrb", 3, 1, 0, 0x14).of(elem1Unit)
	PEXTRWSt    = op("vpextrw", 3, 1, 0, 0x15).of(elem2Unit)
)

// Floating-point arithmetic.
var (
	ADDPS   = op("vaddps", 1, 0, 0, 0x58)
	ADDPD   = wide("vaddpd", 1, 1, 0x58)
	SUBPS   = op("vsubps", 1, 0, 0, 0x5c)
	SUBPD   = wide("vsubpd", 1, 1, 0x5c)
	MULPS   = op("vmulps", 1, 0, 0, 0x59)
	MULPD   = wide("vmulpd", 1, 1, 0x59)
	DIVPS   = op("vdivps", 1, 0, 0, 0x5e)
	DIVPD   = wide("vdivpd", 1, 1, 0x5e)
	MINPS   = op("vminps", 1, 0, 0, 0x5d)
	MINPD   = wide("vminpd", 1, 1, 0x5d)
	MAXPS   = op("vmaxps", 1, 0, 0, 0x5f)
	MAXPD   = wide("vmaxpd", 1, 1, 0x5f)
	SQRTPS  = op("vsqrtps", 1, 0, 0, 0x51)
	SQRTPD  = wide("vsqrtpd", 1, 1, 0x51)
	ANDPS   = op("vandps", 1, 0, 0, 0x54)
	ANDNPS  = op("vandnps", 1, 0, 0, 0x55)
	ORPS    = op("vorps", 1, 0, 0, 0x56)
	XORPS   = op("vxorps", 1, 0, 0, 0x57)
	ROUNDPS = op("vroundps", 3, 1, 0, 0x08).onlyVEX()
	ROUNDPD = op("vroundpd", 3, 1, 0, 0x09).onlyVEX()
	CMPPS   = op("vcmpps", 1, 0, 0, 0xc2).onlyVEX() // the EVEX form gives a mask register
	CMPPD   = op("vcmppd", 1, 1, 0, 0xc2).onlyVEX()

	BLENDVPS = op("vblendvps", 3, 1, 0, 0x4a).onlyVEX()
	BLENDVPD = op("vblendvpd", 3, 1, 0, 0x4b).onlyVEX()
)

// fused makes the three forms of a fused multiply-add: 132, 213 and 231.
func fused(name, suffix string, code byte, w uint8) [3]*Op {
	return [3]*Op{op(name+"132"+suffix, 2, 1, w, 0x90+code), op(name+"213"+suffix, 2, 1, w, 0xa0+code),
		op(name+"231"+suffix, 2, 1, w, 0xb0+code)}
}

// Fused multiply-add, each as the forms 132, 213 and 231. The digits say which operands are multiplied and which is
// added: form 213 is dst = v*dst + src.
var (
	FMADDPS  = fused("vfmadd", "ps", 0x8, 0)
	FMADDPD  = fused("vfmadd", "pd", 0x8, 1)
	FMSUBPS  = fused("vfmsub", "ps", 0xa, 0)
	FMSUBPD  = fused("vfmsub", "pd", 0xa, 1)
	FNMADDPS = fused("vfnmadd", "ps", 0xc, 0)
	FNMADDPD = fused("vfnmadd", "pd", 0xc, 1)
)

// Integers and bits.
var (
	PADDD   = op("vpaddd", 1, 1, 0, 0xfe)
	PADDQ   = wide("vpaddq", 1, 1, 0xd4)
	PSUBD   = op("vpsubd", 1, 1, 0, 0xfa)
	PSUBQ   = wide("vpsubq", 1, 1, 0xfb)
	PMULLD  = op("vpmulld", 2, 1, 0, 0x40)
	PMADDWD = op("vpmaddwd", 1, 1, 0, 0xf5)
	PMULUDQ = wide("vpmuludq", 1, 1, 0xf4)
	PSUBW   = op("vpsubw", 1, 1, 0, 0xf9)
	PADDB   = op("vpaddb", 1, 1, 0, 0xfc)
	PSUBB   = op("vpsubb", 1, 1, 0, 0xf8)
	PSUBUSB = op("vpsubusb", 1, 1, 0, 0xd8) // 0 where v is less
	PMULLW  = op("vpmullw", 1, 1, 0, 0xd5)
	PMAXUB  = op("vpmaxub", 1, 1, 0, 0xde)
	PMINUB  = op("vpminub", 1, 1, 0, 0xda)
	PMAXSB  = op("vpmaxsb", 2, 1, 0, 0x3c)
	PMINSB  = op("vpminsb", 2, 1, 0, 0x38)
	// of the 16 bytes of v, those at the places in src, or 0 where a place has its sign set; others are below 16
	PSHUFB   = op("vpshufb", 2, 1, 0, 0x00)
	PMINUW   = op("vpminuw", 2, 1, 0, 0x3a)
	PMINSD   = op("vpminsd", 2, 1, 0, 0x39)
	PMAXSD   = op("vpmaxsd", 2, 1, 0, 0x3d)
	PABSD    = op("vpabsd", 2, 1, 0, 0x1e)
	PCMPEQD  = op("vpcmpeqd", 1, 1, 0, 0x76).onlyVEX()
	PCMPEQQ  = op("vpcmpeqq", 2, 1, 0, 0x29).onlyVEX()
	PCMPGTD  = op("vpcmpgtd", 1, 1, 0, 0x66).onlyVEX()
	PCMPGTQ  = op("vpcmpgtq", 2, 1, 0, 0x37).onlyVEX()
	PSRLW    = shift("vpsrlw", 0x71, 2, 0)
	PSLLD    = shift("vpslld", 0x72, 6, 0)
	PSRLD    = shift("vpsrld", 0x72, 2, 0)
	PSRAD    = shift("vpsrad", 0x72, 4, 0)
	PSLLQ    = shift("vpsllq", 0x73, 6, 1)
	PSRLQ    = shift("vpsrlq", 0x73, 2, 1)
	PSLLDQ   = shift("vpslldq", 0x73, 7, 0)             // by bytes
	MOVMSKPS = op("vmovmskps", 1, 0, 0, 0x50).onlyVEX() // to a general register
)

// Conversions and shuffles.
var (
	CVTPS2PD    = op("vcvtps2pd", 1, 0, 0, 0x5a).of(halfUnit)
	CVTPD2PS    = wide("vcvtpd2ps", 1, 1, 0x5a)
	CVTDQ2PS    = op("vcvtdq2ps", 1, 0, 0, 0x5b)
	CVTTPS2DQ   = op("vcvttps2dq", 1, 2, 0, 0x5b)
	CVTDQ2PD    = op("vcvtdq2pd", 1, 2, 0, 0xe6).of(halfUnit)
	CVTTPD2DQ   = wide("vcvttpd2dq", 1, 1, 0xe6)
	CVTTPD2QQ   = wide("vcvttpd2qq", 1, 1, 0x7a).onlyEVEX()
	CVTQQ2PD    = wide("vcvtqq2pd", 1, 2, 0xe6).onlyEVEX()
	CVTQQ2PS    = wide("vcvtqq2ps", 1, 0, 0x5b).onlyEVEX()
	PMOVSXDQ    = op("vpmovsxdq", 2, 1, 0, 0x25).of(halfUnit)
	PMOVZXBD    = op("vpmovzxbd", 2, 1, 0, 0x31).of(quarterUnit)
	PMOVSXBD    = op("vpmovsxbd", 2, 1, 0, 0x21).of(quarterUnit)
	PMOVZXWD    = op("vpmovzxwd", 2, 1, 0, 0x33).of(halfUnit)
	PMOVSXWD    = op("vpmovsxwd", 2, 1, 0, 0x23).of(halfUnit)
	PMOVZXDQ    = op("vpmovzxdq", 2, 1, 0, 0x35).of(halfUnit)
	CVTPH2PS    = op("vcvtph2ps", 2, 1, 0, 0x13).of(halfUnit)
	CVTPS2PH    = op("vcvtps2ph", 3, 1, 0, 0x1d).of(halfUnit) // dst is the source
	PACKUSDW    = op("vpackusdw", 2, 1, 0, 0x2b)
	PACKSSDW    = op("vpackssdw", 1, 1, 0, 0x6b)
	PACKUSWB    = op("vpackuswb", 1, 1, 0, 0x67)
	PACKSSWB    = op("vpacksswb", 1, 1, 0, 0x63)
	EXTRACTF128 = op("vextractf128", 3, 1, 0, 0x19).onlyVEX() // dst is the source
	INSERTF128  = op("vinsertf128", 3, 1, 0, 0x18).onlyVEX()
	INSERTF32X4 = op("vinsertf32x4", 3, 1, 0, 0x18).of(xmmUnit).onlyEVEX()
	SHUFF32X4   = op("vshuff32x4", 3, 1, 0, 0x23).onlyEVEX()
	SHUFPS      = op("vshufps", 1, 0, 0, 0xc6)
	PSHUFD      = op("vpshufd", 1, 1, 0, 0x70)
	UNPCKLPS    = op("vunpcklps", 1, 0, 0, 0x14)
	UNPCKHPS    = op("vunpckhps", 1, 0, 0, 0x15)
	UNPCKLPD    = wide("vunpcklpd", 1, 1, 0x14)
	UNPCKHPD    = wide("vunpckhpd", 1, 1, 0x15)
	PMOVSXBW    = op("vpmovsxbw", 2, 1, 0, 0x20).of(halfUnit)
	PMOVZXBW    = op("vpmovzxbw", 2, 1, 0, 0x30).of(halfUnit)
	PUNPCKLBW   = op("vpunpcklbw", 1, 1, 0, 0x60)
	PUNPCKLWD   = op("vpunpcklwd", 1, 1, 0, 0x61)
	PUNPCKHBW   = op("vpunpckhbw", 1, 1, 0, 0x68)
	PUNPCKHWD   = op("vpunpckhwd", 1, 1, 0, 0x69)
	PERM2F128   = op("vperm2f128", 3, 1, 0, 0x06).onlyVEX()
	BLENDPS     = op("vblendps", 3, 1, 0, 0x0c).onlyVEX()
	PERMPS      = op("vpermps", 2, 1, 0, 0x16)              // v has the indices
	PERMT2PS    = op("vpermt2ps", 2, 1, 0, 0x7f).onlyEVEX() // dst has the first table, v the indices
)

// Products of narrow integers, summed in 32 bits: AVX-VNNI with VEX, AVX512-VNNI with EVEX.
var (
	PDPBUSD = op("vpdpbusd", 2, 1, 0, 0x50) // of four unsigned bytes in v and four signed ones in src
	PDPWSSD = op("vpdpwssd", 2, 1, 0, 0x52) // of two words in each

	DPBF16PS = op("vdpbf16ps", 2, 2, 0, 0x52).onlyEVEX() // of two bfloat16 in each, the upper ones first: AVX512-BF16
)

// AMX: its registers are tiles of up to 16 rows of 64 bytes. Products add up four bytes of v's rows times four of
// src's. A row of src holds four for each column.
var (
	TILELOADD  = op("tileloadd", 2, 3, 0, 0x4b).onlyVEX() // the index of the memory is the distance of rows
	TILESTORED = op("tilestored", 2, 2, 0, 0x4b).onlyVEX()
	TILEZERO   = op("tilezero", 2, 3, 0, 0x49).onlyVEX()
	LDTILECFG  = op("ldtilecfg", 2, 0, 0, 0x49).onlyVEX()
	// of no operand: empties the registers, so that the system need not save them
	TILERELEASE = op("tilerelease", 2, 0, 0, 0x49).onlyVEX()
	TDPBSSD     = op("tdpbssd", 2, 3, 0, 0x5e).onlyVEX() // signed by signed; src is the left factor
	TDPBSUD     = op("tdpbsud", 2, 2, 0, 0x5e).onlyVEX() // signed by unsigned
	TDPBUSD     = op("tdpbusd", 2, 1, 0, 0x5e).onlyVEX()
	TDPBUUD     = op("tdpbuud", 2, 0, 0, 0x5e).onlyVEX()
	TDPBF16PS   = op("tdpbf16ps", 2, 2, 0, 0x5c).onlyVEX() // of pairs of bfloat16
)

// ARM64 only.
var (
	FMINPS   = only("fmin") // NaN if an operand is; of zeros, the negative one
	FMINPD   = only("fmin")
	FMAXPS   = only("fmax") // and the positive one
	FMAXPD   = only("fmax")
	FCVTZSPS = only("fcvtzs") // float32 to int32: what fits best of what does not, and 0 for NaN
	FCVTZSPD = only("fcvtzs") // float64 to int64
	SCVTFPD  = only("scvtf")  // int64 to float64
	LDRQ     = only("ldr")    // 16 bytes to one of a register's halves, see [Vec.Halves]
	FMLAPS   = only("fmla")   // dst += v times the lane of src that the number says; src is a half
	FMLAPD   = only("fmla")
)

// AVX-512 only. Instructions with K give a mask register: dst is its number.
var (
	MOVUPD       = wide("vmovupd", 1, 1, 0x10).onlyEVEX()
	MOVUPDSt     = wide("vmovupd", 1, 1, 0x11).onlyEVEX()
	MOVDQU8      = op("vmovdqu8", 1, 3, 0, 0x6f).onlyEVEX()
	MOVDQU16     = wide("vmovdqu16", 1, 3, 0x6f).onlyEVEX()
	KCMPPS       = op("vcmpps", 1, 0, 0, 0xc2).onlyEVEX()
	KCMPPD       = wide("vcmppd", 1, 1, 0xc2).onlyEVEX()
	KPCMPEQD     = op("vpcmpeqd", 1, 1, 0, 0x76).onlyEVEX()
	KPCMPEQQ     = wide("vpcmpeqq", 2, 1, 0x29).onlyEVEX()
	KPCMPGTD     = op("vpcmpgtd", 1, 1, 0, 0x66).onlyEVEX()
	KPCMPGTQ     = wide("vpcmpgtq", 2, 1, 0x37).onlyEVEX()
	PMOVD2M      = op("vpmovd2m", 2, 2, 0, 0x39).onlyEVEX() // dst is a mask register
	PMOVQ2M      = wide("vpmovq2m", 2, 2, 0x39).onlyEVEX()
	PMOVM2D      = op("vpmovm2d", 2, 2, 0, 0x38).onlyEVEX() // src is a mask register
	PMOVM2Q      = wide("vpmovm2q", 2, 2, 0x38).onlyEVEX()
	BLENDMPS     = op("vblendmps", 2, 1, 0, 0x65).onlyEVEX()
	BLENDMPD     = wide("vblendmpd", 2, 1, 0x65).onlyEVEX()
	PMOVQD       = op("vpmovqd", 2, 2, 0, 0x35).of(halfUnit).onlyEVEX()    // dst is the source
	PMOVDW       = op("vpmovdw", 2, 2, 0, 0x33).of(halfUnit).onlyEVEX()    // dst is the source
	PMOVDB       = op("vpmovdb", 2, 2, 0, 0x31).of(quarterUnit).onlyEVEX() // dst is the source
	SHUFF64X2    = op("vshuff64x2", 3, 1, 1, 0x23).onlyEVEX()
	INSERTF256   = op("vinsertf64x4", 3, 1, 1, 0x1a).of(ymmUnit).onlyEVEX()
	KMOVW        = op("kmovw", 1, 0, 0, 0x90) // from memory to a mask register
	KMOVWSt      = op("kmovw", 1, 0, 0, 0x93) // to a general register
	SCALEFPS     = op("vscalefps", 2, 1, 0, 0x2c).onlyEVEX()
	RANGEPS      = op("vrangeps", 3, 1, 0, 0x50).onlyEVEX()
	RANGEPD      = op("vrangepd", 3, 1, 1, 0x50).onlyEVEX()
	RNDSCALEPS   = op("vrndscaleps", 3, 1, 0, 0x08).onlyEVEX()
	RNDSCALEPD   = op("vrndscalepd", 3, 1, 1, 0x09).onlyEVEX()
	EXTRACTF32X4 = op("vextractf32x4", 3, 1, 0, 0x19).of(xmmUnit).onlyEVEX()
	EXTRACTF256  = op("vextractf64x4", 3, 1, 1, 0x1b).of(ymmUnit).onlyEVEX()
	PMULLQ       = op("vpmullq", 2, 1, 1, 0x40).onlyEVEX()
)
