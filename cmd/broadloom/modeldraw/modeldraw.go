// Package modeldraw is the part of "broadloom draw" that runs inside the programs that it builds.
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

// Result is the result of [Draw].
type Result struct {
	Data  []byte
	Dims  []string // the named sizes of the model
	Usual []string // the named sizes that Args leaves open where it gives others, as "batch = 32"
	Notes []string // what of Args came to nothing, such as a pattern that matches no scope
}

// DimsOf reads the named sizes of a model from a [Result].
func DimsOf(result json.RawMessage) (dims []string, err error) {
	var r Result
	err = json.Unmarshal(result, &r)
	return r.Dims, err
}

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
	r := Result{Dims: g.DimNames()}
	opts = append(opts, viz.Report(func(err error) { r.Notes = append(r.Notes, err.Error()) }))
	source := viz.Graph(g)
	if a.Compiled && shapeinfer.Check(g).Err() == nil { // one with mistakes is drawn as it is
		prog, err := modelprogram.Compile(g)
		_, isNothing := errors.AsType[modelprogram.NothingError](err)
		switch {
		case err == nil:
			source = viz.Program(prog)
			if sizes := a.sizes(g, prog.UsualSizes(), &r); len(sizes) > 0 {
				opts = append(opts, viz.Sizes(sizes))
			}
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
	r.Data = b.Bytes()
	return r, modelprogram.Unbound(err)
}

// sizes returns values of all named sizes if some are given: the others get usual ones.
func (a Args) sizes(g *graph.Graph, usual map[string]int, r *Result) map[string]int {
	some := false
	for _, name := range g.DimNames() {
		if n, given := a.Sizes[name]; given {
			usual[name], some = int(n), true
		} else {
			r.Usual = append(r.Usual, fmt.Sprintf("%s = %d", name, usual[name]))
		}
	}
	if !some {
		r.Usual = nil
		return nil
	}
	return usual
}

func (a Args) options(g *graph.Graph) ([]viz.Option, error) {
	opts := []viz.Option{viz.Fold(a.Fold...)}
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
		return nil, fmt.Errorf("there is no theme %q; themes are light, dark and print", a.Theme)
	}
	return opts, nil
}

// center finds the value around which to draw.
func (a Args) center(g *graph.Graph) (*graph.Node, error) {
	if a.Compiled && shapeinfer.Check(g).Err() == nil { // one with mistakes is drawn as it is
		return nil, fmt.Errorf(
			"-around %s shows a part of the graph before compilation: leave out -compiled, and choose a format other than html",
			a.Around)
	}
	for _, n := range g.Nodes() {
		if n.Label() == a.Around {
			return n, nil
		}
	}
	return nil, fmt.Errorf("graph %q has no value with the label %q; -format text lists all", g.Name(), a.Around)
}
