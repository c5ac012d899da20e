package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNow has a clock that advances in steps that are short beside a kernel, at the rate of Go's.
func TestNow(t *testing.T) {
	began, last, steps := Now(), Now(), 0
	goBegan := time.Now()
	for Now()-began < 200*time.Millisecond {
		if at := Now(); at != last {
			require.Greater(t, at, last)
			last, steps = at, steps+1
		}
	}
	require.Greater(t, steps, 10_000)
	require.InDelta(t, 200, time.Since(goBegan).Milliseconds(), 100)
}
