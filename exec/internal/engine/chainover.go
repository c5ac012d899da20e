package engine

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file runs chains whose members add up rows over axes of the batch, as the gradient of a bias of scores that all examples share. A thread computes the
// matrices of a sum one after the other, and adds each block to what those before have left: in the order of a kernel that adds up all at once.

// orderBatch puts the matrices of each sum side by side, and reports whether the chain can add them up.
func (b *Specialization) orderBatch(t *chainTask) bool {
	t.each = 1
	for _, axis := range t.Over {
		t.each *= t.batch[axis]
	}
	if t.Over != nil && (t.isShared || t.each > rowprog.ChunkRows) { // longer sums are added up chunk by chunk
		return false
	}
	t.order = make([]int, t.slices)
	for slice := range t.order {
		sum, within, rest, sumUnit, unit := 0, 0, slice, 1, 1
		for axis := len(t.batch) - 1; axis >= 0; axis-- {
			at := rest % t.batch[axis]
			rest /= t.batch[axis]
			if slices.Contains(t.Over, axis) {
				within, unit = within+at*unit, unit*t.batch[axis]
			} else {
				sum, sumUnit = sum+at*sumUnit, sumUnit*t.batch[axis]
			}
		}
		t.order[sum*t.each+within] = slice
	}
	return true
}

// sums is the number of sums over the batch: of matrices, where none are added up.
func (t *chainTask) sums() int { return t.slices / max(t.each, 1) }

// compute computes rows, and adds to what the matrices before have left of the same sum.
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
