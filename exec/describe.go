package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Plan says what a program does, for pictures and reports. Its nodes are those of Graph,
// the user's graph after the last pass.
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
	Nodes  []*graph.Node // what it computes, in order
	// Reads and Writes are the values that it exchanges through memory, without views.
	Reads, Writes []*graph.Node
	// Programs are its row programs in text; none for matrix products and gathers.
	Programs []string
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
	// InPlace is the buffer whose memory this one takes over, or -1.
	InPlace int
}

// Plan describes the program. The result is made anew for each call.
func (p *Program) Plan() *Plan {
	plan := &Plan{Source: p.source, Graph: p.graph, Results: slices.Clone(p.outputs),
		Outputs: slices.Clone(p.roots[:len(p.outputs)]), Updates: slices.Clone(p.roots[len(p.outputs):])}
	at := map[*storage]int{}
	for i, k := range p.code.kernels {
		plan.Kernels = append(plan.Kernels, kernelPlan(k))
		for _, o := range k.operands() {
			if o.base == nil {
				continue
			}
			s := p.code.storageOf[o.base]
			if _, known := at[s]; !known {
				at[s] = len(plan.Buffers)
				plan.Buffers = append(plan.Buffers, BufferPlan{Node: s.node, Kind: BufferKind(s.kind), First: i, InPlace: -1})
			}
			b := &plan.Buffers[at[s]]
			b.Last = max(b.Last, i, s.last)
		}
	}
	for s, i := range at {
		if s.taken != nil {
			plan.Buffers[i].InPlace = at[s.taken]
		}
	}
	return plan
}

func kernelPlan(k kernel) KernelPlan {
	g := k.of()
	d := KernelPlan{Class: g.class, Domain: g.domain, Nodes: slices.Clone(g.members())}
	for _, o := range k.operands() {
		list := &d.Reads
		if o.write {
			list = &d.Writes
		}
		if o.base != nil && !slices.Contains(*list, o.base) {
			*list = append(*list, o.base)
		}
	}
	for _, part := range k.loops() {
		d.Programs = append(d.Programs, part.prog.String())
	}
	return d
}
