package settings

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSame(t *testing.T) { Same(t, func() string { return "one\ntwo" }) }

// TestElsewhere expects a process to see the settings that it is given.
func TestElsewhere(t *testing.T) {
	show := func() string { return os.Getenv("BROADLOOM_ISA") + os.Getenv("GOMAXPROCS") }
	if os.Getenv(asked) != "" {
		Same(t, show)
		return
	}
	got, err := elsewhere(t, []string{"BROADLOOM_ISA=portable", "GOMAXPROCS=3"})
	require.NoError(t, err)
	require.Equal(t, "portable3", got)
}

func TestDifference(t *testing.T) {
	line, want, got := difference("a\nb\nc", "a\nx\nc")
	require.Equal(t, []any{2, "b", "x"}, []any{line, want, got})
	line, want, got = difference("a", "a\nb")
	require.Equal(t, []any{2, "", "b"}, []any{line, want, got})
	line, _, _ = difference("a\nb", "a\nb")
	require.Zero(t, line)
}
