package exec

import (
	"fmt"
	"sync"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Program is a compiled graph. It never changes: any number of goroutines may make
// sessions of it.
type Program struct {
	source  *graph.Graph
	request request
	inputs  []inputSpec
	params  []*graph.Node // of the user's graph
	outputs []*graph.Node // of the user's graph
	results []*storage    // where the outputs lie
	code    *code
	needs   []graph.Requirement

	built     int           // nodes of source when it was compiled
	graph     *graph.Graph  // after the last pass
	roots     []*graph.Node // of that
	snapshots func() []Snapshot

	evalOnce sync.Once
	eval     *Program // the outputs without the updates
	evalErr  error
}

// newProgram gathers what passes have decided.
func newProgram(g *graph.Graph, r request, u *unit) (*Program, error) {
	p := &Program{source: g, request: r, outputs: r.outputs, needs: r.needs, built: u.built, graph: u.g, roots: u.roots}
	p.inputs = r.inputSpecs(g, u)
	for _, s := range u.params {
		p.params = append(p.params, s.user)
	}
	for _, n := range u.roots[:u.nOutputs] {
		p.results = append(p.results, u.storageOf[shapeinfer.Viewed(n)])
	}
	var err error
	if p.code, err = newCode(g.Name(), u, verifying()); err != nil {
		return nil, inPass("lower", err)
	}
	return p, nil
}

// Snapshots gives the program after each pass, in text, for debugging. They are not kept
// with a program: the first call compiles it once more.
func (p *Program) Snapshots() []Snapshot { return p.snapshots() }

// String gives the kernels of the program in the order in which they run.
func (p *Program) String() string { return listText(p.code.kernels, kernelText) }

// Kernels gives the number of kernels that one run executes.
func (p *Program) Kernels() int { return len(p.code.kernels) }

// forEval gives the program that computes the outputs without the updates.
func (p *Program) forEval() (*Program, error) {
	p.evalOnce.Do(func() {
		for _, n := range p.outputs {
			if dependsOnUpdate(n) {
				p.evalErr = fmt.Errorf("exec: output %s is computed from the result of an update (%s): use Run", n.Label(), n.Pos())
				return
			}
		}
		p.eval, p.evalErr = Compile(p.source, Outputs(p.outputs...), OnWarning(func(*graph.Mistake) {}))
	})
	return p.eval, p.evalErr
}

// dependsOnUpdate reports whether a value is computed from what a run writes into its
// parameters or inputs.
func dependsOnUpdate(n *graph.Node) bool {
	live := reachable(n.Graph(), []*graph.Node{n})
	for _, x := range n.Graph().Nodes() {
		if live[x.ID()] && x.Op().Class == graph.Update && shapeinfer.Storage(x).Op().Class == graph.Source {
			return true
		}
	}
	return false
}
