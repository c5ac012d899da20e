package engine

import "github.com/broadloom/broadloom/kernels/backend"

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

// joinsBatch adds a launch to a list if it can be part of it.
func (l *Launch) joinsBatch(list *backend.List) bool {
	call := l.smallCall()
	return call != nil && l.kept == nil && list.Add(call)
}

// smallTask is a task that may be small enough to be a call among others.
type smallTask interface {
	// asCall is that call; nil where threads may share the work, or more than a call is needed.
	asCall() backend.Entry
}

// smallCall is the call of a launch whose task is small, and which no other launch does; nil of any other one.
func (l *Launch) smallCall() backend.Entry {
	k, ok := l.Task.(smallTask)
	if !ok || l.Fused || l.Chained {
		return nil
	}
	return k.asCall()
}
