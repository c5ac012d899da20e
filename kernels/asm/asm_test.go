package asm

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var regNames = [...]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

var dwordNames = [...]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi",
	"r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}

var byteNames = [...]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil",
	"r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"}

func vecName(w Width, v Vec) string { return fmt.Sprintf("%cmm%d", "xyz"[w], v) }

func memName(m Mem) string {
	s := "[" + regNames[m.Base]
	if m.Index != NoReg {
		s += fmt.Sprintf("+%s*%d", regNames[m.Index], m.Scale)
	}
	switch {
	case m.Disp > 0 || m.Disp == 0 && (m.Base == RBP || m.Base == R13):
		s += fmt.Sprintf("+%#x", m.Disp)
	case m.Disp < 0:
		s += fmt.Sprintf("-%#x", -int64(m.Disp))
	}
	return s + "]"
}

func randomMem(r *rand.Rand) Mem {
	disps := []int32{0, 8, -8, 64, -128, 127, 128, 4096, 1 << 20, 256, -64}
	m := At(Reg(r.IntN(16)), disps[r.IntN(len(disps))])
	if m.Base == RSP || r.IntN(2) == 0 {
		m.Index = Reg(r.IntN(16))
		for m.Index == RSP {
			m.Index = Reg(r.IntN(16))
		}
		m.Scale = 1 << r.IntN(4)
	}
	return m
}

// shape is how an instruction's operands are written: the widths of dst, v and src
// relative to the instruction's, whether there is a v, and where an immediate is.
type shape struct {
	ops      []*Op
	dst, src func(Width) Width
	v, imm   bool
	mem, reg bool // which forms there are
	store    bool // memory first
	unmasked bool // no mask register
	widths   []Width
}

func same(w Width) Width { return w }
func half(w Width) Width { return max(w, W256) - 1 }
func xmm(Width) Width    { return W128 }

var allWidths = []Width{W128, W256, W512}

