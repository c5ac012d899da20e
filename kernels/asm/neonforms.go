package asm

import "sync"

// vectorForms maps vector instructions of amd64 to those of arm64.
var vectorForms = sync.OnceValue(func() map[*Op]func(neon) {
	forms := map[*Op]func(neon){
		MOVUPS: neon.copy, MOVAPS: neon.copy,
		MOVQ:   func(n neon) { n.two(fmovToD, uint32(n.dst), uint32(n.src)) },
		MOVQSt: func(n neon) { n.two(fmovFromD, uint32(n.src), uint32(n.dst)); n.sums.change(Reg(n.src)) },
		PEXTRQSt: func(n neon) {
			n.two(neonUmovX|uint32(n.imm)<<20, uint32(n.src), uint32(n.dst))
			n.sums.change(Reg(n.src))
		},
		MOVMSKPS: neon.signs,

		BROADCASTSS: spread(4), BROADCASTSD: spread(8), PBROADCASTB: spread(1), PBROADCASTW: spread(2),
		PBROADCASTD: spread(4), PBROADCASTQ: spread(8),

		ADDPS: onThree(neonFadd), ADDPD: onThree(neonFadd | ofPairs),
		SUBPS: onThree(neonFsub), SUBPD: onThree(neonFsub | ofPairs),
		MULPS: onThree(neonFmul), MULPD: onThree(neonFmul | ofPairs),
		DIVPS: onThree(neonFdiv), DIVPD: onThree(neonFdiv | ofPairs),
		SQRTPS: onTwo(neonFsqrt), SQRTPD: onTwo(neonFsqrt | ofPairs),
		MINPS: extreme(0, false), MINPD: extreme(ofPairs, false), MAXPS: extreme(0, true),
		MAXPD:  extreme(ofPairs, true),
		FMINPS: onThree(neonFmin), FMINPD: onThree(neonFmin | ofPairs), FMAXPS: onThree(neonFmax),
		FMAXPD:   onThree(neonFmax | ofPairs),
		FCVTZSPS: onTwo(neonZs), FCVTZSPD: onTwo(neonZs | ofPairs), SCVTFPD: onTwo(neonScvtf | ofPairs),
		FMLAPS: timesLane(neonFmlaLane, 4), FMLAPD: timesLane(neonFmlaLane|ofPairs, 8),
		ROUNDPS: rounded(0), ROUNDPD: rounded(ofPairs),
		CMPPS: compared(0), CMPPD: compared(ofPairs),
		BLENDVPS: blended(4), BLENDVPD: blended(8),

		ANDPS: onThree(neonAnd), ORPS: onThree(neonOrr),
		ANDNPS: func(n neon) { n.each(func(d, v, s, _ uint32) { n.three(neonBic, d, s, v) }) },
		XORPS: func(n neon) {
			if n.v == n.src { // code relies on it that the upper half is cleared too
				for _, d := range halves(n.dst) {
					n.emit32(neonZero | d)
				}
				return
			}
			n.each(func(d, v, s, _ uint32) { n.three(neonEor, d, v, s) })
		},

		PADDD: onThree(neonAdd), PADDQ: onThree(neonAdd | ofPairs),
		PSUBD: onThree(neonSub), PSUBQ: onThree(neonSub | ofPairs),
		PMULLD: onThree(neonMul), PMINSD: onThree(neonSmin), PMAXSD: onThree(neonSmax), PABSD: onTwo(neonAbs),
		PMULUDQ: neon.productOfLower,
		PADDB:   onThree(neonAdd &^ ofWords), PSUBB: onThree(neonSub &^ ofWords),
		PSUBUSB: onThree(neonUqsub &^ ofWords),
		PMAXSB:  onThree(neonSmax &^ ofWords), PMINSB: onThree(neonSmin &^ ofWords),
		PMAXUB: onThree(neonSmax&^ofWords | unsigned), PMINUB: onThree(neonSmin&^ofWords | unsigned),
		PMULLW: onThree(neonMul&^ofWords | ofPairs), PSHUFB: onThree(neonTbl),
		PCMPEQD: onThree(neonCmeq), PCMPEQQ: onThree(neonCmeq | ofPairs),
		PCMPGTD: onThree(neonCmgt), PCMPGTQ: onThree(neonCmgt | ofPairs),
		PSRLW: shifted(neonUshr, 16), PSLLD: shifted(neonShl, 32), PSLLQ: shifted(neonShl, 64),
		PSRLD: shifted(neonUshr, 32), PSRLQ: shifted(neonUshr, 64), PSRAD: shifted(neonSshr, 32),
		PSLLDQ: func(n neon) {
			d, s := halves(n.v), halves(n.src)
			for h := range n.count() {
				n.emit32(neonZero | uint32(temporary))
				n.three(neonExt|uint32(16-n.imm)<<11, d[h], uint32(temporary), s[h])
			}
		},

		CVTDQ2PS: onTwo(neonScvtf), CVTTPS2DQ: neon.truncated, CVTTPD2DQ: neon.truncatedPairs,
		CVTPS2PD: widened(neonFcvtl), CVTPH2PS: widened(neonFcvtlHalf),
		CVTPD2PS: func(n neon) { n.narrowed(neonFcvtn, n.dst, n.src) },
		CVTPS2PH: func(n neon) { n.narrowed(neonFcvtnHalf, n.src, n.dst) },
		CVTDQ2PD: func(n neon) {
			widened(neonSxtl | 32<<16)(n)
			n.each(func(d, _, _, _ uint32) { n.two(neonScvtf|ofPairs, d, d) })
		},
		PMOVSXDQ: widened(neonSxtl | 32<<16), PMOVZXDQ: widened(neonUxtl | 32<<16),
		PMOVSXWD: widened(neonSxtl | 16<<16), PMOVZXWD: widened(neonUxtl | 16<<16),
		PMOVSXBD: widenedBytes(neonSxtl), PMOVZXBD: widenedBytes(neonUxtl),
		PACKSSDW: packed(neonSqxtn | 1<<22), PACKUSDW: packed(neonSqxtun | 1<<22), PACKSSWB: packed(neonSqxtn),
		PACKUSWB: packed(neonSqxtun),

		EXTRACTF128: func(n neon) { n.move(uint32(n.src), halves(n.dst)[n.imm&1]) },
		INSERTF128:  neon.insertHalf,
		PERM2F128:   neon.chooseHalves,
		SHUFPS:      func(n neon) { n.each(func(d, v, s, t uint32) { n.shuffle(d, v, s, t) }) },
		PSHUFD:      func(n neon) { n.each(func(d, _, s, t uint32) { n.shuffle(d, s, s, t) }) },
		UNPCKLPS:    onThree(neonZip1), UNPCKHPS: onThree(neonZip2), UNPCKLPD: onThree(neonZip1 | ofPairs),
		UNPCKHPD:  onThree(neonZip2 | ofPairs),
		PUNPCKLWD: onThree(neonZip1&^ofWords | ofPairs), PUNPCKHWD: onThree(neonZip2&^ofWords | ofPairs),
		PUNPCKLBW: onThree(neonZip1 &^ ofWords), PUNPCKHBW: onThree(neonZip2 &^ ofWords),
		BLENDPS: neon.blendLanes,
		PERMPS:  neon.lookUp,
	}
	for k, ops := range [][2]*[3]*Op{{&FMADDPS, &FMADDPD}, {&FMSUBPS, &FMSUBPD}, {&FNMADDPS, &FNMADDPD}} {
		for form := range 3 {
			forms[ops[0][form]] = fusedForms(form, k, 0)
			forms[ops[1][form]] = fusedForms(form, k, ofPairs)
		}
	}
	return forms
})

