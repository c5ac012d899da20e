//go:build !amd64

package depthwise

// allLoops are those that this machine can run.
func allLoops() map[string]*loops { return map[string]*loops{"plain": &plain} }
