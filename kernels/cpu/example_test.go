package cpu_test

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// Greater sets of instructions include smaller ones, and the one in use is one that the machine has.
func ExampleChosen() {
	fmt.Println(cpu.Chosen() <= cpu.Machine(), cpu.AVX512 > cpu.AVX2, cpu.AVX2)
	// Output: true true avx2
}
