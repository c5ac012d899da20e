package exec

import "github.com/broadloom/broadloom/kernels/backend"

// listSteps finds runs of small kernels, which are then called as one.
func (b *binding) listSteps() {
	for first := 0; first < len(b.steps); {
		list, end := new(backend.List), first
		for end < len(b.steps) && b.steps[end].joins(list) {
			end++
		}
		if list.Len() > 1 {
			b.steps[first].list = list
		}
		first = max(end, first+1)
	}
}

// joins adds a step to a list if it can be part of it, is never shared between threads and
// does not follow a product.
func (st *step) joins(list *backend.List) bool {
	k, ok := st.kernel.(*boundPart)
	return ok && !st.taken && k.cost < offerCost && list.Add(k.call)
}
