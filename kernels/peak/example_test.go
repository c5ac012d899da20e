package peak_test

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/peak"
)

// A machine has twice as many operations on float32 as on float64; both are 0 if they cannot be measured.
func ExampleFlops() {
	fmt.Println(peak.Flops(4) == 2*peak.Flops(8))
	// Output: true
}
