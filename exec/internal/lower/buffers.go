package lower

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// MemoryKind says who owns a value's memory.
type MemoryKind uint8

const (
	InArena  MemoryKind = iota // the session's arena, reused after the last use
	InInput                    // the caller's, for one run
	InParam                    // the session's, kept between runs
	InConst                    // the program's
	InResult                   // chosen by a loop, for the results of its body
	InKept                     // the session's, computed once for many runs
)

// Buffer is memory for one value, or for several that reuse it in turn.
type Buffer struct {
	Kind     MemoryKind
	Index    int // in the program's list of its kind; in the arena, a number
	Node     *graph.Node
	Dtype    graph.DType
	Count    graph.Dim // number of elements
	First    int       // the first kernel that writes it
	Last     int       // the last kernel that uses it
	Repeat   *Repeat   // the loop whose scratch memory it is, or nil
	ReusedBy *Buffer   // the value that reuses the memory
	Reuses   *Buffer   // the value whose memory is reused
	Crowded  bool      // some row program uses it with at least maxStreams other operands; set only at the root
}

// maxStreams is the most operands of a row program whose cache lines fit in one set of a cache.
const maxStreams = 12

// Root returns the first buffer with this memory.
func (s *Buffer) Root() *Buffer {
	for s.Reuses != nil {
		s = s.Reuses
	}
	return s
}

// AssignBuffers gives each value that kernels exchange a buffer, finds its live range, and lets results reuse the
// memory of operands that die.
func AssignBuffers(u *Program) error {
	p := planner{u: u, of: map[*graph.Node]*Buffer{}, params: map[*graph.Node]int{}, inputs: map[*graph.Node]int{},
		keptBy: map[*graph.Node]*Kept{}}
	for i, s := range u.Inputs {
		p.inputs[s.Own] = i
	}
	for i, s := range u.Params {
		p.params[s.Own] = i
	}
	if u.Body != nil {
		p.placeResults()
	}
	p.findKept()
	for at, k := range u.Kernels {
		if r, isRepeat := k.(*Repeat); isRepeat {
			r.Scratch = &Buffer{Node: r.Nodes[0], Dtype: graph.Bool, First: at, Last: at, Index: len(u.Buffers),
				Repeat: r}
			u.Buffers = append(u.Buffers, r.Scratch)
		}
		for _, o := range k.Operands() {
			if o.Base != nil && !o.Write {
				p.use(o.Base, p.lastStep(at))
			}
		}
		for _, o := range k.Operands() {
			if o.Write {
				p.use(o.Base, at)
			}
		}
	}
	for _, n := range u.Roots[:u.NumOutputs] {
		p.use(alias.Viewed(n), len(u.Kernels))
	}
	for at, k := range u.Kernels {
		if loops := k.Loops(); len(loops) == 1 {
			p.reuseInPlace(at, loops[0])
		}
		p.putInPlace(at, k)
		if r, isRepeat := k.(*Repeat); isRepeat {
			p.overwriteSteps(at, r)
		}
	}
	if u.Body != nil {
		p.findOverwrites()
	}
	p.findCrowded()
	u.BufferOf = p.of
	return nil
}

// findCrowded marks the buffers of row programs with many operands.
func (p *planner) findCrowded() {
	for _, k := range p.u.Kernels {
		for _, part := range k.Loops() {
			if len(part.Operands) <= maxStreams {
				continue
			}
			for _, o := range part.Operands {
				if o.Base != nil {
					p.of[o.Base].Root().Crowded = true
				}
			}
		}
	}
}

// placeResults leaves the placement of the outputs of a loop's body to the loop. Two views of one memory share a place.
func (p *planner) placeResults() {
	for _, n := range p.u.Roots[:p.u.NumOutputs] {
		p.use(alias.Viewed(n), 0)
		s := p.of[alias.Storage(n)]
		if s.Kind == InArena {
			p.u.Buffers = slices.DeleteFunc(p.u.Buffers, func(b *Buffer) bool { return b == s })
			s.Kind, s.Index = InResult, len(p.u.Results)
		}
		p.u.Results = append(p.u.Results, s)
	}
}

// lastStep returns the last kernel that may run at the same time as the one at a position, because it is fused with it
// or with the same product.
func (p *planner) lastStep(at int) int {
	for at+1 < len(p.u.Kernels) && FusionOf(p.u.Kernels[at+1]).isFused() {
		at++
	}
	return at
}

type planner struct {
	u              *Program
	of             map[*graph.Node]*Buffer
	inputs, params map[*graph.Node]int
	keptBy         map[*graph.Node]*Kept // by value: the kernel that computes it for many runs
}

// use extends the live range of a value's memory to a kernel.
func (p *planner) use(n *graph.Node, at int) {
	s := p.of[n]
	if s == nil {
		s = p.make(n, at)
		p.of[n] = s
	}
	s.Last = max(s.Last, at)
}

