package autodiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/internal/gradcut"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// Option is an option of [Grad].
type Option func(*settings)

type settings struct {
	unused   bool
	upstream *graph.Node
	anyShape bool // whether y may have any shape although no gradient is given that arrives there
}

// ZeroForUnused makes [Grad] return zeros as the gradient of a value on which the result does not depend. Without it,
// that is a mistake: most often a connection was forgotten.
func ZeroForUnused() Option { return func(s *settings) { s.unused = true } }

// Grad returns the gradients of the scalar y with respect to each of the values wrt, which may be any nodes of
// floating-point dtype in y's graph. Each gradient has its value's shape and dtype, but Float32 for a storage-only
// dtype. Within [graph.Graph.WithParams], a replaced parameter in wrt counts as its value. Mistakes are recorded in the
// graph.
func Grad(y *graph.Node, wrt []*graph.Node, opts ...Option) []*graph.Node {
	var s settings
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	grads := make([]*graph.Node, len(wrt))
	if bad := checkAsked(y, wrt, s); bad != nil {
		for i := range grads {
			grads[i] = bad
		}
		return grads
	}
	wrt = y.Graph().ValuesOf(wrt)
	w := newReversePass(y.Graph(), 0)
	w.settings = s
	if s.upstream != nil {
		w.upstream = s.arriving(y)
	}
	defer graph.AutocastKeeps.Begin(&y)() // gradients have the dtypes of the forward operations
	w.run(y, wrt)
	for i, x := range wrt {
		grads[i] = w.result(y, x)
		y.Graph().MarkGradient(grads[i], y, x, w.upstream)
	}
	if w.failed == nil {
		refuseParts(y, wrt, grads)
	}
	return grads
}

// problem is why a gradient could not be formed. The zero value says nothing: the cause is a mistake that was reported
// elsewhere.
type problem struct {
	Summary string
	Help    string
	Detail  string // lines
}

// mistake is the problem as a message; nil if it says nothing.
func (p problem) mistake() *graph.Mistake {
	if p == (problem{}) {
		return nil
	}
	m := &graph.Mistake{Code: graph.CodeGradient, Summary: p.Summary}
	if p.Help != "" {
		m.Help = []string{p.Help}
	}
	if p.Detail != "" {
		m.Detail = strings.Split(p.Detail, "\n")
	}
	return m
}

// refuse returns a node for a gradient that could not be formed.
func refuse(p problem, about ...*graph.Node) *graph.Node {
	return graph.Refused("Grad", nil, p.mistake(), about...)
}

// isRefused reports whether a value has a reported mistake, or any operation on it is one, since it is a value of a
// finished body.
func isRefused(x *graph.Node) bool { return !x.Judged() || x.OutsideOfBody("") != nil }

// checkAsked refuses values without gradients before any work is done. It returns the node that replaces all results,
// or nil.
func checkAsked(y *graph.Node, wrt []*graph.Node, s settings) *graph.Node {
	switch {
	case y == nil:
		known := slices.DeleteFunc(slices.Clone(wrt), func(x *graph.Node) bool { return x == nil })
		return refuse(problem{Summary: "the value to differentiate is nil"}, known...)
	case y.Graph() == nil || isRefused(y):
		return refuse(problem{}, y)
	case len(wrt) == 0:
		return refuse(problem{Summary: "no value was given with respect to which " + y.Called() +
			" is to be differentiated"}, y)
	case !y.DType().IsFloat():
		return refuse(
			problem{
				Summary: fmt.Sprintf(
					"the gradient of %s, of dtype %s, does not exist: only floating-point values have one", y.Called(),
					y.DType())}, y)
	case s.upstream == nil && !s.anyShape && y.Rank() != 0 && y.Shape().NumElements() != 1:
		return refuse(
			problem{Summary: fmt.Sprintf("grad can be implicitly created only for scalar outputs, but %s has shape %s",
				y.Called(), y.Shape()),
				Help: "reduce it first, with ops.Sum or ops.Mean; or pass its upstream gradient: autodiff.Upstream(dy)"},
			y)
	case s.upstream != nil:
		if p := checkUpstream(s.upstream, y); p != (problem{}) {
			return refuse(p, y)
		}
	}
	for i, x := range wrt {
		switch {
		case x == nil:
			return refuse(
				problem{Summary: fmt.Sprintf("value %d, with respect to which to differentiate, is nil", i)}, y)
		case x.Graph() != y.Graph():
			return refuse(problem{Summary: fmt.Sprintf("%s belongs to another graph", x.Called())}, y)
		case isRefused(x):
			return refuse(problem{}, x)
		case !x.DType().IsFloat():
			p := problem{Summary: fmt.Sprintf("%s has dtype %s: only floating-point values have gradients", x.Called(),
				x.DType())}
			if w := blockwise.Of(x); w != nil {
				p.Help = w.NotTrained()
			}
			return refuse(p, y, x)
		}
	}
	return nil
}

