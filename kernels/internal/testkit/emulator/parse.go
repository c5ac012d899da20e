package emulator

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

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

// New reads a copy of code, whose first length bytes are instructions. The test is skipped without objdump, and if
// pointers, which code finds in its arguments, have 32 bits.
func New(t testing.TB, code []byte, length int) *Machine {
	t.Helper()
	if strconv.IntSize < 64 {
		t.Skip("code for amd64 cannot read arguments of 32 bits")
	}
	e := &Machine{t: t, code: aligned(code), insts: make([]*emulated, length)}
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

// aligned copies code to a multiple of 64 bytes, so that its constants are aligned.
func aligned(code []byte) []byte {
	words := make([]uint64, len(code)/8+16)
	room := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	at := room[-uintptr(unsafe.Pointer(&room[0]))&63:]
	copy(at, code)
	return at
}

// Address is the address of the code.
func (e *Machine) Address() uintptr { return uintptr(unsafe.Pointer(&e.code[0])) }

// disassembled is objdump's text of code.
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
	for _, term := range strings.FieldsFunc(
		strings.ReplaceAll(m[1], "-", "+-"), func(r rune) bool { return r == '+' }) {
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
