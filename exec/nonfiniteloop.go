package exec

import (
	"reflect"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/ops"
)

// instance is a value in one step of each loop around it.
type instance struct {
	node  *graph.Node
	steps []int // their positions, outermost loop first
}

// instanceKey identifies an instance.
type instanceKey struct {
	node *graph.Node
	step int // counted through all steps of all loops around it
}

// of returns the instance of an operand of p's node, which may be in an outer body.
func (p instance) of(n *graph.Node) instance {
	return instance{n, p.steps[:min(n.Region().Depth(), len(p.steps))]}
}

// loops returns the positions of steps, without branches.
func (p instance) loops() (positions []int) {
	for i, r := range around(p.node.Region()) {
		if !r.Spec().Whole {
			positions = append(positions, p.steps[i])
		}
	}
	return positions
}

// around lists the bodies around r, outermost first and r last.
func around(r *graph.Region) (list []*graph.Region) {
	for ; r != nil; r = r.Parent() {
		list = append(list, r)
	}
	slices.Reverse(list)
	return list
}

// isBefore reports whether p is computed before q.
func (p instance) isBefore(q instance) bool {
	mine, others := around(p.node.Region()), around(q.node.Region())
	for i := range min(len(mine), len(others)) {
		if mine[i] != others[i] {
			break
		}
		if p.steps[i] != q.steps[i] {
			return (p.steps[i] < q.steps[i]) != mine[i].Reverse()
		}
	}
	return p.node.ID() < q.node.ID()
}

// bodies is what a search knows of the bodies of loops. It computes their values in a copy of the user's graph, in
// which loops return all steps of each.
type bodies struct {
	own      *graph.Graph                  // the copy
	shown    map[*graph.Node]*shown        // of the user's nodes in bodies
	ends     map[*graph.Region]*graph.Node // of the user's graph
	nan, inf map[*graph.Node][]int64       // counts by step
	taken    map[*graph.Node][]int64       // by end: the number of steps, by the steps of outer loops
	length   map[*graph.Region]int         // number of steps
	entered  map[*graph.Region]bool        // outermost bodies that were searched
}

// shown is a value in the copy, with the numbers of its elements that are NaN and infinite, for all steps.
type shown struct{ value, nan, inf *graph.Node }

func (b *bodies) init() {
	*b = bodies{shown: map[*graph.Node]*shown{}, ends: map[*graph.Region]*graph.Node{},
		nan: map[*graph.Node][]int64{}, inf: map[*graph.Node][]int64{}, taken: map[*graph.Node][]int64{},
		length: map[*graph.Region]int{}, entered: map[*graph.Region]bool{}}
}

// copy makes the copy of the user's graph. Stacks of a loop's values come right after its end, before the end of the
// loop around it.
func (b *bodies) copy(g *graph.Graph) {
	b.own = g.Derive()
	within, copies := map[*graph.Region][]*shown{}, make([]*graph.Node, 0, len(g.Nodes()))
	for _, n := range g.Nodes() {
		in := make([]*graph.Node, len(n.Operands()))
		for i, x := range n.Operands() {
			in[i] = copies[x.ID()]
		}
		c := b.own.Copy(n, in)
		copies = append(copies, c)
		a, isLoop := n.Loop()
		isEnd := isLoop && a.Role == graph.LoopEnd
		b.own.At(c, func() {
			if isEnd {
				b.ends[a.Body] = n
				for _, s := range within[a.Body] {
					s.stack(a.Body, c)
				}
				within[n.Region()] = append(within[n.Region()], within[a.Body]...)
			}
			if s := show(c, isEnd); s != nil {
				b.shown[n], within[n.Region()] = s, append(within[n.Region()], s)
			}
		})
	}
}

// show makes a value in a body visible; nil for values that a search does not examine.
func show(n *graph.Node, isEnd bool) *shown {
	switch {
	case isEnd:
		return &shown{value: n}
	case n.Region() == nil || !n.DType().IsFloat():
		return nil
	}
	x := ops.Cast(n, graph.Float32)
	// Copied, because a loop stacks values after its whole body, when another operation may have overwritten them.
	return &shown{ops.Copy(n), ops.Sum(ops.IsNaN(x), ops.AllAxes()), ops.Sum(ops.IsInf(x), ops.AllAxes())}
}

// stack stacks a value over all steps of a loop.
func (s *shown) stack(body *graph.Region, end *graph.Node) {
	for _, x := range []**graph.Node{&s.value, &s.nan, &s.inf} {
		if *x != nil {
			*x = loopop.Stack(body, end, *x)
		}
	}
}

