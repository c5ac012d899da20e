package ops

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// node shortens the rules below.
type node = *graph.Node

var entries []*graph.Op

// Entries lists the operations of this package by name.
func Entries() []*graph.Op {
	all := slices.Clone(entries)
	slices.SortFunc(all, func(a, b *graph.Op) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// define notes an entry. Entries are filled in init functions because gradient rules
// call operations that refer to entries.
func define(op graph.Op) *graph.Op { return register(&op) }

// register is define for an entry that is held elsewhere.
func register(op *graph.Op) *graph.Op {
	if op.Class == graph.Elementwise && op.MinIn > 0 {
		inPlace[op] = enter(newInPlace(op))
	}
	return enter(op)
}

func enter(op *graph.Op) *graph.Op {
	entries = append(entries, op)
	return op
}

// Lookup returns the operation with a name, such as "add" or "exp_", or nil.
func Lookup(name string) *graph.Op {
	for _, op := range entries {
		if op.Name == name {
			return op
		}
	}
	return nil
}

// Apply is [graph.Apply].
func Apply(op *graph.Op, attrs any, in ...*graph.Node) *graph.Node {
	return graph.Apply(op, attrs, in...)
}

// sameType is the rule of a broadcasting node whose result has its operands' dtype.
func sameType(c *graph.Call) (graph.DType, graph.Shape) {
	return c.DType(0), rules.BroadcastOperands(c)
}

// boolType is the rule of a broadcasting node that gives truth values.
func boolType(c *graph.Call) (graph.DType, graph.Shape) {
	return graph.Bool, rules.BroadcastOperands(c)
}

// refuseBool wraps a rule: booleans are refused with PyTorch's sentence, if nothing else is
// wrong.
func refuseBool(sentence string, rule func(*graph.Call) (graph.DType, graph.Shape)) func(*graph.Call) (graph.DType,
	graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := rule(c)
		if c.DType(0) == graph.Bool && !c.Failed() {
			rules.RefuseDType(c, sentence)
		}
		return t, s
	}
}

// prim is the meaning of an element that is one primitive.
func prim(p graph.Prim) func(graph.Emitter, node, []graph.Value) graph.Value {
	return func(e graph.Emitter, _ node, x []graph.Value) graph.Value { return e.Prim(p, x...) }
}

// logical is a primitive with another one for booleans: the sum of truth values is
// "or", their product "and".
func logical(p, forBool graph.Prim) func(graph.Emitter, node, []graph.Value) graph.Value {
	return func(e graph.Emitter, _ node, x []graph.Value) graph.Value {
		if e.TypeOf(x[0]) == graph.Bool {
			return e.Prim(forBool, x...)
		}
		return e.Prim(p, x...)
	}
}

// each makes a gradient rule from one function for each operand.
func each(rules ...func(n, dy node) node) func(n, dy node, i int) node {
	return func(n, dy node, i int) node { return rules[i](n, dy) }
}

// noGradient is the rule of operations whose derivative is zero wherever it exists.
func noGradient(node, node, int) node { return nil }

// num is a number of the program, for the rules.
func num(v float64) node { return graph.Num(v) }