// reversePass is one reverse pass.
type reversePass struct {
	settings
	g *graph.Graph
	// first is the least number of a node whose gradient is propagated; earlier values only receive theirs.
	first int
	// cotangents holds, by node, the gradients that have come from its users.
	cotangents map[*graph.Node][]cotangent
	// needed marks the nodes on a path from a wanted value to y.
	needed map[*graph.Node]bool
	failed *graph.Node
	// put decides, if set, about a gradient that is left for later: see [loopPass].
	put func(n, dy *graph.Node, i int) bool
	// standIns are the stand-ins by which gradients are rounded once; nil within the rule of an operation.
	standIns *graph.StandIns
}

func newReversePass(g *graph.Graph, first int) *reversePass {
	return &reversePass{g: g, first: first, cotangents: map[*graph.Node][]cotangent{}, needed: map[*graph.Node]bool{},
		standIns: graph.NewStandIns(g)}
}

// cotangent is a gradient in the shape in which a user read the value. Gradients of one shape are added before they are
// summed over the axes along which the value was repeated, so that there is one sum for all of them.
type cotangent struct {
	dx    *graph.Node
	kinds []graph.AxisKind
}

func (w *reversePass) run(y *graph.Node, wrt []*graph.Node) {
	nodes := w.g.Nodes()[:y.ID()+1]
	w.mark(nodes, wrt)
	for _, n := range nodes[min(w.first, len(nodes)):] {
		if w.needed[n] && n.Err() != nil {
			w.failed = refuse(problem{}, n)
			return
		}
	}
	if !w.needed[y] {
		return
	}
	w.accumulate(y, cotangent{dx: w.seed(y)})
	w.sweep(nodes)
}

// mark finds the nodes on a path from a wanted value.
func (w *reversePass) mark(nodes, wrt []*graph.Node) {
	for _, x := range wrt {
		w.needed[x] = true
	}
	for i := w.first; i < len(nodes); i++ {
		n := nodes[i]
		for _, x := range n.Operands() {
			if w.needed[x] && (n.DType().IsFloat() || n.Op().Class == graph.Loop) {
				w.needed[n] = true
				break
			}
		}
		if a, isLoop := n.Loop(); isLoop && a.Role > graph.LoopEnd && w.needed[n] {
			w.needed[n.In(0)] = true // what is kept of all steps may depend on nothing that is carried
		}
	}
}

// sweep propagates the gradients of nodes to their operands, the last node first.
func (w *reversePass) sweep(nodes []*graph.Node) {
	for i := len(nodes) - 1; i >= w.first && w.failed == nil; i-- {
		n := nodes[i]
		switch a, isLoop := n.Loop(); {
		case !w.needed[n]:
		case isLoop && a.Role == graph.LoopEnd:
			w.g.WithOrigin(n, func() { w.backpropLoop(n, nodes[i:]) })
		case isLoop && a.Role > graph.LoopEnd: // the end of the loop collects what has come to it
		case isLoop && !slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return w.needed[x] }):
			// a wanted value of a body
		case w.cotangents[n] != nil && len(n.Operands()) > 0:
			w.g.WithOrigin(n, func() { w.backprop(n, w.gradient(n)) })
		}
	}
}

func (w *reversePass) seed(y *graph.Node) *graph.Node {
	if w.upstream != nil {
		return w.upstream
	}
	var one *graph.Node
	w.g.WithOrigin(y, func() { one = ops.Cast(ops.FullLike(y, 1), y.DType().Gradient()) })
	return one
}

// backprop propagates n's gradient to its operands.
func (w *reversePass) backprop(n, dy *graph.Node) {
	if !dy.Judged() {
		w.failed = dy
		return
	}
	if n.Op().Class == graph.Update && w.needed[n.In(0)] && alias.Storage(n).Op().Class == graph.Source {
		w.failed = refuseLeaf(n)
		return
	}
	if w.roundsOnce(n) {
		w.backpropOnce(n, dy)
		return
	}
	rule := w.rule(n, n, dy)
	for i := range n.Operands() {
		w.send(rule, n, dy, i)
	}
}

// rule returns the gradient rule of n, which is called for the gradients of m: n itself, or a node in its place.
func (w *reversePass) rule(n, m, dy *graph.Node) func(n, dy *graph.Node, i int) *graph.Node {
	rule := n.Op().Grad
	switch {
	case n.Op().Fill && w.needed[n.In(1)] && w.repeats(n):
		w.failed = refuse(
			problem{
				Summary: fmt.Sprintf(
					"%s, made at %s, fills a view that contains elements more than once: the repetitions have no separate gradients",
					graph.Calling(n), n.Pos()),
				Help: "fill a view that contains each element once, such as one of ops.Slice or ops.Select"}, n)
	case n.Op().Class == graph.Loop:
		w.failed = w.refuseOtherSteps(n)
	case rule == nil && n.Op().Class == graph.Composite:
		return w.compositeRule(n, m, dy)
	case rule == nil:
		w.failed = refuse(noGradient(n), n)
	}
	return rule
}

