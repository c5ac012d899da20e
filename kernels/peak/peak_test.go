package peak

import "testing"

// TestRate expects a plausible rate, and twice the rate for elements half as wide.
func TestRate(t *testing.T) {
	if Flops(4) == 0 {
		t.Skip("no loop for this processor")
	}
	if Flops(4) != 2*Flops(8) {
		t.Errorf("%v operations on float32, %v on float64", Flops(4), Flops(8))
	}
	for _, threads := range []int{1, 2} {
		if rate := Rate(threads, 4) / 1e9; rate < 5 || rate > 1000*float64(threads) {
			t.Errorf("%d threads: %.1f GFLOP/s", threads, rate)
		}
	}
}
