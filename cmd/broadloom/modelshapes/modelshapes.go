// Package modelshapes is the part of "broadloom shapes" that runs inside the programs that it builds. It reports the
// shapes of a model's values, and those that its functions promise.
package modelshapes

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/broadloom/broadloom/cmd/broadloom/modelvalues"
	"github.com/broadloom/broadloom/graph"
)

// Result is the result of [Tell].
type Result struct {
	Errors int // mistakes of the model
	Values []Value
}

// Value is a value with the call that returned it, or with the one that promises its shape.
type Value struct {
	File     string
	Line     int
	Column   int    `json:",omitempty"` // of the call, counted in bytes from 1; 0 where it is not known
	Call     string // the function that was called
	DType    string // such as "float32"
	Shape    string // such as "[batch, 128]"
	Promised string `json:",omitempty"` // the form of a promise: "b t d"
	By       string `json:",omitempty"` // the function that promises it; "" for a statement by itself
}

// Tell lists the values of a graph by their places.
func Tell(g *graph.Graph, args json.RawMessage) (any, error) {
	told, err := modelvalues.Tell(g, args)
	if err != nil {
		return nil, err
	}
	all := told.(modelvalues.Result)
	r := Result{Errors: len(all.Report.Errors)}
	for _, v := range all.Values {
		r.Values = append(r.Values,
			Value{File: v.File, Line: v.Line, Column: v.Column, Call: v.Function, DType: v.DType, Shape: v.Shape})
	}
	for _, p := range g.Promises() {
		if v, ok := promised(g, p); ok && !slices.ContainsFunc(r.Values, v.isLike) {
			r.Values = append(r.Values, v)
		}
	}
	slices.SortStableFunc(r.Values, func(a, b Value) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r, nil
}

// promised returns a value at the place that promises its shape.
func promised(g *graph.Graph, p graph.Promise) (v Value, ok bool) {
	f, known := g.Locate(p.Pos)
	if !known || p.Node == nil || !p.Node.Judged() {
		return v, false
	}
	v = Value{File: f.File, Line: f.Line, Column: f.Column, Call: f.Call, DType: p.Node.DType().String(),
		Shape: p.Node.Shape().String(), Promised: p.Form, By: p.By}
	return v, true
}

// isLike reports whether two values need only be reported once.
func (v Value) isLike(w Value) bool {
	return v.File == w.File && v.Line == w.Line && v.Column == w.Column && v.Promised == w.Promised && v.By == w.By &&
		v.DType == w.DType && v.Shape == w.Shape
}
