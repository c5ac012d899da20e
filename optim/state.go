package optim

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// update is what the updates of all parameters in one call share.
type update struct {
	Optimizer
	g      *graph.Graph
	scope  string
	count  *graph.Node // the number of steps, this one included; nil where no rule asked
	shared map[graph.DType]correction
}

// state declares what the optimiser remembers about a parameter. It starts with zeros.
func (u *update) state(kind string, w *graph.Node) (s *graph.Node) {
	u.g.Scope(kind, func() { s = u.g.State(w.Name(), w.DType(), nil, w.Shape()...) })
	return s
}

// steps returns the number of steps, this one included.
func (u *update) steps() *graph.Node {
	if u.count == nil {
		u.count = ops.AddInPlace(u.g.State("step", graph.Int64, nil), graph.Num(1))
	}
	return u.count
}

// learningRate returns the rate as an operand for values of dtype t.
func (u *update) learningRate(t graph.DType) *graph.Node {
	if u.rateNode == nil {
		return graph.Num(u.rate)
	}
	return ops.Cast(u.rateNode, t)
}

// decayed adds the weight decay to a gradient.
func (u *update) decayed(w, grad *graph.Node) *graph.Node {
	if u.decay == 0 {
		return grad
	}
	return ops.Add(grad, ops.Mul(w, graph.Num(u.decay)))
}

// freeScope returns the optimiser's name, numbered where the graph has parameters in a scope of
// that name.
func freeScope(g *graph.Graph, name string) string {
	taken := map[string]bool{}
	for _, p := range g.Params() {
		outermost, _, _ := strings.Cut(p.Name(), graph.ScopeSeparator)
		taken[outermost] = true
	}
	scope := name
	for n := 2; taken[scope]; n++ {
		scope = fmt.Sprintf("%s%d", name, n)
	}
	return scope
}
