//go:build !amd64

package fourier

// allLoops are those that this machine can run.
func allLoops() map[string][2]*loops { return map[string][2]*loops{"plain": chosen()} }
