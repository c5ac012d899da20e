package engine

import (
	"errors"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
)

// A run whose context ends stops before the next kernel. Large products and chains, which may take seconds, also stop
// in the middle, unless they write what outlasts the run: a parameter never has elements of two runs.

// stoppable is a task that may stop in the middle. It asks [State.stopped], and fails with errStopped if the context
// has ended.
type stoppable interface{ setMayStop(may bool) }

var errStopped = errors.New("the context has ended")

// findStops finds the tasks that may stop in the middle, with what is fused with them.
func (b *Specialization) findStops(p *Code) {
	for i := range b.Launches {
		l := &b.Launches[i]
		together := 1
		if l.Chain != nil {
			together = len(l.Chain.members)
			l.Chain.mayStop = b.writeRunOnly(p, i, together)
		}
		for i+together < len(b.Launches) && b.Launches[i+together].Fused {
			together++
		}
		if task, ok := l.Task.(stoppable); ok {
			task.setMayStop(b.writeRunOnly(p, i, together))
		}
	}
}

// writeRunOnly reports whether some launches write only memory of one run.
func (b *Specialization) writeRunOnly(p *Code, first, count int) bool {
	return !slices.ContainsFunc(b.Launches[first:][:count], func(l Launch) bool {
		return l.kept != nil || slices.ContainsFunc(p.Kernels[l.kernel].Operands(), func(o fusion.Operand) bool {
			return o.Base != nil && o.Write && p.BufferOf[o.Base].Kind != lower.InArena
		})
	})
}

func (t *MatMulTask[T]) setMayStop(may bool) { t.mayStop = may }

// stopError is the error of a task that may have stopped in the middle, or nil.
func (s *State) stopError() error {
	if s.ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// stopped returns a function that reports whether the run's context has ended; nil if it cannot end. It is made once,
// so that a run allocates nothing.
func (s *State) stopped() func() bool {
	if s.ctx.Done() == nil {
		return nil
	}
	if s.ended == nil {
		s.ended = func() bool { return s.ctx.Err() != nil }
	}
	return s.ended
}