// noGradient is why a gradient that would flow through a node could not be formed.
func noGradient(n *graph.Node) problem {
	p := problem{Summary: fmt.Sprintf("no gradient is defined through %s, made at %s", graph.Calling(n), n.Pos()),
		Help: "stop the gradient with ops.StopGradient, or use operations that have gradients"}
	if n.Op().Ordered {
		p.Help = "stop the gradient with ops.StopGradient, or pass a backward function to the call"
	}
	return p
}

// takes reports whether the gradient of operand i of n is needed now.
func (w *reversePass) takes(n, dy *graph.Node, i int) bool {
	x := n.In(i)
	return w.failed == nil && w.needed[x] && x.DType().IsFloat() && (w.put == nil || !w.put(n, dy, i))
}

// send propagates n's gradient to operand i.
func (w *reversePass) send(rule func(n, dy *graph.Node, i int) *graph.Node, n, dy *graph.Node, i int) {
	if !w.takes(n, dy, i) {
		return
	}
	if dx := w.ask(rule, n, dy, i); dx != nil {
		w.accumulate(n.In(i), cotangent{dx, w.repetition(n, i, dx)})
	}
}

// repeats reports whether elements of a value may share a cell.
func (w *reversePass) repeats(n *graph.Node) bool {
	return alias.Repeats(prove.NewProver(w.g.Bounds), n) != prove.Refused
}

// accumulate adds a gradient to earlier ones of the same shape.
func (w *reversePass) accumulate(x *graph.Node, a cotangent) {
	list := w.cotangents[x]
	for i, old := range list {
		if old.dx.Shape().Equal(a.dx.Shape()) && slices.Equal(old.kinds, a.kinds) {
			list[i].dx = ops.Add(old.dx, a.dx)
			return
		}
	}
	w.cotangents[x] = append(list, a)
}

// repetition says how operand i of n was repeated to the shape of its gradient; nil if it was not.
func (w *reversePass) repetition(n *graph.Node, i int, dx *graph.Node) []graph.AxisKind {
	x := n.In(i)
	if !dx.Judged() || dx.Shape().Equal(x.Shape()) {
		return nil
	}
	if kinds := n.Stretch(i); kinds != nil && len(kinds) == dx.Rank() {
		return kinds
	}
	rules := rules.Rules{Names: w.g.Policy().Names, Bounds: w.g.Bounds}
	return rules.Stretch(x.Shape(), dx.Shape())
}

// gradient returns the whole gradient of a value: all contributions, summed over the axes along which the value was
// repeated. This is where broadcasting is undone.
func (w *reversePass) gradient(x *graph.Node) *graph.Node {
	var total *graph.Node
	for _, a := range w.cotangents[x] {
		dx := a.dx
		if a.kinds != nil {
			dx = ops.SumTo(dx, x.Shape(), a.kinds)
		}
		if total != nil {
			dx = ops.Add(total, dx)
		}
		total = dx
	}
	w.cotangents[x] = []cotangent{{dx: total}}
	return total
}

func (w *reversePass) result(y, x *graph.Node) *graph.Node {
	switch {
	case w.failed != nil:
		return w.failed
	case w.cotangents[x] != nil:
		var dx *graph.Node
		w.g.WithOrigin(x, func() {
			if dx = w.gradient(x); dx == w.upstream {
				dx = ops.Expand(dx, x.Shape()...) // a node of its own, to be marked as this gradient
			}
		})
		return dx
	case w.unused || dependsOn(y, x):
		return ops.Cast(ops.ZerosLike(x), x.DType().Gradient())
	}
	p := problem{Summary: fmt.Sprintf("%s does not depend on %s", y.Called(), x.Called()),
		Help: "leave it out, or ask for zeros: autodiff.ZeroForUnused()"}
	if cuts := gradcut.Between(y, x); len(cuts) > 0 {
		p.Summary = fmt.Sprintf("no gradient of %s flows to %s, on which it depends", y.Called(), x.Called())
		p.Detail = strings.Join(cuts, "\n")
		p.Help = "connect it through floating-point values, without ops.StopGradient; or leave it out, or ask for zeros: autodiff.ZeroForUnused()"
	}
	return refuse(p, y, x)
}

// refuseLeaf refuses a write to a value with respect to which the result of the write is differentiated: no old value
// is left to which a gradient could belong. PyTorch says "a leaf Variable that requires grad is being used in an
// in-place operation."
func refuseLeaf(write *graph.Node) *graph.Node {
	what, leaf := "a leaf that requires grad", alias.Storage(write)
	if len(alias.ViewsOf(write)) > 0 {
		what = "a view of " + what
	}
	write.Refuse(&graph.Mistake{Code: graph.CodeLeaf,
		Summary:  what + " is written inside the graph that is differentiated",
		Operands: []graph.OperandNote{{Node: leaf, Text: "(needs gradient)"}},
		Detail:   []string{fmt.Sprintf("the gradient through the write is requested at %s", graph.Caller())},
		Help: []string{
			fmt.Sprintf(
				"write it in the update step, outside of the differentiated program; or compute a new value from %s",
				leaf.Called()),
		}})
	return refuse(problem{}, write)
}
