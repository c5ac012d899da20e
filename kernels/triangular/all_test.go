package triangular

import "github.com/broadloom/broadloom/kernels/cpu"

// allLoops are those that this machine can run.
func allLoops() map[string]*both {
	all := map[string]*both{}
	for _, isa := range cpu.Available() {
		all[isa.String()] = ofMachine[isa]
	}
	return all
}
