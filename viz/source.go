package viz

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
)

// Source is what can be drawn: a [Graph] or a compiled [Program].
type Source interface {
	// model returns a fresh model, which the caller may change.
	model(o *options) (*model, error)
	// page returns what an HTML page shows.
	page(o *options) *page.Document
	// text returns the text form, with files and lines if asked.
	text(lines bool) string
}

// Graph returns a graph as a source, even one with mistakes.
func Graph(g *graph.Graph) Source { return graphSource{g} }

type graphSource struct{ g *graph.Graph }

func (s graphSource) page(*options) *page.Document { return page.FromGraph(s.g) }
