package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// sameSize is two axes of operands of a call that must have one size.
type sameSize struct {
	a  node
	i  int
	b  node
	j  int
	of string // what both are, in words: "examples"
	// says is the sentence for sizes that differ, if not the usual one.
	says string
}

func (s sameSize) sizes() (a, b graph.Dim) { return s.a.Shape()[s.i], s.b.Shape()[s.j] }

// text says that the sizes differ.
func (s sameSize) text() string {
	if s.says != "" {
		return s.says
	}
	a, b := s.sizes()
	return fmt.Sprintf("axis %d of %s and axis %d of %s must have the same size, the number of %s, but their sizes are %s and %s",
		s.i, s.a.Called(), s.j, s.b.Called(), s.of, rules.QuoteName(a), rules.QuoteName(b))
}

// unequal is the refusal of the call where two axes cannot have one size, or have different names; nil where all may.
func (r refusedCall) unequal(code graph.Code, all ...sameSize) node {
	g := r.in[0].Graph()
	judge := rules.Rules{Names: g.Policy().Names, Bounds: g.Bounds}
	for _, s := range all {
		a, b := s.sizes()
		if a.IsUnknown() || b.IsUnknown() {
			continue
		}
		verdict, names := judge.MustEqual(a, b)
		if verdict != prove.Refused {
			continue
		}
		m := &graph.Mistake{Code: code, Summary: s.text(), Apart: true,
			Operands: []graph.OperandNote{{Node: s.a, Bad: []int{s.i}}, {Node: s.b, Bad: []int{s.j}}}}
		if names {
			m.Code, m.Sizes = graph.CodeNames, append(a.Symbols(), b.Symbols()...)
			m.Summary += ", and nothing says that they are equal"
		}
		return refusal(r, m)
	}
	return nil
}

// requireEqual requires of a node what [refusedCall.unequal] cannot tell before sizes are known.
func requireEqual(n node, all ...sameSize) {
	for _, s := range all {
		if a, b := s.sizes(); a != b && n.Judged() {
			requireSizes(n, graph.Requirement{Kind: graph.MustEqual, A: a, B: b,
				Why: "both are the number of " + s.of}, s.text())
		}
	}
}
