package optim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
)

// Optimizer is an update rule with its settings. It is made by functions such as [SGD] and [Adam], has no state, and
// may be used for several graphs.
type Optimizer struct {
	rule *rule
	settings
	groups   []group
	name     string
	when     *graph.Node
	troubles []string
}

// String returns the name of the update rule: "optim.Adam".
func (o Optimizer) String() string {
	if o.rule == nil {
		return "optim.Optimizer without a rule"
	}
	return "optim." + o.rule.name
}

// rule is an entry of the table of optimisers.
type rule struct {
	name      string
	defaults  settings
	options   string // those that not all optimisers have, by their names
	decoupled bool   // weight decay shrinks the parameter itself and leaves the gradient alone
	ownDecay  bool   // step adds the weight decay by itself
	matrices  bool   // it takes parameters of two axes alone
	// step returns what is subtracted from the parameter. It keeps its state with update.keep.
	step func(u *update, grad *graph.Node) *graph.Node
}

// rules is the table of optimisers.
var rules = []*rule{sgd, adam, adamW, adamax, nadam, radam, rmsProp, adagrad, adadelta, lion, adafactor, lamb, lars,
	rprop, asgd, muon}

// build makes an optimiser of an entry.
func build[R Rate](r *rule, rate R, opts []Option) Optimizer {
	o := Optimizer{rule: r, settings: r.defaults}
	o.setRate(scheduleOf(rate))
	o.apply(opts)
	return o
}

// apply applies options and notes what is wrong with the settings.
func (o *Optimizer) apply(opts []Option) {
	for _, set := range opts {
		if set != nil {
			set(o)
		}
	}
	o.wantAtLeastZero("weight decay", o.decay)
	o.wantAtLeastZero("epsilon", o.epsilon)
	o.wantAtLeastZero("decay of the momentum", o.momentumDecay)
	o.wantAtLeastZero("decay of the rate", o.rateDecay)
	o.wantAtLeastZero("initial accumulator", o.accumulator)
	o.wantAtLeastZero("least root mean square of a parameter", o.leastScale)
	o.wantAtLeastZero("threshold", o.threshold)
	o.wantAtLeastZero("negative of the decay of the second beta", -o.beta2Decay)
	o.wantAtLeastZero("trust coefficient", o.trust)
	o.wantAtLeastZero("lambda", o.lambda)
	o.wantAtLeastZero("power of the rate", o.ratePower)
	o.wantAtLeastZero("step from which on a mean is kept", o.averageFrom)
	if o.etaPlus != 0 && !(o.etaMinus > 0 && o.etaMinus < 1 && o.etaPlus > 1 && !math.IsInf(o.etaPlus, 1)) {
		o.fail("the factors of steps are %g and %g; the first must be between 0 and 1, and the second more than 1",
			o.etaMinus, o.etaPlus)
	}
	if !(o.leastStep >= 0 && o.leastStep <= o.mostStep) {
		o.fail("the step sizes are limited to %g to %g; the first must be at least 0, and the second not less",
			o.leastStep, o.mostStep)
	}
	o.wantFraction("momentum", o.momentum)
	o.wantFraction("first beta", o.beta1)
	o.wantFraction("second beta", o.beta2)
	o.wantFraction("smoothing", o.smoothing)
	if !(o.dampening >= 0 && o.dampening <= 1) {
		o.fail("the dampening is %g; it must be from 0 to 1", o.dampening)
	}
	if o.nesterov && (o.momentum == 0 || o.dampening != 0) {
		o.fail("Nesterov momentum needs a momentum and no dampening: use optim.Momentum, and leave out optim.Dampening")
	}
}

func (o *Optimizer) fail(format string, args ...any) {
	o.troubles = append(o.troubles, fmt.Sprintf(format, args...))
}

func (o *Optimizer) wantAtLeastZero(what string, v float64) {
	if !(v >= 0) || math.IsInf(v, 1) {
		o.fail("the %s is %g; it must be a number of at least 0", what, v)
	}
}

func (o *Optimizer) wantFraction(what string, v float64) {
	if !(v >= 0 && v < 1) {
		o.fail("the %s is %g; it must be at least 0 and less than 1", what, v)
	}
}

// Minimize returns the updates that reduce the loss: one for each parameter, in order, followed by those of the
// optimiser's state. Without parameters it uses those of [Trainable]. Parameters that are [Frozen] have no update, and
// no gradient is computed for them. Pass all updates to exec.Updates.
func (o Optimizer) Minimize(loss *graph.Node, params ...*graph.Node) []*graph.Node {
	if loss == nil || loss.Graph() == nil {
		return []*graph.Node{
			refuse("Minimize", "the loss is a number written in the program, not a value of a graph", loss)}
	}
	if len(params) == 0 {
		if params = Trainable(loss.Graph()); len(params) == 0 {
			return []*graph.Node{
				refuse("Minimize", fmt.Sprintf("graph %q has no floating-point parameters", loss.Graph().Name()), loss)}
		}
	}
	if trouble := o.trouble(params); trouble != "" {
		return []*graph.Node{refuse("Minimize", trouble, o.failedOr(loss, params))}
	}
	params = slices.DeleteFunc(slices.Clone(params), func(w *graph.Node) bool { return o.of(w).frozen })
	if len(params) == 0 {
		return []*graph.Node{refuse("Minimize", "all parameters are frozen", loss)}
	}
	if refused := refuseUnreached(loss, params); refused != nil {
		return []*graph.Node{refused}
	}
	grads := autodiff.Grad(loss, params)
	if trouble := o.unready(grads); trouble != "" {
		return []*graph.Node{refuse("Minimize", trouble, loss)}
	}
	return o.updates("Minimize", params, grads)
}

// Updates returns the updates for given gradients, such as those from [ClipNorm] or [Accumulate]: grads[i] is the
// gradient of params[i]. The result is like that of Minimize.
func (o Optimizer) Updates(params, grads []*graph.Node) []*graph.Node {
	if len(params) == 0 {
		return nil
	}
	trouble := o.trouble(params)
	if len(params) != len(grads) {
		trouble = fmt.Sprintf("there are %d parameters and %d gradients", len(params), len(grads))
	}
	if trouble == "" {
		trouble = o.unready(grads)
	}
	if trouble != "" {
		return []*graph.Node{refuse("Updates", trouble, o.failedOr(params[0], params))}
	}
	return o.updates("Updates", params, grads)
}

// failedOr returns a parameter, also one of a group, that stands for a mistake which was told, such as that of
// [Trainable]: what is refused because of it is not told again. Without one it returns another node.
func (o Optimizer) failedOr(other *graph.Node, params []*graph.Node) *graph.Node {
	for _, gr := range o.groups {
		params = append(params[:len(params):len(params)], gr.params...)
	}
	for _, w := range params {
		if w != nil && !w.Judged() {
			return w
		}
	}
	return other
}

// trouble says why the parameters cannot be updated with these settings, or "".
func (o Optimizer) trouble(params []*graph.Node) string {
	if len(o.troubles) > 0 {
		return o.troubles[0]
	}
	if trouble := paramTrouble(params); trouble != "" {
		return trouble
	}
	if o.rule.matrices {
		if trouble := matrixTrouble(o.String(), params); trouble != "" {
			return trouble
		}
	}
	for _, gr := range o.groups {
		for _, w := range gr.params {
			if w == nil || !slices.Contains(params, w) {
				return fmt.Sprintf("optim.For names %s, which is not among the parameters to update", w.Called())
			}
		}
	}
	if c := o.when; c != nil && c.Judged() && (c.Rank() != 0 || c.DType() != graph.Bool) {
		return fmt.Sprintf("the condition %s is %s%s; it must be a bool scalar", c.Called(), c.DType(), c.Shape())
	}
	for _, w := range params {
		of := o.of(w)
		if len(of.troubles) > 0 {
			return of.troubles[0]
		}
		if trouble := of.rate.trouble(); trouble != "" {
			return trouble
		}
	}
	return ""
}

// paramTrouble says which of the nodes is no parameter that can be trained, or "".
func paramTrouble(params []*graph.Node) string {
	for i, w := range params {
		switch {
		case w == nil:
			return fmt.Sprintf("parameter %d is nil", i)
		case !w.IsParam():
			return fmt.Sprintf("%s is %s, not a parameter", w.Called(), graph.Describe(w))
		case blockwise.Of(w) != nil:
			held := blockwise.Of(w)
			return fmt.Sprintf("%s belongs to a weight of %s: %s", w.Called(), held.Option(), held.NotTrained())
		case w.IsState():
			return fmt.Sprintf("%s is state, which optimisers do not train: declare it with Graph.ParamInit",
				w.Called())
		case slices.Contains(params[:i], w):
			return fmt.Sprintf("%s is listed twice among the parameters", w.Called())
		}
	}
	return ""
}

func (o Optimizer) updates(fn string, params, grads []*graph.Node) []*graph.Node {
	g := params[0].Graph()
	defer graph.AutocastKeeps.Begin(&params[0])() // updates are computed in the dtypes of their operands
	s := &shared{g: g, fn: fn, name: o.name, when: o.when, owner: firstName(params), owners: map[string]string{},
		scalars: map[scalarKey]*graph.Node{}}
	for _, w := range params {
		key := o.of(w).key
		if first, known := s.owners[key]; !known || w.Name() < first {
			s.owners[key] = w.Name()
		}
	}
	asked, found := false, false // of rows: see UsedRows
	for i, w := range params {
		if of := o.of(w); of.usedRows && !of.frozen {
			// what another mistake left unjudged is not known
			asked, found = true, found || !grads[i].Judged() || namesRows(grads[i])
		}
	}
	if asked && !found {
		return []*graph.Node{
			refuse(
				fn,
				"optim.UsedRows: no gradient is a sum by index, such as that of an embedding table; leave the option out",
				params[0])}
	}
	var writes []*graph.Node
	for i, w := range params {
		of := o.of(w)
		if of.frozen {
			continue
		}
		end := g.BeginUpdate(o.String(), w, grads[i])
		u := &update{shared: s, settings: of.settings, rule: o.rule, group: of.key, w: w, t: w.DType()}
		writes = append(writes, u.build(grads[i]))
		end()
		if s.refused != nil {
			return []*graph.Node{s.refused}
		}
	}
	return append(writes, s.writes...)
}

// Trainable returns the graph's floating-point parameters that are not state, in the order in which they were declared:
// those that [Optimizer.Minimize] uses. With scopes, such as the names of layers, it returns only those in one of them;
// a scope without any is a mistake.
func Trainable(g *graph.Graph, scopes ...string) (params []*graph.Node) {
	if g == nil {
		return nil
	}
	used := map[string]bool{}
	for _, p := range g.Params() {
		if !p.DType().IsFloat() || p.IsState() {
			continue
		}
		in := len(scopes) == 0
		for _, scope := range scopes {
			if p.Name() == scope || strings.HasPrefix(p.Name(), scope+".") {
				in, used[scope] = true, true
			}
		}
		if in {
			params = append(params, p)
		}
	}
	for _, scope := range scopes {
		if all := g.Params(); !used[scope] && len(all) > 0 {
			return []*graph.Node{graph.RefusedIn(g, "Trainable", noScope(g, scope, all))}
		}
	}
	return params
}

// noScope is the mistake of a scope without parameters. The help lists the scopes that there are.
func noScope(g *graph.Graph, scope string, params []*graph.Node) *graph.Mistake {
	m := &graph.Mistake{Code: graph.CodeOperand, Whole: true,
		Summary: fmt.Sprintf("Trainable: no parameter of graph %q is in scope %q", g.Name(), scope)}
	var scopes []string
	for _, p := range params {
		name, _, is := strings.Cut(p.Name(), graph.ScopeSeparator)
		if is && p.DType().IsFloat() && !p.IsState() && !slices.Contains(scopes, strconv.Quote(name)) {
			scopes = append(scopes, strconv.Quote(name))
		}
	}
	if more := len(scopes) - maxTold; more > 0 {
		scopes = append(scopes[:maxTold:maxTold], fmt.Sprintf("%d more", more))
	}
	if len(scopes) > 0 {
		m.Help = []string{"the outermost scopes of trainable parameters are " + strings.Join(scopes, ", ")}
	}
	return m
}

// firstName returns the name that is first in the alphabet: what belongs to all parameters is
// named after it, whatever their order.
func firstName(params []*graph.Node) string {
	first := params[0].Name()
	for _, w := range params {
		first = min(first, w.Name())
	}
	return first
}

// optimisersWith lists the optimisers that have an option.
func optimisersWith(option string) (names []string) {
	for _, r := range rules {
		if slices.Contains(strings.Fields(r.options), option) {
			names = append(names, r.name)
		}
	}
	return names
}

// refuse returns a refusal for updates that could not be built; fn is the user's word for them.
func refuse(fn, trouble string, about *graph.Node) *graph.Node {
	return graph.Refused(fn, nil, &graph.Mistake{Code: graph.CodeOperand, Summary: trouble}, about)
}
