package emulator

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/broadloom/broadloom/half"
)

// mask runs instructions that make or use mask registers.
func (e *Machine) mask(name string, dst, last argument, o []argument) bool {
	compare := func(lane int, f func(x, y []byte) bool) bool {
		x, y := e.read(o[1], dst.size), e.read(last, dst.size)
		k := uint64(0)
		for i := 0; i < dst.size; i += lane {
			if f(x[i:], y[i:]) {
				k |= 1 << (i / lane)
			}
		}
		e.k[dst.n] = k
		return true
	}
	i32 := func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }
	i64 := func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
	switch {
	case strings.HasPrefix(name, "vcmp") && strings.HasSuffix(name, "ps"):
		return compare(4, func(x, y []byte) bool {
			return predicate(name[4:len(name)-2], float64(math.Float32frombits(uint32(i32(x)))),
				float64(math.Float32frombits(uint32(i32(y)))))
		})
	case strings.HasPrefix(name, "vcmp"):
		return compare(8, func(x, y []byte) bool {
			return predicate(name[4:len(name)-2], math.Float64frombits(uint64(i64(x))),
				math.Float64frombits(uint64(i64(y))))
		})
	case name == "vpcmpeqd":
		return compare(4, func(x, y []byte) bool { return i32(x) == i32(y) })
	case name == "vpcmpgtd":
		return compare(4, func(x, y []byte) bool { return i32(x) > i32(y) })
	case name == "vpcmpeqq":
		return compare(8, func(x, y []byte) bool { return i64(x) == i64(y) })
	case name == "vpcmpgtq":
		return compare(8, func(x, y []byte) bool { return i64(x) > i64(y) })
	case name == "vpmovd2m":
		o = append(o[:1:1], last, last)
		return compare(4, func(x, _ []byte) bool { return i32(x) < 0 })
	case name == "vpmovq2m":
		o = append(o[:1:1], last, last)
		return compare(8, func(x, _ []byte) bool { return i64(x) < 0 })
	case name == "vpmovm2d", name == "vpmovm2q":
		lane := 4
		if name == "vpmovm2q" {
			lane = 8
		}
		out := make([]byte, dst.size)
		for i := range out {
			out[i] = byte(-(e.k[last.n] >> (i / lane) & 1))
		}
		e.write(dst, out, lane)
	case name == "vblendmps", name == "vblendmpd":
		lane := 4
		if name == "vblendmpd" {
			lane = 8
		}
		out := append([]byte(nil), e.read(o[1], dst.size)...)
		y := e.read(last, dst.size)
		for i := range out {
			if e.k[dst.mask]>>(i/lane)&1 != 0 {
				out[i] = y[i]
			}
		}
		dst.mask = 0
		e.write(dst, out, lane)
	default:
		return false
	}
	return true
}

