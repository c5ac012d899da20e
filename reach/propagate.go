package reach

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// costs follows shardings through a program, and collects the communication of its devices. It assumes the simplest
// methods of XLA's partitioner: operands that are divided alike are not moved; a whole value is sliced if parts of it
// are needed; partial sums are summed where they were computed.
type costs struct {
	mesh  Mesh
	size  func(graph.Dim) int64
	fixed map[*graph.Node]Sharding // of sources, constraints and updates
	known map[*graph.Node]Sharding
	moves []*move
	user  func(n *graph.Node) *graph.Node // the node of the user's graph to which one belongs
	times int64
	depth int
}

// move is a collective, with the facts that decide whether a cheaper one is enough.
type move struct {
	Collective
	of *graph.Node // that is summed; nil for an operand that is gathered
}

// sharding returns that of a value, which has been found.
func (c *costs) sharding(n *graph.Node) Sharding {
	if s, is := c.known[n]; is {
		return s
	}
	return replicated(n.Rank())
}

// follow finds the shardings of nodes, each after its operands.
func (c *costs) follow(nodes []*graph.Node) {
	for _, n := range nodes {
		if fixed, is := c.fixed[n]; is && n.Op().Class == graph.Source {
			c.known[n] = fixed
		} else if n.Judged() && len(n.Operands()) > 0 {
			c.known[n] = c.apply(n)
		}
	}
}

// apply finds the sharding of a node, and records its cost.
func (c *costs) apply(n *graph.Node) Sharding {
	switch n.Op().Class {
	case graph.Composite:
		return c.bring(n, c.composite(n))
	case graph.Loop:
		return c.loop(n)
	case graph.Version:
		return c.sharding(n.In(0))
	}
	return c.bring(n, c.primitive(n))
}

// maxDepth bounds how deep composites are written with composites.
const maxDepth = 32

// composite follows shardings through the operations that a composite one is written with.
func (c *costs) composite(n *graph.Node) Sharding {
	operands, result := axisflow.Apart(n)
	if result == nil || c.depth > maxDepth {
		return replicated(n.Rank())
	}
	inner := &costs{mesh: c.mesh, size: c.size, fixed: map[*graph.Node]Sharding{}, known: map[*graph.Node]Sharding{},
		times: c.timesOf(n), depth: c.depth + 1,
		user: func(*graph.Node) *graph.Node { return c.user(n) }}
	for i, x := range operands {
		inner.fixed[x] = c.sharding(n.In(i))
	}
	nodes := ancestors.Of(result.Graph(), result)
	inner.follow(nodes)
	inner.refine(nodes)
	c.moves = append(c.moves, inner.moves...)
	return inner.sharding(result)
}

// bring returns the sharding that a node is to have, and records the cost of bringing its value there.
func (c *costs) bring(n *graph.Node, s Sharding) Sharding {
	want, is := c.fixed[n]
	if !is {
		return s
	}
	c.reshard(n, n, s, want)
	return want
}

// timesOf returns how often a node is computed in a step of the program.
func (c *costs) timesOf(n *graph.Node) int64 {
	times := max(c.times, 1)
	for r := n.Region(); r != nil; r = r.Parent() {
		times *= max(c.size(r.Length()), 1)
	}
	return times
}

// reshard records the cost if a reader needs a value in another sharding. Slicing is free.
func (c *costs) reshard(reader, x *graph.Node, have, want Sharding) {
	var gathered, exchanged []string
	for axis, names := range have {
		for i, name := range names {
			switch {
			case axis < len(want) && i < len(want[axis]) && slices.Equal(want[axis][:i+1], names[:i+1]):
			case want.uses(name):
				exchanged = append(exchanged, name)
			default:
				gathered = append(gathered, name)
			}
		}
	}
	after := have.clone()
	for axis := range after {
		after[axis] = without(after[axis], gathered)
	}
	if len(gathered) > 0 {
		c.note(AllGather, gathered, x, reader, after)
	}
	if len(exchanged) > 0 {
		c.note(AllToAll, exchanged, x, reader, after)
	}
}