func (p *planner) make(n *graph.Node, at int) *Buffer {
	if memory := alias.Storage(n); memory != n {
		p.use(memory, at)
		return p.of[memory]
	}
	s := &Buffer{Node: n, Dtype: n.DType(), Count: n.Shape().NumElements(), First: at, Last: at}
	switch {
	case n.IsInput():
		s.Kind, s.Index = InInput, p.inputs[n]
	case n.IsParam():
		s.Kind, s.Index = InParam, p.params[n]
	case n.IsConst():
		s.Kind, s.Index = InConst, len(p.u.Consts)
		p.u.Consts = append(p.u.Consts, n)
	default:
		s.Index = len(p.u.Buffers)
		p.u.Buffers = append(p.u.Buffers, s)
	}
	return s
}

// reuseInPlace lets a result of a row program reuse the memory of an operand that dies in it. Both must be dense over
// the whole iteration space, so that each element is read before it is overwritten.
func (p *planner) reuseInPlace(at int, part *Loop) {
	for i, o := range part.Operands {
		if spec := part.Program.Operands[i]; !o.Write || spec.Access == rowprog.Acc || spec.Domain != rowprog.Vec {
			continue
		}
		to := p.of[o.Base]
		if to.Kind != InArena || to.First != at || to.Reuses != nil {
			continue
		}
		for j, x := range part.Operands {
			if x.Write || x.Base == nil || part.Program.Picks(j) || part.Program.Operands[j].Domain != rowprog.Vec ||
				part.Program.Operands[j].Type != part.Program.Operands[i].Type {
				continue
			}
			from := p.of[x.Base]
			if from.Kind == InArena && from != to && from.Last == at && from.First < at && from.ReusedBy == nil &&
				from.Count == to.Count &&
				fusion.SameLayout(x, o) && x.Undecided == nil && p.usedOnce(part, from) && !p.isReadByFused(at, from) &&
				p.keepsInChain(at, from, to) && p.storedAfter(part, to, j) {
				from.ReusedBy, to.Reuses = to, from
				break
			}
		}
	}
}

// storedAfter reports whether all operands in a buffer have the layout of a loaded operand, and are stored no earlier
// than it is loaded. There are several if a value is spilled for a later stage, which then writes it in place.
func (p *planner) storedAfter(part *Loop, to *Buffer, loaded int) bool {
	for i, o := range part.Operands {
		if o.Base != nil && p.of[o.Base] == to &&
			!(fusion.SameLayout(part.Operands[loaded], o) && readBeforeWritten(part.Program, loaded, i)) {
			return false
		}
	}
	return true
}

// readBeforeWritten reports whether all stages that load an operand come no later than the first stage that stores
// another one.
func readBeforeWritten(p *rowprog.Program, loaded, stored int) bool {
	lastLoad, firstStore := rowprog.Section(-1), rowprog.Section(p.Sections())
	for i := range p.Insts {
		switch in := &p.Insts[i]; {
		case in.Op == rowprog.OpLoad && in.Operand == loaded:
			lastLoad = max(lastLoad, in.Section)
		case in.Op == rowprog.OpStore && in.Operand == stored:
			firstStore = min(firstStore, in.Section)
		}
	}
	return lastLoad <= firstStore
}

// isReadByFused reports whether a buffer is read by a kernel with which the one at a position is fused: they run at the
// same time.
func (p *planner) isReadByFused(at int, s *Buffer) bool {
	for k := p.u.Kernels[at]; FusionOf(k).isFused(); k = p.u.Kernels[at] {
		if at--; p.reads(p.u.Kernels[at], s) {
			return true
		}
	}
	return false
}

// keepsInChain reports whether a member of a chain may reuse a buffer as its rows are overwritten. Matrices that
// members exchange may reuse each other. Other buffers may be reused if no other member reads them, because members run
// on different rows at the same time.
func (p *planner) keepsInChain(at int, from, to *Buffer) bool {
	for _, c := range p.u.Chains {
		if at < c.First || c.Last < at {
			continue
		}
		if isWide := slices.Contains(c.Wide, from.Node); isWide || slices.Contains(c.Wide, to.Node) {
			return isWide && slices.Contains(c.Wide, to.Node)
		}
		for i := c.First; i <= c.Last; i++ {
			if i != at && p.reads(p.u.Kernels[i], from) {
				return false
			}
		}
	}
	return true
}

// reads reports whether a kernel reads the buffer.
func (p *planner) reads(k Kernel, s *Buffer) bool {
	return slices.ContainsFunc(k.Operands(), func(o fusion.Operand) bool {
		return !o.Write && o.Base != nil && p.of[o.Base] == s
	})
}

// usedOnce reports whether exactly one operand of the part is in the buffer.
func (p *planner) usedOnce(part *Loop, s *Buffer) bool {
	uses := 0
	for _, o := range part.Operands {
		if o.Base != nil && p.of[o.Base] == s {
			uses++
		}
	}
	return uses == 1
}
