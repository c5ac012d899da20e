package exec

import (
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
)

// evaluate computes nodes that need no input. It returns nil if that fails; the run then reports the failure at the
// user's line.
func (of *request) evaluate(g *graph.Graph, nodes []*graph.Node) map[*graph.Node]any {
	r := request{ctx: of.ctx, outputs: nodes, thresholds: lower.UsualThresholds}
	u := r.unit(g, len(g.Nodes()))
	for _, p := range passes {
		if p.needed && p.run(u) != nil {
			return nil
		}
	}
	u.Inputs, u.Params = nil, nil
	p, err := newProgram(g, r, u)
	if err != nil {
		return nil
	}
	out, err := p.NewSession().Run(r.ctx, nil)
	if err != nil {
		return nil
	}
	values := map[*graph.Node]any{}
	for _, n := range nodes {
		v, err := out.Array(n)
		if err != nil {
			return nil
		}
		values[n] = v.Data
	}
	return values
}
