package emulator

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// lanes32 and lanes64 compute lane by lane from two vectors.
func lanes32(size int, x, y []byte, f func(x, y uint32) uint32) []byte {
	out := make([]byte, size)
	for i := 0; i < size; i += 4 {
		binary.LittleEndian.PutUint32(out[i:], f(binary.LittleEndian.Uint32(x[i:]), binary.LittleEndian.Uint32(y[i:])))
	}
	return out
}

func lanes64(size int, x, y []byte, f func(x, y uint64) uint64) []byte {
	out := make([]byte, size)
	for i := 0; i < size; i += 8 {
		binary.LittleEndian.PutUint64(out[i:], f(binary.LittleEndian.Uint64(x[i:]), binary.LittleEndian.Uint64(y[i:])))
	}
	return out
}

func arithmetic(op string, x, y float64) (float64, bool) {
	switch op {
	case "vadd":
		return x + y, true
	case "vsub":
		return x - y, true
	case "vmul":
		return x * y, true
	case "vdiv":
		return x / y, true
	case "vsqrt":
		return math.Sqrt(y), true
	case "vmin":
		if x < y {
			return x, true
		}
		return y, true
	case "vmax":
		if x > y {
			return x, true
		}
		return y, true
	}
	return 0, false
}

// ranged is the extreme of two numbers, with its own sign, or the number if the other is NaN.
func ranged(imm uint64, x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case imm == 4:
		return min(x, y)
	case imm == 5:
		return max(x, y)
	}
	panic("a range that is not emulated")
}

// predicate is the result of a comparison, by the name of its instruction.
func predicate(name string, x, y float64) bool {
	unordered := x != x || y != y
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_oq"), "_uq")
	switch name {
	case "eq":
		return x == y
	case "lt":
		return x < y
	case "le":
		return x <= y
	case "gt":
		return x > y
	case "ge":
		return x >= y
	case "neq":
		return x != y
	case "nlt":
		return !(x < y)
	case "nle":
		return !(x <= y)
	case "unord":
		return unordered
	case "ord":
		return !unordered
	}
	panic("no predicate " + name)
}

func rounded(imm uint64, x float64) float64 {
	switch imm & 3 {
	case 0:
		return math.RoundToEven(x)
	case 1:
		return math.Floor(x)
	case 2:
		return math.Ceil(x)
	}
	return math.Trunc(x)
}

// truncated is a conversion to I32. Numbers that do not fit become the least integer.
func truncated(x float64) uint32 {
	if x > -2147483649 && x < 2147483648 {
		return uint32(int32(x))
	}
	return 1 << 31
}

