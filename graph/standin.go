package graph

import "slices"

// StandIns replace nodes while a gradient rule runs, so that it computes in other dtypes than those of its operands.
// A stand-in has the shape, the fixed arguments and the operands of its node. It is not a node of the graph: an
// operation that uses it gets the node's value, converted, and conversions that nothing uses are not made.
type StandIns struct {
	g     *Graph
	of    map[*Node]*Node // nodes by their stand-ins
	casts map[*Node]*Node // conversions by their operands
}

// NewStandIns returns the stand-ins of one walk over g.
func NewStandIns(g *Graph) *StandIns {
	return &StandIns{g: g, of: map[*Node]*Node{}, casts: map[*Node]*Node{}}
}

// Within runs build, in which stand-ins may be operands.
func (s *StandIns) Within(build func()) {
	outer := s.g.standIns
	s.g.standIns = s
	defer func() { s.g.standIns = outer }()
	build()
}

// For returns the stand-in of x in a dtype, with other operands if some are given, or x itself if nothing differs.
func (s *StandIns) For(x *Node, t DType, operands ...*Node) *Node {
	if x.dtype == t && operands == nil {
		return x
	}
	made := *x
	if made.dtype = t; operands != nil {
		made.in = operands
	}
	s.of[&made] = x
	return &made
}

// Converted returns x in the given dtype, converted once for all users.
func (s *StandIns) Converted(x *Node, t DType) *Node {
	if x.dtype == t {
		return x
	}
	if c := s.casts[x]; c != nil && c.dtype == t && c.isNumbered() {
		return c
	}
	s.casts[x] = x.Cast(t).Implied()
	return s.casts[x]
}

// Value returns the value of a node or stand-in.
func (s *StandIns) Value(x *Node) *Node {
	if s == nil || x == nil || s.of[x] == nil {
		return x
	}
	return s.Converted(s.of[x], x.dtype)
}

// values replaces stand-ins by their values.
func (s *StandIns) values(in []*Node) []*Node {
	if s == nil || !slices.ContainsFunc(in, func(x *Node) bool { return s.of[x] != nil }) {
		return in
	}
	in = slices.Clone(in)
	for i, x := range in {
		in[i] = s.Value(x)
	}
	return in
}

// Attempt runs build. If it returns false, the nodes that it has built are removed, with all that was recorded about
// them, and must not be used any more.
func (g *Graph) Attempt(build func() (keep bool)) bool {
	nodes, needs, promises, independences := len(g.nodes), g.needs, g.promises, g.independences
	mistakes, warnings, notes, facts := g.mistakes, g.warnings, g.notes, g.facts
	if build != nil && build() {
		return true
	}
	for _, n := range g.nodes[nodes:] {
		if n.name != "" && g.names[n.Name()] == n {
			delete(g.names, n.Name())
		}
	}
	g.nodes, g.needs, g.promises, g.independences = g.nodes[:nodes], needs, promises, independences
	g.mistakes, g.warnings, g.notes, g.facts = mistakes, warnings, notes, facts
	g.facts.Forget()
	g.residences.truncate(nodes)
	g.places.truncate(nodes)
	return false
}
