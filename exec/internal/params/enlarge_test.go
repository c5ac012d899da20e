package params

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// Only one of the sessions that share parameters makes huge pages at a time.
func TestOneSessionMakesLargePages(t *testing.T) {
	var st Store
	_, later := hugepage.MakeLater(64<<20, -1)
	st.addLater(later)
	require.True(t, st.HasSmallPages())
	st.mu.Lock() // another session is at it
	require.Zero(t, st.Enlarge(time.Hour))
	st.mu.Unlock()
	require.True(t, st.HasSmallPages())
	require.Positive(t, st.Enlarge(time.Hour))
	require.False(t, st.HasSmallPages())
	require.Zero(t, st.Enlarge(time.Hour))
}
