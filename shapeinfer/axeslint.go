package shapeinfer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axislint"
)

// checkAxes warns of axes that are right in size and wrong in kind, and takes back warnings of tables that are meant.
func checkAxes(g *graph.Graph, r *Report) {
	p := g.Policy()
	isWanted := func(c graph.Code) bool { return p.AboutAxes(c) != graph.AllowSilently }
	found, tables := axislint.Find(g, isWanted)
	for _, m := range found {
		r.choose(m, p.AboutAxes(m.Code))
	}
	r.Warnings = slices.DeleteFunc(r.Warnings, func(m *graph.Mistake) bool {
		return m.Code == graph.CodeMutualExpand && slices.Contains(tables, m.Node)
	})
}
