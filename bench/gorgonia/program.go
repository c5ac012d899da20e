package gorgonia

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/broadloom/broadloom/bench/suite"
)

// program is a tape with its values.
type program struct {
	machine G.VM
	results []G.Value
	// solver and params are nil if nothing is trained.
	solver G.Solver
	params []G.ValueGrad
}

// newProgram builds and compiles a workload. Gorgonia's builders and its
// compiler panic on mistakes, which is left to the caller.
func newProgram(w suite.Workload, in *suite.Inputs, build builder) (*program, error) {
	g := G.NewGraph()
	named := newInputs(g, in)
	nodes := build(named)

	p := &program{results: make([]G.Value, len(nodes))}
	for i, n := range nodes {
		G.Read(n, &p.results[i])
	}
	var options []G.VMOpt
	if w.Optimizer != "" {
		params := named.list(in.Trained())
		if _, err := G.Grad(nodes[0], params...); err != nil {
			return nil, err
		}
		options = append(options, G.BindDualValues(params...))
		p.params = G.NodesToValueGrads(params)
		p.solver = solver(w.Optimizer)
	}
	p.machine = G.NewTapeMachine(g, options...)
	return p, nil
}

// solver is the update rule.
func solver(rule suite.Optimizer) G.Solver {
	if rule == suite.Adam {
		return G.NewAdamSolver(G.WithLearnRate(suite.AdamRate), G.WithBeta1(suite.AdamBeta1),
			G.WithBeta2(suite.AdamBeta2), G.WithEps(suite.AdamEpsilon))
	}
	return G.NewVanillaSolver(G.WithLearnRate(suite.SGDRate))
}

// Step implements suite.Program. Without the Reset a second run would return
// the results of the first.
func (p *program) Step() error {
	if err := p.machine.RunAll(); err != nil {
		return err
	}
	if p.solver != nil {
		if err := p.solver.Step(p.params); err != nil {
			return err
		}
	}
	p.machine.Reset()
	return nil
}

// Results implements suite.Program.
func (p *program) Results() ([][]float32, error) {
	flat := make([][]float32, len(p.results))
	for i, v := range p.results {
		switch data := v.Data().(type) {
		case []float32:
			flat[i] = data
		case float32:
			flat[i] = []float32{data}
		default:
			return nil, fmt.Errorf("gorgonia: result %d is a %T", i, data)
		}
	}
	return flat, nil
}
