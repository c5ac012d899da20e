package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
)

// Plan describes a program, for pictures and reports. Its nodes are those of Graph, the user's graph after the last
// pass, with the bodies of loops as in the user's graph.
type Plan struct {
	Source  *graph.Graph // the user's
	Graph   *graph.Graph
	Outputs []*graph.Node
	Results []*graph.Node // the same outputs in Source
	Updates []*graph.Node
	Kernels []KernelPlan // in the order in which they run
	Buffers []BufferPlan
}

// KernelPlan is one kernel of a plan.
type KernelPlan struct {
	Class  graph.Class   // Elementwise for a group of fused operations
	Domain graph.Shape   // the iteration space of a group
	Nodes  []*graph.Node // what it computes, in order; nodes that several kernels compute are listed in the first
	// Reads and Writes are the values that it exchanges through memory, excluding views.
	Reads, Writes []*graph.Node
	// Programs are its row programs in text; none for matrix products and gathers.
	Programs []string
	// Body is the kernels of a loop's steps, in the order in which each step runs them.
	Body []KernelPlan
}

// BufferKind says who owns a buffer.
type BufferKind uint8

// The owners of buffers.
const (
	Arena    BufferKind = iota // the session, for as long as values live
	Input                      // the caller, for one run
	Param                      // the session, from run to run
	Constant                   // the program
)

// String names the owner in lower case.
func (k BufferKind) String() string {
	if names := [...]string{"arena", "input", "param", "const"}; int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("buffer kind %d", uint8(k))
}

// BufferPlan is the memory of one value.
type BufferPlan struct {
	Node  *graph.Node
	Kind  BufferKind
	First int // the first kernel that uses it
	Last  int // the last one; the number of kernels for an output
	// InPlace is the buffer whose memory this one reuses, or -1.
	InPlace int

	buffer *lower.Buffer
}

// Plan describes the program. Each call returns a new result.
func (p *Program) Plan() *Plan {
	plan, _ := p.plan()
	return plan
}

func (p *Program) plan() (*Plan, *outline.Inlined) {
	bodies := map[*outline.Call]*rewrite.Program{}
	findBodies(bodies, p.code.Kernels)
	l := outline.Inline(p.graph, bodies)
	roots := l.Nodes(p.roots)
	plan := &Plan{Source: p.source, Graph: l.Graph, Results: slices.Clone(p.outputs), Outputs: roots[:len(p.outputs)],
		Updates: roots[len(p.outputs):]}
	at, listed := map[*lower.Buffer]int{}, map[*graph.Node]bool{}
	noteMembers(listed, p.code.Kernels)
	for i, k := range p.code.Kernels {
		plan.Kernels = append(plan.Kernels, planOf(k, l, listed))
		for _, o := range k.Operands() {
			if o.Base == nil {
				continue
			}
			s := p.code.BufferOf[o.Base]
			if _, known := at[s]; !known {
				at[s] = len(plan.Buffers)
				plan.Buffers = append(plan.Buffers,
					BufferPlan{Node: l.Node(s.Node), Kind: BufferKind(s.Kind), First: i, InPlace: -1, buffer: s})
			}
			b := &plan.Buffers[at[s]]
			b.Last = max(b.Last, i, s.Last)
		}
	}
	for s, i := range at {
		if s.Reuses != nil {
			plan.Buffers[i].InPlace = at[s.Reuses]
		}
	}
	return plan, l
}

// findBodies finds the bodies of loops, including nested ones.
func findBodies(bodies map[*outline.Call]*rewrite.Program, kernels []lower.Kernel) {
	for _, k := range kernels {
		if loop, is := k.(*lower.Repeat); is {
			bodies[loop.Call] = loop.Body.Program
			findBodies(bodies, loop.Body.Kernels)
		}
	}
}

// exchanged lists the values that a kernel reads and writes, excluding views.
func exchanged(k lower.Kernel) (reads, writes []*graph.Node) {
	for _, o := range k.Operands() {
		list := &reads
		if o.Write {
			list = &writes
		}
		if o.Base != nil && !slices.Contains(*list, o.Base) {
			*list = append(*list, o.Base)
		}
	}
	return reads, writes
}

// noteMembers records all that kernels, and those of loops' bodies, compute.
func noteMembers(listed map[*graph.Node]bool, kernels []lower.Kernel) {
	for _, k := range kernels {
		for _, n := range k.Computes().Members() {
			listed[n] = true
		}
		if loop, is := k.(*lower.Repeat); is {
			noteMembers(listed, loop.Body.Kernels)
		}
	}
}

// planOf describes a kernel. listed has the nodes that are in some kernel's plan already.
func planOf(k lower.Kernel, l *outline.Inlined, listed map[*graph.Node]bool) KernelPlan {
	g := k.Computes()
	reads, writes := exchanged(k)
	var nodes []*graph.Node
	for _, n := range g.Again {
		if !listed[n] {
			listed[n], nodes = true, append(nodes, n)
		}
	}
	d := KernelPlan{Class: g.Class, Domain: g.Space, Nodes: l.Nodes(append(nodes, g.Members()...)),
		Reads: l.Nodes(reads), Writes: l.Nodes(writes)}
	if loop, is := k.(*lower.Repeat); is {
		if end := l.End(loop.Call); !slices.Contains(d.Nodes, end) {
			d.Nodes = slices.Insert(d.Nodes, 0, end)
		}
		for _, inner := range loop.Body.Kernels {
			d.Body = append(d.Body, planOf(inner, l, listed))
		}
	}
	for _, part := range k.Loops() {
		d.Programs = append(d.Programs, part.Program.String())
	}
	return d
}
