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
	InParam                    // the session's, from run to run
	InConst                    // the program's
	InResult                   // where a loop wants what a step of its body gives
	InKept                     // the session's, computed once for many runs
)

// Buffer is memory for one value, or for several that take it over from each other.
type Buffer struct {
	Kind     MemoryKind
	Index    int // in the program's list of its kind; in the arena's, its number
	Node     *graph.Node
	Dtype    graph.DType
	Count    graph.Dim // elements
	First    int       // the kernel that writes it first
	Last     int       // the last kernel that uses it
	Repeat   *Repeat   // the loop that it is the scratch memory of, or nil
	ReusedBy *Buffer   // the value that takes the memory over
	Reuses   *Buffer   // the value whose memory is taken over
	Crowded  bool      // a row program works on it and on more than maxStreams others; of the buffer at the root alone
}

// maxStreams is the most operands of a row program of which a cache keeps lines in one set.
const maxStreams = 12

// Root returns the buffer whose memory s shares from the beginning.
func (s *Buffer) Root() *Buffer {
	for s.Reuses != nil {
		s = s.Reuses
	}
	return s
}

// AssignBuffers gives each value that kernels exchange a buffer, finds when it lives, and
// lets results take over the memory of operands that are not needed any more.
func AssignBuffers(u *Program) error {
	p := planner{u: u, of: map[*graph.Node]*Buffer{}, params: map[*graph.Node]int{}, inputs: map[*graph.Node]int{}, keptBy: map[*graph.Node]*Kept{}}
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
			r.Scratch = &Buffer{Node: r.Nodes[0], Dtype: graph.Bool, First: at, Last: at, Index: len(u.Buffers), Repeat: r}
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

// findCrowded notes the buffers of row programs that work on many.
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

// placeResults has the outputs of a loop's body lie where the loop wants them. Two that show one
// memory have one place.
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

// lastStep is the kernel up to which the one at a place reads: the last one that is fused with it or
// runs beside it, or with which it runs beside a product.
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
	keptBy         map[*graph.Node]*Kept // the kernel that computes a value for many runs
}

// use notes that a kernel uses a value's memory.
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

// reuseInPlace lets a result of a row program use the memory of an operand that dies in it:
// both must lie densely over the whole iteration space, so that each element is read before it
// is overwritten.
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
			if x.Write || x.Base == nil || part.Program.Picks(j) || part.Program.Operands[j].Domain != rowprog.Vec || part.Program.Operands[j].Type != part.Program.Operands[i].Type {
				continue
			}
			from := p.of[x.Base]
			if from.Kind == InArena && from != to && from.Last == at && from.First < at && from.ReusedBy == nil && from.Count == to.Count &&
				fusion.SameLayout(x, o) && x.Undecided == nil && p.usedOnce(part, from) && !p.isReadByFused(at, from) && p.keepsInChain(at, from, to) && p.storedAfter(part, to, j) {
				from.ReusedBy, to.Reuses = to, from
				break
			}
		}
	}
}

// storedAfter reports whether all operands that lie in a buffer have the layout of a loaded one,
// and are stored no earlier than that is loaded. There are several where a value is kept for a
// later stage, which then writes it in place.
func (p *planner) storedAfter(part *Loop, to *Buffer, loaded int) bool {
	for i, o := range part.Operands {
		if o.Base != nil && p.of[o.Base] == to && !(fusion.SameLayout(part.Operands[loaded], o) && readBeforeWritten(part.Program, loaded, i)) {
			return false
		}
	}
	return true
}

// readBeforeWritten reports whether the stages that load an operand come no later than
// the first that stores another one.
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

// isReadByFused reports whether the buffer is read by a kernel with which the one at a place is
// fused: they run at the same time.
func (p *planner) isReadByFused(at int, s *Buffer) bool {
	for k := p.u.Kernels[at]; FusionOf(k).isFused(); k = p.u.Kernels[at] {
		if at--; p.reads(p.u.Kernels[at], s) {
			return true
		}
	}
	return false
}

// keepsInChain reports whether a member of a chain may take over a buffer as its rows are overwritten:
// matrices that members exchange from each other, and what no other member reads, as they run on other
// rows then.
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
	return slices.ContainsFunc(k.Operands(), func(o fusion.Operand) bool { return !o.Write && o.Base != nil && p.of[o.Base] == s })
}

// usedOnce reports whether one operand of the part alone lies in the buffer.
func (p *planner) usedOnce(part *Loop, s *Buffer) bool {
	uses := 0
	for _, o := range part.Operands {
		if o.Base != nil && p.of[o.Base] == s {
			uses++
		}
	}
	return uses == 1
}
