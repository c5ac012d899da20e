package reach

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Plan is a program with the sharding of its inputs, its parameters and of values that were named. It
// never changes.
type Plan struct {
	graph            *graph.Graph
	mesh             Mesh
	outputs, updates []*graph.Node
	sizes            map[string]int
	shardings        map[*graph.Node]Sharding // of all inputs and parameters, and of constraints
	report           *shapeinfer.Report
}

// Shard says how a program of a graph is divided over a mesh, and checks it: nothing is computed. The error
// is a *shapeinfer.Report that holds every mistake, of the graph as of its shardings, each with its place in
// the user's program. Without [Outputs] and [Updates] the plan is one of the whole graph.
//
//	plan, err := reach.Shard(g, reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2)),
//		reach.Outputs(loss), reach.Updates(step...),
//		reach.Dim("batch", "data"), reach.Params("*.up.weight", "tensor", ""), reach.ZeRO("data"))
func Shard(g *graph.Graph, mesh Mesh, opts ...Option) (*Plan, error) {
	r := &request{graph: g, mesh: mesh, pos: graph.Caller()}
	for _, o := range opts {
		if o != nil {
			o(r)
		}
	}
	c := &checker{request: r, report: shapeinfer.CheckProgram(g, r.roots()...)}
	if g == nil {
		return nil, c.report.Err()
	}
	c.prover = prove.NewProver(g.Bounds)
	p := &Plan{graph: g, mesh: mesh, outputs: r.outputs, updates: r.updates, sizes: r.sizes,
		shardings: map[*graph.Node]Sharding{}, report: c.report}
	if c.begins() {
		c.assign(p)
		c.idle(p)
	}
	graph.SortMistakes(c.report.Errors)
	graph.SortMistakes(c.report.Warnings)
	if err := c.report.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// roots lists the outputs and updates that are nodes of the graph.
func (r *request) roots() []*graph.Node {
	all := slices.Concat(r.outputs, r.updates)
	return slices.DeleteFunc(all, func(n *graph.Node) bool { return n == nil || n.Graph() != r.graph })
}

// Graph returns the program's graph.
func (p *Plan) Graph() *graph.Graph { return p.graph }

// Mesh returns the mesh.
func (p *Plan) Mesh() Mesh { return p.mesh }

// Report returns the findings of the check: warnings and notes, and no errors.
func (p *Plan) Report() *shapeinfer.Report { return p.report }

// Sharding returns the sharding of an input, a parameter, or a value of [At]; ok is false for other values,
// whose sharding XLA finds.
func (p *Plan) Sharding(n *graph.Node) (s Sharding, ok bool) {
	s, ok = p.shardings[n]
	return s.clone(), ok
}

// Sizes returns the named sizes that were bound.
func (p *Plan) Sizes() map[string]int { return maps.Clone(p.sizes) }

// assign gives each input and each parameter its sharding.
func (c *checker) assign(p *Plan) {
	for _, at := range c.constraints {
		if c.admits(at) {
			p.shardings[at.node] = at.axes
		}
	}
	for _, x := range c.graph.Inputs() {
		c.assignTo(p, ofInputs, x, func() Sharding { return c.byDims(x) })
	}
	for _, w := range c.graph.Params() {
		if owner(w) == nil {
			c.assignTo(p, ofParams, w, func() Sharding { return replicated(w.Rank()) })
		}
	}
	for _, s := range c.graph.Params() {
		if w := owner(s); w != nil {
			c.assignTo(p, ofStates, s, func() Sharding { return c.byOwner(p, s, w) })
		}
	}
	c.unused()
	c.checkUpdates(p)
}

// assignTo gives a value the sharding of its constraint, of the first rule that matches its name, or another one.
func (c *checker) assignTo(p *Plan, kind ruleKind, n *graph.Node, otherwise func() Sharding) {
	rule := c.ruleFor(kind, n)
	switch _, constrained := p.shardings[n]; {
	case constrained:
	case rule == nil:
		p.shardings[n] = otherwise()
	case c.fits(n, rule.axes, rule.pos):
		p.shardings[n] = rule.axes
	default:
		p.shardings[n] = replicated(n.Rank())
	}
}

// ruleFor returns the first rule that matches a value's name, or nil, and records which ones do.
func (c *checker) ruleFor(kind ruleKind, n *graph.Node) (first *rule) {
	for _, r := range c.rules {
		if ok, err := path.Match(r.pattern, n.Name()); err != nil || !ok || r.kind != kind {
			continue
		}
		if first != nil {
			r.earlier++
			continue
		}
		first = r
		r.matches = append(r.matches, n)
	}
	return first
}

// owner returns the parameter about which an optimiser remembers s, or nil: the state of a parameter "w" is
// named "w.exp_avg" or, of an optimiser that has a name, "w.name.exp_avg".
func owner(s *graph.Node) *graph.Node {
	if !s.IsState() {
		return nil
	}
	for name := s.Name(); ; {
		dot := strings.LastIndex(name, graph.ScopeSeparator)
		if dot < 0 {
			return nil
		}
		name = name[:dot]
		if w := s.Graph().ByName(name); w != nil && w.IsParam() {
			return w
		}
	}
}

// byDims is the sharding of an input by the rules of named sizes.
func (c *checker) byDims(x *graph.Node) Sharding {
	s := replicated(x.Rank())
	for _, d := range c.dims {
		only := replicated(x.Rank())
		for axis, size := range x.Shape() {
			if size == c.graph.Settled(graph.SymbolicDim(d.dim)) {
				d.used, only[axis] = true, d.axes
				s[axis] = slices.Concat(s[axis], d.axes)
			}
		}
		if !c.isOnce(x, s, d.pos) || !c.divides(x, only, d.pos) {
			return replicated(x.Rank())
		}
	}
	return s
}

// byOwner is the sharding of an optimiser's state about a parameter.
func (c *checker) byOwner(p *Plan, s, w *graph.Node) Sharding {
	if !slices.Equal(s.Shape(), w.Shape()) {
		return replicated(s.Rank())
	}
	sharding := p.shardings[w].clone()
	for _, z := range c.zero {
		c.spread(s, sharding, z)
	}
	return sharding
}

// spread divides state along its first axis that can be over more mesh axes.
func (c *checker) spread(s *graph.Node, sharding Sharding, z *dimRule) {
	z.used = true
	if slices.ContainsFunc(z.axes, sharding.uses) {
		return // it is divided over them already, as its parameter is
	}
	for axis, size := range s.Shape() {
		n, known := c.graph.Known(size)
		if axes := slices.Concat(sharding[axis], z.axes); known && n%int64(c.mesh.parts(axes)) == 0 {
			sharding[axis] = axes
			return
		}
	}
}
