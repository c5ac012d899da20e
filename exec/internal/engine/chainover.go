package engine

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file runs chains whose members sum rows over axes of the batch, such as the gradient of a bias of scores that
// all examples share. Matrices that are summed form a group. One thread computes them one after the other, and adds
// each block to the results of those before, in the order of a kernel that sums all at once. Without such sums, each
// matrix is a group.

// orderBatch makes the matrices of each group adjacent, and reports whether the chain can sum them.
func (b *Specialization) orderBatch(t *chainTask) bool {
	t.groupSize = 1
	for _, axis := range t.Over {
		t.groupSize *= t.batch[axis]
	}
	if t.Over != nil && (t.isShared || t.groupSize > rowprog.ChunkRows) { // longer sums are computed chunk by chunk
		return false
	}
	t.order = make([]int, t.slices)
	for slice := range t.order {
		group, within, rest, groupUnit, unit := 0, 0, slice, 1, 1
		for axis := len(t.batch) - 1; axis >= 0; axis-- {
			at := rest % t.batch[axis]
			rest /= t.batch[axis]
			if slices.Contains(t.Over, axis) {
				within, unit = within+at*unit, unit*t.batch[axis]
			} else {
				group, groupUnit = group+at*groupUnit, groupUnit*t.batch[axis]
			}
		}
		t.order[group*t.groupSize+within] = slice
	}
	return true
}

// groups returns the number of groups.
func (t *chainTask) groups() int { return t.slices / t.groupSize }

// compute computes rows, and adds them to the results of the group's matrices before.
func (l *chainLoop) compute(a *launch.Args, th *chainThread) (launch.Fault, bool) {
	kernel, sums := l.task.Loop.Kernel, &th.ws.accumulated
	if !l.adds || !th.adds {
		return kernel.RunRange(a, 0, a.Rows(), &th.ws.scratch)
	}
	sums.Reset(l.task.Loop.Program, a)
	defer sums.Release()
	fault, ok := kernel.RunRange(sums.Args(a), 0, a.Rows(), &th.ws.scratch)
	sums.AddTo(a)
	return fault, ok
}
