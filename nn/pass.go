package nn

import (
	"fmt"
	"math/rand/v2"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Pass is one application of a model, for training or evaluation. It tells layers such as dropout and batch
// normalization which of the two it is, and collects what a training step must write besides the weights:
//
//	pass := nn.Training(g)
//	loss := ops.CrossEntropy(model.Apply(pass, x), label)
//	step := optim.Adam(1e-3).Minimize(loss)
//	train, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...), exec.Updates(pass.Updates()...))
//
//	logits := model.Apply(nn.Evaluation(g), x)
//	eval, err := exec.Compile(g, exec.Outputs(logits))
//
// Compile warns if a write of a pass is forgotten.
type Pass struct {
	g        *graph.Graph
	training bool
	random   *graph.Node
	states   []*graph.Node               // that are written, in the order of their first writes
	values   map[*graph.Node]*graph.Node // what they hold after the writes so far
	outer    *Pass                       // of a pass of a loop's step: see Carrying
	refused  *graph.Region               // the body of which a mistake was told
}

// Training starts a training pass: dropout is active, and batches are normalized by their own statistics, which update
// the running ones.
func Training(g *graph.Graph) *Pass { return &Pass{g: g, training: true} }

// Evaluation starts an evaluation pass: the result for each example does not depend on the rest of the batch.
func Evaluation(g *graph.Graph) *Pass { return &Pass{g: g} }

// IsTraining reports whether it is a training pass.
func (p *Pass) IsTraining() bool { return p != nil && p.training }

// String names the kind of pass and its graph.
func (p *Pass) String() string {
	use := "evaluation"
	if p.IsTraining() {
		use = "training"
	}
	if p == nil || p.g == nil {
		return "pass of " + use + " without a graph"
	}
	return fmt.Sprintf("pass of %s of graph %q", use, p.g.Name())
}

// Graph returns the graph in which the pass builds.
func (p *Pass) Graph() *graph.Graph {
	if p == nil {
		return nil
	}
	return p.g
}

// Carrying returns a pass for a step of a loop that carries states of layers, such as running statistics, as the given
// values. In it [Pass.Value] is the carried value of a state, and a write makes the next one, which the body returns.
// The pass around the loop writes the loop's results:
//
//	states := []*graph.Node{norm.RunningMean, norm.RunningVar}
//	final := ops.Fori(steps, append([]*graph.Node{x}, states...), func(_ *graph.Node, c []*graph.Node) []*graph.Node {
//		step := pass.Carrying(states, c[1:])
//		next := norm.Apply(step, c[0])
//		return []*graph.Node{next, step.Value(states[0]), step.Value(states[1])}
//	})
//	for i, s := range states {
//		pass.Write(s, final[1+i])
//	}
//
// Everything else, such as the seed of dropout, is as in the pass around it: the same in each step.
func (p *Pass) Carrying(states, values []*graph.Node) *Pass {
	if p == nil {
		return nil
	}
	step := &Pass{g: p.g, training: p.training, values: map[*graph.Node]*graph.Node{}, outer: p}
	for i, s := range states[:min(len(states), len(values))] {
		step.values[s] = values[i]
	}
	return step
}

// Value returns the value of a state at this point of the pass: the last one written, or the state itself.
func (p *Pass) Value(state *graph.Node) *graph.Node {
	switch {
	case p == nil:
		return state
	case p.values[state] != nil:
		return p.values[state]
	}
	return p.outer.Value(state)
}

// Write gives a state, of [graph.Graph.State], a new value of its shape and dtype, and returns the write. Programs
// that get [Pass.Updates] perform it. If a layer is applied twice, the second write follows the first. A value that
// is not state, such as one that a loop carries, is not written: [Pass.Value] returns the new value, which the body
// returns.
func (p *Pass) Write(state, value *graph.Node) *graph.Node {
	if p == nil {
		return unbuilt("Write", noPass, state)
	}
	if p.outer != nil && p.values[state] == nil {
		return p.outer.Write(state, value)
	}
	if p.values == nil {
		p.values = map[*graph.Node]*graph.Node{}
	}
	if p.outer != nil {
		p.values[state] = value
		return value
	}
	if body := writtenIn(state, value); body != nil {
		return p.refuseIn(body, state, value)
	}
	if state != nil && state.Judged() && !state.IsParam() && !state.IsInput() {
		p.values[state] = value
		return value
	}
	// The passes of a graph are for programs of their own: Compile refuses two of them in one.
	var write *graph.Node
	build := func() {
		write = ops.CopyInPlace(p.Value(state), value).Silence(graph.CodeWriters).HandOut(
			"pass the updates of the training pass to the program: exec.Updates(pass.Updates()...)")
	}
	if state != nil && state.Graph() != nil {
		state.Graph().Within(nil, build) // once in a run, also where a layer stands in a body
	} else {
		build()
	}
	if p.values[state] == nil {
		p.states = append(p.states, state)
	}
	p.values[state] = write
	return write
}

// writtenIn returns the body of a loop, or the branch of ops.Cond, in which a state of the graph would be written; nil
// for none.
func writtenIn(state, value *graph.Node) *graph.Region {
	if state == nil || value == nil || !state.IsState() || value.Graph() != state.Graph() {
		return nil
	}
	if open := value.Graph().Region(); open != nil && open.Spec().Whole {
		return open
	}
	return value.Region()
}

// refuseIn returns a refusal of a write in a body. Of several states of a body it names one.
func (p *Pass) refuseIn(body *graph.Region, state, value *graph.Node) *graph.Node {
	if p.refused == body {
		return unbuilt("Write", "", value)
	}
	p.refused = body
	where, outside, handOn := "the body of a loop", "before or after the loop, to all steps at once",
		"let the loop carry the state"
	switch spec := body.Spec(); {
	case spec.Whole:
		where, outside, handOn = "a branch of ops.Cond", "before it",
			"let both branches return the new value of the state"
	case spec.Example:
		where, outside, handOn = "the function of an example", "outside the function, to all examples at once",
			"return the new value of the state for each example"
	}
	return graph.Refused("Write", nil, &graph.Mistake{Code: graph.CodeLoop,
		Summary: fmt.Sprintf("%s would write %s, a state, which can only be written once in a run", where,
			state.Called()),
		Help: []string{
			"apply the layer " + outside,
			"or use an evaluation pass there, nn.Evaluation(g): it reads the state and does not write it",
			"or " + handOn + ": see nn.Pass.Carrying",
		}}, value)
}

// Updates returns the writes of the pass, for exec.Updates.
func (p *Pass) Updates() (writes []*graph.Node) {
	if p == nil {
		return nil
	}
	for _, s := range p.states {
		writes = append(writes, p.values[s])
	}
	return writes
}

// randomState is the name of the state from which passes draw.
const randomState = "random_state"

// Seed returns the seed from which ops.Uniform, ops.Normal and ops.Dropout draw in this pass: an Int64 scalar that a
// session holds, shares and saves. Its initial value comes from the session's seed, and [Pass.Updates] adds 1, so that
// each step draws different numbers, and training resumed from a checkpoint draws the same numbers as uninterrupted
// training.
func (p *Pass) Seed() *graph.Node {
	if p == nil {
		return unbuilt("Seed", noPass, nil)
	}
	if p.outer != nil {
		return p.outer.Seed()
	}
	if p.random == nil {
		p.g.InScope("", func() {
			p.g.Within(nil, func() { // also where it is first asked for in a branch of ops.Cond
				if p.random = p.g.ByName(randomState); p.random == nil || !p.random.IsState() {
					p.random = p.g.State(randomState, graph.Int64, anySeed{})
				}
				p.Write(p.random, ops.Add(p.random, graph.Num(1)))
			})
		})
	}
	return p.random
}

// anySeed begins a random state with a number that depends on the session's seed.
type anySeed struct{}

// Fill implements graph.Initializer.
func (anySeed) Fill(dst any, _ []int, seed uint64) {
	if dst, is := dst.([]int64); is {
		rng := rand.New(rand.NewPCG(seed, stream))
		for i := range dst {
			dst[i] = rng.Int64() >> 1 // room for steps
		}
	}
}

// String implements graph.Initializer.
func (anySeed) String() string { return "seed" }

const noPass = "the pass is nil: start one with nn.Training(g) or nn.Evaluation(g)"

// unbuilt returns a node for a value that could not be built; fn is the user's word for it. Without a reason it reports
// nothing.
func unbuilt(fn, trouble string, x *graph.Node) *graph.Node {
	if trouble == "" {
		return graph.Refused(fn, nil, nil, x)
	}
	return graph.Refused(fn, nil, &graph.Mistake{Code: graph.CodeOperand, Summary: trouble}, x)
}