// vector runs an instruction on vectors.
func (e *Machine) vector(in *emulated) {
	o, name := in.ops, in.name
	dst := o[0]
	for _, a := range o {
		if dst.kind != 'v' && a.kind == 'v' {
			dst.size = a.size // stores and comparisons work on what they read
		}
	}
	last := o[len(o)-1]
	var imm uint64
	if last.kind == 'i' {
		imm = last.value
		o = o[:len(o)-1]
		last = o[len(o)-1]
	}
	if e.move(name, dst, last, o, imm) || e.mask(name, dst, last, o) {
		return
	}
	size := dst.size
	double := strings.HasSuffix(name, "pd")
	lane := 4
	if double {
		lane = 8
	}
	y := e.masked(dst, last, size, lane)
	x := y
	if len(o) == 3 {
		x = e.read(o[1], size)
	}
	base := name[:len(name)-2]
	f32, f64 := math.Float32frombits, math.Float64frombits
	switch {
	case strings.HasPrefix(name, "vrndscale") && double:
		e.write(dst, lanes64(size, y, y, func(x, _ uint64) uint64 { return math.Float64bits(rounded(imm, f64(x))) }), 8)
	case strings.HasPrefix(name, "vrndscale"):
		e.write(dst, lanes32(size, y, y, func(x, _ uint32) uint32 {
			return math.Float32bits(float32(rounded(imm, float64(f32(x)))))
		}), 4)
	case name == "vscalefps":
		e.write(dst, lanes32(size, x, y, func(x, y uint32) uint32 {
			n := math.Floor(float64(f32(y)))
			if n != n {
				return y
			}
			return math.Float32bits(float32(math.Ldexp(float64(f32(x)), int(max(-1000, min(1000, n))))))
		}), 4)
	case strings.HasPrefix(name, "vrange") && double:
		e.write(dst, lanes64(size, x, y, func(x, y uint64) uint64 {
			return math.Float64bits(ranged(imm, f64(x), f64(y)))
		}), 8)
	case strings.HasPrefix(name, "vrange"):
		e.write(dst, lanes32(size, x, y, func(x, y uint32) uint32 {
			return math.Float32bits(float32(ranged(imm, float64(f32(x)), float64(f32(y)))))
		}), 4)
	case bitwise(base) != nil:
		f := bitwise(base)
		e.write(dst, lanes64(max(size, 8), x, y, func(x, y uint64) uint64 { return f(x, y) }), 4)
	default:
		if _, ok := arithmetic(base, 0, 0); !ok {
			e.integers(name, dst, x, y, imm)
		} else if double {
			e.write(dst, lanes64(size, x, y, func(x, y uint64) uint64 {
				r, _ := arithmetic(base, f64(x), f64(y))
				return math.Float64bits(r)
			}), 8)
		} else {
			e.write(dst, lanes32(size, x, y, func(x, y uint32) uint32 {
				r, _ := arithmetic(base, float64(f32(x)), float64(f32(y))) // rounds to the same, for so few bits
				return math.Float32bits(float32(r))
			}), 4)
		}
	}
}

func bitwise(base string) func(x, y uint64) uint64 {
	switch base {
	case "vand":
		return func(x, y uint64) uint64 { return x & y }
	case "vandn":
		return func(x, y uint64) uint64 { return ^x & y }
	case "vor":
		return func(x, y uint64) uint64 { return x | y }
	case "vxor":
		return func(x, y uint64) uint64 { return x ^ y }
	}
	return nil
}

// fma is a fused multiply-add, ±x·y ± z. The digits of its name say which operand is which.
type fma struct {
	double             bool
	negative, subtract bool
	order              [3]int // which of the destination, the second operand and the third x, y and z are
}

// fmaOf parses an instruction's name; nil for other instructions.
func fmaOf(name string) *fma {
	if !strings.HasPrefix(name, "vfm") && !strings.HasPrefix(name, "vfnm") {
		return nil
	}
	f := &fma{double: strings.HasSuffix(name, "pd"), negative: strings.HasPrefix(name, "vfn"),
		subtract: strings.Contains(name, "sub")}
	for i, digit := range name[len(name)-5 : len(name)-2] {
		f.order[i] = int(digit - '1')
	}
	return f
}

// fused runs a fused multiply-add.
func (e *Machine) fused(in *emulated) {
	dst, f := in.ops[0], in.fma
	lane := 4
	if f.double {
		lane = 8
	}
	of := [3][]byte{e.read(dst, dst.size), e.read(in.ops[1], dst.size), e.masked(dst, in.ops[2], dst.size, lane)}
	x, y, z := of[f.order[0]], of[f.order[1]], of[f.order[2]]
	var room [64]byte
	out := room[:dst.size]
	for i := 0; i < dst.size; i += lane {
		if f.double {
			a, b, c := math.Float64frombits(binary.LittleEndian.Uint64(x[i:])),
				math.Float64frombits(binary.LittleEndian.Uint64(y[i:])),
				math.Float64frombits(binary.LittleEndian.Uint64(z[i:]))
			binary.LittleEndian.PutUint64(out[i:],
				math.Float64bits(math.FMA(signed(a, f.negative), b, signed(c, f.subtract))))
		} else {
			a, b, c := math.Float32frombits(binary.LittleEndian.Uint32(x[i:])),
				math.Float32frombits(binary.LittleEndian.Uint32(y[i:])),
				math.Float32frombits(binary.LittleEndian.Uint32(z[i:]))
			binary.LittleEndian.PutUint32(out[i:],
				math.Float32bits(scalar.FMA32(signed(a, f.negative), b, signed(c, f.subtract))))
		}
	}
	e.write(dst, out, lane)
}

