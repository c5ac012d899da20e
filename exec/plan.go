package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// storageKind says who owns a value's memory.
type storageKind uint8

const (
	inArena storageKind = iota // the session's arena, reused after the last use
	inInput                    // the caller's, for one run
	inParam                    // the session's, from run to run
	inConst                    // the program's
)

// storage is memory for one value, or for several that take it over from each other.
type storage struct {
	kind  storageKind
	index int // in the program's list of its kind; in the arena's, its number
	node  *graph.Node
	dtype graph.DType
	count graph.Dim // elements
	first int       // the kernel that writes it first
	last  int       // the last kernel that uses it
	heir  *storage  // the value that takes the memory over
	taken *storage  // the value whose memory is taken over
}

// root gives the storage whose memory s shares from the beginning.
func (s *storage) root() *storage {
	for s.taken != nil {
		s = s.taken
	}
	return s
}

// planPass gives each value that kernels exchange a storage, finds when it lives, and
// lets results take over the memory of operands that are not needed any more.
func planPass(u *unit) error {
	p := planner{u: u, of: map[*graph.Node]*storage{}, params: map[*graph.Node]int{}, inputs: map[*graph.Node]int{}}
	for i, s := range u.inputs {
		p.inputs[s.own] = i
	}
	for i, s := range u.params {
		p.params[s.own] = i
	}
	for at, k := range u.kernels {
		for _, o := range k.operands() {
			if o.base != nil && !o.write {
				p.use(o.base, p.lastStep(at))
			}
		}
		for _, o := range k.operands() {
			if o.write {
				p.use(o.base, at)
			}
		}
	}
	for _, n := range u.roots[:u.nOutputs] {
		p.use(shapeinfer.Viewed(n), len(u.kernels))
	}
	for at, k := range u.kernels {
		if loops := k.loops(); len(loops) == 1 {
			p.takeOver(at, loops[0])
		}
	}
	u.storageOf = p.of
	return nil
}

// lastStep is the kernel up to which the one at a place reads: the last one that follows it or
// runs beside it, or with which it runs beside a product.
func (p *planner) lastStep(at int) int {
	for at+1 < len(p.u.kernels) && fusionOf(p.u.kernels[at+1]).isFused() {
		at++
	}
	return at
}

type planner struct {
	u              *unit
	of             map[*graph.Node]*storage
	inputs, params map[*graph.Node]int
}

// use notes that a kernel uses a value's memory.
func (p *planner) use(n *graph.Node, at int) {
	s := p.of[n]
	if s == nil {
		s = p.make(n, at)
		p.of[n] = s
	}
	s.last = max(s.last, at)
}

func (p *planner) make(n *graph.Node, at int) *storage {
	if memory := shapeinfer.Storage(n); memory != n {
		p.use(memory, at)
		return p.of[memory]
	}
	s := &storage{node: n, dtype: n.DType(), count: n.Shape().NumElements(), first: at, last: at}
	switch {
	case n.IsInput():
		s.kind, s.index = inInput, p.inputs[n]
	case n.IsParam():
		s.kind, s.index = inParam, p.params[n]
	case n.IsConst():
		s.kind, s.index = inConst, len(p.u.consts)
		p.u.consts = append(p.u.consts, n)
	default:
		s.index = len(p.u.storages)
		p.u.storages = append(p.u.storages, s)
	}
	return s
}

// takeOver lets a result of a row program use the memory of an operand that dies in it:
// both must lie densely over the whole domain, so that each element is read before it
// is overwritten.
func (p *planner) takeOver(at int, part *part) {
	for i, o := range part.operands {
		if spec := part.prog.Operands[i]; !o.write || spec.Access == rowprog.Acc || spec.Domain != rowprog.Vec {
			continue
		}
		to := p.of[o.base]
		if to.kind != inArena || to.first != at || to.taken != nil {
			continue
		}
		for j, x := range part.operands {
			if x.write || x.base == nil || part.prog.Operands[j].Domain != rowprog.Vec || part.prog.Operands[j].Type != part.prog.Operands[i].Type {
				continue
			}
			from := p.of[x.base]
			if from.kind == inArena && from != to && from.last == at && from.first < at && from.heir == nil && from.count == to.count &&
				sameLayout(x, o) && x.undecided == nil && p.usedOnce(part, from) && !p.isReadBeside(at, from) && p.storedAfter(part, to, j) {
				from.heir, to.taken = to, from
				break
			}
		}
	}
}

// storedAfter reports whether all operands that lie in a storage have the layout of a loaded one,
// and are stored no earlier than that is loaded. There are several where a value is kept for a
// later stage, which then writes it in place.
func (p *planner) storedAfter(part *part, to *storage, loaded int) bool {
	for i, o := range part.operands {
		if o.base != nil && p.of[o.base] == to && !(sameLayout(part.operands[loaded], o) && readBeforeWritten(part.prog, loaded, i)) {
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

// isReadBeside reports whether the storage is read by another kernel while the one at a place
// runs.
func (p *planner) isReadBeside(at int, s *storage) bool {
	for k := p.u.kernels[at]; fusionOf(k).isFused(); k = p.u.kernels[at] {
		if at--; p.reads(p.u.kernels[at], s) {
			return true
		}
	}
	return false
}

// reads reports whether a kernel reads the storage.
func (p *planner) reads(k kernel, s *storage) bool {
	return slices.ContainsFunc(k.operands(), func(o operand) bool { return !o.write && o.base != nil && p.of[o.base] == s })
}

// usedOnce reports whether one operand of the part alone lies in the storage.
func (p *planner) usedOnce(part *part, s *storage) bool {
	uses := 0
	for _, o := range part.operands {
		if o.base != nil && p.of[o.base] == s {
			uses++
		}
	}
	return uses == 1
}
