package exec

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Program is a compiled graph. It is immutable: any number of goroutines may make sessions of it.
type Program struct {
	source  *graph.Graph
	request request
	inputs  []inputSpec
	params  []*graph.Node   // of the user's graph
	used    []*graph.Node   // those that it reads or writes
	outputs []*graph.Node   // of the user's graph
	results []*lower.Buffer // the outputs' memory
	code    *engine.Code
	needs   []graph.Requirement

	built     int           // number of source's nodes when it was compiled
	graph     *graph.Graph  // after the last pass
	roots     []*graph.Node // of that
	snapshots func() []Snapshot

	readOnlyOnce sync.Once
	readOnly     *Program // computes the outputs without the updates
	readOnlyErr  error
}

// newProgram makes a program from the decisions of the passes.
func newProgram(g *graph.Graph, r request, u *lower.Program) (*Program, error) {
	p := &Program{source: g, request: r, outputs: r.outputs, needs: r.needs, built: u.UserNodes, graph: u.Graph,
		roots: u.Roots}
	p.inputs = r.inputSpecs(g, u)
	live := rewrite.Reachable(g, r.roots())
	for _, s := range u.Params {
		p.params = append(p.params, s.User)
		if live[s.User.ID()] {
			p.used = append(p.used, s.User)
		}
	}
	for _, n := range u.Roots[:u.NumOutputs] {
		p.results = append(p.results, u.BufferOf[alias.Viewed(n)])
	}
	var err error
	if p.code, err = engine.NewCode(g.Name(), u, verifying()); err != nil {
		return nil, inPass("lower", err)
	}
	return p, nil
}

// Params lists the parameters that the program reads or writes, in the order of their declaration. For an evaluation
// program these are the parameters of the model, with running statistics, but not the optimiser's state.
// [Session.Params] lists all parameters of a session.
func (p *Program) Params() []*graph.Node { return slices.Clone(p.used) }

// Outputs lists the values that each run returns, in the order of [Outputs].
func (p *Program) Outputs() []*graph.Node { return slices.Clone(p.outputs) }

// Written lists the parameters that runs write, in the order of their declaration.
func (p *Program) Written() (params []*graph.Node) {
	for _, i := range p.code.Written {
		params = append(params, p.params[i])
	}
	return params
}

// Snapshots returns the program after each pass, as text, for debugging. A program does not keep them: the first call
// compiles it again.
func (p *Program) Snapshots() []Snapshot { return p.snapshots() }

// String returns the kernels of the program in the order in which they run.
func (p *Program) String() string { return lower.ListText(p.code.Kernels, lower.KernelText) }

// Kernels returns the number of kernels that one run executes.
func (p *Program) Kernels() int { return len(p.code.Kernels) }

// withoutUpdates returns the program that computes the outputs without the updates.
func (p *Program) withoutUpdates() (*Program, error) {
	p.readOnlyOnce.Do(func() {
		if len(p.outputs) == 0 {
			p.readOnlyErr = errors.New(
				"exec: the program has updates but no outputs: without the updates there is nothing to run")
			return
		}
		for _, n := range p.outputs {
			if dependsOnUpdate(n) {
				p.readOnlyErr = fmt.Errorf("exec: output %s is computed from the result of an update (%s): use Run",
					n.Label(), n.Pos())
				return
			}
		}
		p.readOnly, p.readOnlyErr = Compile(p.source, Outputs(p.outputs...), OnWarning(nil))
	})
	return p.readOnly, p.readOnlyErr
}

// dependsOnUpdate reports whether a value depends on what a run writes into parameters or inputs.
func dependsOnUpdate(n *graph.Node) bool {
	live := rewrite.Reachable(n.Graph(), []*graph.Node{n})
	for _, x := range n.Graph().Nodes() {
		if live[x.ID()] && x.Op().Class == graph.Update && alias.Storage(x).Op().Class == graph.Source {
			return true
		}
	}
	return false
}
