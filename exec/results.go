package exec

import (
	"fmt"
	"math"
	"unsafe"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Results are the outputs of one run, in the session's memory: valid until its next run.
type Results struct {
	s *Session
	b *binding
}

// find gives the output of a node of the user's graph, or nil.
func (r *Results) find(n *graph.Node) *output {
	for i := range r.b.outputs {
		if r.b.outputs[i].node == n {
			o := &r.b.outputs[i]
			r.locate(o)
			return o
		}
	}
	return nil
}

// locate makes the output's slice; it lasts until the arena moves.
func (r *Results) locate(o *output) {
	p := r.s.pointer(r.b, place{storage: o.storage, slot: -1})
	if o.array.Data != nil && o.ptr == p {
		return
	}
	count := 1
	for _, d := range o.shape {
		count *= d
	}
	o.ptr, o.dense = p, nil
	o.array = Array{Shape: o.shape, Data: sliceAt(o.storage.dtype, p, count)}
}

func sliceAt(t graph.DType, p unsafe.Pointer, n int) any {
	if n == 0 || p == nil {
		return makeSlice(t, 0)
	}
	switch t {
	case graph.Bool:
		return unsafe.Slice((*bool)(p), n)
	case graph.Int32:
		return unsafe.Slice((*int32)(p), n)
	case graph.Int64:
		return unsafe.Slice((*int64)(p), n)
	case graph.Float32:
		return unsafe.Slice((*float32)(p), n)
	}
	return unsafe.Slice((*float64)(p), n)
}

// Array gives an output as a plain slice with its shape. It has no data if n is no
// output of the program.
func (r *Results) Array(n *graph.Node) Array {
	if o := r.find(n); o != nil {
		return o.array
	}
	return Array{}
}

// Dense gives an output as a tensor that shares the session's memory. It is nil if n is
// no output of the program, and for a value without elements, which a tensor.Dense
// cannot hold: [Results.Array] gives those.
func (r *Results) Dense(n *graph.Node) *tensor.Dense {
	o := r.find(n)
	if o == nil {
		return nil
	}
	for _, d := range o.shape {
		if d == 0 {
			return nil
		}
	}
	if o.dense == nil {
		if len(o.shape) == 0 {
			return tensor.New(tensor.FromScalar(firstElement(o.array.Data))) // holds a copy
		}
		o.dense = tensor.New(tensor.WithShape(o.shape...), tensor.WithBacking(o.array.Data))
	}
	return o.dense
}

func firstElement(data any) any {
	switch d := data.(type) {
	case []bool:
		return d[0]
	case []int32:
		return d[0]
	case []int64:
		return d[0]
	case []float32:
		return d[0]
	case []float64:
		return d[0]
	}
	return nil
}

// Scalar gives the first element of an output as a float64: the value of a loss. It is
// NaN if n is no output of the program or has no elements.
func (r *Results) Scalar(n *graph.Node) float64 {
	o := r.find(n)
	if o == nil {
		return math.NaN()
	}
	for _, d := range o.shape {
		if d == 0 {
			return math.NaN()
		}
	}
	switch o.storage.dtype {
	case graph.Bool:
		if *(*bool)(o.ptr) {
			return 1
		}
		return 0
	case graph.Int32:
		return float64(*(*int32)(o.ptr))
	case graph.Int64:
		return float64(*(*int64)(o.ptr))
	case graph.Float32:
		return float64(*(*float32)(o.ptr))
	}
	return *(*float64)(o.ptr)
}

// RunError is a check that failed while a program ran, such as a class index out of
// range.
type RunError struct {
	Node    *graph.Node // the operation in the user's graph
	Message string
}

// Error names the operation and its place.
func (e *RunError) Error() string {
	what := graph.Describe(e.Node)
	if forward := e.Node.Origin(); forward != nil {
		what = "the gradient of " + graph.Describe(forward)
	}
	return fmt.Sprintf("%s: error: %s: %s", e.Node.Pos(), what, e.Message)
}

func (s *Session) faultError(p *part, f bind.Fault) error {
	if f.Code == rowprog.DivideByZero || int(f.Code) >= len(s.prog.faults) {
		return fmt.Errorf("exec: ZeroDivisionError: an integer is divided by zero in kernel %s", p.prog.Name)
	}
	what := s.prog.faults[f.Code]
	return &RunError{what.node.Source(), what.message}
}
