package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// This file proposes changes of writes in place. Such a change is only right if all writes
// of the changed program have an order.

// scopes are the lists of nodes of which each must have an order: those of the graph, and
// those of the program where one is checked.
func (r *Report) scopes() [][]*graph.Node {
	if r.program == nil {
		return [][]*graph.Node{r.Graph.Nodes()}
	}
	return [][]*graph.Node{r.Graph.Nodes(), r.program}
}

// disordered lists the writes of the report's graph that have no order as it stands.
func (r *Report) disordered() map[*graph.Node]bool {
	if r.unordered == nil {
		r.unordered = map[*graph.Node]bool{}
		for _, nodes := range r.scopes() {
			for _, d := range alias.Disorders(nodes) {
				r.unordered[d.Write] = true
			}
		}
	}
	return r.unordered
}

// hasOrder reports whether all writes of the changed program have an order, but for others
// than the mistake's that had none before.
func (t *trier) hasOrder(trial *graph.Trial) bool {
	all, at := trial.Program()
	was := make(map[*graph.Node]*graph.Node, len(at))
	for old, now := range at {
		was[now] = old
	}
	for _, scope := range t.report.scopes() {
		inScope := make(map[*graph.Node]bool, len(scope))
		for _, n := range scope {
			inScope[at[n]] = true
		}
		var nodes []*graph.Node
		for _, n := range all {
			if inScope[n] || was[n] == nil { // a new value
				nodes = append(nodes, n)
			}
		}
		for _, d := range alias.Disorders(nodes) {
			if old := was[d.Write]; old == t.n || !t.report.disordered()[old] {
				return false
			}
		}
	}
	return true
}

// elsewhere computes the result of an in-place operation as a new value. What writes a
// parameter at the right time is meant to.
func (t *trier) elsewhere() {
	op := t.n.Op().OutOfPlace
	if op == nil || t.m.Code == graph.CodeOrder && alias.Storage(t.n).Op().Class == graph.Source {
		return
	}
	types := make([]graph.DType, len(t.n.Operands()))
	words := make([]string, len(types))
	for i, x := range t.n.Operands() {
		types[i], words[i] = x.Written().DType(), x.Called()
	}
	change := graph.Change{Node: t.n, Op: op, Operands: promoted(t.n, op, types)}
	value := t.n.Graph().Try(change).Type(t.n)
	text := graph.CallOf(op, t.n.Attrs(), words...) + " gives a new value"
	switch t.m.Code {
	case graph.CodeInPlaceShape:
		text += fmt.Sprintf(" of shape %s", value.Shape)
	case graph.CodeInPlaceDType:
		text += fmt.Sprintf(", which is %s", value.DType)
	default:
		text += fmt.Sprintf(" (one more buffer of %s)", value.Shape)
	}
	t.try(graph.Fix{Kind: graph.FixElsewhere, Text: text, Gives: value.Shape}, change)
}

// copyOperand returns an operand memory of its own.
func (t *trier) copyOperand() {
	for i := len(t.n.Operands()) - 1; i >= 0; i-- {
		if t.user(i) != nil &&
			(i > 0 || t.m.Code == graph.CodeSelfOverlap || alias.Storage(t.n).Op().Class != graph.Source) {
			t.try(graph.Fix{Kind: graph.FixCopy, Text: t.with(i, "Copy("+t.word(i)+")")}, t.operand(i, t.shape(i))...)
		}
	}
}

// copyRead lets what needs the old value read a copy of it, made before the write: the
// operation of the user's program that reads it, with its gradient.
func (t *trier) copyRead() {
	reader, old := t.m.Operands[0].Node, alias.State(t.n.In(0))
	var changes []graph.Change
	for _, n := range t.n.Graph().Nodes() {
		if of, _ := n.User(); of != reader {
			continue
		}
		copied := graph.Change{Node: n, Operands: map[int]graph.Type{}}
		for i, x := range n.Operands() {
			if alias.State(x) == old && x.Judged() {
				copied.Operands[i] = graph.Type{DType: x.DType(), Shape: x.Shape()}
			}
		}
		if len(copied.Operands) > 0 {
			changes = append(changes, copied)
		}
	}
	if len(changes) == 0 || changes[0].Node != reader || !reader.IsWritten() {
		return
	}
	words := make([]string, len(reader.Operands()))
	for i, x := range reader.Operands() {
		words[i] = x.Called()
		if _, is := changes[0].Operands[i]; is {
			words[i] = "Copy(" + words[i] + ")"
		}
	}
	text := graph.CallText(reader, reader.Attrs(), words...) + " reads a copy of the old value"
	t.try(graph.Fix{Kind: graph.FixCopy, Text: text, At: reader}, changes...)
}

// writeNext writes the value that the first write gives.
func (t *trier) writeNext() {
	first, x := t.m.Operands[0].Node, t.n.In(0)
	word := fmt.Sprintf("After(%s, %s)", x.Called(), first.Called())
	if first.In(0) == x {
		word = first.Called()
	}
	t.try(graph.Fix{Kind: graph.FixOrder, Text: "write what the first write gives: " + t.with(0, word)},
		graph.Change{Node: t.n, After: map[int]*graph.Node{0: first}})
}

// beforeView writes the memory of which the destination repeats elements.
func (t *trier) beforeView() {
	views, whole := alias.ViewsOf(t.n.In(0)), alias.State(t.n.In(0))
	if len(views) != 1 {
		return
	}
	text := fmt.Sprintf("write to %s before %s", whole.Called(), graph.Calling(views[len(views)-1]))
	if len(t.fixes) > 0 {
		text = "or " + text
	}
	t.try(graph.Fix{Kind: graph.FixOrder, Text: text}, t.operand(0, whole.Shape())...)
}

// mutable declares that the memory of an input may change.
func (t *trier) mutable() {
	if x := alias.Storage(t.n.In(0)); x.IsInput() {
		text := fmt.Sprintf("declare that the caller's memory may change: %s.Mutable()", x.Called())
		t.try(graph.Fix{Kind: graph.FixDeclare, Text: text, At: x},
			graph.Change{Node: x, Attrs: graph.InputAttrs{Mutable: true}})
	}
}
