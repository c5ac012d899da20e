package ops

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Function describes a function of this package in the reference of operations.
type Function struct {
	Name string // of the Go function
	Doc  string // one sentence, with the formula
	// Op is the operation, or nil if the function is composed of others.
	Op *graph.Op
	graph.Reference
}

// compositions are the functions that are not those of an entry.
var compositions []Function

// Functions lists the functions of this package that return values, by name: operations that have a reference, and
// compositions of others. In-place variants, which each elementwise operation has, are left out.
func Functions() []Function {
	list := slices.Clone(compositions)
	for _, op := range entries {
		if op.Ref != nil {
			list = append(list, Function{op.Func, op.Doc, op, *op.Ref})
		}
	}
	slices.SortStableFunc(list, func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// example is a call for the reference, on operands that it declares.
type example = func(e *graph.Example) *graph.Node

// named is the reference of an operation that other libraries call so. Without an example it is
// shown on operands of one shape.
func named(numpy, pytorch, jax, onnx, gorgonia string, shown ...example) *graph.Reference {
	ref := &graph.Reference{
		Names: graph.Names{NumPy: numpy, PyTorch: pytorch, JAX: jax, ONNX: onnx, Gorgonia: gorgonia}}
	if len(shown) > 0 {
		ref.Example = shown[0]
	}
	return ref
}

// flat is [named] of an operation through which no gradient flows, and why.
func flat(because, numpy, pytorch, jax, onnx, gorgonia string, shown ...example) *graph.Reference {
	ref := named(numpy, pytorch, jax, onnx, gorgonia, shown...)
	ref.NoGradient = because
	return ref
}

// shownAs is a reference whose example is written so.
func shownAs(call string, ref *graph.Reference) *graph.Reference {
	ref.Call = call
	return ref
}

// composed notes a function that is a composition of others. Its reference has an example.
func composed(name, doc string, ref *graph.Reference) {
	compositions = append(compositions, Function{Name: name, Doc: doc, Reference: *ref})
}

// Reasons for which no gradient flows.
const (
	flatBetweenJumps = "it is constant between its jumps"
	noSlope          = "its result does not depend on values"
)
