package exec

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// joinAttrs are the fixed arguments of opJoin: for each operand, and each axis of the
// result, where the operand begins and how far its elements are apart. Where none is,
// there is Value. No two operands meet, unless Sum says that they are added up, to Value.
type joinAttrs struct {
	Shape       graph.Shape
	Value       float64
	Sum         bool
	Start, Step []graph.Shape
}

// opJoin is what the join pass makes of sums of values that are padded with zeros.
var opJoin = &graph.Op{Name: "join", Func: "Join", Doc: "pieces, each at its own place.", Class: graph.Movement, MinIn: 1, MaxIn: -1,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Attrs().(joinAttrs).Shape }}

// joinPass writes sums of values that are padded with zeros and do not meet, such as the
// gradients of the parts of a value, as one value that consists of these pieces; and
// paddings of several axes as one. Kernels can then leave each piece where it belongs.
func joinPass(u *unit) error {
	j := joiner{inner: map[*graph.Node]bool{}}
	j.find(u)
	u.rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		switch {
		case j.inner[n]:
			return nil
		case isPlainSum(n):
			return j.sum(n, in)
		case isPad(n) && j.inner[n.In(0)]:
			return join(n, joinAttrs{Value: n.Attrs().(ops.PadAttrs).Value}, []piece{pieceOf(n, in[0])})
		}
		return nil
	})
	return nil
}

// joiner knows which sums and paddings only a further one uses, so that they are done
// together.
type joiner struct{ inner map[*graph.Node]bool }

// find marks the inner nodes: the first terms of sums, since the others must be added up
// by themselves, and what is padded on.
func (j *joiner) find(u *unit) {
	uses := map[*graph.Node]int{}
	for _, n := range u.roots {
		uses[n]++
	}
	for _, n := range u.g.Nodes() {
		for _, x := range n.Operands() {
			uses[x]++
		}
	}
	written := writtenMemory(u.g)
	for _, n := range u.g.Nodes() {
		for i, x := range n.Operands() {
			if uses[x] != 1 || written[x] || written[n] {
				continue
			}
			switch {
			case isPlainSum(n):
				j.inner[x] = i == 0 && isPlainSum(x) || isPad(x) && isPlusZeroPad(x)
			case isPad(n):
				j.inner[x] = isPad(x) && samePadding(x, n)
			}
		}
	}
}

// isPlainSum reports whether a node adds two values of its own shape, or one to 0.
func isPlainSum(n *graph.Node) bool {
	return n.Op().Name == "add" && n.DType() != graph.Bool && n.In(1).Shape().Equal(n.Shape()) &&
		(n.In(0).Shape().Equal(n.Shape()) || startsAtZero(n))
}

func startsAtZero(n *graph.Node) bool { return isPlusZero(n.In(0)) }

func isPad(n *graph.Node) bool { return n.Op().Name == "pad" }

func isPlusZeroPad(n *graph.Node) bool {
	return math.Float64bits(n.Attrs().(ops.PadAttrs).Value) == 0
}

func samePadding(x, y *graph.Node) bool {
	return math.Float64bits(x.Attrs().(ops.PadAttrs).Value) == math.Float64bits(y.Attrs().(ops.PadAttrs).Value)
}

// piece is a value x and its place in another one, of which it is a term.
type piece struct {
	term, x     *graph.Node
	start, step graph.Shape
}

// pieceAt gives the place of a padded value in a padding.
func pieceAt(n *graph.Node) piece {
	p := piece{start: make(graph.Shape, n.Rank()), step: make(graph.Shape, n.Rank())}
	for axis := range p.step {
		p.step[axis] = 1
	}
	p.pad(n)
	return p
}

// pad makes the place in what is padded by n that in n itself.
func (p *piece) pad(n *graph.Node) {
	a := n.Attrs().(ops.PadAttrs)
	axis := a.Axis
	if axis < 0 {
		axis += n.Rank()
	}
	p.start[axis] = p.start[axis].Plus(p.step[axis].Times(a.Before))
	p.step[axis] = p.step[axis].Times(graph.Dim(max(a.Step, 1)))
}