// note adds a collective. A value that several read alike is gathered once.
func (c *costs) note(kind Kind, axes []string, x, reader *graph.Node, s Sharding) {
	if c.mesh.parts(axes) == 1 {
		return
	}
	m := &move{Collective: Collective{Kind: kind, Axes: axes, Bytes: c.localBytes(x, s), Times: c.timesOf(reader),
		Value: c.user(reader)}}
	if kind == AllReduce {
		m.of = x
	}
	c.moves = append(c.moves, m)
}

// loop: values lead into a body and out of it.
func (c *costs) loop(n *graph.Node) Sharding {
	a, _ := n.Loop()
	switch a.Role {
	case graph.LoopCarried:
		return c.sharding(n.In(0))
	case graph.LoopElement:
		s := c.sharding(n.In(0))
		want := s.clone()
		want[0] = nil
		c.reshard(n.In(0), n.In(0), s, want)
		return want[1:]
	case graph.LoopFinal:
		if end, is := n.In(0).Loop(); is {
			return c.sharding(n.In(0).In(end.Carried + a.Index))
		}
	case graph.LoopStack:
		return slices.Insert(c.sharding(n.In(1)).clone(), 0, nil)
	}
	return replicated(n.Rank())
}

// refine goes back from users to their operands. A value of which all users read a part is computed in parts, and a sum
// of which each device keeps a part is scattered.
func (c *costs) refine(nodes []*graph.Node) {
	want := map[*graph.Node]Sharding{}
	for _, n := range slices.Backward(nodes) {
		s := c.sharding(n)
		if w, is := want[n]; is && isFiner(w, s) && c.fixed[n] == nil {
			s = w
		}
		c.scatter(n, s)
		for i, x := range n.Operands() {
			need := c.reads(n, i, s)
			if w, is := want[x]; is {
				need = common(need, w)
			}
			want[x] = need
		}
	}
}

// reads returns the sharding in which a reader needs an operand, if the reader's result is divided as s.
func (c *costs) reads(n *graph.Node, i int, s Sharding) Sharding {
	x := n.In(i)
	need := c.sharding(x).clone()
	switch class := n.Op().Class; {
	case s.IsReplicated():
	case class == graph.Elementwise || class == graph.Update:
		lead, kinds := n.Rank()-x.Rank(), n.Stretch(i)
		for axis := range need {
			if need[axis] = nil; kinds == nil || kinds[axis+lead] == graph.Same {
				need[axis] = s[axis+lead]
			}
		}
	case class == graph.Movement && len(n.Operands()) == 1:
		operands, result := axisflow.Apart(n)
		for axis := range need {
			need[axis] = nil
			if to := c.role(n, i, axis, axisflow.NewFlow(result.Graph(), graph.AxisOf{Node: operands[i], Axis: axis}),
				result); to >= 0 && c.dividesAxis(x, loopAxis(axis), s[to]) {
				need[axis] = s[to]
			}
		}
	}
	return need
}

// isFiner reports whether s divides each axis at least as t does.
func isFiner(s, t Sharding) bool {
	for axis, names := range t {
		if len(s[axis]) < len(names) || !slices.Equal(s[axis][:len(names)], names) {
			return false
		}
	}
	return true
}

// common is how two shardings divide alike.
func common(s, t Sharding) Sharding {
	u := make(Sharding, len(s))
	for axis := range s {
		n := 0
		for n < min(len(s[axis]), len(t[axis])) && s[axis][n] == t[axis][n] {
			n++
		}
		u[axis] = s[axis][:n]
	}
	return u
}

// scatter replaces a sum by a reduce-scatter, if each device continues with its part alone.
func (c *costs) scatter(n *graph.Node, s Sharding) {
	for _, m := range c.moves {
		if m.of == n && !slices.ContainsFunc(m.Axes, func(name string) bool { return !s.uses(name) }) {
			m.Kind = ReduceScatter
		}
	}
}

// sizeOf returns a size as a number; a size that is not bound is an error of the caller.
func (p *Plan) sizeOf(d graph.Dim) int64 {
	if n, known := p.graph.Known(d); known {
		return n
	}
	n, err := d.Eval(func(name string) (int64, bool) {
		if n, bound := p.sizes[name]; bound {
			return int64(n), true
		}
		b := p.graph.Bounds(name)
		return b.Min, b.Exact
	})
	if err != nil {
		return math.MinInt64
	}
	return n
}