func shapes() []shape {
	three := []*Op{ADDPS, ADDPD, SUBPS, SUBPD, MULPS, MULPD, DIVPS, DIVPD, MINPS, MINPD, MAXPS, MAXPD, ANDPS, ANDNPS,
		ORPS,
		XORPS, PADDD, PADDQ, PSUBD, PSUBQ, PMULLD, PMULUDQ, PMINSD, PMAXSD, PCMPEQD, PCMPEQQ, PCMPGTD, PCMPGTQ,
		UNPCKLPS,
		UNPCKHPS, UNPCKLPD, UNPCKHPD, SCALEFPS, PMULLQ, PACKUSDW, PACKSSDW, PACKUSWB, PACKSSWB,
		PMADDWD, PUNPCKLBW, PUNPCKLWD, PUNPCKHBW, PUNPCKHWD, PDPBUSD, PDPWSSD, DPBF16PS, PSUBW, PMINUW,
		PADDB, PSUBB, PSUBUSB,
		PMULLW, PMAXUB, PMINUB, PMAXSB, PMINSB, PSHUFB}
	for _, f := range [][3]*Op{FMADDPS, FMADDPD, FMSUBPS, FMSUBPD, FNMADDPS, FNMADDPD} {
		three = append(three, f[:]...)
	}
	return []shape{
		{ops: three, dst: same, src: same, v: true, mem: true, reg: true},
		{ops: []*Op{SHUFPS, RANGEPS, RANGEPD}, dst: same, src: same, v: true, imm: true, mem: true, reg: true},
		{ops: []*Op{BLENDPS}, dst: same, src: same, v: true, imm: true, mem: true, reg: true,
			widths: []Width{W128, W256}},
		{ops: []*Op{PERMPS, PERMT2PS}, dst: same, src: same, v: true, mem: true, reg: true,
			widths: []Width{W256, W512}},
		{ops: []*Op{PERM2F128}, dst: same, src: same, v: true, imm: true, mem: true, reg: true, widths: []Width{W256}},
		{ops: []*Op{INSERTF128}, dst: same, src: xmm, v: true, imm: true, mem: true, reg: true, widths: []Width{W256}},
		{ops: []*Op{INSERTF32X4}, dst: same, src: xmm, v: true, imm: true, mem: true, reg: true,
			widths: []Width{W256, W512}},
		{ops: []*Op{SHUFF32X4}, dst: same, src: same, v: true, imm: true, mem: true, reg: true,
			widths: []Width{W256, W512}},
		{ops: []*Op{MOVUPS, MOVAPS, SQRTPS, SQRTPD, CVTDQ2PS, CVTTPS2DQ, PABSD, CVTTPD2QQ, CVTQQ2PD}, dst: same,
			src: same, mem: true, reg: true},
		{ops: []*Op{ROUNDPS, ROUNDPD, PSHUFD, RNDSCALEPS, RNDSCALEPD}, dst: same, src: same, imm: true, mem: true,
			reg: true},
		{ops: []*Op{CVTPS2PD, CVTDQ2PD, PMOVSXDQ, PMOVZXDQ, PMOVZXWD, PMOVSXWD, CVTPH2PS}, dst: same, src: half,
			reg: true, mem: true, widths: []Width{W256, W512}},
		{ops: []*Op{PMOVSXBW, PMOVZXBW}, dst: same, src: half, reg: true, mem: true, widths: []Width{W256, W512}},
		{ops: []*Op{CVTPD2PS, CVTTPD2DQ, CVTQQ2PS}, dst: half, src: same, reg: true, widths: []Width{W256, W512}},
		{ops: []*Op{BROADCASTSS, PBROADCASTB, PBROADCASTW, PBROADCASTD, PBROADCASTQ}, dst: same, src: xmm, reg: true,
			mem: true},
		{ops: []*Op{BROADCASTSD}, dst: same, src: xmm, reg: true, mem: true, widths: []Width{W256, W512}},
		{ops: []*Op{PMOVZXBD, PMOVSXBD}, dst: same, src: xmm, reg: true, mem: true},
		{ops: []*Op{MOVUPSSt, MOVNTPS}, dst: same, mem: true, store: true},
		{ops: []*Op{MOVSS, MOVSD}, dst: same, mem: true, widths: []Width{W128}},
		{ops: []*Op{MOVHPD}, dst: same, v: true, mem: true, unmasked: true, widths: []Width{W128}},
		{ops: []*Op{INSERTPS}, dst: same, v: true, imm: true, mem: true, unmasked: true, widths: []Width{W128}},
		{ops: []*Op{MOVSSSt, MOVSDSt}, dst: same, mem: true, store: true, widths: []Width{W128}},
		{ops: []*Op{PEXTRBSt, PEXTRWSt}, dst: same, mem: true, store: true, imm: true, widths: []Width{W128}},
		{ops: []*Op{CVTPS2PH}, dst: same, mem: true, store: true, imm: true},
		{ops: []*Op{EXTRACTF128}, dst: same, mem: true, store: true, imm: true, widths: []Width{W256}},
		{ops: []*Op{EXTRACTF256}, dst: same, mem: true, store: true, imm: true, widths: []Width{W512}},
		{ops: []*Op{MASKMOVPS, MASKMOVPD}, dst: same, v: true, mem: true, widths: []Width{W128, W256}},
		{ops: []*Op{MASKMOVPSSt, MASKMOVPDSt}, dst: same, v: true, mem: true, store: true, widths: []Width{W128, W256}},
	}
}

// listing collects instructions and the expected text of a disassembler.
type listing struct {
	a    *Asm
	want []string
	ends []int // of the instructions, in bytes
}

func (l *listing) expect(format string, args ...any) {
	l.want = append(l.want, fmt.Sprintf(format, args...))
	l.ends = append(l.ends, l.a.Len())
}

// randomListing writes all instructions times times with random operands.
func randomListing(times int) *listing {
	r := rand.New(rand.NewPCG(1, 2))
	l := listing{a: New(AMD64)}
	for range times {
		for _, s := range shapes() {
			for _, op := range s.ops {
				if s.mem {
					s.write(r, &l, op, true)
				}
				if s.reg {
					s.write(r, &l, op, false)
				}
			}
		}
		special(r, &l)
	}
	return &l
}