func signed[T float32 | float64](x T, negative bool) T {
	if negative {
		return -x
	}
	return x
}

// integers32 and integers64 are the instructions on integers, for one lane and the immediate.
var integers32 = map[string]func(x, y uint32, imm uint64) uint32{
	"vpaddd":     func(x, y uint32, _ uint64) uint32 { return x + y },
	"vpsubd":     func(x, y uint32, _ uint64) uint32 { return x - y },
	"vpmulld":    func(x, y uint32, _ uint64) uint32 { return x * y },
	"vpminsd":    func(x, y uint32, _ uint64) uint32 { return uint32(min(int32(x), int32(y))) },
	"vpmaxsd":    func(x, y uint32, _ uint64) uint32 { return uint32(max(int32(x), int32(y))) },
	"vpabsd":     func(_, y uint32, _ uint64) uint32 { return uint32(max(int32(y), -int32(y))) },
	"vpslld":     func(_, y uint32, imm uint64) uint32 { return y << imm },
	"vpsrld":     func(_, y uint32, imm uint64) uint32 { return y >> imm },
	"vpsrad":     func(_, y uint32, imm uint64) uint32 { return uint32(int32(y) >> imm) },
	"vpaddb":     ofBytes(func(x, y uint8) uint8 { return x + y }),
	"vpsubb":     ofBytes(func(x, y uint8) uint8 { return x - y }),
	"vpsubusb":   ofBytes(func(x, y uint8) uint8 { return x - min(x, y) }),
	"vpmaxub":    ofBytes(func(x, y uint8) uint8 { return max(x, y) }),
	"vpminub":    ofBytes(func(x, y uint8) uint8 { return min(x, y) }),
	"vpmaxsb":    ofBytes(func(x, y uint8) uint8 { return uint8(max(int8(x), int8(y))) }),
	"vpminsb":    ofBytes(func(x, y uint8) uint8 { return uint8(min(int8(x), int8(y))) }),
	"vpmullw":    func(x, y uint32, _ uint64) uint32 { return uint32(uint16(x)*uint16(y)) | x>>16*(y>>16)<<16 },
	"vpsrlw":     func(_, y uint32, imm uint64) uint32 { return uint32(uint16(y)>>imm) | y>>16>>imm<<16 },
	"vcvtdq2ps":  func(_, y uint32, _ uint64) uint32 { return math.Float32bits(float32(int32(y))) },
	"vcvttps2dq": func(_, y uint32, _ uint64) uint32 { return truncated(float64(math.Float32frombits(y))) },
}

var integers64 = map[string]func(x, y, imm uint64) uint64{
	"vpaddq":   func(x, y, _ uint64) uint64 { return x + y },
	"vpsubq":   func(x, y, _ uint64) uint64 { return x - y },
	"vpmullq":  func(x, y, _ uint64) uint64 { return x * y },
	"vpmuludq": func(x, y, _ uint64) uint64 { return uint64(uint32(x)) * uint64(uint32(y)) },
	"vpsllq":   func(_, y, imm uint64) uint64 { return y << imm },
	"vpsrlq":   func(_, y, imm uint64) uint64 { return y >> imm },
}

// ofBytes applies a function to each byte.
func ofBytes(f func(x, y uint8) uint8) func(x, y uint32, _ uint64) uint32 {
	return func(x, y uint32, _ uint64) (r uint32) {
		for at := 0; at < 32; at += 8 {
			r |= uint32(f(uint8(x>>at), uint8(y>>at))) << at
		}
		return r
	}
}

// integers runs an instruction on integers.
func (e *Machine) integers(name string, dst argument, x, y []byte, imm uint64) {
	if f, ok := integers32[name]; ok {
		e.write(dst, lanes32(dst.size, x, y, func(x, y uint32) uint32 { return f(x, y, imm) }), 4)
		return
	}
	f, ok := integers64[name]
	if !ok {
		e.t.Fatalf("the emulator has no %s", name)
	}
	e.write(dst, lanes64(dst.size, x, y, func(x, y uint64) uint64 { return f(x, y, imm) }), 8)
}
