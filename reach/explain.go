package reach

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
)

// Explanation is the cost of a program on a mesh, from its graph alone: the communication of its devices in each step,
// and the memory of each. XLA may need less, by other methods.
type Explanation struct {
	Mesh        Mesh
	Memory      Memory
	Collectives []Collective // in the order of the program

	shardings map[*graph.Node]Sharding
}

// Sharding returns how a value is expected to be divided, or nil for one that the program does not compute.
func (e *Explanation) Sharding(n *graph.Node) Sharding { return e.shardings[n] }

// Memory is the memory of one device, in bytes.
type Memory struct {
	Parameters, States, Inputs, Outputs int64
	// Kept is an estimate: values of the forward pass that gradients read.
	Kept int64
	// WholeParameters and WholeStates are the memory on a single device.
	WholeParameters, WholeStates int64
}

// Explain returns the cost of the program. All sizes must be known: whole numbers, or bound by [Sizes].
func (p *Plan) Explain() (*Explanation, error) {
	for _, n := range p.nodes() {
		for axis, d := range n.Shape() {
			if p.sizeOf(d) < 0 {
				return nil, fmt.Errorf(
					"reach: %s has the size %s on axis %d, which is not bound: give reach.Sizes (%s)", n.Called(), d,
					axis, n.Pos())
			}
		}
	}
	c := p.follow()
	e := &Explanation{Mesh: p.mesh, Memory: p.memory(c), shardings: c.known}
	for _, m := range c.moves {
		e.Collectives = append(e.Collectives, m.Collective)
	}
	return e, nil
}

// nodes lists the computed nodes, operands first.
func (p *Plan) nodes() []*graph.Node {
	if roots := slices.Concat(p.outputs, p.updates); len(roots) > 0 {
		return ancestors.Of(p.graph, roots...)
	}
	return p.graph.Nodes()
}

// follow finds the shardings of all values of the program.
func (p *Plan) follow() *costs {
	c := &costs{mesh: p.mesh, size: p.sizeOf, fixed: map[*graph.Node]Sharding{}, known: map[*graph.Node]Sharding{},
		user: func(n *graph.Node) *graph.Node { return n }}
	nodes := p.nodes()
	for _, n := range nodes {
		if s, is := p.shardings[n]; is {
			c.fixed[n] = s
		} else if w := written(n); w != nil {
			c.fixed[n] = p.shardings[w]
		}
	}
	c.follow(nodes)
	c.refine(nodes)
	for _, y := range p.outputs {
		c.reshard(y, y, c.sharding(y), replicated(y.Rank()))
	}
	return c
}

// memory adds up the memory of one device.
func (p *Plan) memory(c *costs) (m Memory) {
	kept := map[*graph.Node]bool{}
	for _, n := range p.nodes() {
		bytes, whole := c.localBytes(n, c.sharding(n)), c.localBytes(n, nil)
		switch {
		case n.IsInput():
			m.Inputs += bytes
		case n.IsState():
			m.States, m.WholeStates = m.States+bytes, m.WholeStates+whole
		case n.IsParam():
			m.Parameters, m.WholeParameters = m.Parameters+bytes, m.WholeParameters+whole
		}
		for _, x := range n.Operands() {
			x = x.Viewed()
			if n.Origin() == nil || x.Origin() != nil || x.Op().Class == graph.Source || kept[x] {
				continue
			}
			kept[x] = true
			m.Kept += c.localBytes(x, c.sharding(x))
		}
	}
	for _, y := range p.outputs {
		m.Outputs += c.localBytes(y, nil)
	}
	return m
}

// Sent returns the bytes that each device sends in a step.
func (e *Explanation) Sent() (sent int64) {
	for _, c := range e.Collectives {
		sent += c.Sent(e.Mesh)
	}
	return sent
}

// Total is the sum of all communication of one kind over the same mesh axes.
type Total struct {
	Kind  Kind
	Axes  []string
	Bytes int64 // of the values on one device
	Count int   // of the values
}

// Totals adds up the communication by its kind and mesh axes, the most first.
func (e *Explanation) Totals() (list []Total) {
	for _, c := range e.Collectives {
		at := slices.IndexFunc(list, func(t Total) bool { return t.Kind == c.Kind && slices.Equal(t.Axes, c.Axes) })
		if at < 0 {
			at, list = len(list), append(list, Total{Kind: c.Kind, Axes: c.Axes})
		}
		list[at].Bytes += c.Bytes * c.Times
		list[at].Count++
	}
	slices.SortStableFunc(list, func(a, b Total) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}

// maxListed bounds the values that a text names for each kind of communication.
const maxListed = 4

// String writes the costs in some lines.
func (e *Explanation) String() string {
	var b strings.Builder
	m := e.Memory
	fmt.Fprintf(&b, "mesh %s: %d devices\n", e.Mesh, e.Mesh.Devices())
	fmt.Fprintf(&b, "memory of each device: parameters %s of %s", bytesText(m.Parameters), bytesText(m.WholeParameters))
	if m.WholeStates > 0 {
		fmt.Fprintf(&b, ", state %s of %s", bytesText(m.States), bytesText(m.WholeStates))
	}
	fmt.Fprintf(&b, ", inputs %s, outputs %s", bytesText(m.Inputs), bytesText(m.Outputs))
	if m.Kept > 0 {
		fmt.Fprintf(&b, "; about %s kept for gradients", bytesText(m.Kept))
	}
	fmt.Fprintf(&b, "\neach device sends %s in each step\n", bytesText(e.Sent()))
	for _, t := range e.Totals() {
		fmt.Fprintf(&b, "  %s over %s: %s in %s\n", t.Kind, strings.Join(t.Axes, between), bytesText(t.Bytes),
			counted(t.Count, "value", "values"))
		e.list(&b, t)
	}
	return b.String()
}

// list names the largest values of a kind of communication.
func (e *Explanation) list(b *strings.Builder, t Total) {
	all := slices.DeleteFunc(slices.Clone(e.Collectives), func(c Collective) bool {
		return c.Kind != t.Kind || !slices.Equal(c.Axes, t.Axes)
	})
	slices.SortStableFunc(all, func(x, y Collective) int { return cmp.Compare(y.Bytes*y.Times, x.Bytes*x.Times) })
	for _, c := range all[:min(len(all), maxListed)] {
		fmt.Fprintf(b, "    %-10s %s (%s)\n", bytesText(c.Bytes*c.Times), graph.Describe(c.Value),
			c.Value.Pos().Short())
	}
	if more := len(all) - maxListed; more > 0 {
		fmt.Fprintf(b, "    and %d more\n", more)
	}
}