func (s *shape) write(r *rand.Rand, l *listing, op *Op, fromMem bool) {
	widths := s.widths
	if widths == nil {
		widths = allWidths
	}
	w := widths[r.IntN(len(widths))]
	if op.noEVEX {
		w = min(w, W256)
	}
	limit := 16
	if w == W512 || !op.noEVEX && r.IntN(3) == 0 {
		limit = 32
	}
	vec := func() Vec { return Vec(r.IntN(limit)) }
	dst, v, src := vec(), Vec(0), vec()
	text := []string{vecName(s.dst(w), dst)}
	if s.v {
		v = vec()
		text = append(text, vecName(w, v))
	}
	var k Mask
	if !op.noEVEX && !s.store && !s.unmasked && r.IntN(4) == 0 {
		k = Mask{uint8(1 + r.IntN(7)), r.IntN(2) == 0}
		text[0] += fmt.Sprintf("{k%d}", k.K)
		if k.Zero {
			text[0] += "{z}"
		}
	}
	var imm []byte
	if s.imm {
		imm = []byte{byte(r.IntN(128))}
	}
	if fromMem {
		m := randomMem(r)
		l.a.MK(op, w, dst, v, m, k, imm...)
		text = append(text, memName(m))
		if s.store {
			text = append([]string{memName(m)}, text[:len(text)-1]...)
			if s.v {
				text[1], text[2] = text[2], text[1]
			}
		}
	} else {
		l.a.RK(op, w, dst, v, src, k, imm...)
		text = append(text, vecName(s.src(w), src))
	}
	if s.imm {
		text = append(text, fmt.Sprintf("%#x", imm[0]))
	}
	l.expect("%s %s", op.Name, strings.Join(text, ","))
}