// move runs instructions that move, convert or exchange lanes.
func (e *Machine) move(name string, dst, last argument, o []argument, imm uint64) bool {
	size := dst.size
	repeat := func(n int) []byte {
		out := make([]byte, 0, size)
		for len(out) < size {
			out = append(out, e.read(last, n)...)
		}
		return out
	}
	convert := func(from, to int, f func(x uint64) uint64) {
		n := size / to
		switch {
		case dst.kind == 'm': // narrowing on the way out
			n = last.size / from
		case last.kind == 'v':
			n = min(n, last.size/from)
		}
		x := append([]byte(nil), e.read(last, n*from)...)
		if last.mask != 0 {
			e.t.Fatal("a mask on a source")
		}
		var out []byte
		for i := range n {
			var b [8]byte
			copy(b[:], x[i*from:][:from])
			binary.LittleEndian.PutUint64(b[:], f(binary.LittleEndian.Uint64(b[:])))
			out = append(out, b[:to]...)
		}
		e.write(dst, out, to)
	}
	f32, f64 := math.Float32frombits, math.Float64frombits
	switch name {
	case "vmovups", "vmovaps", "vmovntps":
		e.write(dst, append([]byte(nil), e.masked(dst, last, size, 4)...), 4)
	case "vmovupd":
		e.write(dst, append([]byte(nil), e.masked(dst, last, size, 8)...), 8)
	case "vmovdqu8":
		e.write(dst, e.masked(dst, last, size, 1), 1)
	case "vmovdqu16":
		e.write(dst, e.masked(dst, last, size, 2), 2)
	case "vpextrb":
		e.write(dst, e.read(last, 1), 1)
	case "vpextrw":
		e.write(dst, e.read(last, 2), 2)
	case "vmovss":
		e.write(dst, append([]byte(nil), e.read(last, 4)...), 4)
	case "vmovsd":
		e.write(dst, append([]byte(nil), e.read(last, 8)...), 8)
	case "vmovhpd":
		e.write(dst, append(append([]byte(nil), e.read(o[1], 8)...), e.read(last, 8)...), 8)
	case "vinsertps":
		out := append([]byte(nil), e.read(o[1], 16)...)
		copy(out[imm>>4*4:], e.read(last, 4))
		e.write(dst, out, 4)
	case "vextractf32x4", "vextractf128":
		e.write(dst, append([]byte(nil), e.read(last, 64)[16*imm:][:16]...), 4)
	case "vpextrq":
		e.set(dst, binary.LittleEndian.Uint64(e.read(last, 16)[8*imm:]))
	case "vmovq":
		if dst.kind == 'g' {
			e.set(dst, binary.LittleEndian.Uint64(e.read(last, 16)))
			break
		}
		out := make([]byte, 16)
		binary.LittleEndian.PutUint64(out, e.get(last))
		e.write(dst, out, 8)
	case "vbroadcastss", "vpbroadcastd":
		e.write(dst, repeat(4), 4)
	case "vbroadcastsd", "vpbroadcastq":
		e.write(dst, repeat(8), 8)
	case "vpbroadcastb":
		e.write(dst, repeat(1), 1)
	case "vpbroadcastw":
		e.write(dst, repeat(2), 2)
	case "vpmovqd":
		convert(8, 4, func(x uint64) uint64 { return x })
	case "vpmovdb":
		convert(4, 1, func(x uint64) uint64 { return x })
	case "vpmovdw":
		convert(4, 2, func(x uint64) uint64 { return x })
	case "vpmovzxbd":
		convert(1, 4, func(x uint64) uint64 { return x })
	case "vpmovsxbd":
		convert(1, 4, func(x uint64) uint64 { return uint64(int8(x)) })
	case "vpmovzxwd":
		convert(2, 4, func(x uint64) uint64 { return x })
	case "vpmovsxwd":
		convert(2, 4, func(x uint64) uint64 { return uint64(int16(x)) })
	case "vpmovzxdq":
		convert(4, 8, func(x uint64) uint64 { return x })
	case "vcvtph2ps":
		convert(2, 4, func(x uint64) uint64 { return uint64(math.Float32bits(half.Float16(x).Float32())) })
	case "vcvtps2ph":
		convert(4, 2, func(x uint64) uint64 { return uint64(half.NewFloat16(f32(uint32(x)))) })
	case "vpmovsxdq":
		convert(4, 8, func(x uint64) uint64 { return uint64(int64(int32(x))) })
	case "vcvtps2pd":
		convert(4, 8, func(x uint64) uint64 { return math.Float64bits(float64(f32(uint32(x)))) })
	case "vcvtpd2ps":
		convert(8, 4, func(x uint64) uint64 { return uint64(math.Float32bits(float32(f64(x)))) })
	case "vcvtdq2pd":
		convert(4, 8, func(x uint64) uint64 { return math.Float64bits(float64(int32(x))) })
	case "vcvtqq2pd":
		convert(8, 8, func(x uint64) uint64 { return math.Float64bits(float64(int64(x))) })
	case "vcvtqq2ps":
		convert(8, 4, func(x uint64) uint64 { return uint64(math.Float32bits(float32(int64(x)))) })
	case "vcvttpd2qq":
		convert(8, 8, func(x uint64) uint64 {
			if v := f64(x); v >= -1<<63 && v < 1<<63 {
				return uint64(int64(v))
			}
			return 1 << 63
		})
	case "vcvttpd2dq":
		convert(8, 4, func(x uint64) uint64 { return uint64(truncated(f64(x))) })
	case "vpshufd":
		x, out := append([]byte(nil), e.read(last, size)...), make([]byte, size)
		for i := 0; i < size; i += 4 {
			from := i&^15 + 4*int(imm>>(i/4%4*2)&3)
			copy(out[i:i+4], x[from:])
		}
		e.write(dst, out, 4)
	case "vpermps":
		at, x := e.read(o[1], size), e.read(last, size)
		out := make([]byte, 0, size)
		for i := 0; i < size; i += 4 {
			out = append(out, x[4*(int(at[i])%(size/4)):][:4]...)
		}
		e.write(dst, out, 4)
	case "vshuff64x2", "vshuff32x4":
		x, y := append([]byte(nil), e.read(o[1], size)...), append([]byte(nil), e.read(last, size)...)
		var out []byte
		for i := range 4 {
			from := x
			if i >= 2 {
				from = y
			}
			out = append(out, from[16*(imm>>(2*i)&3):][:16]...)
		}
		e.write(dst, out, 8)
	case "vshufps", "vunpcklps", "vunpckhps", "vunpcklpd", "vunpckhpd":
		e.write(dst, inLanes(name, e.read(o[1], size), e.read(last, size), imm), 4)
	case "vinsertf32x4":
		out := append([]byte(nil), e.read(o[1], size)...)
		copy(out[16*imm:], e.read(last, 16))
		e.write(dst, out, 4)
	case "vinsertf64x4":
		out := append([]byte(nil), e.read(o[1], size)...)
		copy(out[32*imm:], e.read(last, 32))
		e.write(dst, out, 8)
	case "vextractf64x4":
		e.write(dst, append([]byte(nil), e.read(last, 64)[32*imm:][:32]...), 8)
	default:
		return false
	}
	return true
}

