package translate

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
)

// Loop is what a language writes of a loop.
type Loop[V any] struct {
	Attrs         graph.LoopAttrs
	Carried, Next []*graph.Node // the carried values in a step, and those of the step after it
	Limit         *graph.Node   // bounds the number of steps, or nil
	Stacks        []*graph.Node // values of all steps, of which each step computes the second operand

	Position V                 // of the step, in the body
	Final    []V               // the carried values after the last step
	Steps    V                 // how many steps were taken
	Stacked  map[*graph.Node]V // the values of Stacks
}

// loopNode writes a node of class Loop.
func (w *Walk[V, B]) loopNode(n *graph.Node, a graph.LoopAttrs) V {
	switch a.Role {
	case graph.LoopStep:
		return w.frame.loops[a.Body].Position
	case graph.LoopElement:
		return w.lang.Element(w.Value(n.In(0)), w.frame.loops[a.Body].Position)
	case graph.LoopEnd:
		return w.repeat(n, a).Steps
	case graph.LoopFinal:
		w.Value(n.In(0))
		return w.frame.loops[a.Body].Final[a.Index]
	case graph.LoopStack:
		w.Value(n.In(0))
		return w.frame.loops[a.Body].Stacked[n]
	}
	return w.Fail(n, "is outside the loop that carries it")
}

func (w *Walk[V, B]) repeat(end *graph.Node, a graph.LoopAttrs) *Loop[V] {
	l := &Loop[V]{Attrs: a, Stacks: w.frame.stacks[end], Stacked: map[*graph.Node]V{}}
	l.Carried, l.Next, l.Limit = loopop.CarriedOf(end)
	w.frame.loops[a.Body] = l
	w.lang.Repeat(l)
	return l
}

// First returns the values that the first step carries.
func (w *Walk[V, B]) First(l *Loop[V]) (first []V) {
	for _, x := range l.Carried {
		first = append(first, w.Value(x.In(0)))
	}
	return first
}

// Step writes a loop's body into a block, from the values that a step carries, and returns those of the next step. It
// calls put with the step's part of each of the loop's Stacks, while the body is the current block.
func (w *Walk[V, B]) Step(l *Loop[V], body B, carried []V, put func(stack int, part V)) (next []V) {
	w.frame.bodies[l.Attrs.Body] = body
	outer := w.lang.Block()
	w.lang.Enter(body, w.Node)
	defer func() {
		w.lang.Enter(outer, w.Node)
		delete(w.frame.bodies, l.Attrs.Body)
	}()
	for i, x := range l.Carried {
		w.Set(x, carried[i])
	}
	for _, x := range l.Next {
		next = append(next, w.Value(x))
	}
	for i, s := range l.Stacks {
		put(i, w.Value(s.In(1)))
	}
	return next
}
