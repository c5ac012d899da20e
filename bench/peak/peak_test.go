package peak

import (
	"testing"
	"time"
)

// TestLoop expects a rate that a processor of this century can have, and vectors twice as
// long for elements half as wide.
func TestLoop(t *testing.T) {
	if Flops(4) == 0 {
		t.Skip("no loop for this processor")
	}
	best := time.Hour
	for range 100 {
		start := time.Now()
		if err := Loop(); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	rate := Flops(4) / float64(best.Nanoseconds())
	if rate < 5 || rate > 1000 {
		t.Errorf("%.1f GFLOP/s", rate)
	}
	if Flops(4) != 2*Flops(8) {
		t.Errorf("%v operations on float32, %v on float64", Flops(4), Flops(8))
	}
}
