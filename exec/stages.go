package exec

import (
	"math/bits"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// dear is the cost, in operations as cheap as an addition, from which on a value that
// several stages of a row need is computed once and left in memory. Cheaper values are
// computed again from what the row has just brought into the cache.
const dear = 10

// stages says in which stage of its rows a kernel computes what. A reduction over rows
// ends a stage: what needs its result runs in the next one.
type stages struct {
	k      *kernel
	count  int
	stage  map[*graph.Node]int // the first stage in which a value can be had; count: after the last
	needed map[*graph.Node]bool
	stored map[*graph.Node]int         // the stage of a reduction, or of a store to memory
	done   map[*graph.Node]uint64      // the stages in which an element is computed
	homes  map[*graph.Node]*graph.Node // whose memory keeps a value that is not needed elsewhere
	reload map[*graph.Node]bool        // values that are loaded in a stage after they were stored
	costs  map[*graph.Node]int         // of elements; nil until one is asked for
}

// newStages decides about the stages of a kernel. isNeeded says of a value whether
// somebody takes it from memory.
func newStages(k *kernel, isNeeded func(*graph.Node) bool) *stages {
	p := &stages{k: k, count: 1, stage: map[*graph.Node]int{}, needed: map[*graph.Node]bool{}, stored: map[*graph.Node]int{},
		done: map[*graph.Node]uint64{}, homes: map[*graph.Node]*graph.Node{}, reload: map[*graph.Node]bool{}}
	for _, n := range k.nodes {
		p.place(n)
	}
	overwritten := map[*graph.Node]bool{}
	for _, n := range k.nodes {
		if n.Op().Class == graph.Update {
			overwritten[n.In(0)] = true
		}
	}
	for _, n := range k.nodes {
		p.needed[n] = n.Op().Class == graph.Update && !overwritten[n] || isNeeded(n)
		switch {
		case n.Op().Class == graph.Reduce:
			p.stored[n] = p.stageOfReduction(n)
		case overwritten[n] && n.Op().Class == graph.Update: // the next write is the one that stores
		case n.Op().Class == graph.Update && k.registers[n] == perRow:
			p.stored[n] = p.count
		case n.Op().Class == graph.Update: // after all stages that read the old value
			p.stored[n] = p.count - 1
		case p.needed[n]:
			p.stored[n] = p.stage[n]
		}
	}
	p.demand()
	return p
}

// operands lists the operands of a node that it takes from registers.
func (p *stages) operands(n *graph.Node) (list []*graph.Node) {
	level := p.k.levelFor(n)
	for i, x := range n.Operands() {
		if p.k.inRegister(n, level, i) {
			list = append(list, shapeinfer.Viewed(x))
		}
	}
	return list
}

// place finds the first stage in which a node can be computed.
func (p *stages) place(n *graph.Node) {
	s := 0
	for _, x := range p.operands(n) {
		s = max(s, p.stage[x])
	}
	p.stage[n] = s
	if p.k.levelFor(n) == perElement {
		p.count = max(p.count, s+1)
	}
	if _, kept := p.k.registers[n]; kept && n.Op().Class == graph.Reduce {
		p.stage[n] = s + 1
	}
}

// stageOfReduction gives the stage in which a reduction takes its operand.
func (p *stages) stageOfReduction(n *graph.Node) int {
	if _, kept := p.k.registers[n]; kept {
		return p.stage[n] - 1
	}
	return p.stage[n]
}

// demand finds the stages in which each element is computed: users before operands.
func (p *stages) demand() {
	wanted := map[*graph.Node]uint64{}
	for _, n := range slices.Backward(p.k.nodes) {
		in := uint64(0)
		if s, ok := p.stored[n]; ok {
			in = 1 << s
		}
		if len(p.k.seats[n]) > 0 {
			in |= 1 << p.stage[n]
		}
		if n.Op().Class != graph.Reduce {
			if p.k.registers[n] == perRow {
				continue // its operands are rows' too
			}
			in = p.compute(n, in|wanted[n])
		}
		for _, x := range p.operands(n) {
			wanted[x] |= in
		}
	}
}

// compute decides in which of the stages that need an element it is computed.
func (p *stages) compute(n *graph.Node, in uint64) uint64 {
	first := in & -in
	switch {
	case in == first:
	case p.needed[n] && n.Op().Class == graph.Elementwise:
		p.reload[n] = true
		in = first
	case p.cost(n) >= dear && p.settle(n, bits.Len64(in)-1):
		in = first
	}
	p.done[n] = in
	return in
}

// settle gives a value that stages up to last need a place in memory: that of a result
// which is stored no earlier, else one of its own. An in-place write has none: it takes the
// place of a value that these stages may still read.
func (p *stages) settle(n *graph.Node, last int) bool {
	for _, other := range p.k.nodes {
		s, stored := p.stored[other]
		if stored && s >= last && other.Op().Class == graph.Elementwise && p.k.registers[other] == perElement &&
			other.DType() == n.DType() && !p.reload[other] {
			p.homes[n], p.reload[n], p.reload[other] = other, true, true
			return true
		}
	}
	if n.Op().Class == graph.Update {
		return false
	}
	p.homes[n], p.reload[n] = n, true
	return true
}

// first gives the first stage in which an element is computed.
func (p *stages) first(n *graph.Node) int { return bits.TrailingZeros64(p.done[n]) }

// computes reports whether a stage computes an element, and does not load it.
func (p *stages) computes(n *graph.Node, s int) bool { return p.done[n]>>s&1 != 0 }

// access says how the memory of a stored value is used.
func (p *stages) access(n *graph.Node) rowprog.Access {
	if p.reload[n] {
		return rowprog.InOut
	}
	return rowprog.Out
}

// cost gives what an element costs, operands from registers included.
func (p *stages) cost(n *graph.Node) int {
	if p.costs == nil {
		p.costs = p.allCosts()
	}
	return p.costs[n]
}

func (p *stages) allCosts() map[*graph.Node]int {
	costs := map[*graph.Node]int{}
	for _, n := range p.k.nodes {
		if p.k.registers[n] != perElement || n.Op().Class == graph.Reduce {
			continue
		}
		c := costOf(n)
		for _, x := range p.operands(n) {
			if p.k.registers[x] == perElement && !p.needed[x] {
				c += costs[x]
			}
		}
		costs[n] = c
	}
	return costs
}

// costOf gives the cost of one element of an operation, in operations as cheap as an
// addition.
func costOf(n *graph.Node) int { return examine(n).cost }

// primCost gives the cost of a primitive.
func primCost(p graph.Prim) int {
	switch p {
	case graph.PrimDiv, graph.PrimRem, graph.PrimFloorDiv, graph.PrimSqrt, graph.PrimRsqrt, graph.PrimRecip:
		return 4
	case graph.PrimAdd, graph.PrimSub, graph.PrimMul, graph.PrimMax, graph.PrimMin, graph.PrimNeg, graph.PrimAbs, graph.PrimSign,
		graph.PrimFloor, graph.PrimCeil, graph.PrimRound, graph.PrimTrunc,
		graph.PrimLt, graph.PrimLe, graph.PrimGt, graph.PrimGe, graph.PrimEq, graph.PrimNe, graph.PrimSelect, graph.PrimAnd, graph.PrimOr, graph.PrimXor, graph.PrimNot:
		return 1
	}
	return 10 // a transcendental function
}
