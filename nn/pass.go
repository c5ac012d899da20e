package nn

import (
	"math/rand/v2"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Pass is one way through a model: training or evaluation. Layers that differ in the two, such as
// dropout and batch normalization, ask it, and it collects what a training step must write beside
// the weights:
//
//	pass := nn.Training(g)
//	loss := ops.CrossEntropy(model.Apply(pass, x), label)
//	step := optim.Adam(1e-3).Minimize(loss)
//	train, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...), exec.Updates(pass.Updates()...))
//
//	logits := model.Apply(nn.Evaluation(g), x)
//	eval, err := exec.Compile(g, exec.Outputs(logits))
//
// Compile warns of a write of a pass that is forgotten.
type Pass struct {
	g        *graph.Graph
	training bool
	random   *graph.Node
	states   []*graph.Node               // that are written, in the order of their first writes
	values   map[*graph.Node]*graph.Node // what they hold after the writes so far
}

// Training begins a pass of training: elements are dropped, and batches are normalized by their own
// statistics, from which running ones are made.
func Training(g *graph.Graph) *Pass { return &Pass{g: g, training: true} }

// Evaluation begins a pass that gives for each example what the model has learned, whatever else
// is in the batch.
func Evaluation(g *graph.Graph) *Pass { return &Pass{g: g} }

// IsTraining reports whether it is a pass of training.
func (p *Pass) IsTraining() bool { return p != nil && p.training }

// Graph returns the graph in which the pass builds.
func (p *Pass) Graph() *graph.Graph {
	if p == nil {
		return nil
	}
	return p.g
}

// Value returns what a state holds at this point of the pass: what was last written, or the state
// itself.
func (p *Pass) Value(state *graph.Node) *graph.Node {
	if p != nil && p.values[state] != nil {
		return p.values[state]
	}
	return state
}

// Write gives a state, of [graph.Graph.State], a new value of its shape and dtype, and returns
// the write. It is carried out by programs that are given [Pass.Updates]. Where a layer is
// applied twice, the second write follows the first. What is no state, such as a value that a loop carries, is not written:
// [Pass.Value] returns the new one, which the body hands on.
func (p *Pass) Write(state, value *graph.Node) *graph.Node {
	if p == nil {
		return unbuilt("Write", noPass, state)
	}
	if p.values == nil {
		p.values = map[*graph.Node]*graph.Node{}
	}
	if state != nil && state.Judged() && !state.IsParam() && !state.IsInput() {
		p.values[state] = value
		return value
	}
	// The passes of a graph are for programs of their own: Compile refuses two of them in one.
	write := ops.CopyInPlace(p.Value(state), value).Silence(graph.CodeWriters)
	if p.values[state] == nil {
		p.states = append(p.states, state)
	}
	p.values[state] = write
	return write
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

// Seed returns the seed from which ops.Uniform, ops.Normal and ops.Dropout draw in this pass: an
// Int64 scalar that a session holds, shares and saves. Its first value comes from the session's
// seed, and [Pass.Updates] adds 1, so that each step draws other numbers, and training that goes
// on from a checkpoint draws those that it would have drawn.
func (p *Pass) Seed() *graph.Node {
	if p == nil {
		return unbuilt("Seed", noPass, nil)
	}
	if p.random == nil {
		p.g.InScope("", func() {
			if p.random = p.g.ByName(randomState); p.random == nil || !p.random.IsState() {
				p.random = p.g.State(randomState, graph.Int64, anySeed{})
			}
			p.Write(p.random, ops.Add(p.random, graph.Num(1)))
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

const noPass = "the pass is nil: nn.Training(g) or nn.Evaluation(g) begins one"

// unbuilt stands for a value that could not be built; fn is the user's word for it. Without a
// trouble of its own it is silent.
func unbuilt(fn, trouble string, x *graph.Node) *graph.Node {
	op := &graph.Op{Name: "layer", Func: fn, Doc: "a layer that could not be built", MaxIn: 1}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		if trouble != "" {
			c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: trouble})
		}
		return graph.InvalidDType, nil
	}
	if x == nil {
		return graph.Apply(op, nil)
	}
	return graph.Apply(op, nil, x)
}
