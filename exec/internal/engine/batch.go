package engine

import (
	"github.com/broadloom/broadloom/kernels/backend"
)

// batchLaunches finds runs of small kernels, which are then called as one.
func (b *Specialization) batchLaunches() {
	for first := 0; first < len(b.Launches); {
		list, end := new(backend.List), first
		for end < len(b.Launches) && b.Launches[end].joinsBatch(list) {
			end++
		}
		if list.Len() > 1 {
			b.Launches[first].Batch = list
		}
		first = max(end, first+1)
	}
}

// joinsBatch adds a step to a list if it can be part of it, is never shared between threads and
// is not fused with a product.
func (st *Launch) joinsBatch(list *backend.List) bool {
	if st.kept != nil || st.Fused || st.Chained {
		return false
	}
	switch k := st.Task.(type) {
	case *LoopTask:
		return k.cost < parallelCost && list.Add(k.call)
	case smallProduct:
		call := k.inSteps()
		return call != nil && list.AddStatic(call)
	}
	return false
}
