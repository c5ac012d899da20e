package reach

import (
	"maps"

	"github.com/broadloom/broadloom/graph"
)

// Option says what a program computes, or how its values are divided; nil says nothing. In all of them a
// value's axes are given as names of mesh axes: "" is an axis that is whole on each device, "data*tensor" one
// that is divided over two mesh axes, the first of them outermost.
type Option func(*request)

// request is the arguments of [Shard].
type request struct {
	graph            *graph.Graph
	mesh             Mesh
	pos              graph.Pos // of the call of Shard
	outputs, updates []*graph.Node
	sizes            map[string]int
	sizesAt          graph.Pos
	rules            []*rule
	dims             []*dimRule
	constraints      []*constraint
	zero             []*dimRule // the axis alone
}

// ruleKind is which values a rule is for.
type ruleKind uint8

const (
	ofInputs ruleKind = iota
	ofParams
	ofStates
)

// ruleWords names, for each kind of rule, the option that makes it and the values that it is about.
var ruleWords = [...]struct{ option, what string }{
	{"Inputs", "input"}, {"Params", "parameter"}, {"States", "state of an optimiser"}}

// rule divides all values of a kind whose names match a pattern.
type rule struct {
	kind    ruleKind
	pattern string
	axes    Sharding
	pos     graph.Pos
	matches []*graph.Node // to which it applies
	earlier int           // how many matching values another rule has taken before
}

// dimRule divides axes of one named size over a mesh axis.
type dimRule struct {
	dim  string
	axes []string
	pos  graph.Pos
	used bool
}

// constraint divides one value.
type constraint struct {
	node *graph.Node
	axes Sharding
	pos  graph.Pos
}

// Outputs names the values that each run returns, as exec.Outputs does. They are whole on each device.
func Outputs(nodes ...*graph.Node) Option {
	return func(r *request) { r.outputs = append(r.outputs, nodes...) }
}

// Updates names the in-place writes that each run carries out, as exec.Updates does.
func Updates(nodes ...*graph.Node) Option {
	return func(r *request) { r.updates = append(r.updates, nodes...) }
}

// Sizes binds named sizes to numbers. Other sizes must be divisible for all values that the declarations allow:
// graph.MultipleOf says that a size is a multiple.
func Sizes(sizes map[string]int) Option {
	at := graph.Caller()
	return func(r *request) {
		if r.sizes == nil {
			r.sizes = map[string]int{}
		}
		maps.Copy(r.sizes, sizes)
		r.sizesAt = at
	}
}

// Dim divides each axis of an input whose size is the named one, such as "batch", over mesh axes.
func Dim(name, axes string) Option {
	at := graph.Caller()
	return func(r *request) {
		r.dims = append(r.dims, &dimRule{dim: name, axes: parse([]string{axes})[0], pos: at})
	}
}

// Inputs divides the inputs whose names match the pattern, one of [path.Match], whatever [Dim] says. Of
// several rules that match, the first one counts; so for [Params] and [States].
func Inputs(pattern string, axes ...string) Option {
	return newRule(ofInputs, pattern, axes, graph.Caller())
}

// Params divides the parameters whose full names match the pattern, one of [path.Match]: "*.up.weight" matches in all
// scopes. An optimiser's state of a parameter, in its shape, is divided in the same way. Parameters that no rule
// matches are whole on each device.
func Params(pattern string, axes ...string) Option {
	return newRule(ofParams, pattern, axes, graph.Caller())
}

// States divides an optimiser's states, if they are to differ from their parameters: the pattern matches full names
// such as "*.weight.exp_avg".
func States(pattern string, axes ...string) Option {
	return newRule(ofStates, pattern, axes, graph.Caller())
}

func newRule(kind ruleKind, pattern string, axes []string, at graph.Pos) Option {
	s := parse(axes)
	return func(r *request) { r.rules = append(r.rules, &rule{kind: kind, pattern: pattern, axes: s, pos: at}) }
}

// At divides one value: an input, a parameter, or a computed value, which XLA then brings into that sharding after it
// is computed. It takes precedence over all rules. The result of an update is divided like its parameter.
func At(n *graph.Node, axes ...string) Option {
	at, s := graph.Caller(), parse(axes)
	return func(r *request) { r.constraints = append(r.constraints, &constraint{n, s, at}) }
}

// ZeRO also divides an optimiser's states over a mesh axis, usually "data", each along its first axis that can be
// divided: Rajbhandari and others, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models (2020), stage
// 1. States without such an axis stay like their parameters.
func ZeRO(axis string) Option {
	at := graph.Caller()
	return func(r *request) { r.zero = append(r.zero, &dimRule{axes: parse([]string{axis})[0], pos: at}) }
}