// special writes the instructions that no shape describes.
func special(r *rand.Rand, l *listing) {
	reg := func() Reg {
		g := Reg(r.IntN(16))
		for g == RSP {
			g = Reg(r.IntN(16))
		}
		return g
	}
	x, y, m := reg(), reg(), randomMem(r)
	v, u, t := Vec(r.IntN(16)), Vec(r.IntN(16)), Vec(r.IntN(16))
	a := l.a
	emit := func(want string, do func()) { do(); l.expect("%s", want) }
	rx, ry, mm := regNames[x], regNames[y], memName(m)
	emit("mov "+rx+","+mm, func() { a.MovLoad(x, m) })
	emit("mov "+mm+","+rx, func() { a.MovStore(m, x) })
	emit("mov "+rx+","+ry, func() { a.Mov(x, y) })
	emit("mov "+dwordNames[x]+","+dwordNames[y], func() { a.Mov32(x, y) })
	emit("movabs "+rx+",0x1122334455667788", func() { a.MovImm(x, 0x1122334455667788) })
	emit("mov "+mm+",0x7", func() { a.MovStoreImm(m, 7) })
	emit("lea "+rx+","+mm, func() { a.Lea(x, m) })
	emit("add "+rx+","+ry, func() { a.Add(x, y) })
	emit("add "+rx+","+mm, func() { a.AddLoad(x, m) })
	emit("mov "+mm+","+dwordNames[x], func() { a.MovStore32(m, x) })
	emit("mov "+dwordNames[x]+","+mm, func() { a.MovLoad32(x, m) })
	emit("mov "+mm+","+byteNames[x], func() { a.MovStore8(m, x) })
	emit("mov "+byteNames[x]+","+mm, func() { a.MovLoad8(x, m) })
	emit("mov "+dwordNames[x]+",0x12345678", func() { a.MovImm(x, 0x12345678) })
	emit("add "+mm+","+rx, func() { a.AddStore(m, x) })
	emit("sub "+rx+","+ry, func() { a.Sub(x, y) })
	emit("sub "+rx+","+mm, func() { a.SubLoad(x, m) })
	emit("and "+rx+","+ry, func() { a.And(x, y) })
	emit("xor "+rx+","+ry, func() { a.Xor(x, y) })
	emit("not "+rx, func() { a.Not(x) })
	emit("imul "+rx+","+mm, func() { a.MulLoad(x, m) })
	emit("cmp "+rx+","+mm, func() { a.CmpLoad(x, m) })
	emit("test "+rx+","+ry, func() { a.Test(x, y) })
	emit("add "+rx+",0x64", func() { a.AddImm(x, 100) })
	emit("and "+rx+",0x7", func() { a.AndImm(x, 7) })
	emit("xor "+rx+",0x7", func() { a.XorImm(x, 7) })
	emit("cmp "+mm+",0x0", func() { a.CmpMemImm(m, 0) })
	emit("dec "+mm, func() { a.Dec(m) })
	emit("call "+rx, func() { a.Call(x) })
	emit("shl "+rx+",0x8", func() { a.Shl(x, 8) })
	emit("shr "+rx+",0x8", func() { a.Shr(x, 8) })
	emit("tzcnt "+rx+","+ry, func() { a.TrailingZeros(x, y) })
	emit("pdep "+rx+","+ry+","+rx, func() { amd64{a.buffer}.deposit(x, y, x) })
	emit("ret", func() { a.Return() })
	emit("sfence", func() { a.StoreFence() })
	emit("vzeroupper", func() { a.Zeroupper() })
	emit(fmt.Sprintf("vmovq xmm%d,%s", v, rx), func() { a.R(MOVQ, W128, v, 0, Vec(x)) })
	emit(fmt.Sprintf("vmovq %s,xmm%d", rx, v), func() { a.R(MOVQSt, W128, v, 0, Vec(x)) })
	emit(fmt.Sprintf("vpextrq %s,xmm%d,0x1", rx, v), func() { a.R(PEXTRQSt, W128, v, 0, Vec(x), 1) })
	emit(fmt.Sprintf("vpextrq %s,xmm%d,0x1", rx, v+16), func() { a.R(PEXTRQSt, W128, v+16, 0, Vec(x), 1) })
	emit(fmt.Sprintf("vmovq %s,xmm%d", rx, v+16), func() { a.R(MOVQSt, W128, v+16, 0, Vec(x)) })
	emit(fmt.Sprintf("vextractf32x4 xmm%d,zmm%d,0x3", u, v+16), func() { a.R(EXTRACTF32X4, W512, v+16, 0, u, 3) })
	emit(fmt.Sprintf("vblendvps ymm%d,ymm%d,ymm%d,ymm%d", v, u, t, v), func() {
		a.R(BLENDVPS, W256, v, u, t, byte(v)<<4)
	})
	emit(fmt.Sprintf("vpslld ymm%d,ymm%d,0x17", v, u), func() { a.R(PSLLD, W256, 0, v, u, 23) })
	emit(fmt.Sprintf("vpsrlw ymm%d,ymm%d,0x8", v, u), func() { a.R(PSRLW, W256, 0, v, u, 8) })
	emit(fmt.Sprintf("vpsrlq zmm%d,zmm%d,0x3", v+16, u), func() { a.R(PSRLQ, W512, 0, v+16, u, 3) })
	emit(fmt.Sprintf("vpslldq xmm%d,xmm%d,0x2", v, u), func() { a.R(PSLLDQ, W128, 0, v, u, 2) })
	emit(fmt.Sprintf("vpinsrw xmm%d,xmm%d,%s,0x0", v, u, mm), func() { a.M(PINSRW, W128, v, u, m, 0) })
	emit(fmt.Sprintf("vcvtps2ph xmm%d,ymm%d,0x0", v, u), func() { a.R(CVTPS2PH, W256, u, 0, v, 0) })
	k := Vec(1 + r.IntN(7))
	high, wide := v+16, vecName(W512, u+16)
	emit(fmt.Sprintf("vcmpltps k%d,zmm%d,%s", k, high, wide), func() { a.R(KCMPPS, W512, k, high, u+16, 1) })
	emit(fmt.Sprintf("vcmpltpd k%d,zmm%d,%s", k, high, wide), func() { a.R(KCMPPD, W512, k, high, u+16, 1) })
	emit(fmt.Sprintf("vpcmpeqd k%d,zmm%d,%s", k, high, wide), func() { a.R(KPCMPEQD, W512, k, high, u+16) })
	emit(fmt.Sprintf("vpcmpeqq k%d,zmm%d,%s", k, high, wide), func() { a.R(KPCMPEQQ, W512, k, high, u+16) })
	emit(fmt.Sprintf("vpcmpgtd k%d,zmm%d,%s", k, high, wide), func() { a.R(KPCMPGTD, W512, k, high, u+16) })
	emit(fmt.Sprintf("vpcmpgtq k%d,zmm%d,%s", k, high, wide), func() { a.R(KPCMPGTQ, W512, k, high, u+16) })
	emit(fmt.Sprintf("vpmovd2m k%d,%s", k, wide), func() { a.R(PMOVD2M, W512, k, 0, u+16) })
	emit(fmt.Sprintf("vpmovq2m k%d,%s", k, wide), func() { a.R(PMOVQ2M, W512, k, 0, u+16) })
	emit(fmt.Sprintf("vpmovm2d %s,k%d", wide, k), func() { a.R(PMOVM2D, W512, u+16, 0, k) })
	emit(fmt.Sprintf("vpmovm2q %s,k%d", wide, k), func() { a.R(PMOVM2Q, W512, u+16, 0, k) })
	emit(fmt.Sprintf("vblendmps zmm%d{k%d},%s,zmm%d", v, k, wide, t), func() {
		a.RK(BLENDMPS, W512, v, u+16, t, Mask{K: uint8(k)})
	})
	emit(fmt.Sprintf("vblendmpd zmm%d{k%d},%s,zmm%d", v, k, wide, t), func() {
		a.RK(BLENDMPD, W512, v, u+16, t, Mask{K: uint8(k)})
	})
	emit(fmt.Sprintf("vpmovqd ymm%d,%s", v, wide), func() { a.R(PMOVQD, W512, u+16, 0, v) })
	emit(fmt.Sprintf("vpmovdb %s{k%d},%s", mm, k, wide), func() { a.MK(PMOVDB, W512, u+16, 0, m, Mask{K: uint8(k)}) })
	emit(fmt.Sprintf("vpmovdw %s{k%d},%s", mm, k, wide), func() { a.MK(PMOVDW, W512, u+16, 0, m, Mask{K: uint8(k)}) })
	emit(fmt.Sprintf("vcvtps2ph %s{k%d},%s,0x0", mm, k, wide), func() {
		a.MK(CVTPS2PH, W512, u+16, 0, m, Mask{K: uint8(k)}, 0)
	})
	emit(fmt.Sprintf("vmovdqu16 ymm%d{k%d}{z},%s", v, k, mm), func() {
		a.MK(MOVDQU16, W256, v, 0, m, Mask{uint8(k), true})
	})
	emit(fmt.Sprintf("vshuff64x2 %s,zmm%d,%s,0x4e", wide, v, wide), func() {
		a.R(SHUFF64X2, W512, u+16, v, u+16, 0x4e)
	})
	emit(fmt.Sprintf("vinsertf64x4 %s,zmm%d,ymm%d,0x1", wide, v, t), func() { a.R(INSERTF256, W512, u+16, v, t, 1) })
	emit(fmt.Sprintf("vextractf64x4 ymm%d,%s,0x1", t, wide), func() { a.R(EXTRACTF256, W512, u+16, 0, t, 1) })
	emit(fmt.Sprintf("vmovdqu8 xmm%d{k%d}{z},%s", v, k, mm), func() {
		a.MK(MOVDQU8, W128, v, 0, m, Mask{uint8(k), true})
	})
	emit(fmt.Sprintf("vmovupd %s{k%d},%s", mm, k, wide), func() { a.MK(MOVUPDSt, W512, u+16, 0, m, Mask{K: uint8(k)}) })
	tiles, distant := [3]Vec{Vec(k), (Vec(k) + 1) % 8, (Vec(k) + 2) % 8}, Indexed(x, y, 1, 0)
	for _, op := range []*Op{TDPBSSD, TDPBSUD, TDPBUSD, TDPBUUD, TDPBF16PS} {
		emit(fmt.Sprintf("%s tmm%d,tmm%d,tmm%d", op.Name, tiles[0], tiles[1], tiles[2]), func() {
			a.R(op, W128, tiles[0], tiles[2], tiles[1])
		})
	}
	emit(fmt.Sprintf("tileloadd tmm%d,%s", tiles[0], memName(distant)), func() {
		a.M(TILELOADD, W128, tiles[0], 0, distant)
	})
	emit(fmt.Sprintf("tilestored %s,tmm%d", memName(distant), tiles[0]), func() {
		a.M(TILESTORED, W128, tiles[0], 0, distant)
	})
	emit(fmt.Sprintf("tilezero tmm%d", tiles[0]), func() { a.R(TILEZERO, W128, tiles[0], 0, 0) })
	emit("ldtilecfg "+mm, func() { a.M(LDTILECFG, W128, 0, 0, m) })
	emit("tilerelease", func() { a.R(TILERELEASE, W128, 0, 0, 0) })
	emit("prefetcht0 "+mm, func() { a.Prefetch(m) })
	emit(fmt.Sprintf("kmovw k%d,%s", k, mm), func() { a.M(KMOVW, W128, k, 0, m) })
	emit(fmt.Sprintf("kmovw %s,k%d", dwordNames[x], k), func() { a.R(KMOVWSt, W128, Vec(x), 0, k) })
	emit(fmt.Sprintf("vcmpltps ymm%d,ymm%d,ymm%d", v, u, t), func() { a.R(CMPPS, W256, v, u, t, 1) })
	emit(fmt.Sprintf("vaddps zmm%d,zmm%d,DWORD BCST [rax+0x8]", v, u), func() {
		a.M(ADDPS, W512, v, u, Mem{Base: RAX, Index: NoReg, Disp: 8, Broadcast: true, Label: NoLabel})
	})
}

