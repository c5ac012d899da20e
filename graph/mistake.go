package graph

import (
	"cmp"
	"slices"
)

// Code names a kind of mistake, such as "BL101". Codes are stable: `broadloom explain`
// tells what each means.
type Code string

// The codes of mistakes that package graph itself finds. Package shapeinfer has the
// others.
const (
	CodeOperand Code = "BL001" // nil, of another graph, or too many or too few
	CodeName    Code = "BL002" // a name missing or taken
	CodeSize    Code = "BL003" // a size that is no size
	CodeDType   Code = "BL004" // a dtype that is none
)

// Severity says how grave an item of a report is.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
	Note
)

var severities = [...]string{"error", "warning", "note"}

// String names the severity in lower case.
func (s Severity) String() string { return severities[s] }

// Mistake is something wrong, or worth a warning, at one node. It is an error.
type Mistake struct {
	Code     Code
	Severity Severity
	// Summary is one line; where PyTorch has a sentence for the mistake, it is that
	// sentence, word for word.
	Summary string
	// Node is where the mistake was made; nil for one of the whole graph.
	Node *Node
	// Operands are the values involved, as the message shows them.
	Operands []OperandNote
	// Detail are further lines.
	Detail []string
	// Help are ways out.
	Help []string
	// Pos overrides the node's place.
	Pos Pos
}

// OperandNote is one line of the table of values in a message.
type OperandNote struct {
	Node  *Node
	Label string // the node's label where empty
	Shape Shape
	Text  string // where the value comes from
	Bad   []int  // axes to mark, counted from 0
}

// Place gives the file and line of the mistake in the user's program.
func (m *Mistake) Place() Pos {
	if m.Pos != (Pos{}) || m.Node == nil {
		return m.Pos
	}
	return m.Node.pos
}

// SortMistakes orders by place in the program, then by node.
func SortMistakes(ms []*Mistake) {
	type key struct {
		file string
		line int
	}
	keys := make(map[*Mistake]key, len(ms))
	for _, m := range ms {
		f, _ := m.Place().Frame()
		keys[m] = key{f.File, f.Line}
	}
	slices.SortStableFunc(ms, func(a, b *Mistake) int {
		ka, kb := keys[a], keys[b]
		return cmp.Or(cmp.Compare(ka.file, kb.file), cmp.Compare(ka.line, kb.line), cmp.Compare(nodeID(a), nodeID(b)))
	})
}

func nodeID(m *Mistake) int {
	if m.Node == nil {
		return -1
	}
	return m.Node.ID()
}