// memoryForms maps instructions that store, or whose memory operand is not a whole vector.
var memoryForms = sync.OnceValue(func() map[*Op]func(neon, Mem) {
	return map[*Op]func(neon, Mem){
		MOVUPS:   func(n neon, m Mem) { n.load(n.w, n.dst, m) },
		MOVAPS:   func(n neon, m Mem) { n.load(n.w, n.dst, m) },
		MOVUPSSt: func(n neon, m Mem) { n.store(n.w, n.dst, m) },
		MOVNTPS:  func(n neon, m Mem) { n.store(n.w, n.dst, m) },
		MOVSS:    func(n neon, m Mem) { n.mem(loadS, uint32(n.dst), m) },
		MOVSD:    func(n neon, m Mem) { n.mem(loadD, uint32(n.dst), m) },
		MOVQ:     func(n neon, m Mem) { n.mem(loadD, uint32(n.dst), m) },
		LDRQ:     func(n neon, m Mem) { n.mem(loadQ, uint32(n.dst), m) },
		MOVSSSt:  func(n neon, m Mem) { n.mem(storeS, uint32(n.dst), m) },
		MOVSDSt:  func(n neon, m Mem) { n.mem(storeD, uint32(n.dst), m) },
		MOVHPD:   loadLane(8, func(n neon) int { return 1 }),
		INSERTPS: loadLane(4, func(n neon) int { return int(n.imm >> 4 & 3) }),
		PINSRW:   loadLane(2, func(n neon) int { return int(n.imm) }),
		PEXTRBSt: func(n neon, m Mem) { n.laneMem(neonSt1, uint32(n.dst), int(n.imm), 1, m) },
		PEXTRWSt: func(n neon, m Mem) { n.laneMem(neonSt1, uint32(n.dst), int(n.imm), 2, m) },

		BROADCASTSS: repeated(4), BROADCASTSD: repeated(8), PBROADCASTB: repeated(1), PBROADCASTW: repeated(2),
		PBROADCASTD: repeated(4), PBROADCASTQ: repeated(8),

		MASKMOVPS:   func(n neon, m Mem) { n.masked(4, m, [3]access{loadQ, loadD, loadS}, neonLd1) },
		MASKMOVPSSt: func(n neon, m Mem) { n.masked(4, m, [3]access{storeQ, storeD, storeS}, neonSt1) },
		MASKMOVPD:   func(n neon, m Mem) { n.masked(8, m, [3]access{loadQ, loadD, loadD}, neonLd1) },
		MASKMOVPDSt: func(n neon, m Mem) { n.masked(8, m, [3]access{storeQ, storeD, storeD}, neonSt1) },

		EXTRACTF128: func(n neon, m Mem) { n.mem(storeQ, halves(n.dst)[n.imm&1], m) },
		INSERTF128: func(n neon, m Mem) {
			d, v, to := halves(n.dst), halves(n.v), n.imm&1
			n.move(d[1-to], v[1-to])
			n.mem(loadQ, d[to], m)
		},
		CVTPS2PH: func(n neon, m Mem) {
			n.narrowed(neonFcvtnHalf, memoryTemporary, n.dst)
			x := storeQ
			if n.w == W128 {
				x = storeD
			}
			n.mem(x, uint32(memoryTemporary), m)
		},
	}
})

// onThree is d = v op s.
func onThree(op uint32) func(neon) {
	return func(n neon) { n.each(func(d, v, s, _ uint32) { n.three(op, d, v, s) }) }
}

// onTwo is d = op s.
func onTwo(op uint32) func(neon) {
	return func(n neon) { n.each(func(d, _, s, _ uint32) { n.two(op, d, s) }) }
}

func (n neon) copy() { n.each(func(d, _, s, _ uint32) { n.move(d, s) }) }
