package fourier

import "github.com/broadloom/broadloom/kernels/cpu"

// allLoops are the loops that this machine can run.
func allLoops() map[string][2]*loops {
	all := map[string][2]*loops{}
	for _, isa := range cpu.Available() {
		all[isa.String()] = ofMachine[isa]
	}
	return all
}
