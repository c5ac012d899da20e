package optim

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Averages are means of parameters over the steps of a training, which often do better than
// the last values.
type Averages struct {
	updates []*graph.Node
	of      map[*graph.Node]*graph.Node
}

// EMA returns exponential moving averages of parameters: a = decay·a + (1-decay)·w after each
// step, where the first one is w itself (torch.optim.swa_utils, get_ema_multi_avg_fn). steps
// are what [Optimizer.Minimize] returned. State: ema of each parameter, and ema_steps of the
// first one in the alphabet.
func EMA(decay float64, params, steps []*graph.Node) Averages {
	trouble := ""
	if !(decay >= 0 && decay < 1) {
		trouble = fmt.Sprintf("the decay is %g; it must be at least 0 and less than 1", decay)
	}
	return average("ema", trouble, params, steps, func(*graph.Node) *graph.Node { return num(1 - decay) })
}

// SWA returns the means of parameters over all steps so far: a = a + (w-a)/n after the n-th
// (stochastic weight averaging; Izmailov and others, 2018). State: swa of each parameter, and
// swa_steps of the first one in the alphabet.
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
	for _, w := range params {
		if trouble == "" && now[w] == nil {
			trouble = fmt.Sprintf("none of the steps updates %s", w.Called())
		}
	}
	fn := map[string]string{"ema": "EMA", "swa": "SWA"}[kind]
	if trouble != "" {
		refused, _ := refuseAll(fn, trouble, params)
		a.updates = refused[:1]
		return a
	}
	s := &shared{g: params[0].Graph(), fn: fn}
	count := ops.AddInPlace(s.state(firstName(params), kind+"_steps", graph.Int64, 0, nil), graph.Num(1))
	n := ops.Cast(count, graph.Float64)
	part := ops.Where(ops.Equal(count, graph.Num(1)), s.g.Scalar(graph.Float64, 1), share(n))
	a.updates = []*graph.Node{count}
	for _, w := range params {
		old := s.state(w.Name(), kind, w.DType(), 0, w.Shape())
		a.of[w] = old
		a.updates = append(a.updates, ops.AddInPlace(old, ops.Mul(ops.Sub(now[w], old), ops.Cast(part, w.DType()))))
	}
	return a
}

// Updates returns the writes of the averages. Give them to exec.Updates with the steps.
func (a Averages) Updates() []*graph.Node { return a.updates }

// Of returns the average of a parameter, or nil: a state that can be read and saved.
func (a Averages) Of(w *graph.Node) *graph.Node { return a.of[w] }

// Evaluate returns a value as it is with the averages in place of the parameters, such as
// the loss or the output of a model: nodes of the same graph, for a program that evaluates. It
// cannot be asked of a value that needs a write.
func (a Averages) Evaluate(n *graph.Node) *graph.Node {
	if n == nil || n.Graph() == nil {
		return n
	}
	made := map[*graph.Node]*graph.Node{}
	for w, mean := range a.of {
		made[w] = mean
	}
	needs := needed(n)
	for _, old := range n.Graph().Nodes() { // operands come first
		if made[old] != nil || !needs[old] {
			continue
		}
		if old.Op().Class == graph.Update {
			return refuse("Evaluate", fmt.Sprintf("%s is written for the value to evaluate: ask for one of the model before its updates", old.Called()), n)
		}
		in, changed := make([]*graph.Node, len(old.Operands())), false
		for i, x := range old.Operands() {
			in[i] = x
			if m := made[x]; m != nil {
				in[i], changed = m, changed || m != x
			}
		}
		made[old] = old
		if changed {
			made[old] = graph.Apply(old.Op(), old.Attrs(), in...)
		}
	}
	return made[n]
}

// needed returns the nodes of which a value is computed, itself among them.
func needed(n *graph.Node) map[*graph.Node]bool {
	found, left := map[*graph.Node]bool{n: true}, []*graph.Node{n}
	for len(left) > 0 {
		last := left[len(left)-1]
		left = left[:len(left)-1]
		for _, x := range last.Operands() {
			if !found[x] {
				found[x] = true
				left = append(left, x)
			}
		}
	}
	return found
}
