package allocs

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

var sink []byte

// TestRequireNone passes once calls stop allocating.
func TestRequireNone(t *testing.T) {
	calls := 0
	RequireNone(t, 3, func() {
		if calls++; calls < 20 {
			sink = make([]byte, 100)
		}
	})
}

// TestRequireNoneFails where each call allocates.
func TestRequireNoneFails(t *testing.T) {
	const inner = "BROADLOOM_TEST_ALLOCATES"
	if os.Getenv(inner) != "" {
		RequireNone(t, 3, func() { sink = make([]byte, 100) })
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestRequireNoneFails$")
	c.Env = append(os.Environ(), inner+"=1")
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "a call allocates 1 times")
}
