package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// checkWrites refuses two writes of one state of a value, and a write that cannot come
// after all reads of what it destroys; among the nodes of a program, or of a whole graph.
func checkWrites(nodes []*graph.Node, program bool, r *Report) {
	for i, d := range alias.Disorders(nodes) {
		var m *graph.Mistake
		if d.Reader != nil {
			var asked *graph.Node
			if i < maxSuggested { // each is a search through the graph
				asked = firstGradient(nodes, d.Reader)
			}
			m = orderMistake(d, asked)
		} else if m = secondMistake(d); !program && alias.Storage(d.Write).Op().Class == graph.Source {
			m.Detail = []string{"no program can perform both; two programs can perform one each"}
			r.choose(m, d.Write.Graph().Policy().SecondWrite)
			continue
		}
		r.addOnce(m)
	}
}

// choose adds what is a mistake or a warning by the graph's policy, unless its node is
// excused.
func (r *Report) choose(m *graph.Mistake, what graph.WarnChoice) {
	m.Choice = true
	switch {
	case what == graph.AllowSilently || m.Node.IsSilenced(m.Code):
	case what == graph.RefuseAlways:
		r.addOnce(m)
	default:
		m.Severity = graph.Warning
		r.Warnings = append(r.Warnings, m)
	}
}

// addOnce adds an error unless there is one of its kind at its node.
func (r *Report) addOnce(m *graph.Mistake) {
	isSame := func(e *graph.Mistake) bool { return e.Node == m.Node && e.Code == m.Code }
	if !slices.ContainsFunc(r.Errors, isSame) {
		r.Errors = append(r.Errors, m)
	}
}

// DerivedFrom returns nodes and all that they are computed or derived from: a gradient derives from the value of which
// it is the gradient, and a value made with another's shape derives from that value.
func DerivedFrom(g *graph.Graph, roots []*graph.Node) []*graph.Node {
	return ancestors.Closure(g, roots, func(n *graph.Node, visit func(...*graph.Node)) {
		visit(n.Operands()...)
		visit(n.DerivedFrom()...)
	})
}

// secondMistake says that a value was written before.
func secondMistake(d alias.Disorder) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeWriters, Node: d.Write,
		Summary: fmt.Sprintf("%s was written before, at %s: two writes of one value have no order",
			alias.State(d.Write.In(0)).Called(), d.First.Pos()),
		Operands: []graph.OperandNote{{Node: d.First, Text: "the first write"}}}
}

// orderMistake says who still needs what the write destroys, and which gradient, if one is
// known, asks for that. PyTorch, when gradients are computed, says "one of the variables needed for
// gradient computation has been modified by an inplace operation".
func orderMistake(d alias.Disorder, asked *graph.Node) *graph.Mistake {
	old := alias.State(d.Write.In(0))
	m := &graph.Mistake{Code: graph.CodeOrder, Node: d.Write}
	row := func(n *graph.Node, text string) {
		m.Operands = append(m.Operands, graph.OperandNote{Node: n, Text: text})
	}
	f, inGradient := d.Reader.User()
	switch {
	case !inGradient:
		m.Summary = fmt.Sprintf("destroys a value that %s still needs", graph.Describe(d.Reader))
		row(d.Reader, "reads "+old.Called()+", and needs the new value too")
	case alias.State(f) == old:
		m.Summary = fmt.Sprintf("destroys a value that the gradient of %s needs", graph.Calling(f))
		row(f, fmt.Sprintf("the gradient of %s reads its OUTPUT", graph.Calling(f)))
	default:
		m.Summary = fmt.Sprintf("destroys a value that the gradient of %s needs", graph.Calling(f))
		row(f, fmt.Sprintf("the gradient of %s reads its input %s", graph.Calling(f), old.Called()))
	}
	row(d.Write, "writes "+old.Called())
	if inGradient && asked != nil {
		row(asked, "asks for that gradient")
	}
	return m
}

// firstGradient returns the first requested gradient that is computed from n, or nil.
func firstGradient(nodes []*graph.Node, n *graph.Node) *graph.Node {
	from := map[*graph.Node]bool{n: true}
	for _, m := range nodes {
		from[m] = from[m] || slices.ContainsFunc(m.Operands(), func(x *graph.Node) bool { return from[x] })
		if from[m] && m.GradientOf() != nil {
			return m
		}
	}
	return nil
}
