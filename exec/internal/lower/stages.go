package lower

import (
	"math/bits"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// recomputeLimit is the cost, in operations as cheap as an addition, from which on a value that
// several stages of a row need is computed once and left in memory. Cheaper values are
// computed again from what the row has just brought into the cache.
const recomputeLimit = 10

// stages says in which stage of its rows a kernel computes what. A reduction over rows
// ends a stage: what needs its result runs in the next one.
type stages struct {
	k     *fusion.Group
	nodes []*graph.Node // that it computes
	count int
	of    []staged // by the number of a node in the kernel
	index []int32  // by the number of a node in the graph: that in its kernel
	costs bool     // those of elements are known
}

// staged is what stages has decided about a node.
type staged struct {
	stage    int // the first one in which the value can be had; count: after the last
	stored   int // the one of a reduction, or of a store to memory; -1 if there is none
	cost     int // of an element, operands from registers included
	needed   bool
	reload   bool        // it is loaded in a stage after it was stored
	replaced bool        // by a later write in the kernel
	done     uint64      // the stages in which an element is computed
	wanted   uint64      // the stages in which users of an element are computed
	slot     *graph.Node // whose memory keeps a value that is not needed elsewhere
}

// newStages decides about the stages of a kernel. isNeeded says of a value whether
// somebody takes it from memory. index has room for the numbers of nodes in the kernel.
func newStages(k *fusion.Group, index []int32, isNeeded func(*graph.Node) bool) *stages {
	nodes := k.Computed()
	p := &stages{k: k, nodes: nodes, count: 1, of: make([]staged, len(nodes)), index: index}
	for i, n := range nodes {
		index[n.ID()], p.of[i].stored = int32(i), -1
	}
	for _, n := range nodes {
		p.placeEarliest(n)
		if n.Op().Class == graph.Update {
			if old := n.In(0); slices.Contains(k.Nodes, old) {
				p.at(old).replaced = true
			}
		}
	}
	for _, n := range k.Nodes {
		s := p.at(n)
		s.needed = n.Op().Class == graph.Update && !s.replaced || isNeeded(n)
		switch {
		case n.Op().Class == graph.Reduce:
			s.stored = p.stageOfReduction(n)
		case s.replaced && n.Op().Class == graph.Update: // the next write is the one that stores
		case n.Op().Class == graph.Update && k.Registers[n] == fusion.PerRow:
			s.stored = p.count
		case n.Op().Class == graph.Update: // after all stages that read the old value
			s.stored = p.count - 1
		case s.needed:
			s.stored = s.stage
		}
	}
	p.liveness()
	return p
}

// at returns what is decided about a node of the kernel.
func (p *stages) at(n *graph.Node) *staged { return &p.of[p.index[n.ID()]] }

// operands lists the operands of a node that it takes from registers.
func (p *stages) operands(n *graph.Node) (list []*graph.Node) {
	level := p.k.LevelFor(n)
	for i, x := range n.Operands() {
		if p.k.InRegister(n, level, i) {
			list = append(list, alias.Viewed(x))
		}
	}
	return list
}

// placeEarliest finds the first stage in which a node can be computed.
func (p *stages) placeEarliest(n *graph.Node) {
	s := 0
	for _, x := range p.operands(n) {
		s = max(s, p.at(x).stage)
	}
	p.at(n).stage = s
	if p.k.LevelFor(n) == fusion.PerElement {
		p.count = max(p.count, s+1)
	}
	if _, kept := p.k.Registers[n]; kept && n.Op().Class == graph.Reduce {
		p.at(n).stage = s + 1
	}
}

// stageOfReduction returns the stage in which a reduction takes its operand.
func (p *stages) stageOfReduction(n *graph.Node) int {
	if _, kept := p.k.Registers[n]; kept {
		return p.at(n).stage - 1
	}
	return p.at(n).stage
}

// liveness finds the stages in which each element is computed: users before operands.
func (p *stages) liveness() {
	for _, n := range slices.Backward(p.nodes) {
		s, in := p.at(n), uint64(0)
		if s.stored >= 0 {
			in = 1 << s.stored
		}
		if len(p.k.Forwarded[n]) > 0 {
			in |= 1 << s.stage
		}
		if n.Op().Class != graph.Reduce {
			if p.k.Registers[n] == fusion.PerRow {
				continue // its operands are rows' too
			}
			in = p.compute(n, in|s.wanted)
		}
		for _, x := range p.operands(n) {
			p.at(x).wanted |= in
		}
	}
}

// compute decides in which of the stages that need an element it is computed.
func (p *stages) compute(n *graph.Node, in uint64) uint64 {
	first, s := in&-in, p.at(n)
	switch {
	case in == first:
	case s.needed && n.Op().Class != graph.Update:
		s.reload = true
		in = first
	case p.cost(n) >= recomputeLimit && p.spill(n, bits.Len64(in)-1):
		in = first
	}
	s.done = in
	return in
}

// spill gives a value that stages up to last need a place in memory: that of a result
// which is stored no earlier, else one of its own. An in-place write has none: it takes the
// place of a value that these stages may still read. What is computed in place of a load is no member
// of the kernel, and has none either.
func (p *stages) spill(n *graph.Node, last int) bool {
	if slices.Contains(p.k.Again, n) {
		return false
	}
	for _, other := range p.k.Nodes {
		s := p.at(other)
		if s.stored >= last && other.Op().Class == graph.Elementwise && p.k.Registers[other] == fusion.PerElement &&
			other.DType() == n.DType() && !s.reload {
			s.reload = true
			p.at(n).slot, p.at(n).reload = other, true
			return true
		}
	}
	if n.Op().Class == graph.Update {
		return false
	}
	p.at(n).slot, p.at(n).reload = n, true
	return true
}

// first returns the first stage in which an element is computed.
func (p *stages) first(n *graph.Node) int { return bits.TrailingZeros64(p.at(n).done) }

// computes reports whether a stage computes an element, and does not load it.
func (p *stages) computes(n *graph.Node, s int) bool { return p.at(n).done>>s&1 != 0 }

// access says how the memory of a stored value is used.
func (p *stages) access(n *graph.Node) rowprog.Access {
	if p.at(n).reload {
		return rowprog.InOut
	}
	return rowprog.Out
}

// cost returns what an element costs, operands from registers included.
func (p *stages) cost(n *graph.Node) int {
	if !p.costs {
		p.costs = true
		p.findCosts()
	}
	return p.at(n).cost
}

func (p *stages) findCosts() {
	for _, n := range p.nodes {
		if p.k.Registers[n] != fusion.PerElement || n.Op().Class == graph.Reduce {
			continue
		}
		c := analysis.Cost(n)
		for _, x := range p.operands(n) {
			if p.k.Registers[x] == fusion.PerElement && !p.at(x).needed {
				c += p.at(x).cost
			}
		}
		p.at(n).cost = c
	}
}
