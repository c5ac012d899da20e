//go:build !amd64

package fourier

// chosen returns the loops of the processor: there are none but those in plain Go.
func chosen() [2]*loops { return [2]*loops{&plain32, &plain64} }
