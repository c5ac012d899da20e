package cpu

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// ISA is a set of vector instructions. For amd64, a greater one includes the smaller ones.
type ISA uint8

// The sets.
const (
	Portable ISA = iota // plain Go
	AVX2                // AVX2, FMA, F16C and BMI2 of amd64
	AVX512              // also AVX-512 F, DQ, BW and VL
	NEON                // the vectors of arm64, which has none of the other sets
)

var names = [...]string{Portable: "portable", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}

// String returns the name that BROADLOOM_ISA takes.
func (i ISA) String() string {
	if int(i) >= len(names) {
		return fmt.Sprintf("ISA(%d)", uint8(i))
	}
	return names[i]
}

// Chosen is the set in use: the machine's best one, or a smaller one that the
// environment variable BROADLOOM_ISA names (avx512, avx2, neon or portable).
func Chosen() ISA { return chosen }

// Machine is the best set that the machine and its operating system support.
func Machine() ISA { return machine }

// Available lists the sets that the machine supports, [Portable] first.
func Available() []ISA {
	if machine == NEON {
		return []ISA{Portable, NEON}
	}
	return []ISA{Portable, AVX2, AVX512}[:machine+1]
}

// JIT reports whether kernels may be written into executable memory. It is false if the environment variable
// BROADLOOM_JIT is 0, and on macOS unless it is 1.
func JIT() bool { return jit }

// allowsJIT is [JIT] on a system, for a value of BROADLOOM_JIT. Nobody has run such code on macOS yet, so users must
// ask for it there.
func allowsJIT(system, setting string) bool {
	if system == "darwin" {
		return setting == "1"
	}
	return setting != "0"
}

// Err says which environment variable has an invalid value; nil if none has. An invalid value is ignored.
func Err() error { return wrong }

var (
	machine = detect()
	chosen  = choose(machine, os.Getenv("BROADLOOM_ISA"))
	jit     = allowsJIT(runtime.GOOS, os.Getenv("BROADLOOM_JIT"))
	wrong   = cmp.Or(Setting("BROADLOOM_ISA", names[:]...), Setting("BROADLOOM_JIT", "0", "1"))
)

// Setting returns an error if an environment variable is not empty and has none of the allowed values.
func Setting(name string, allowed ...string) error {
	value := os.Getenv(name)
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("the environment variable %s is %q, and it must be one of %s, or not set", name, value,
		strings.Join(allowed, ", "))
}

// choose returns the wanted set if the machine has it. For an unknown name it sets [Err].
func choose(best ISA, want string) ISA {
	for i, name := range names {
		if name == want && (ISA(i) == Portable || (ISA(i) == NEON) == (best == NEON)) {
			return min(best, ISA(i))
		}
	}
	return best
}
