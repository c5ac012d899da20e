package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/lower"
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
	at := map[*lower.Buffer]int{}
	for i, k := range p.code.Kernels {
		plan.Kernels = append(plan.Kernels, kernelPlan(k))
		for _, o := range k.Operands() {
			if o.Base == nil {
				continue
			}
			s := p.code.BufferOf[o.Base]
			if _, known := at[s]; !known {
				at[s] = len(plan.Buffers)
				plan.Buffers = append(plan.Buffers, BufferPlan{Node: s.Node, Kind: BufferKind(s.Kind), First: i, InPlace: -1})
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
	return plan
}

func kernelPlan(k lower.Kernel) KernelPlan {
	g := k.Computes()
	d := KernelPlan{Class: g.Class, Domain: g.Space, Nodes: slices.Clone(g.Members())}
	for _, o := range k.Operands() {
		list := &d.Reads
		if o.Write {
			list = &d.Writes
		}
		if o.Base != nil && !slices.Contains(*list, o.Base) {
			*list = append(*list, o.Base)
		}
	}
	for _, part := range k.Loops() {
		d.Programs = append(d.Programs, part.Program.String())
	}
	return d
}
