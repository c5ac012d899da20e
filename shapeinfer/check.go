package shapeinfer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Check judges a whole graph, ahead of time: it needs no data and no executor. The
// report holds every independent mistake, in the order of the user's program. Write
// it in a test of a model:
//
//	if err := shapeinfer.Check(g).Err(); err != nil {
//		t.Fatal(err)
//	}
func Check(g *graph.Graph) *Report {
	r := &Report{
		Graph:    g,
		Errors:   slices.Clone(g.Mistakes()),
		Warnings: slices.Clone(g.Warnings()),
		Notes:    slices.Clone(g.Notes()),
		Nodes:    len(g.Nodes()),
	}
	for _, n := range g.Nodes() {
		if !n.Judged() && n.Err() == nil {
			r.NotJudged++
		}
	}
	r.Requirements = slices.Clone(g.Requirements())
	solveTogether(g, r)
	checkWrites(g, r)
	graph.SortMistakes(r.Errors)
	graph.SortMistakes(r.Warnings)
	r.complete()
	return r
}