// TestEncodingsAreWhatADisassemblerReads writes instructions with random operands and compares them with objdump's
// reading of the bytes.
func TestEncodingsAreWhatADisassemblerReads(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed")
	}
	l := randomListing(40)
	_, code := l.a.Finish()
	got := disassemble(t, objdump, code)
	for i, want := range l.want {
		require.Equal(t, want, got[i], "instruction %d", i)
	}
}

// TestTable compares encodings with a table that a disassembler has confirmed. With -update it is written again, after
// the test above has passed.
func TestTable(t *testing.T) {
	l := randomListing(2)
	var table strings.Builder
	code, begin := l.a.code, 0
	for i, end := range l.ends {
		fmt.Fprintf(&table, "%x\t%s\n", code[begin:end], l.want[i])
		begin = end
	}
	const file = "testdata/encodings.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(table.String(), "\n"))
}

var update = flag.Bool("update", false, "write the table of encodings")

var (
	sizes  = regexp.MustCompile(`\b[A-Z]+ PTR `)
	spaces = regexp.MustCompile(`\s+`)
)

func disassemble(t *testing.T, objdump string, code []byte) (lines []string) {
	file := filepath.Join(t.TempDir(), "code")
	require.NoError(t, os.WriteFile(file, code, 0o600))
	out, err := exec.Command(objdump, "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", file).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if len(f) < 3 {
			continue
		}
		text, _, _ := strings.Cut(f[2], "#")
		text = sizes.ReplaceAllString(text, "")
		text = spaces.ReplaceAllString(strings.TrimSpace(text), " ")
		text = strings.ReplaceAll(text, "riz*1+", "")
		text = strings.TrimPrefix(text, "{vex} ") // of instructions that came with EVEX first
		lines = append(lines, text)
	}
	return lines
}

