package graph

import (
	"cmp"
	"slices"
)

// Code names a kind of mistake, such as "BL101". Codes are stable: `broadloom explain` explains each.
type Code string

// Severity is the severity of an item of a report.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
	Note
)

var severities = [...]string{"error", "warning", "note"}

// String names the severity in lower case.
func (s Severity) String() string { return nameOf(severities[:], s, "severity") }

// Mistake is something wrong, or worth a warning, at one node. It is an error.
type Mistake struct {
	Code     Code
	Severity Severity
	// Summary is one line. If PyTorch has a sentence for the mistake, it is that sentence, word for word.
	Summary string
	// Node is the node with the mistake, or nil if the mistake is that of the whole graph.
	Node *Node
	// Whole says that Summary names its subject: the first line does not name the call that made Node.
	Whole bool
	// Operands are the values involved, as the message shows them.
	Operands []OperandNote
	// Apart says that the operands' axes do not meet from the right, as those of a
	// matrix product: each shape is then shown by itself.
	Apart bool
	// Path says that the operands are the values on the path to a mistake, in order, not those of the node.
	Path bool
	// Choice says that it is a mistake, or a warning, only by the graph's [Policy]. A
	// node can be excused from it: see [Node.Silence].
	Choice bool
	// Sizes are named sizes whose declarations the message shows.
	Sizes []string
	// Detail are further lines.
	Detail []string
	// Fixes are changes of the program that fix the mistake. Each was tried: with it, the rule of the node finds no
	// mistake.
	Fixes []Fix
	// Casts are operands that should have had other dtypes, where the function refused them before it built anything.
	Casts []Casting
	// Help is advice that cannot be tried.
	Help []string
	// Pos overrides the node's position.
	Pos Pos
}

// OperandNote is one line of the table of values in a message.
type OperandNote struct {
	Node  *Node
	Label string // how the node is called, if not as usual
	Shape Shape  // if nil, the node's
	DType DType  // shown if valid
	Text  string // a remark
	Bad   []int  // axes to mark, counted from 0
	// Names says that the operand selects elements, like an index. A mask is not an index, whatever its dtype is
	// converted to.
	Names bool
	// Promise is the declared shape, instead of a remark. If Node and Shape are nil, the line has no shape.
	Promise *Promise
	// Marks are written next to the marks of bad axes, one per line.
	Marks []string
}

// Casting is an operand that should have another dtype.
type Casting struct {
	Node *Node
	To   DType
}

// Fix is a change of the program that was tried and fixes a mistake.
type Fix struct {
	Kind FixKind
	// Text says what to write, with the user's names.
	Text string
	// Gives is the new shape of the changed value, or nil if no shape changes.
	Gives Shape
	// At is the node to change, if it was not made at the mistake's own position.
	At *Node
}

// FixKind is the sort of a change.
type FixKind string

// The kinds of changes, in the order in which they are tried.
const (
	FixArguments FixKind = "arguments"    // other arguments of an operation: KeepDims, a padding, a size
	FixUnsqueeze FixKind = "unsqueeze"    // axes of size 1 at the only position where sizes match
	FixSqueeze   FixKind = "squeeze"      // an axis of size 1 less
	FixTranspose FixKind = "transpose"    // two axes exchanged
	FixReshape   FixKind = "reshape"      // the elements of one operand in the other operand's shape
	FixDeclare   FixKind = "declare"      // another declaration of an input or a parameter
	FixEqual     FixKind = "equal"        // a statement that two sizes are the same
	FixElsewhere FixKind = "out-of-place" // the same operation without writing in place
	FixReduce    FixKind = "reduce"       // a sum over the axes that are too many
	FixConvert   FixKind = "convert"      // a conversion of the dtype
	FixExchange  FixKind = "exchange"     // two operands exchanged
	FixCopy      FixKind = "copy"         // a copy of an operand
	FixOrder     FixKind = "order"        // a write at another time
)

// showOperands shows all operands of the node where the rule chose none.
func (m *Mistake) showOperands() {
	if m.Operands != nil {
		return
	}
	for _, x := range m.Node.in {
		if x != nil && x.op != nil {
			m.Operands = append(m.Operands, OperandNote{Node: x})
		}
	}
}

// Place returns the file and line of the mistake in the user's program.
func (m *Mistake) Place() Pos {
	if m.Pos != (Pos{}) || m.Node == nil {
		return m.Pos
	}
	return m.Node.pos
}

// SortMistakes sorts by source position, then by node.
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
