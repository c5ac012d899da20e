package graph

import "github.com/broadloom/broadloom/graph/symbolic"

// Requirement is a condition on sizes that a rule could neither prove nor refute when a node was built. All are
// checked together at the end of the check, and the rest when sizes are bound.
type Requirement struct {
	Node *Node
	Kind RequirementKind
	A, B Dim
	// Axis is the axis of the node's result, counted from 0.
	Axis int
	// Why says where the requirement comes from, in a few words.
	Why string
}

// RequirementKind is the form of a requirement.
type RequirementKind uint8

// The forms of requirements.
const (
	MustEqual        RequirementKind = iota // A == B
	MustBroadcast                           // A == B, or A == 1, or B == 1
	MustEqualOrOne                          // A == B, or B == 1: an operand against a destination
	MustBeAtLeast                           // A >= B
	MustBeMultipleOf                        // A is a multiple of B, which is not 0
	MustDiffer                              // A != B
)

// Require records a condition on sizes under which the node is correct, and which could be neither proved nor
// refuted. A requirement on a size that an int64 cannot hold is a mistake. Numbers, which have no graph, and sizes
// that a mistake left unknown require nothing.
func (n *Node) Require(r Requirement) {
	if n == nil || n.g == nil || r.A.IsUnknown() || r.B.IsUnknown() {
		return
	}
	if !r.A.Valid() || !r.B.Valid() {
		n.fail(&Mistake{Code: CodeSize, Summary: r.Why + ": " + symbolic.NotRepresentable})
		return
	}
	r.Node = n
	n.g.needs = append(n.g.needs, r)
	switch r.Kind {
	case MustBeMultipleOf:
		n.g.facts.RequireMultiple(r.A, r.B)
	case MustEqual:
		n.g.facts.RequireEqual(r.A, r.B)
	}
}
