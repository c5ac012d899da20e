package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNow expects a clock that advances at the rate of Go's, in steps that are short compared with a kernel.
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
