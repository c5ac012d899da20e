//go:build !amd64

package depthwise

// chosen returns the loops of the processor: there are none but those in plain Go.
func chosen() *loops { return &plain }
