// Package modeldraw is what "broadloom draw" does inside the programs that it builds.
package modeldraw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/broadloom/broadloom/cmd/broadloom/modelprogram"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/viz"
)

// Args are the arguments of [Draw].
type Args struct {
	Format      string // dot, html, text, json, or sketch: a viz.Sketch as JSON
	Compiled    bool   // draw the compiled program
	Sizes       map[string]int64
	Fold        []string
	Limit       *int
	Theme       string
	Title       string
	LeftToRight bool
	NoGradient  bool
	Lines       bool
	Kernels     bool // fold kernels to cards
	Around      string
	Radius      int
}

// Result is what [Draw] writes.
type Result struct{ Data []byte }

// Draw draws a graph.
func Draw(g *graph.Graph, args json.RawMessage) (any, error) {
	var a Args
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	opts, err := a.options(g)
	if err != nil {
		return nil, err
	}
	source := viz.Graph(g)
	if a.Compiled && shapeinfer.Check(g).Err() == nil { // one with mistakes is drawn as it is
		prog, err := modelprogram.Compile(g)
		_, isNothing := errors.AsType[modelprogram.NothingError](err)
		switch {
		case err == nil:
			source = viz.Program(prog)
		case !isNothing || a.Format != "html": // a page shows what there is
			return nil, err
		}
	}
	var b bytes.Buffer
	switch a.Format {
	case "dot":
		err = viz.DOT(&b, source, opts...)
	case "sketch":
		var k *viz.Sketch
		if k, err = viz.NewSketch(source, opts...); err == nil {
			err = json.NewEncoder(&b).Encode(k)
		}
	case "html":
		err = viz.HTML(&b, source, opts...)
	case "text":
		err = viz.Text(&b, source, opts...)
	case "json":
		err = viz.ModelExplorer(&b, source, opts...)
	default:
		err = fmt.Errorf("there is no format %q", a.Format)
	}
	return Result{b.Bytes()}, err
}

func (a Args) options(g *graph.Graph) ([]viz.Option, error) {
	opts := []viz.Option{viz.Fold(a.Fold...)}
	sizes := map[string]int{}
	for _, name := range g.DimNames() {
		if n, given := a.Sizes[name]; given {
			sizes[name] = int(n)
		}
	}
	if len(sizes) > 0 {
		opts = append(opts, viz.Sizes(sizes))
	}
	if a.Limit != nil {
		opts = append(opts, viz.Limit(*a.Limit))
	}
	if a.Title != "" {
		opts = append(opts, viz.Title(a.Title))
	}
	if a.LeftToRight {
		opts = append(opts, viz.LeftToRight())
	}
	if a.NoGradient {
		opts = append(opts, viz.Gradient(viz.Hidden))
	}
	if a.Lines {
		opts = append(opts, viz.Details(viz.Types|viz.Buffers|viz.Costs|viz.Lines))
	}
	if a.Kernels {
		opts = append(opts, viz.Kernels(viz.Collapsed))
	}
	if a.Around != "" {
		n, err := a.center(g)
		if err != nil {
			return nil, err
		}
		opts = append(opts, viz.Around(n, a.Radius))
	}
	switch a.Theme {
	case "", "light":
	case "dark":
		opts = append(opts, viz.WithTheme(viz.Dark))
	case "print":
		opts = append(opts, viz.WithTheme(viz.Print))
	default:
		return nil, fmt.Errorf("there is no theme %q; there are light, dark and print", a.Theme)
	}
	return opts, nil
}

// center finds the value around which to draw.
func (a Args) center(g *graph.Graph) (*graph.Node, error) {
	if a.Compiled && shapeinfer.Check(g).Err() == nil { // one with mistakes is drawn as it is
		return nil, fmt.Errorf("-around %s shows a part of the graph as it was built: leave out -compiled, and choose another format than html", a.Around)
	}
	for _, n := range g.Nodes() {
		if n.Label() == a.Around {
			return n, nil
		}
	}
	return nil, fmt.Errorf("graph %q has no value of the label %q; -format text lists all", g.Name(), a.Around)
}
