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

// recomputeLimit is the cost, in additions, from which a value that several stages of a row need is computed once and
// spilled. Cheaper values are recomputed from operands that the row has just loaded into the cache.
const recomputeLimit = 10

// stages says which values a kernel computes in which stage of its rows. A reduction over rows ends a stage: users of
// its result run in the next one.
type stages struct {
	k     *fusion.Group
	nodes []*graph.Node // that the kernel computes
	count int
	of    []staged // by index of a node in the kernel
	index []int32  // by node ID: index in the kernel
	costs bool     // whether the costs of elements are known
}

// staged is the stages of one node.
type staged struct {
	stage    int // the first one in which the value is available; count: after the last
	stored   int // that of a reduction, or of a store to memory; -1 if there is none
	cost     int // of an element, including operands in registers
	needed   bool
	reload   bool        // it is loaded again in a later stage
	replaced bool        // a later write in the kernel stores the value
	done     uint64      // the stages that compute an element
	wanted   uint64      // the stages that use an element
	slot     *graph.Node // the value in whose memory this one is spilled
}

// newStages plans the stages of a kernel. isNeeded reports whether a value is read from memory. index is room for the
// indices of nodes in the kernel.
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
		case s.replaced && n.Op().Class == graph.Update: // the next write stores
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

// at returns the stages of a node of the kernel.
func (p *stages) at(n *graph.Node) *staged { return &p.of[p.index[n.ID()]] }

// operands lists the operands of a node that are in registers.
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

// stageOfReduction returns the stage in which a reduction reads its operand.
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
				continue // its operands have one element per row, too
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

// spill gives a value that stages up to last need a place in memory: that of a result that is stored no earlier, or its
// own. An in-place write has none of its own: it would overwrite a value that these stages may still read. Neither has
// a recomputed value, which is not a member of the kernel.
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

// first returns the first stage that computes an element.
func (p *stages) first(n *graph.Node) int { return bits.TrailingZeros64(p.at(n).done) }

// computes reports whether a stage computes an element, instead of loading it.
func (p *stages) computes(n *graph.Node, s int) bool { return p.at(n).done>>s&1 != 0 }

// access says how the memory of a stored value is used.
func (p *stages) access(n *graph.Node) rowprog.Access {
	if p.at(n).reload {
		return rowprog.InOut
	}
	return rowprog.Out
}

// cost returns the cost of an element, including operands in registers.
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
