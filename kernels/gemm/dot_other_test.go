//go:build !amd64

package gemm

// everyDots runs a test with the loops in plain Go.
func everyDots[T any](t T, test func(T)) { test(t) }
