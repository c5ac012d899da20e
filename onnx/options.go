package onnx

import (
	"fmt"
	"reflect"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/importer"
)

// Option says how a graph is built from a model; nil has no effect.
type Option func(*request)

type request struct {
	importer.Request
	err error
}

func (r *request) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("onnx: "+format, args...)
	}
}

// Size binds a named size of the model to a number. A size without a name is named after its input and the axis, such
// as "x_0".
func Size(name string, n int) Option {
	return func(r *request) {
		if n < 0 {
			r.fail("%d is not a valid size: %s", n, name)
		}
		r.Sizes[name] = n
	}
}

// MayBeEmpty says which named sizes may be 0, such as the length of a cache before the first step. Others are at
// least 1.
func MayBeEmpty(names ...string) Option {
	return func(r *request) {
		for _, name := range names {
			r.Empty[name] = true
		}
	}
}

// InputShape sets the shape of an input instead of the one that the model declares, if any.
func InputShape(input string, shape ...graph.Dim) Option {
	return func(r *request) { r.Shapes[input] = append(graph.Shape{}, shape...) }
}

// Input replaces an input by a node: the model becomes a part of the node's graph.
func Input(input string, n *graph.Node) Option {
	return func(r *request) {
		if n == nil {
			r.fail("the node for the input %q is nil", input)
			return
		}
		r.Given[input] = n
	}
}

// Constant replaces an input by a constant: a number, a slice or an [exec.Array]. Shapes may depend on it.
func Constant(input string, value any) Option {
	return func(r *request) {
		a, ok := value.(exec.Array)
		if v := reflect.ValueOf(value); !ok && v.IsValid() {
			if v.Kind() != reflect.Slice {
				s := reflect.MakeSlice(reflect.SliceOf(v.Type()), 1, 1)
				s.Index(0).Set(v)
				a = exec.Array{Data: s.Interface()}
			} else {
				a = exec.Array{Shape: []int{v.Len()}, Data: value}
			}
		}
		if list, isInts := a.Data.([]int); isInts {
			wide := make([]int64, len(list))
			for i, v := range list {
				wide[i] = int64(v)
			}
			a.Data = wide
		}
		if t, _ := graph.DTypeOfSlice(a.Data); !t.Valid() {
			r.fail("the constant of the input %q is a %T, but must be a number, a slice of numbers or an exec.Array",
				input, value)
			return
		}
		r.Bound[input] = a
	}
}

// Seed sets the seed of the model's random numbers, an Int64 scalar, such as an input that is fed a different number
// in each run. Without it, all runs draw the same numbers.
func Seed(n *graph.Node) Option {
	return func(r *request) {
		if n == nil {
			r.fail("the seed is nil")
			return
		}
		r.Request.Seed = n
	}
}

// Outputs selects values of the model by name to replace its outputs: for example the one before a classifier.
func Outputs(names ...string) Option {
	return func(r *request) { r.Request.Outputs = append(r.Request.Outputs, names...) }
}

// In builds the model in an existing graph, in the current scope.
func In(g *graph.Graph) Option {
	return func(r *request) {
		if g == nil {
			r.fail("the graph is nil")
			return
		}
		r.Graph = g
	}
}
