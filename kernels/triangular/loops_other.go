//go:build !amd64

package triangular

// chosen returns the loops of the processor: there are none but those in plain Go.
func chosen() *loops { return &plain }
