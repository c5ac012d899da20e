// Package modelcheck is the part of "broadloom check" that runs inside the programs that it builds.
package modelcheck

import (
	"encoding/json"
	"errors"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Args are the arguments of [Check].
type Args struct {
	Dir   string           // files are shown relative to it
	Sizes map[string]int64 // sizes to bind as well
}

// Result is the result of [Check].
type Result struct {
	Report shapeinfer.ReportJSON
	Text   string // the report's text
	// Dims are the names of the graph's sizes.
	Dims []string
	// Unbound are the requirements that the sizes do not meet, and UnboundAt the places where the program requires
	// them; the file is empty if no single line does.
	Unbound   []string
	UnboundAt []shapeinfer.PlaceJSON
}

// Check checks a graph, and binds the sizes that are given and that it has.
func Check(g *graph.Graph, args json.RawMessage) (any, error) {
	var a Args
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	r := shapeinfer.Check(g)
	result := Result{Report: r.JSON(), Text: r.Text(a.Dir), Dims: g.DimNames()}
	given := shapeinfer.Sizes{}
	for _, name := range g.DimNames() {
		if v, is := a.Sizes[name]; is {
			given[name] = v
		}
	}
	if len(given) == 0 || len(r.Errors) > 0 {
		return result, nil
	}
	var unmet *shapeinfer.BindError
	if _, err := shapeinfer.Bind(g, nil, r.Requirements, given); errors.As(err, &unmet) {
		result.Unbound = unmet.Problems
		for _, at := range unmet.Places {
			f, _ := at.Frame()
			result.UnboundAt = append(result.UnboundAt, shapeinfer.PlaceJSON{File: f.File, Line: f.Line})
		}
	} else if err != nil {
		return nil, err
	}
	return result, nil
}
