package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConstantsOver32Bits(t *testing.T) {
	faults, err := check("linux/amd64", []string{"./testdata/wide"})
	require.NoError(t, err)
	require.Empty(t, faults)

	faults, err = check("linux/386", []string{"./testdata/wide"})
	require.NoError(t, err)
	require.Len(t, faults, 2)
	require.Contains(t, faults[0].Error(), "wide.go:5")
	require.Contains(t, faults[0].Error(), "1 << 40")
	require.Contains(t, faults[1].Error(), "wide.go:8")
	require.Contains(t, faults[1].Error(), "1 << 41")
}

func TestTargetsHaveTwoParts(t *testing.T) {
	_, err := check("linux", []string{"."})
	require.ErrorContains(t, err, "GOOS/GOARCH")
}
