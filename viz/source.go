package viz

import "github.com/broadloom/broadloom/graph"

// Source is what can be drawn: [Graph].
type Source interface {
	// model gives a fresh model, which the caller may change.
	model() *model
	// text gives the text form, with files and lines if asked.
	text(lines bool) string
}

// Graph makes a graph drawable, also one with mistakes.
func Graph(g *graph.Graph) Source { return graphSource{g} }

type graphSource struct{ g *graph.Graph }

func (s graphSource) text(lines bool) string {
	if lines {
		return s.g.TextWithLines()
	}
	return s.g.String()
}
