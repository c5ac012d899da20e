package depthwise

import "github.com/broadloom/broadloom/kernels/cpu"

// allLoops are the loops that this machine can run.
func allLoops() map[string]*loops {
	all := map[string]*loops{}
	for _, isa := range cpu.Available() {
		all[isa.String()] = ofMachine[isa]
	}
	return all
}
