// Package svg draws Graphviz's language without the program dot: it carries Graphviz
// itself, compiled to WebAssembly, and runs it with wazero, without cgo. It is a package
// of its own because of what that costs: a binary grows by some nine megabytes, and the
// first use compiles the code, which takes about half a second and leaves a cache of six
// megabytes in the directory for temporary files.
//
//	viz.SVG(ctx, file, viz.Graph(g), viz.RenderWith(svg.Render))
package svg

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/awalterschulze/gographviz"
	"github.com/goccy/go-graphviz"
)

// Render lays out a graph in Graphviz's language and draws it as SVG.
func Render(ctx context.Context, dot []byte) (picture []byte, err error) {
	// A syntax error would leave Graphviz's own parser in the middle of a graph.
	if _, err := gographviz.Parse(dot); err != nil {
		return nil, fmt.Errorf("svg: reading the graph: %w", err)
	}
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("svg: starting Graphviz: %w", err)
	}
	defer closing(g.Close, &err)
	graph, err := graphviz.ParseBytes(dot)
	if err != nil {
		return nil, fmt.Errorf("svg: reading the graph: %w", err)
	}
	defer closing(graph.Close, &err)
	var out bytes.Buffer
	if err := g.Render(ctx, graph, graphviz.SVG, &out); err != nil && !isWarning(err) {
		return nil, fmt.Errorf("svg: %w", err)
	}
	return out.Bytes(), nil
}

// isWarning tells warnings, which the library gives as errors: Graphviz has no font at
// hand to measure other letters than ASCII with, says so once, and takes an estimate.
func isWarning(err error) bool { return strings.HasPrefix(err.Error(), "Warning:") }

// closing keeps the error of a close where there was none before.
func closing(close func() error, err *error) {
	if e := close(); e != nil && *err == nil && !isWarning(e) {
		*err = fmt.Errorf("svg: %w", e)
	}
}
