package exec

import (
	"fmt"
	"sync"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Program is a compiled graph. It never changes: any number of goroutines may make
// sessions of it.
type Program struct {
	source    *graph.Graph
	request   request
	inputs    []inputSpec
	params    []*graph.Node // of the user's graph
	written   []int         // the numbers of those that a run writes
	outputs   []*graph.Node // of the user's graph
	results   []*storage    // where the outputs lie
	kernels   []kernel
	storages  []*storage // of the arena
	storageOf map[*graph.Node]*storage
	consts    []*graph.Node
	faults    []fault
	needs     []graph.Requirement
	compiled  []backend.Kernel // all row programs

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
	p := &Program{source: g, request: r, outputs: r.outputs, kernels: u.kernels, storages: u.storages,
		storageOf: u.storageOf, consts: u.consts, faults: u.faults, built: u.built, graph: u.g, roots: u.roots}
	p.inputs = r.inputSpecs(g, u)
	for i, s := range u.params {
		p.params = append(p.params, s.user)
		if u.writes.IsWritten(s.own) {
			p.written = append(p.written, i)
		}
	}
	for _, n := range u.roots[:u.nOutputs] {
		p.results = append(p.results, u.storageOf[shapeinfer.Viewed(n)])
	}
	if err := p.compile(u); err != nil {
		return nil, err
	}
	p.needs = r.needs
	return p, nil
}

// compile makes kernels of all row programs.
func (p *Program) compile(u *unit) (err error) {
	var parts []*part
	var programs []*rowprog.Program
	for _, k := range p.kernels {
		for _, part := range k.loops() {
			parts, programs = append(parts, part), append(programs, part.prog)
		}
	}
	tiled, tiles := u.tilePrograms()
	var flat []*part
	for _, part := range tiled {
		if part.prog.Outer == 0 {
			flat, programs = append(flat, part), append(programs, inRows(part.prog))
		}
	}
	if p.compiled, err = backend.CompileAll(programs...); err != nil {
		return &BugError{Pass: "lower", Err: err}
	}
	for i, part := range parts {
		part.kernel, part.edges = p.compiled[i], p.compiled[i]
	}
	for i, part := range flat {
		part.edges = p.compiled[len(parts)+i]
	}
	for i, made := range backend.CompileTiles(tiles) {
		tiled[i].tiles = made
	}
	return nil
}

// Snapshots gives the program after each pass, in text, for debugging. They are not kept
// with a program: the first call compiles it once more.
func (p *Program) Snapshots() []Snapshot { return p.snapshots() }

// String gives the kernels of the program in the order in which they run.
func (p *Program) String() string { return listText(p.kernels, kernelText) }

// Kernels gives the number of kernels that one run executes.
func (p *Program) Kernels() int { return len(p.kernels) }

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