// inLanes shuffles elements of two vectors within each 16 bytes.
func inLanes(name string, x, y []byte, imm uint64) []byte {
	type place struct {
		of []byte
		at uint64 // in elements of 4 bytes
	}
	var order [4]place
	switch name {
	case "vshufps":
		order = [4]place{{x, imm & 3}, {x, imm >> 2 & 3}, {y, imm >> 4 & 3}, {y, imm >> 6 & 3}}
	case "vunpcklps":
		order = [4]place{{x, 0}, {y, 0}, {x, 1}, {y, 1}}
	case "vunpckhps":
		order = [4]place{{x, 2}, {y, 2}, {x, 3}, {y, 3}}
	case "vunpcklpd":
		order = [4]place{{x, 0}, {x, 1}, {y, 0}, {y, 1}}
	case "vunpckhpd":
		order = [4]place{{x, 2}, {x, 3}, {y, 2}, {y, 3}}
	}
	out := make([]byte, 0, len(x))
	for lane := 0; lane < len(x); lane += 16 {
		for _, p := range order {
			out = append(out, p.of[lane+4*int(p.at):][:4]...)
		}
	}
	return out
}

// masked reads the active lanes; memory of the others is not touched.
func (e *Machine) masked(dst, src argument, size, lane int) []byte {
	if src.kind != 'm' || src.repeated || dst.mask == 0 {
		return e.read(src, size)
	}
	out := make([]byte, size)
	for i := 0; i < size; i += lane {
		if e.k[dst.mask]>>(i/lane)&1 != 0 {
			at := src
			at.value += uint64(i)
			copy(out[i:i+lane], e.read(at, lane))
		}
	}
	return out
}