func TestLabelsAndConstants(t *testing.T) {
	a := New(AMD64)
	c := a.Data([]byte{1, 2, 3, 4}, 32)
	back := a.Here()
	ahead := a.NewLabel()
	a.JumpIf(Equal, ahead)
	a.M(MOVUPS, W256, 1, 0, Labelled(c))
	a.Jump(back)
	a.Bind(ahead)
	a.Return()
	n, code := a.Finish()
	require.Equal(t, 20, n)
	require.Equal(t, []byte{0x0f, 0x84, 13, 0, 0, 0}, code[:6])
	require.Equal(t, byte(DataAlign-14), code[10], "from the end of the load to the constant")
	require.Equal(t, []byte{0xe9, 0xed, 0xff, 0xff, 0xff}, code[14:19])
	require.Equal(t, []byte{1, 2, 3, 4}, code[DataAlign:])
}

func TestInstructionsAllocateNothing(t *testing.T) {
	for _, machine := range []Machine{AMD64, ARM64} {
		a := New(machine)
		begin := a.Mark()
		write := func() {
			a.Rewind(begin)
			a.AddLoad(RAX, Indexed(RBX, RCX, 4, 8))
			a.R(SHUFPS, W256, 1, 2, 3, 0x4e)
			a.M(FMADDPS[2], W256, 1, 2, At(RBX, 64))
			a.M(INSERTPS, W128, 1, 1, At(RBX, 4), 0x10)
		}
		require.Zero(t, testing.AllocsPerRun(10, write))
	}
}
