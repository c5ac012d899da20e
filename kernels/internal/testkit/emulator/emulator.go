package emulator

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// Machine is a processor with the code that it runs.
type Machine struct {
	t     testing.TB
	code  []byte
	insts map[int]*emulated // by offset
	g     [16]uint64
	z     [32][64]byte
	k     [8]uint64
	zero  bool // flags of the last arithmetic
	less  bool
	below bool
	sign  bool

	// Callees are what the code can call, by address.
	Callees map[uintptr]*Machine
}

// emulated is an instruction.
type emulated struct {
	name string
	ops  []argument
	next int
	fma  *fma // nil of other instructions
}

// argument is an operand of an instruction.
type argument struct {
	kind        byte // g: general register, v: vector, k: mask register, m: memory, i: number
	n           int  // the register's number
	size        int  // bytes of a register
	value       uint64
	base, index int // -1 for none; base -2 is the code's beginning
	scale       uint64
	mask        int
	zeroing     bool
	repeated    bool // one element of memory stands for all lanes
}

var (
	lineForm = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(?:[0-9a-f]{2} )+\s*(.*)$`)
	memForm  = regexp.MustCompile(`\[(.*)\]`)
	vecForm  = regexp.MustCompile(`^([xyz])mm(\d+)((?:\{[^}]*\})*)$`)
	general  = map[string]argument{}
)

func init() {
	for i, name := range strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15") {
		general[name] = argument{kind: 'g', n: i, size: 8}
	}
	for i, name := range strings.Fields("eax ecx edx ebx esp ebp esi edi r8d r9d r10d r11d r12d r13d r14d r15d") {
		general[name] = argument{kind: 'g', n: i, size: 4}
	}
	for i, name := range strings.Fields("al cl dl bl spl bpl sil dil r8b r9b r10b r11b r12b r13b r14b r15b") {
		general[name] = argument{kind: 'g', n: i, size: 1}
	}
}

// New reads a copy of code, of which the first length bytes are instructions. Without objdump
// the test is skipped, and where pointers, which code finds in its arguments, have 32 bits.
func New(t testing.TB, code []byte, length int) *Machine {
	t.Helper()
	if strconv.IntSize < 64 {
		t.Skip("code for amd64 cannot read arguments of 32 bits")
	}
	e := &Machine{t: t, code: aligned(code), insts: map[int]*emulated{}}
	var last *emulated
	for line := range strings.Lines(disassembled(t, code[:length])) {
		m := lineForm.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		at, err := strconv.ParseInt(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			last.next = int(at)
		}
		last = e.parse(m[2])
		e.insts[int(at)] = last
	}
	return e
}

// aligned copies code to a multiple of 64 bytes, where its constants lie as they must.
func aligned(code []byte) []byte {
	words := make([]uint64, len(code)/8+16)
	room := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	at := room[-uintptr(unsafe.Pointer(&room[0]))&63:]
	copy(at, code)
	return at
}

// Address is where the code lies.
func (e *Machine) Address() uintptr { return uintptr(unsafe.Pointer(&e.code[0])) }

// disassembled is what objdump says of code.
func disassembled(t testing.TB, code []byte) string {
	tool, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed")
	}
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func (e *Machine) parse(text string) *emulated {
	target := ""
	if before, after, ok := strings.Cut(text, "#"); ok {
		text, target = before, strings.TrimSpace(after)
	}
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if name == "xchg" || strings.Contains(text, "nop") {
		return &emulated{name: "nop"} // fills up
	}
	in := &emulated{name: name}
	for _, s := range strings.Split(strings.TrimSpace(rest), ",") {
		if s = strings.TrimSpace(s); s != "" {
			in.ops = append(in.ops, e.argument(s, target))
		}
	}
	in.fma = fmaOf(name)
	return in
}

func (e *Machine) number(s string) uint64 {
	negative := strings.HasPrefix(s, "-")
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "-"), 0, 64)
	if err != nil {
		e.t.Fatalf("%s: %v", s, err)
	}
	if negative {
		return -v
	}
	return v
}

func (e *Machine) argument(s, target string) argument {
	if g, ok := general[s]; ok {
		return g
	}
	if m := vecForm.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[2])
		a := argument{kind: 'v', n: n, size: 16 << strings.Index("xyz", m[1])}
		a.mask, a.zeroing = maskOf(m[3])
		return a
	}
	if len(s) == 2 && s[0] == 'k' {
		return argument{kind: 'k', n: int(s[1] - '0')}
	}
	m := memForm.FindStringSubmatch(s)
	if m == nil {
		return argument{kind: 'i', value: e.number(s)}
	}
	a := argument{kind: 'm', base: -1, index: -1, scale: 1, size: 8}
	for i, word := range []string{"BYTE", "WORD", "DWORD"} {
		if strings.HasPrefix(s, word) {
			a.size = 1 << i
		}
	}
	a.mask, a.zeroing = maskOf(s[strings.IndexByte(s, ']')+1:])
	a.repeated = strings.Contains(s, "{1to") || strings.Contains(s, "BCST")
	if strings.HasPrefix(m[1], "rip") {
		a.base, a.value = -2, e.number(target)
		return a
	}
	for _, term := range strings.FieldsFunc(strings.ReplaceAll(m[1], "-", "+-"), func(r rune) bool { return r == '+' }) {
		if reg, scale, ok := strings.Cut(term, "*"); ok {
			a.index, a.scale = general[reg].n, e.number(scale)
		} else if g, ok := general[term]; ok {
			a.base = g.n
		} else {
			a.value = e.number(term)
		}
	}
	return a
}

func maskOf(s string) (k int, zeroing bool) {
	if i := strings.Index(s, "{k"); i >= 0 {
		k = int(s[i+2] - '0')
	}
	return k, strings.Contains(s, "{z}")
}

// address is where a memory operand is.
func (e *Machine) address(a argument) unsafe.Pointer {
	v := a.value
	switch {
	case a.base == -2:
		v += uint64(uintptr(unsafe.Pointer(&e.code[0])))
	case a.base >= 0:
		v += e.g[a.base]
	}
	if a.index >= 0 {
		v += e.g[a.index] * a.scale
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&v))
}

// read returns the bytes of an operand that is a vector or memory.
func (e *Machine) read(a argument, size int) []byte {
	if a.kind == 'v' {
		return e.z[a.n][:size]
	}
	if a.repeated {
		return bytes.Repeat(unsafe.Slice((*byte)(e.address(a)), a.size), size/a.size)
	}
	return unsafe.Slice((*byte)(e.address(a)), size)
}

// write sets the lanes of a destination that its mask lets through.
func (e *Machine) write(a argument, data []byte, lane int) {
	if a.mask == 0 {
		if a.kind == 'm' {
			copy(unsafe.Slice((*byte)(e.address(a)), len(data)), data)
			return
		}
		z := &e.z[a.n]
		clear(z[copy(z[:], data):])
		return
	}
	if a.kind == 'm' {
		for i := 0; i < len(data); i += lane {
			if e.k[a.mask]>>(i/lane)&1 != 0 {
				copy(unsafe.Slice((*byte)(unsafe.Add(e.address(a), i)), lane), data[i:i+lane])
			}
		}
		return
	}
	z := &e.z[a.n]
	for i := range z {
		switch {
		case i >= len(data):
			z[i] = 0
		case e.k[a.mask]>>(i/lane)&1 != 0:
			z[i] = data[i]
		case a.zeroing:
			z[i] = 0
		}
	}
}

func (e *Machine) get(a argument) uint64 {
	switch a.kind {
	case 'g':
		return e.g[a.n] & (1<<(8*a.size) - 1)
	case 'm':
		var b [8]byte
		copy(b[:], unsafe.Slice((*byte)(e.address(a)), a.size))
		return binary.LittleEndian.Uint64(b[:])
	case 'k':
		return e.k[a.n]
	}
	return a.value
}

func (e *Machine) set(a argument, v uint64) {
	switch {
	case a.kind == 'k':
		e.k[a.n] = v
	case a.kind == 'm':
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(unsafe.Slice((*byte)(e.address(a)), a.size), b[:a.size])
	case a.size == 1:
		e.g[a.n] = e.g[a.n]&^0xff | v&0xff
	case a.size == 4:
		e.g[a.n] = uint64(uint32(v))
	default:
		e.g[a.n] = v
	}
}

// flags notes the result x - y.
func (e *Machine) flags(x, y uint64) {
	e.zero, e.less, e.below, e.sign = x == y, int64(x) < int64(y), x < y, int64(x-y) < 0
}

// Call runs the code until it returns.
func (e *Machine) Call(offset int, args unsafe.Pointer) {
	e.g[7] = uint64(uintptr(args))
	e.run(offset)
}

// call has another machine go on with the registers.
func (e *Machine) call(address uint64) {
	callee := e.Callees[uintptr(address)]
	if callee == nil {
		e.t.Fatalf("a call of %#x", address)
	}
	callee.g, callee.z, callee.k = e.g, e.z, e.k
	callee.run(0)
	e.g, e.z, e.k = callee.g, callee.z, callee.k
}

// run runs the code from an offset on until it returns.
func (e *Machine) run(offset int) {
	for at := offset; at >= 0; {
		in := e.insts[at]
		if in == nil {
			e.t.Fatalf("no instruction at %#x", at)
		}
		at = e.step(in)
	}
}

// step runs an instruction and gives the offset of the next, -1 at the end.
func (e *Machine) step(in *emulated) int {
	if in.fma != nil {
		e.fused(in)
		return in.next
	}
	if strings.HasPrefix(in.name, "prefetch") {
		return in.next // its address may be anywhere
	}
	o := in.ops
	var x, y uint64
	if len(o) > 0 && o[0].kind != 'v' && in.name[0] != 'v' {
		x = e.get(o[0])
	}
	if len(o) > 1 && o[1].kind != 'v' && in.name[0] != 'v' && in.name != "lea" {
		y = e.get(o[len(o)-1])
	}
	jump := false
	switch in.name {
	case "ret":
		return -1
	case "call":
		e.call(x)
	case "nop", "sfence", "vzeroupper":
	case "jmp":
		jump = true
	case "je":
		jump = e.zero
	case "jne":
		jump = !e.zero
	case "jl":
		jump = e.less
	case "jb":
		jump = e.below
	case "jge":
		jump = !e.less
	case "mov", "movabs":
		e.set(o[0], y)
	case "kmovw":
		e.set(o[0], y&0xffff)
	case "lea":
		e.set(o[0], uint64(uintptr(e.address(o[1]))))
	case "add":
		e.set(o[0], x+y)
		e.flags(x+y, 0)
	case "sub":
		e.set(o[0], x-y)
		e.flags(x, y)
	case "imul":
		e.set(o[0], x*y)
	case "cmp":
		e.flags(x, y)
	case "dec":
		e.set(o[0], x-1)
		e.flags(x, 1)
	case "and":
		e.set(o[0], x&y)
		e.flags(x&y, 0)
	case "xor":
		e.set(o[0], x^y)
		e.flags(x^y, 0)
	case "test":
		e.flags(x&y, 0)
	case "not":
		e.set(o[0], ^x)
	case "shl":
		e.set(o[0], x<<y)
	case "shr":
		e.set(o[0], x>>y)
	case "tzcnt":
		e.set(o[0], uint64(bits.TrailingZeros64(y)))
	default:
		e.vector(in)
	}
	if jump {
		return int(o[0].value)
	}
	return in.next
}