// enter counts what is not finite in all steps of a loop, and of the loops in it.
func (f *finder) enter(body *graph.Region) error {
	if f.entered[body] {
		return nil
	}
	f.entered[body] = true
	g := f.s.prog.source
	if f.own == nil {
		f.copy(g)
	}
	visit := map[*graph.Node]func(Array){}
	var wanted []*graph.Node
	want := func(x, of *graph.Node, counts map[*graph.Node][]int64) {
		wanted, visit[x] = append(wanted, x), func(a Array) {
			counts[of] = a.Data.([]int64)
			for k, r := range around(of.Region()) {
				f.length[r] = a.Shape[k]
			}
		}
	}
	live := rewrite.Reachable(g, f.s.prog.request.roots())
	for i, n := range g.Nodes()[:min(len(g.Nodes()), len(live))] {
		a, isLoop := n.Loop()
		switch {
		case !live[i]:
		case isLoop && a.Role == graph.LoopEnd && body.Holds(a.Body):
			want(f.shown[n].value, n, f.taken)
		case body.Holds(n.Region()) && f.shown[n] != nil && !n.IsConst():
			want(f.shown[n].nan, n, f.nan)
			want(f.shown[n].inf, n, f.inf)
		}
	}
	for part := range slices.Chunk(wanted, valuesAtOnce) {
		if err := f.compute(part, func(n *graph.Node, a Array) { visit[n](a.Clone()) }); err != nil {
			return err
		}
	}
	return nil
}

// key identifies an instance by its node and step number.
func (f *finder) key(p instance) instanceKey { return instanceKey{p.node, f.step(p)} }

func (f *finder) step(p instance) (step int) {
	for i, r := range around(p.node.Region()) {
		step = step*f.length[r] + p.steps[i]
	}
	return step
}

// at returns what is known of a value.
func (f *finder) at(p instance) (v finiteness, known bool) {
	if p.node.Region() == nil {
		v, known = f.found[p.node]
		return v, known
	}
	nan, known := f.nan[p.node]
	if !known {
		return v, false
	}
	step := f.step(p)
	return finiteness{nan: int(nan[step]), inf: int(f.inf[p.node][step])}, true
}

// sources returns the instances from which a value was computed.
func (f *finder) sources(p instance) (list []instance, err error) {
	n := p.node
	a, isLoop := n.Loop()
	switch {
	case !isLoop || a.Role == graph.LoopElement:
		for _, x := range n.Operands() {
			list = append(list, p.of(x))
		}
	case a.Role == graph.LoopCarried:
		last := len(p.steps) - 1
		list = append(list, f.handedOn(p.steps[:last], a.Body, a.Index, p.steps[last]))
	case a.Role > graph.LoopEnd:
		if err := f.enter(around(a.Body)[0]); err != nil {
			return nil, err
		}
		taken := f.stepsTaken(a.Body, p.steps)
		if a.Role == graph.LoopFinal {
			if a.Body.Reverse() {
				taken = -1
			}
			return []instance{f.handedOn(p.steps, a.Body, a.Index, taken)}, nil
		}
		for t := range taken {
			list = append(list, instance{n.In(1), append(slices.Clone(p.steps), t)}.of(n.In(1)))
		}
	}
	return list, nil
}

// stepsTaken returns how many steps a loop has run, for given steps of the loops around it.
func (f *finder) stepsTaken(body *graph.Region, outer []int) int {
	end := f.ends[body]
	return int(f.taken[end][f.step(instance{end, outer})])
}

// handedOn returns a carried value at the step with position t, which may be one after the last.
func (f *finder) handedOn(outer []int, body *graph.Region, carried, t int) instance {
	first, before := 0, t-1
	if body.Reverse() {
		first, before = f.stepsTaken(body, outer)-1, t+1
	}
	was, next, _ := loopop.CarriedOf(f.ends[body])
	if t == first {
		return instance{steps: outer}.of(was[carried].In(0))
	}
	return instance{steps: append(slices.Clone(outer), before)}.of(next[carried])
}

// values computes the values of some instances.
func (f *finder) values(instances []instance) (map[*graph.Node]Array, error) {
	all, outside, inside := map[*graph.Node]Array{}, []*graph.Node{}, []*graph.Node{}
	at := map[*graph.Node]instance{}
	for _, p := range instances {
		if p.node.Region() == nil {
			outside = append(outside, p.node)
			continue
		}
		x := f.shown[p.node].value
		inside, at[x] = append(inside, x), p
	}
	if err := f.compute(outside, func(n *graph.Node, a Array) { all[n] = a.Clone() }); err != nil {
		return nil, err
	}
	err := f.compute(inside, func(x *graph.Node, a Array) {
		p := at[x]
		shape := a.Shape[len(p.steps):]
		count := memory.CountOf(shape)
		from := f.step(p) * count
		all[p.node] = Array{Shape: shape, Data: reflect.ValueOf(a.Data).Slice(from, from+count).Interface()}.Clone()
	})
	return all, err
}
