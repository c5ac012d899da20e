package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/broadloom/broadloom/bench/suite"
)

// program is a compiled graph with its arguments.
type program struct {
	backend compute.Backend
	exec    *graph.Exec
	// data are the arguments that stay, state those that each call replaces.
	data, state []*tensors.Tensor
	// results are the latest call's, without the new state.
	results []*tensors.Tensor
	args    []any
}

// newProgram compiles a workload. The order of arguments is: data, trained
// tensors, the optimiser's own tensors; of outputs: results, new state.
func newProgram(backend compute.Backend, w suite.Workload, in *suite.Inputs, build builder) (*program, error) {
	p := &program{backend: backend}
	var data []*suite.Tensor
	for _, t := range in.Tensors {
		if !t.Trained {
			data = append(data, t)
			p.data = append(p.data, tensor(t))
		}
	}
	trained := in.Trained()
	for _, t := range trained {
		p.state = append(p.state, tensor(t))
	}
	p.state = append(p.state, optimizerState(w.Optimizer, trained)...)

	order := slices.Concat(data, trained)
	var err error
	p.exec, err = graph.NewExec(backend, func(args []*graph.Node) []*graph.Node {
		named := newInputs(order, args)
		results := build(named)
		if w.Optimizer == "" {
			return results
		}
		params := args[len(data) : len(data)+len(trained)]
		grads := graph.Gradient(results[0], params...)
		return append(results, update(w.Optimizer, params, grads, args[len(data)+len(trained):])...)
	})
	return p, err
}

// Step implements suite.Program.
func (p *program) Step() error {
	p.args = p.args[:0]
	for _, t := range p.data {
		p.args = append(p.args, t)
	}
	for _, t := range p.state {
		donated, err := graph.DonateTensorBuffer(t, p.backend, 0)
		if err != nil {
			return err
		}
		p.args = append(p.args, donated)
	}
	// Without this the memory of old results waits for the garbage collector.
	for _, t := range p.results {
		if err := t.FinalizeAll(); err != nil {
			return err
		}
	}
	outputs, err := p.exec.Call(p.args...)
	if err != nil {
		return err
	}
	n := len(outputs) - len(p.state)
	p.results = outputs[:n]
	copy(p.state, outputs[n:])
	return nil
}

// Results implements suite.Program.
func (p *program) Results() ([][]float32, error) {
	flat := make([][]float32, len(p.results))
	for i, t := range p.results {
		err := tensors.ConstFlatData(t, func(data []float32) { flat[i] = data })
		if err != nil {
			return nil, err
		}
	}
	return flat, nil
}

// tensor hands an input over.
func tensor(t *suite.Tensor) *tensors.Tensor {
	if t.Int != nil {
		return tensors.FromFlatDataAndDimensions(t.Int, t.Shape...)
	}
	return tensors.FromFlatDataAndDimensions(t.Float, t.Shape...)
}
