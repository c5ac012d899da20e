package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// Large pages of the arena are made only in the share of the runs' time that they may take.
func TestLargePagesTakeTheirShare(t *testing.T) {
	var s State
	s.Arena, s.later = hugepage.MakeLater(64<<20, -1)
	if !s.later.Pending() {
		t.Fatal("the first large page was taken to be slow")
	}
	s.credit = -time.Hour
	s.enlarge(time.Now())
	require.True(t, s.later.Pending())
	require.InDelta(t, -time.Hour, s.credit, float64(time.Second),
		"a run that had nothing to give has paid back its part")

	s.credit = 0
	s.enlarge(time.Now().Add(-enlargeShare * time.Hour))
	require.False(t, s.later.Pending())
	require.Greater(t, s.credit, 50*time.Minute, "what was not spent is left")
	require.False(t, s.hasSmallPages())
}
