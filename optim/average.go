package optim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
	"github.com/broadloom/broadloom/internal/nodecopy"
	"github.com/broadloom/broadloom/ops"
)

// Averages are means of parameters over the steps of training, which often perform better than the last values.
type Averages struct {
	updates []*graph.Node
	of      map[*graph.Node]*graph.Node
}

// EMA returns exponential moving averages of parameters: a = decay·a + (1-decay)·w after each step, where the first one
// is w itself (torch.optim.swa_utils, get_ema_multi_avg_fn). steps are the result of [Optimizer.Minimize]; a run in
// which [When] skips them does not count. Parameters whose steps have different conditions need separate calls. State:
// ema of each parameter, and ema_steps of the alphabetically first one.
func EMA(decay float64, params, steps []*graph.Node) Averages {
	trouble := ""
	if !(decay >= 0 && decay < 1) {
		trouble = fmt.Sprintf("the decay is %g; it must be at least 0 and less than 1", decay)
	}
	return average("ema", trouble, params, steps, func(*graph.Node) *graph.Node { return num(1 - decay) })
}

// SWA returns the means of parameters over all steps so far: a = a + (w-a)/n after the n-th (stochastic weight
// averaging; Izmailov and others, 2018). State: swa of each parameter, and swa_steps of the alphabetically first one.
func SWA(params, steps []*graph.Node) Averages {
	return average("swa", "", params, steps, func(n *graph.Node) *graph.Node { return ops.Div(num(1), n) })
}

// average moves each average by a share of its distance from the parameter.
func average(kind, trouble string, params, steps []*graph.Node, share func(n *graph.Node) *graph.Node) Averages {
	a := Averages{of: map[*graph.Node]*graph.Node{}}
	now := map[*graph.Node]*graph.Node{}
	for _, s := range steps {
		if s != nil && len(s.Operands()) > 0 {
			now[s.In(0)] = s
		}
	}
	if trouble == "" {
		trouble = paramTrouble(params)
	}
	if len(params) == 0 {
		return a
	}
	var when *graph.Node
	for i, w := range params {
		if trouble != "" {
			break
		}
		if now[w] == nil {
			trouble = fmt.Sprintf("none of the steps updates %s", w.Called())
			break
		}
		condition := conditionOf(now[w])
		if i > 0 && condition != when {
			trouble = fmt.Sprintf(
				"the steps of %s and %s have different conditions, optim.When: average them in separate calls",
				params[0].Called(), w.Called())
		}
		when = condition
	}
	fn := map[string]string{"ema": "EMA", "swa": "SWA"}[kind]
	if trouble != "" {
		refused, _ := refuseAll(fn, trouble, params)
		a.updates = refused[:1]
		return a
	}
	s := &shared{g: params[0].Graph(), fn: fn, when: when}
	count := ops.AddInPlace(s.state(firstName(params), kind+"_steps", graph.Int64, 0, nil), s.one())
	n := ops.Cast(count, graph.Float64)
	part := ops.Where(ops.Equal(count, graph.Num(1)), s.g.Scalar(graph.Float64, 1), share(n))
	a.updates = []*graph.Node{count}
	for _, w := range params {
		old := s.state(w.Name(), kind, w.DType(), 0, w.Shape())
		a.of[w] = old
		move := ops.Mul(ops.Sub(now[w], old), ops.Cast(part, w.DType()))
		if when != nil {
			a.updates = append(a.updates, s.write(old, ops.Add(old, move)))
			continue
		}
		a.updates = append(a.updates, ops.AddInPlace(old, move))
	}
	return a
}

// Updates returns the writes of the averages. Give them to exec.Updates with the steps.
func (a Averages) Updates() []*graph.Node { return a.updates }

// Of returns the average of a parameter, or nil: a state that can be read and saved.
func (a Averages) Of(w *graph.Node) *graph.Node { return a.of[w] }

// Evaluate returns a value, such as the loss or the output of a model, computed with the averages instead of the
// parameters: nodes of the same graph, for an evaluation program. The value must not depend on an in-place write.
func (a Averages) Evaluate(n *graph.Node) *graph.Node {
	if n == nil || n.Graph() == nil {
		return n
	}
	nodes := ancestors.Of(n.Graph(), n)
	for _, old := range nodes {
		if old.Op().Class == graph.Update {
			return refuse("Evaluate", fmt.Sprintf(
				"%s is written before the value to evaluate is computed: evaluate a value of the model before its updates",
				old.Called()), n)
		}
	}
	changed, bodies := dependents(nodes, a.of)
	c := nodecopy.New(n.Graph(), func(_ *graph.Node, build func()) { build() })
	defer c.Close()
	maps.Copy(c.Copies, a.of)
	for _, old := range nodes {
		for r := bodyOf(old); !bodies[r]; r = r.Parent() {
			if c.Bodies[r] = r; r == nil {
				break
			}
		}
	}
	for _, old := range nodes {
		if changed[old] {
			c.Copy(old)
		}
	}
	if made := c.Copies[n]; made != nil {
		return made
	}
	return n
}

// dependents returns which nodes are computed from values that are given, and which bodies of loops hold such nodes: a
// body is copied as a whole.
func dependents(nodes []*graph.Node, given map[*graph.Node]*graph.Node) (changed map[*graph.Node]bool,
	bodies map[*graph.Region]bool) {
	changed, bodies = map[*graph.Node]bool{}, map[*graph.Region]bool{}
	depends := func(n *graph.Node) bool {
		for r := bodyOf(n); r != nil; r = r.Parent() {
			if bodies[r] {
				return true
			}
		}
		return slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool {
			return given[x] != nil || changed[x]
		})
	}
	for before := -1; before < len(changed); { // what stands in a body before the first such node is found another time
		before = len(changed)
		for _, n := range nodes {
			if !changed[n] && depends(n) {
				changed[n] = true
				if r := bodyOf(n); r != nil {
					bodies[r] = true
				}
			}
		}
	}
	return changed, bodies
}

// bodyOf returns the body of the loop that a node is a part of, or leads out of.
func bodyOf(n *graph.Node) *graph.Region {
	if a, is := n.Loop(); is {
		return a.Body
	}
	return n.Region()
}
