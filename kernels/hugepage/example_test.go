package hugepage_test

import (
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// Memory is aligned to a cache line, and is zero.
func ExampleMake() {
	x := hugepage.Make[float32](1000)
	fmt.Println(len(x), x[999], uintptr(unsafe.Pointer(&x[0]))%hugepage.Line)
	// Output: 1000 0 0
}

func ExampleBytes() {
	fmt.Println(hugepage.Bytes(3 << 20))
	// Output: 3.0 MiB
}
