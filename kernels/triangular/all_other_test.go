//go:build !amd64

package triangular

// allLoops are those that this machine can run.
func allLoops() map[string]*loops { return map[string]*loops{"plain": &plain} }
