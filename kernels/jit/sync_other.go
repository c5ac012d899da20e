//go:build !arm64

package jit

// synchronize does nothing: the caches are coherent.
func synchronize([]byte) {}