// pieceOf gives the value that n pads, or that is padded again there: in is the operand of
// n in the graph after the pass.
func pieceOf(n, in *graph.Node) piece {
	p := pieceAt(n)
	for isPad(in) && samePadding(in, n) {
		p.pad(in)
		in = in.In(0)
	}
	p.x = in
	return p
}

// sum joins neighbouring terms of a sum that do not meet; and such as meet, if the sum
// begins with 0. Their order, on which the result's last bits depend, stays.
func (j *joiner) sum(n *graph.Node, in []*graph.Node) *graph.Node {
	terms, fromZero := j.terms(n, in)
	var total *graph.Node
	joined := false
	for len(terms) > 0 {
		count := 1
		for count < len(terms) && apartFrom(terms[count], terms[:count]) {
			count++
		}
		term, group := terms[0].term, terms[:count]
		pads := slices.IndexFunc(terms, func(p piece) bool { return p.x == nil })
		if pads < 0 {
			pads = len(terms)
		}
		switch {
		case fromZero && pads > count:
			group = terms[:pads]
			term, joined = join(n, joinAttrs{Sum: true}, group), true
		case fromZero || count > 1:
			term, joined = join(n, joinAttrs{}, addedToZero(group)), true
		case terms[0].x != nil && terms[0].x != term.In(0): // several paddings
			term, joined = join(n, joinAttrs{}, group), true
		}
		if total == nil {
			total = term
		} else {
			total = ops.Add(total, term)
		}
		terms, fromZero = terms[len(group):], false
	}
	if !joined {
		return nil
	}
	return total
}

// terms lists what a sum adds up, in the order in which it does, and tells whether it
// begins with 0, which is left out. Terms that are no paddings have no x.
func (j *joiner) terms(n *graph.Node, in []*graph.Node) (list []piece, fromZero bool) {
	add := func(x, made *graph.Node) {
		p := piece{}
		if isPad(x) && j.inner[x] {
			p = pieceOf(x, made.In(0))
		}
		p.term = made
		list = append(list, p)
	}
	for {
		add(n.In(1), in[1])
		if x := n.In(0); j.inner[x] && isPlainSum(x) {
			n, in = x, in[0].Operands()
			continue
		}
		break
	}
	if fromZero = startsAtZero(n) && list[len(list)-1].x != nil; !fromZero {
		add(n.In(0), in[0])
	}
	slices.Reverse(list)
	return list, fromZero
}

// addedToZero gives the pieces of a sum as it has them, each with zeros added: -0 + 0 is
// 0.
func addedToZero(group []piece) (list []piece) {
	x := group[0].x
	if !x.DType().IsFloat() {
		return group
	}
	zero := x.Graph().Scalar(x.DType(), 0)
	for _, p := range group {
		p.x = ops.Add(p.x, zero)
		list = append(list, p)
	}
	return list
}

// apartFrom reports whether a piece surely has no element where one of the others has.
func apartFrom(p piece, others []piece) bool {
	for _, o := range others {
		apart := false
		if p.x == nil || o.x == nil {
			return false
		}
		for axis := range p.start {
			apart = apart || apartAlong(p, o, axis)
		}
		if !apart {
			return false
		}
	}
	return true
}

// apartAlong reports whether the places of two pieces along an axis differ: one ends
// before the other begins, or they alternate.
func apartAlong(p, q piece, axis int) bool {
	if isBefore(p, q, axis) || isBefore(q, p, axis) {
		return true
	}
	step, whole := p.step[axis].Int()
	distance, known := p.start[axis].Minus(q.start[axis]).Int()
	return whole && known && p.step[axis] == q.step[axis] && distance%step != 0
}

// isBefore reports whether a piece surely ends where another one begins, or before.
func isBefore(p, q piece, axis int) bool {
	end := p.start[axis].Plus(p.x.Shape()[axis].Minus(1).Times(p.step[axis])).Plus(1)
	gap, known := q.start[axis].Minus(end).Int()
	return known && gap >= 0
}

// join makes the value that consists of the pieces, in the place of n.
func join(n *graph.Node, a joinAttrs, pieces []piece) *graph.Node {
	a.Shape = n.Shape()
	var in []*graph.Node
	for _, p := range pieces {
		a.Start, a.Step, in = append(a.Start, p.start), append(a.Step, p.step), append(in, p.x)
	}
	return graph.Apply(opJoin, a, in...)
}
