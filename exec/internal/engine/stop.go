package engine

import (
	"errors"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
)

// A run whose context ends stops before the next kernel. A kernel that takes long also stops in the middle, unless it
// writes what outlasts the run: a parameter never has elements of two runs. Tasks ask [State.stopped] between tiles,
// and leave the rest of their work undone; [State.launch] then finds that the context has ended.

var errStopped = errors.New("the context has ended")

// A single thread computes a task that takes stoppableCost nanoseconds or more in parts, about partCost each, and asks
// between them whether it is to stop.
const (
	stoppableCost = 4_000_000
	partCost      = 1_000_000
)

// findStops finds the launches that may stop in the middle, with what is fused with them.
func (b *Specialization) findStops(p *Code) {
	for i := range b.Launches {
		l := &b.Launches[i]
		together := 1
		if l.Chain != nil {
			together = len(l.Chain.members)
		}
		for i+together < len(b.Launches) && b.Launches[i+together].Fused {
			together++
		}
		l.mayStop = b.writeRunOnly(p, i, together)
	}
}

// writeRunOnly reports whether some launches write only what is not used after a run that stops: values of the run,
// results of a loop's body, which are such, and values kept between runs, which are computed again.
func (b *Specialization) writeRunOnly(p *Code, first, count int) bool {
	return !slices.ContainsFunc(b.Launches[first:][:count], func(l Launch) bool {
		return slices.ContainsFunc(p.Kernels[l.kernel].Operands(), func(o fusion.Operand) bool {
			if o.Base == nil || !o.Write {
				return false
			}
			kind := p.BufferOf[o.Base].Kind
			return kind != lower.InArena && kind != lower.InResult && kind != lower.InKept
		})
	})
}

// stopped returns a function that reports whether the current launch is to stop; nil if it must not, or if the run's
// context cannot end. Several threads may call it. It is made once, so that a run allocates nothing.
func (s *State) stopped() func() bool {
	if !s.mayStop || s.ctx.Done() == nil {
		return nil
	}
	if s.ended == nil {
		s.ended = func() bool { return s.ctx.Err() != nil }
	}
	return s.ended
}

// hasStopped reports whether the current launch is to stop, or has stopped.
func (s *State) hasStopped() bool { return s.mayStop && s.ctx.Err() != nil }

// inParts reports whether a single thread computes a task of some cost in parts.
func (s *State) inParts(cost int) bool { return cost >= stoppableCost && s.stopped() != nil }
