package shapeinfer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
)

// Check checks a whole graph ahead of time: it needs no data and no executor. The report has every independent mistake,
// in the order of the user's program. Use it in a test of a model:
//
//	if err := shapeinfer.Check(g).Err(); err != nil {
//		t.Fatal(err)
//	}
//
// A graph may contain several programs, such as two ways to train the same parameters; use [CheckProgram] to check one
// of them.
func Check(g *graph.Graph) *Report { return check(g, nil) }

// CheckProgram checks a graph, and a program that computes some of its values and performs some of its writes: two
// writes of one parameter are a mistake in a program, but not in a graph.
func CheckProgram(g *graph.Graph, roots ...*graph.Node) *Report {
	return check(g, ancestors.Of(g, roots...))
}

// isFailed reports whether there is an error at the node of a warning or a note, which then speaks of
// what was not meant.
func (r *Report) isFailed(warning *graph.Mistake) bool {
	return slices.ContainsFunc(r.Errors, func(m *graph.Mistake) bool { return m.Node == warning.Node && m.Node != nil })
}

// isMixing reports whether a note is of a reshape that mixes axes: what its elements require is not what
// was meant.
func (r *Report) isMixing(note *graph.Mistake) bool {
	return slices.ContainsFunc(r.Warnings, func(m *graph.Mistake) bool {
		return m.Code == graph.CodeAxisMixing && m.Node == note.Node && !m.Node.IsSilenced(m.Code)
	})
}

// check judges a graph, and a program where its nodes are given.
func check(g *graph.Graph, program []*graph.Node) *Report {
	if g == nil {
		return &Report{Errors: []*graph.Mistake{
			{Code: graph.CodeOperand, Pos: graph.Caller(), Summary: "the graph is nil"}}}
	}
	r := &Report{
		Graph:    g,
		Errors:   slices.Clone(g.Mistakes()),
		Warnings: slices.Clone(g.Warnings()),
		Notes:    slices.Clone(g.Notes()),
		Nodes:    len(g.Nodes()),
		program:  program,
	}
	for _, n := range g.Nodes() {
		if !n.Judged() && n.Err() == nil {
			r.NotJudged++
		}
	}
	r.Requirements = append(slices.Clone(g.Requirements()), sizeRequirements(g)...)
	r.Errors = append(r.Errors, CheckOperations(g.Nodes(), r.Requirements)...)
	solveTogether(g, r)
	checkPromises(g, r)
	checkMixing(g, r)
	noteWholeBatch(g, r)
	checkAxes(g, r)
	checkIndependence(g, r)
	checkWrites(g.Nodes(), false, r)
	checkWrites(program, true, r)
	r.retrace()
	r.Warnings = append(r.Warnings, leftOut(g, program)...)
	r.Warnings = slices.DeleteFunc(r.Warnings, r.isFailed)
	graph.SortMistakes(r.Errors)
	graph.SortMistakes(r.Warnings)
	r.complete()
	return r
}
