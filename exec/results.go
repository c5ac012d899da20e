package exec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/graph"
)

// Results are the outputs of one run, in the session's memory: valid until its next run.
// [Array.Clone] keeps one for longer.
type Results struct {
	s *Session
	b *specialized
}

// String lists the outputs, without their elements: "results loss float32[], logits float32[batch, 10]".
func (r *Results) String() string {
	if r == nil || r.b == nil {
		return "no results"
	}
	words := make([]string, len(r.b.outputs))
	for i, o := range r.b.outputs {
		words[i] = o.node.String()
	}
	return "results " + strings.Join(words, ", ")
}

// find returns the output of a node of the user's graph.
func (r *Results) find(n *graph.Node) (*output, error) {
	if r == nil || r.b == nil {
		return nil, errors.New("exec: there are no results: the error of the run says why")
	}
	for i := range r.b.outputs {
		if r.b.outputs[i].node == n {
			o := &r.b.outputs[i]
			r.locate(o)
			return o, nil
		}
	}
	return nil, r.s.prog.noOutput(n)
}

// noOutput is the error for a node that is not an output. It lists the outputs.
func (p *Program) noOutput(n *graph.Node) error {
	switch {
	case n == nil:
		return errors.New("exec: nil is not an output of the program")
	case n.Graph() != p.source:
		return fmt.Errorf("exec: %s is not an output of the program: it is not a node of graph %q", n.Called(),
			p.source.Name())
	}
	are := "it has none"
	if len(p.outputs) > 0 {
		var names []string
		for _, o := range p.outputs[:min(len(p.outputs), toldOutputs)] {
			names = append(names, o.Called())
		}
		if more := len(p.outputs) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		are = "its outputs are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("exec: %s (%s) is not an output of the program: pass it to exec.Outputs; %s", n.Called(), n.Pos(),
		are)
}

// toldOutputs is the number of outputs that an error lists.
const toldOutputs = 8

// locate makes the output's slice. It is valid until the arena moves.
func (r *Results) locate(o *output) {
	p := r.s.state.Pointer(r.b.Specialization, engine.Location{Buffer: o.storage, Slot: -1})
	if o.array.Data != nil && o.ptr == p {
		return
	}
	o.ptr, o.dense = p, nil
	o.array = Array{Shape: o.shape, Data: memory.SliceAt(o.storage.Dtype, p, memory.CountOf(o.shape))}
}

// Array returns an output as a plain slice with its shape, in the session's memory: valid until the session's
// next run, which writes it. [Array.Clone] keeps it for longer.
func (r *Results) Array(n *graph.Node) (Array, error) {
	o, err := r.find(n)
	if err != nil {
		return Array{}, err
	}
	return o.array, nil
}

// Values returns the elements of an output in row-major order, in the session's memory: valid until the
// session's next run. [slices.Clone] keeps them for longer. T must be the Go type of its dtype.
func Values[T graph.Element](r *Results, n *graph.Node) ([]T, error) {
	o, err := r.find(n)
	if err != nil {
		return nil, err
	}
	values, ok := o.array.Data.([]T)
	if !ok {
		return nil, fmt.Errorf("exec: %s has dtype %s: its elements are %T, not %T", n.Called(), n.DType(),
			o.array.Data, values)
	}
	return values, nil
}

// Dense returns an output as a tensor that shares the session's memory: valid until the session's next run; its method
// Clone keeps it for longer. A value without elements, which a tensor.Dense cannot hold, is an error: use
// [Results.Array].
func (r *Results) Dense(n *graph.Node) (*tensor.Dense, error) {
	o, err := r.find(n)
	if err != nil {
		return nil, err
	}
	if slices.Contains(o.shape, 0) {
		return nil, fmt.Errorf("exec: %s has shape %v, but a tensor.Dense needs elements: use Results.Array",
			n.Called(), o.shape)
	}
	if t := n.DType(); t.IsStorage() {
		return nil, fmt.Errorf(
			"exec: %s has dtype %s, which a tensor.Dense cannot hold: use Results.Array, or ops.Cast(…, graph.Float32)",
			n.Called(), t)
	}
	if o.dense == nil {
		if len(o.shape) == 0 {
			return tensor.New(tensor.FromScalar(reflect.ValueOf(o.array.Data).Index(0).Interface())), nil // copied
		}
		o.dense = tensor.New(tensor.WithShape(o.shape...), tensor.WithBacking(o.array.Data))
	}
	return o.dense, nil
}

// Scalar returns the single element of an output, such as a loss, as a float64. An output with no elements, or with
// several, is an error.
func (r *Results) Scalar(n *graph.Node) (float64, error) {
	o, err := r.find(n)
	if err != nil {
		return 0, err
	}
	if count := memory.CountOf(o.shape); count != 1 {
		return 0, fmt.Errorf("exec: %s has shape %v and %d elements, not one: use Results.Array", n.Called(), o.shape,
			count)
	}
	v, _ := graph.NumberAt(o.array.Data, 0)
	return v, nil
}

// output is a result of a run: its memory, and what was made from it for the caller.
type output struct {
	node    *graph.Node
	storage *lower.Buffer
	shape   []int
	array   Array
	dense   *tensor.Dense
	ptr     unsafe.Pointer
}
