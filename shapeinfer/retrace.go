package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// A reshape that takes the batch for something else, or a join of examples that are not meant to be
// more, is right by itself: it fails where its size meets the batch again, most often in the loss.

// retrace leads mistakes of sizes that are computed from a name, and meet this name, back to what
// made them.
func (r *Report) retrace() {
	for i, m := range r.Errors {
		if traced := retraced(m); traced != nil {
			r.Errors[i] = traced
			r.traced = append(r.traced, traced)
		}
	}
}

// isTraced reports whether a mistake stands where it was made, and not where it showed.
func (r *Report) isTraced(m *graph.Mistake) bool { return slices.Contains(r.traced, m) }

// retraced returns the mistake as one of the node that made a size, or nil where none did.
func retraced(m *graph.Mistake) *graph.Mistake {
	if m.Node == nil || m.Code != graph.CodeBroadcast && m.Code != graph.CodeNames && m.Code != graph.CodeMatMul {
		return nil
	}
	for _, o := range m.Operands {
		if o.Node == nil || !o.Node.Judged() {
			continue
		}
		for _, axis := range axesOf(o) {
			size := o.Node.Shape()[axis]
			name, is := scaled(size)
			if !is {
				continue
			}
			meets := graph.SymbolicDim(name)
			if rest, whole := size.ExactDiv(meets); !meetsSize(m, o, meets) {
				if meets = rest; !whole || !meetsSize(m, o, rest) {
					continue
				}
			}
			if made := madeSize(o.Node, size); made != nil && (meets.IsSymbolic() || made.Op().Assemble == nil) {
				return movedTo(made, m, size, name, meets)
			}
		}
	}
	return nil
}

// axesOf returns the axes of an operand that a mistake is about.
func axesOf(o graph.OperandNote) (axes []int) {
	for _, axis := range o.Bad {
		if axis >= 0 && axis < o.Node.Rank() {
			axes = append(axes, axis)
		}
	}
	if len(axes) == 0 && o.Node.Rank() > 0 {
		axes = append(axes, 0)
	}
	return axes
}

// scaled returns the name of which a size is a multiple, or a part, as 2*batch,
// floor(16*batch/25) and 7*batch+21*(batch/25) are of batch: no number is added.
func scaled(d graph.Dim) (name string, ok bool) {
	names := d.Symbols()
	if len(names) != 1 || isName(d) {
		return "", false
	}
	ok = true
	d.Terms(func(_ int64, factors []graph.Factor) { ok = ok && len(factors) > 0 })
	return names[0], ok
}

// meetsSize reports whether another operand of a mistake has the size there.
func meetsSize(m *graph.Mistake, but graph.OperandNote, size graph.Dim) bool {
	return slices.ContainsFunc(m.Operands, func(o graph.OperandNote) bool {
		return o.Node != nil && o.Node != but.Node && o.Node.Judged() &&
			slices.ContainsFunc(axesOf(o), func(axis int) bool { return o.Node.Shape()[axis] == size })
	})
}

// madeSize follows a size to the reshape or the join that made it, or returns nil where another kind
// of operation did.
func madeSize(x *graph.Node, size graph.Dim) *graph.Node {
	for in := operandOf(x, size); in != nil; in = operandOf(x, size) {
		x = in
	}
	isJoin := x.Op().Class == graph.Movement && x.Op().Assemble != nil && len(x.Operands()) > 1
	if isJoin && x.Judged() && x.Origin() == nil || isMovement(x) && isReshape(x) {
		return x
	}
	return nil
}

// movedTo is the mistake m, told at the node that made a size of a name.
func movedTo(made *graph.Node, m *graph.Mistake, size graph.Dim, name string, meets graph.Dim) *graph.Mistake {
	verb := "has"
	if made.Op().Assemble == nil {
		verb = "merges elements of several examples into one: it has"
	}
	t := &graph.Mistake{Code: m.Code, Node: made, Apart: true, Sizes: []string{name},
		Summary: fmt.Sprintf("%s %s where %q was, and meets %s in %s", verb, size, name, rules.QuoteName(meets),
			graph.Describe(m.Node))}
	for _, x := range made.Operands() {
		t.Operands = append(t.Operands, graph.OperandNote{Node: x})
	}
	t.Operands = append(
		t.Operands, graph.OperandNote{Label: "->", Shape: made.Shape(), Bad: []int{slices.Index(made.Shape(), size)}},
		graph.OperandNote{Node: m.Node, Text: "they meet here"})
	if made.Op().Assemble == nil {
		keepAxis(t, m.Node, name)
	} else {
		t.Help = []string{"join along an axis other than that of examples, or join the value that it meets too"}
	}
	return t
}

// keepAxis looks for the reshape that has not lost an axis of its operand: the axis stays first, and what
// was left to be found is found behind it. It is tried on the graph; where layers behind it would have to
// change too, it is advice.
func keepAxis(t *graph.Mistake, failed *graph.Node, name string) {
	n, kept := t.Node, graph.SymbolicDim(name)
	x := n.In(0)
	attrs, is := n.Attrs().(sized)
	if x.Rank() < 2 || x.Shape()[0] != kept || !is || len(n.Parts()) > 1 {
		return
	}
	change := graph.Change{Node: n, Attrs: attrs.WithShape(graph.Shape{kept, -1})}
	trial := n.Graph().Try(change)
	text := fmt.Sprintf("keep the axis of %s: %s gives %s", name, graph.CallText(n, change.Attrs, n.Stands(x).Called()),
		trial.Shape(n))
	if trial.Cures(failed) {
		t.Fixes = append(t.Fixes, graph.Fix{Kind: graph.FixArguments, Text: text, Gives: trial.Shape(n)})
	} else {
		t.Help = append(t.Help, text)
	}
}
