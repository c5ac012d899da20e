package shapeinfer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axislint"
)

// checkAxes warns of axes that are right in size and wrong in kind.
func checkAxes(g *graph.Graph, r *Report) {
	p := g.Policy()
	isWanted := func(c graph.Code) bool { return p.AboutAxes(c) != graph.AllowSilently }
	for _, m := range axislint.Find(g, isWanted) {
		r.choose(m, p.AboutAxes(m.Code))
	}
}
