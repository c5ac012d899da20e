// Package modelvalues is the part of "broadloom lsp" that runs inside the programs that it builds. It checks a model,
// and reports the shapes of its values next to the calls that made them.
package modelvalues

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/cmd/broadloom/modelrun"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// Result is the result of [Tell].
type Result struct {
	Report shapeinfer.ReportJSON
	Values []Value
}

// Value is a value that a call of the user's program returned. A call that returned values of one
// type, as in a loop, has one for all of them.
type Value struct {
	Call
	Type     string    // such as "float32[batch, 64]"
	Shape    string    // such as "[batch, 64]"
	DType    string    // such as "float32"
	Made     string    `json:",omitempty"` // the operation as it was written: "Add(x, b)"
	Operands []Operand `json:",omitempty"`
	Axes     []string  `json:",omitempty"` // from which axes of inputs its axes come
}

// Call is a call in the user's source.
type Call struct {
	File     string
	Line     int
	Column   int // of its beginning, counted in bytes from 1; 0 where it is not known
	Function string
}

// Operand is an operand of a value's operation.
type Operand struct {
	Name, Type string
	File       string `json:",omitempty"`
	Line       int    `json:",omitempty"`
}

// Tell checks a graph and lists its values.
func Tell(g *graph.Graph, _ json.RawMessage) (any, error) {
	r := Result{Report: shapeinfer.Check(g).JSON()}
	c := collector{g: g, flow: axisflow.NewFlow(g, inputAxes(g)...), calls: map[Call]*made{},
		callers: map[graph.Pos][]Call{}, users: map[*graph.Node][]*graph.Node{}}
	c.collect()
	for _, call := range c.order {
		r.Values = append(r.Values, c.values(call)...)
	}
	return r, nil
}

// collector finds which nodes each call made.
type collector struct {
	g       *graph.Graph
	flow    *axisflow.Flow
	calls   map[Call]*made
	order   []Call
	callers map[graph.Pos][]Call
	users   map[*graph.Node][]*graph.Node // of each node, those that the user's program made of it
}

// made are the nodes that a call made, with those that it called.
type made struct {
	nodes    []*graph.Node
	isInside map[*graph.Node]bool
	isOuter  bool // a function of the user's
}

func (c *collector) collect() {
	for _, n := range c.g.Nodes() {
		if n.Origin() != nil || n.Written() != n {
			continue
		}
		for _, x := range n.Operands() {
			c.users[x.Written()] = append(c.users[x.Written()], n)
		}
		for depth, call := range c.callsOf(n) {
			m := c.calls[call]
			if m == nil {
				m = &made{isInside: map[*graph.Node]bool{}, isOuter: depth > 0}
				c.calls[call] = m
				c.order = append(c.order, call)
			}
			m.nodes = append(m.nodes, n)
			m.isInside[n] = true
		}
	}
}

// callsOf returns the calls by which the user's program made a node, the innermost first: that of
// the library, and those of the user's own functions around it.
func (c *collector) callsOf(n *graph.Node) []Call {
	if calls, known := c.callers[n.Pos()]; known {
		return calls
	}
	var calls []Call
	if f, ok := c.g.Locate(n.Pos()); ok && !isOurs(f) {
		calls = append(calls, Call{f.File, f.Line, f.Column, f.Call})
		inner := f
		for _, from := range n.Pos().Callers() {
			if isOurs(from) {
				break
			}
			calls = append(calls, Call{from.File, from.Line, 0, bareName(inner.Func)})
			inner = from
		}
	}
	c.callers[n.Pos()] = calls
	return calls
}

// isOurs reports whether a frame is not the user's.
func isOurs(f graph.Frame) bool {
	return filepath.Base(f.File) == modelrun.HookFile ||
		strings.HasPrefix(f.Func, "github.com/broadloom/broadloom/cmd/broadloom/modelrun.")
}

// bareName cuts "path/net.(*Net).Forward[...]" to its last word.
func bareName(function string) string {
	function = strings.TrimSuffix(function, "[...]")
	return function[strings.LastIndexByte(function, '.')+1:]
}

// values returns the results of a call: the nodes that something outside of it uses, or nothing at all. For a user's
// function that may be more than it returned; then none is reported.
func (c *collector) values(call Call) (list []Value) {
	m := c.calls[call]
	for _, n := range m.nodes {
		users := c.users[n]
		isInner := len(users) > 0 && !slices.ContainsFunc(users, func(u *graph.Node) bool { return !m.isInside[u] })
		if isInner || !n.Judged() || m.isOuter && n.Op().Class == graph.Source {
			continue
		}
		v := c.value(call, n)
		if !slices.ContainsFunc(list, func(known Value) bool { return known.Type == v.Type }) {
			list = append(list, v)
		}
	}
	if m.isOuter && len(list) > 1 {
		return nil
	}
	return list
}

func (c *collector) value(call Call, n *graph.Node) Value {
	v := Value{Call: call, Shape: n.Shape().String(), DType: n.DType().String(), Type: typeOf(n),
		Made: graph.Describe(n)}
	for _, x := range n.Operands() {
		if x = x.Written(); x == nil {
			continue
		}
		o := Operand{Name: x.Called(), Type: typeOf(x)}
		if f, ok := x.Pos().Frame(); ok {
			o.File, o.Line = f.File, f.Line
		}
		v.Operands = append(v.Operands, o)
	}
	if n.Op().Class != graph.Source {
		v.Axes = c.axes(n)
	}
	return v
}

// axes says for a value's axes from which axes of inputs they come, if from any.
func (c *collector) axes(n *graph.Node) (list []string) {
	from := make([][]string, n.Rank())
	for _, d := range c.flow.Value(n) {
		for _, t := range d.Terms {
			if source := c.flow.Source(d.Source).String(); !slices.Contains(from[t.Axis], source) {
				from[t.Axis] = append(from[t.Axis], source)
			}
		}
	}
	for axis, sources := range from {
		if len(sources) > 0 {
			list = append(list, fmt.Sprintf("axis %d, %s: %s", axis, n.Shape()[axis], strings.Join(sources, ", ")))
		}
	}
	return list
}

// maxSources bounds the axes that are followed through the graph: the time that this takes grows with
// their number.
const maxSources = 32

// inputAxes lists the axes of a graph's inputs, only the first ones if there are many.
func inputAxes(g *graph.Graph) (list []graph.AxisOf) {
	for _, x := range g.Inputs() {
		for axis := range x.Rank() {
			list = append(list, graph.AxisOf{Node: x, Axis: axis})
		}
	}
	return list[:min(len(list), maxSources)]
}

func typeOf(n *graph.Node) string { return n.DType().String() + n.Shape().String() }
