package broadloom

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/optim"
)

// Peer is Broadloom.
type Peer struct{}

// Name implements suite.Peer.
func (Peer) Name() string { return "broadloom" }

// Mode implements suite.Peer: the instruction set.
func (Peer) Mode(suite.Config) string { return cpu.Chosen().String() }

// Modules implements suite.Peer.
func (Peer) Modules() []string { return []string{"github.com/broadloom/broadloom"} }

// Prepare implements suite.Peer.
func (Peer) Prepare(w suite.Workload, in *suite.Inputs, _ suite.Config) (suite.Program, error) {
	return New(w, in)
}

// Profile measures the kernels of a workload in some runs.
func Profile(ctx context.Context, w suite.Workload, runs int) (*exec.Profile, error) {
	p, err := New(w, w.Inputs())
	if err != nil {
		return nil, err
	}
	return p.session.Profile(ctx, p.feed, runs)
}

// New prepares a workload.
func New(w suite.Workload, in *suite.Inputs) (*Program, error) { return NewIn(graph.Float32, w, in) }

// NewIn prepares a workload whose model is built within Autocast.
func NewIn(dtype graph.DType, w suite.Workload, in *suite.Inputs) (*Program, error) {
	build, ok := builders[w.Kind]
	if !ok {
		return nil, suite.ErrNotExpressible
	}
	start := time.Now()
	g := graph.New(w.Name)
	nodes, feed := declare(g, in)
	var results, updates []*graph.Node
	g.Autocast(dtype, func() { results, updates = build(nodes) })
	p := &Program{feed: feed, results: results}
	if o := optimizer(w.Optimizer); o != nil {
		for _, t := range in.Trained() {
			p.trained = append(p.trained, g.ByName(t.Name))
		}
		updates = append(updates, o.Minimize(results[0], p.trained...)...)
	}
	prog, err := exec.Compile(g, exec.Outputs(results...), exec.Updates(updates...))
	if err != nil {
		return nil, err
	}
	p.compilation = time.Since(start)
	values := exec.Feed{}
	for _, t := range in.Tensors {
		if t.Trained || t.Held {
			values[g.ByName(t.Name)] = array(t)
		}
	}
	p.session = prog.NewSession(exec.BorrowParams(values))
	return p, nil
}

// declare makes an input for each tensor, and a parameter for each that is trained or held, but
// for those of layers, which have names with a dot.
func declare(g *graph.Graph, in *suite.Inputs) (leaves, exec.Feed) {
	nodes, feed := leaves{}, exec.Feed{}
	for _, t := range in.Tensors {
		shape := graph.MakeShape(t.Shape...)
		dtype := graph.Float32
		if t.Int != nil {
			dtype = graph.Int64
		}
		if strings.Contains(t.Name, ".") {
			continue
		}
		if t.Trained || t.Held {
			nodes[t.Name] = g.Param(t.Name, dtype, shape...)
			continue
		}
		nodes[t.Name] = g.Input(t.Name, dtype, shape...)
		feed[nodes[t.Name]] = array(t)
	}
	return nodes, feed
}

func array(t *suite.Tensor) exec.Array {
	if t.Int != nil {
		return exec.Array{Shape: t.Shape, Data: t.Int}
	}
	return exec.Array{Shape: t.Shape, Data: t.Float}
}

// minimizer is the common interface of update rules.
type minimizer interface {
	Minimize(loss *graph.Node, params ...*graph.Node) []*graph.Node
}

func optimizer(o suite.Optimizer) minimizer {
	switch o {
	case suite.SGD:
		return optim.SGD(suite.SGDRate)
	case suite.Adam:
		return optim.Adam(suite.AdamRate)
	}
	return nil
}

// Program is a prepared workload.
type Program struct {
	trained []*graph.Node
	session *exec.Session
	feed    exec.Feed
	results []*graph.Node
	out     *exec.Results

	compilation time.Duration
}

// Compilation is the time from an empty graph to its program, derivatives included.
func (p *Program) Compilation() time.Duration { return p.compilation }

// Step implements suite.Program.
func (p *Program) Step() (err error) {
	p.out, err = p.session.Run(context.Background(), p.feed)
	return err
}

// Trained returns the values of the trained tensors, in order.
func (p *Program) Trained() ([][]float32, error) {
	list := make([][]float32, len(p.trained))
	for i, n := range p.trained {
		a, err := p.session.Param(n)
		if err != nil {
			return nil, err
		}
		list[i] = a.Data.([]float32)
	}
	return list, nil
}

// Peak is the bytes of the arena and of memory kept from call to call: what a call needs besides inputs, parameters and
// results.
func (p *Program) Peak() (int, error) {
	s, err := p.session.Program().Stats(nil)
	if err != nil {
		return 0, err
	}
	return s.Peak + s.Kept, nil
}

// Results implements suite.Program.
func (p *Program) Results() ([][]float32, error) {
	list := make([][]float32, len(p.results))
	for i, n := range p.results {
		a, err := p.out.Array(n)
		if err != nil {
			return nil, fmt.Errorf("broadloom: %w", err)
		}
		list[i] = a.Widened().Data.([]float32)
	}
	return list, nil
}

func numbered(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }
