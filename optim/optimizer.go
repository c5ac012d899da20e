package optim

import (
	"fmt"
	"math"
	"strings"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
)

// Optimizer is an update rule with its settings. It is made by [SGD], [Momentum],
// [Adam] or [AdamW], holds no state, and may serve several graphs.
type Optimizer struct {
	name  string
	build rule
	settings
	troubles []string
}

// rule writes the update of one parameter. It gives the write of the parameter and then
// those of its state.
type rule func(u *update, w, grad *graph.Node) []*graph.Node

// newOptimizer applies the options and notes what is wrong with the settings.
func newOptimizer(name string, build rule, s settings, opts []Option) Optimizer {
	o := Optimizer{name: name, build: build, settings: s}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	if o.rateNode == nil {
		o.wantAtLeastZero("learning rate", o.rate)
	}
	o.wantAtLeastZero("weight decay", o.decay)
	o.wantAtLeastZero("epsilon", o.epsilon)
	o.wantFraction("momentum", o.momentum)
	o.wantFraction("first beta", o.beta1)
	o.wantFraction("second beta", o.beta2)
	return o
}

func (o *Optimizer) wantAtLeastZero(what string, v float64) {
	if !(v >= 0) || math.IsInf(v, 1) {
		o.troubles = append(o.troubles, fmt.Sprintf("the %s is %g; it must be a number of at least 0", what, v))
	}
}

func (o *Optimizer) wantFraction(what string, v float64) {
	if !(v >= 0 && v < 1) {
		o.troubles = append(o.troubles, fmt.Sprintf("the %s is %g; it must be at least 0 and less than 1", what, v))
	}
}

// Minimize returns the updates that make the loss smaller: one for each parameter, in
// their order, and then those of the optimiser's own state. Without parameters it
// takes all floating-point ones that the graph has so far, but for state: see
// [graph.Graph.State]. Give all updates to exec.Updates.
func (o Optimizer) Minimize(loss *graph.Node, params ...*graph.Node) []*graph.Node {
	if loss == nil || loss.Graph() == nil {
		return []*graph.Node{refuse("Minimize", "the loss is a number of the program, not a value of a graph", loss)}
	}
	if len(params) == 0 {
		if params = trainable(loss.Graph()); len(params) == 0 {
			return []*graph.Node{refuse("Minimize", fmt.Sprintf("graph %q has no floating-point parameters", loss.Graph().Name()), loss)}
		}
	}
	if trouble := o.trouble(params); trouble != "" {
		return []*graph.Node{refuse("Minimize", trouble, loss)}
	}
	return o.updates(params, autodiff.Grad(loss, params))
}

// Updates returns the updates for gradients of one's own, such as clipped ones: grads[i]
// is the gradient of params[i]. The result is that of Minimize.
func (o Optimizer) Updates(params, grads []*graph.Node) []*graph.Node {
	if len(params) == 0 {
		return nil
	}
	trouble := o.trouble(params)
	if len(params) != len(grads) {
		trouble = fmt.Sprintf("there are %d parameters and %d gradients", len(params), len(grads))
	}
	if trouble != "" {
		return []*graph.Node{refuse("Updates", trouble, params[0])}
	}
	return o.updates(params, grads)
}

// trouble says why the parameters cannot be updated with these settings, or "".
func (o Optimizer) trouble(params []*graph.Node) string {
	if len(o.troubles) > 0 {
		return o.troubles[0]
	}
	for i, w := range params {
		switch {
		case w == nil:
			return fmt.Sprintf("parameter %d is nil", i)
		case !w.IsParam():
			return fmt.Sprintf("%s is %s, not a parameter", w.Called(), graph.Describe(w))
		case w.IsState():
			return fmt.Sprintf("%s is state, which no optimiser trains: declare it with Graph.ParamInit", w.Called())
		}
	}
	if r := o.rateNode; r != nil && r.Judged() && (r.Rank() != 0 || !r.DType().IsFloat()) {
		return fmt.Sprintf("the learning rate %s is %s%s; it must be a floating-point scalar", r.Called(), r.DType(), r.Shape())
	}
	return ""
}

func (o Optimizer) updates(params, grads []*graph.Node) []*graph.Node {
	g := params[0].Graph()
	u := &update{Optimizer: o, g: g, scope: freeScope(g, strings.ToLower(o.name)), shared: map[graph.DType]correction{}}
	var writes, state []*graph.Node
	g.Scope(u.scope, func() {
		for i, w := range params {
			end := g.BeginUpdate("optim."+o.name, w, grads[i])
			list := o.build(u, w, grads[i])
			end()
			writes, state = append(writes, list[0]), append(state, list[1:]...)
		}
	})
	if u.count != nil {
		state = append(state, u.count)
	}
	return append(writes, state...)
}

// trainable lists the graph's floating-point parameters that are not state.
func trainable(g *graph.Graph) (params []*graph.Node) {
	for _, p := range g.Params() {
		if p.DType().IsFloat() && !p.IsState() {
			params = append(params, p)
		}
	}
	return params
}

// refuse stands for updates that could not be built; fn is the user's word for them.
func refuse(fn, trouble string, about *graph.Node) *graph.Node {
	op := &graph.Op{Name: "update", Func: fn, Doc: "updates that could not be built", Class: graph.Update, MinIn: 1, MaxIn: 1}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: trouble})
		return graph.InvalidDType, nil
	}
	return graph.Apply(op, nil, about)
}
