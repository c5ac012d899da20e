package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// This file follows axes through loops. A carried value depends on its initial value and on the results of steps, which
// depend on the carried value. So a body is visited again until nothing changes.

// loopFlow is what is known of a loop.
type loopFlow struct {
	end      *graph.Node // nil while its body is being built, and for the single example of a batch
	carried  []*graph.Node
	handed   []Value // by index of a carried value: what steps hand on, as far as known
	elements Value   // for all sliced values: the terms of the sliced axis
	rounds   int     // how often the body was visited
}

// maxRounds limits the visits of a body, in addition to one for each carried value, since a dependence advances by one
// carried value per visit. Positions that move in each step never converge.
const maxRounds = 8

// loop returns what is known of a body's loop.
func (f *Flow) loop(r *graph.Region) *loopFlow {
	if f.loops == nil {
		f.loops = map[*graph.Region]*loopFlow{}
		for _, n := range f.g.Nodes() {
			a, is := n.Loop()
			if !is || n.Err() != nil {
				continue
			}
			l := f.loops[a.Body]
			if l == nil {
				l = &loopFlow{}
				f.loops[a.Body] = l
			}
			switch a.Role {
			case graph.LoopCarried:
				l.carried = append(l.carried, n)
			case graph.LoopEnd:
				l.end, l.handed = n, make([]Value, a.Carried)
			}
		}
	}
	return f.loops[r]
}

// carriedBy returns the end of the loop that carries a value, on which the value depends.
func (f *Flow) carriedBy(n *graph.Node) []*graph.Node {
	if a, is := n.Loop(); is && a.Role == graph.LoopCarried && n.Err() == nil {
		return []*graph.Node{f.loop(a.Body).end}
	}
	return nil
}

// givers lists the dependencies of a node. Those of a carried value include the results of steps; those of a final
// value are that result and the loop's end, but not all other values with which the loop ends.
func (f *Flow) givers(n *graph.Node) []*graph.Node {
	a, is := n.Loop()
	if !is || n.Err() != nil || f.loop(a.Body).end == nil {
		return n.Operands()
	}
	end := f.loop(a.Body).end
	size, _ := end.Loop()
	switch a.Role {
	case graph.LoopCarried:
		return []*graph.Node{n.In(0), end.In(size.Carried + a.Index)}
	case graph.LoopFinal:
		return []*graph.Node{end.In(a.Index), end}
	case graph.LoopEnd:
		list := end.Operands()[2*size.Carried:]
		if size.Stops {
			list = append(slices.Clip(list), end.In(size.Carried-1))
		}
		return list
	}
	return n.Operands()
}

// again reports whether the last visit changed what carried values depend on, and returns the first node to visit
// again.
func (f *Flow) again(end *graph.Node) (first *graph.Node, changed bool) {
	a, _ := end.Loop()
	l := f.loop(a.Body)
	l.rounds++
	for _, c := range l.carried {
		own, _ := c.Loop()
		was, next := f.values[c.ID()], f.values[end.In(a.Carried+own.Index).ID()]
		now := was.either(next)
		if l.rounds > maxRounds+a.Carried {
			now = scrambled([]Value{now})
		}
		if slices.EqualFunc(now, was, Dependence.equal) {
			continue
		}
		l.handed[own.Index], changed = now, true
		if first == nil || c.ID() < first.ID() {
			first = c
		}
	}
	if !changed || l.rounds > maxRounds+2*a.Carried {
		l.rounds = 0 // an outer loop may visit it again
		return nil, false
	}
	return first, true
}

// looped follows axes through the operations that form loops.
func (f *Flow) looped(n *graph.Node, in []Value) Value {
	a, is := n.Loop()
	if !is || f.loop(a.Body) == nil {
		return scrambled(in)
	}
	l := f.loop(a.Body)
	if l.end == nil && a.Role != graph.LoopElement {
		return scrambled(in)
	}
	switch a.Role {
	case graph.LoopCarried:
		return in[0].either(l.handed[a.Index])
	case graph.LoopElement:
		return l.element(in[0])
	case graph.LoopEnd:
		var deciding []Value // they determine the number of steps
		if a.Limited {
			deciding = append(deciding, in[2*a.Carried])
		}
		if a.Stops {
			deciding = append(deciding, in[a.Carried-1])
		}
		return scrambled(deciding)
	case graph.LoopFinal:
		return f.values[l.end.In(a.Index).ID()].either(in[0])
	}
	return l.stacked(in[1]).either(in[0])
}

// element is the slice of a value at the step's position. In the body, elements depend on one unknown position of the
// sliced axis.
func (l *loopFlow) element(v Value) Value {
	return v.each(func(d Dependence) Dependence {
		apart := slices.DeleteFunc(slices.Clone(d.Terms), func(t Term) bool { return t.Axis != 0 })
		if len(apart) > 0 {
			l.elements = l.elements.either(Value{{Source: d.Source, Terms: apart, Mixed: true}})
		}
		return d.renumbered(func(axis int) int { return axis - 1 })
	})
}

// stacked is the stack of a value over all steps. The sliced axes may be along its new first axis.
func (l *loopFlow) stacked(v Value) Value {
	return v.each(func(d Dependence) Dependence {
		u := d.renumbered(func(axis int) int { return axis + 1 })
		if apart, is := l.elements.Of(d.Source); is {
			u = Dependence{Source: d.Source, Mixed: true, Terms: slices.Concat(u.Terms, apart.Terms)}.normal()
		}
		return u
	})
}
