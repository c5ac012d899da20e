package cpu

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

var half = float32(0.5) // a variable of the package, so that the compiler does not compute with it

// The setting holds until it ends, even inside another one, and in no other goroutine.
func TestFlushDenormals(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("there is no such setting")
	}
	least := func() uint32 { return math.Float32bits(half * math.Float32frombits(2)) } // comparing numbers flushes, too
	require.NotZero(t, least())
	outer := FlushDenormals()
	require.Zero(t, least())
	inner := FlushDenormals()
	inner.End()
	require.Zero(t, least())
	other := make(chan uint32)
	go func() { other <- least() }()
	require.NotZero(t, <-other)
	outer.End()
	require.NotZero(t, least())
}
