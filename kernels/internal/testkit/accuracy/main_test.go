package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// TestFunctionsAreWithinTheirBounds measures each function on a few of its inputs.
func TestFunctionsAreWithinTheirBounds(t *testing.T) {
	for _, op := range rowprog.Primitives() {
		if scalar.WorstULP(op) == 0 {
			continue
		}
		r, err := measure(op, 65537)
		require.NoError(t, err)
		require.LessOrEqual(t, r.ulp, scalar.WorstULP(op), "%v of %s", op, r.where(op))
		require.Zero(t, r.wrong, op)
	}
}
