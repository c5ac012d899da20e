package engine

import "github.com/broadloom/broadloom/kernels/backend"

// batchLaunches finds consecutive small kernels, which are then called as one.
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

// joinsBatch adds a launch to a list, if possible.
func (l *Launch) joinsBatch(list *backend.List) bool {
	call := l.smallCall()
	return call != nil && l.kept == nil && list.Add(call)
}

// smallTask is a task that may be small enough to be batched.
type smallTask interface {
	// asCall returns its call; nil if threads may share the work, or it needs more than one call.
	asCall() backend.Entry
}

// smallCall returns the call of a launch whose task is small and which no other launch includes; nil otherwise.
func (l *Launch) smallCall() backend.Entry {
	k, ok := l.Task.(smallTask)
	if !ok || l.Fused || l.Chained {
		return nil
	}
	return k.asCall()
}
