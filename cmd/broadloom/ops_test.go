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

func TestOpsFindsLayersAndAnswersOtherNames(t *testing.T) {
	status, stdout, stderr := broadloom("ops", "torch.nn.Linear")
	assert.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, `nn.NewLinear(g, "fc", 4, 3).Apply(p, x)`)
	assert.Contains(t, stdout, "fc.weight [3, 4], fc.bias [3]")
	status, stdout, stderr = broadloom("ops", "torch.nn.DataParallel")
	assert.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "package reach divides a program")
}
