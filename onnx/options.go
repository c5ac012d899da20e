package onnx

import (
	"fmt"
	"reflect"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/importer"
)

// Option says how a graph is built of a model; nil says nothing.
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

// Size gives a name of sizes in the model a number: a size without a name is called after its input and the axis, as "x_0".
func Size(name string, n int) Option {
	return func(r *request) {
		if n < 0 {
			r.fail("no size is %d: %s", n, name)
		}
		r.Sizes[name] = n
	}
}

// MayBeEmpty says which names of sizes may be 0, such as the length of a past before the first step. Others are at least 1.
func MayBeEmpty(names ...string) Option {
	return func(r *request) {
		for _, name := range names {
			r.Empty[name] = true
		}
	}
}

// InputShape gives an input a shape in the place of the one that the model declares, or does not.
func InputShape(input string, shape ...graph.Dim) Option {
	return func(r *request) { r.Shapes[input] = append(graph.Shape{}, shape...) }
}

// Input puts a node in the place of an input: the model becomes a part of the node's graph.
func Input(input string, n *graph.Node) Option {
	return func(r *request) {
		if n == nil {
			r.fail("the node for the input %q is nil", input)
			return
		}
		r.Given[input] = n
	}
}

// Constant gives an input a value for good: a number, a slice or an [exec.Array]. A model may compute shapes of it.
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
			r.fail("the constant of the input %q is a %T, and no number, slice of numbers or exec.Array", input, value)
			return
		}
		r.Bound[input] = a
	}
}

// Seed gives what random numbers of the model depend on, an Int64 scalar such as an input that is fed another number in each run. Without it
// all runs draw the same.
func Seed(n *graph.Node) Option {
	return func(r *request) {
		if n == nil {
			r.fail("the seed is nil")
			return
		}
		r.Request.Seed = n
	}
}

// Outputs names the values of the model that are wanted, in the place of its outputs: that before a classifier, as an example.
func Outputs(names ...string) Option {
	return func(r *request) { r.Request.Outputs = append(r.Request.Outputs, names...) }
}

// In builds the model in a graph that exists, in the scope that is open.
func In(g *graph.Graph) Option {
	return func(r *request) {
		if g == nil {
			r.fail("the graph is nil")
			return
		}
		r.Graph = g
	}
}
