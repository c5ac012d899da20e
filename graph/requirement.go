package graph

// Requirement is what a rule could neither prove nor refuse when a node was built.
// It is judged together with all others at the end of the check, and what is left is
// judged when sizes are bound.
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
