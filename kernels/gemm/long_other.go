//go:build !amd64

package gemm

func multipliesLong() bool { return false }

func (*longTile) run() { panic("gemm: not on this processor") }
