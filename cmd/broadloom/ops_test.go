package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOpsFindsOperationsByTheirNamesElsewhere(t *testing.T) {
	status, stdout, stderr := broadloom("ops", "torch.bmm")
	assert.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "MatMul(x, y)")
	assert.Contains(t, stdout, "x [n, k], y [k, m] -> [n, m]")
	status, stdout, _ = broadloom("ops")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, stdout, "\nTanh ")
	status, _, stderr = broadloom("ops", "no", "such", "thing")
	assert.Equal(t, exitErrors, status)
	assert.Contains(t, stderr, "no operation has")
}
