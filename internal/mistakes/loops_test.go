package mistakes_test

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(recurrentLoop, stateWithoutBatch, stateOfOtherDType, stateThatGrows, stateForgotten, lossOfEachStep,
	sequencesOfTwoLengths, stepsOverTheBatch,
	stepOutside, mistakeInBody, stateOfHalfPrecision, stateMissing, axisThatIsNot, conditionOfVectors,
	branchesOfTwoWidths, searchWithBound, branchesOfOneShape,
	softmaxOverBatchInLoop, attentionOverBatchInLoop, columnMeansInLoop, poolOverBatchInLoop, maskedSteps,
	attentionInLoop, pooledSteps, untilAllAreDone)

// sequences are a batch of some steps of vectors, and a matrix for the state.
func sequences(g *graph.Graph) (x, w *graph.Node) {
	return g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(2)), g.Dim("t", graph.AtLeast(2)), 16),
		g.Param("w", graph.Float32, 16, 16)
}

// cell is a step of a network: the next state of one that is given.
func cell(w *graph.Node) func(carry, x []*graph.Node) (next, out []*graph.Node) {
	return func(carry, x []*graph.Node) (next, out []*graph.Node) {
		h := ops.Tanh(ops.Add(x[0], ops.MatMul(carry[0], w)))
		return []*graph.Node{h}, []*graph.Node{h}
	}
}

func recurrentLoop(g *graph.Graph) {
	x, w := sequences(g)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x}, Axis: 1}, cell(w))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x, x}, Axis: 1, Reverse: true}, cell(w))
}

// The state has no axis for the batch: the first step would give it one.
func stateWithoutBatch(g *graph.Graph) {
	x, w := sequences(g)
	h := g.Param("h", graph.Float32, 16)
	ops.Scan(ops.Loop{Carry: []*graph.Node{h}, Over: []*graph.Node{x}, Axis: 1}, cell(w)) // want error BL360 "goes into a step as float32[16], and comes out as float32[n, 16]" "begin with a value of shape [n, 16]"
}

func stateOfOtherDType(g *graph.Graph) {
	x, _ := sequences(g)
	ops.Scan(ops.Loop{Carry: []*graph.Node{g.Scalar(graph.Int64, 0)}, Over: []*graph.Node{x}, Axis: 1}, // want error BL360 "comes out as float32[]" "begin with g.Scalar(graph.Float32, 0)" !"no carried value"
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Add(carry[0], ops.Sum(x[0]))}, nil
		})
}

// Each step puts its part behind all before: that is what outputs are for.
func stateThatGrows(g *graph.Graph) {
	x, _ := sequences(g)
	first := ops.Slice(x, 1, 0, 1, 1)
	ops.Scan(ops.Loop{Carry: []*graph.Node{first}, Over: []*graph.Node{x}, Axis: 1}, // want error BL360 "comes out as float32[n, 2, 16]" "return each step's part as an output"
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Concat(1, carry[0], ops.Unsqueeze(x[0], 1))}, nil
		})
}

func stateForgotten(g *graph.Graph) {
	x, _ := sequences(g)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros, zeros}, Over: []*graph.Node{x}, Axis: 1}, // want error BL360 "there are 2 carried values, but the body returns 1"
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Add(carry[0], x[0])}, nil
		})
}

// A scalar of each step is a vector of all steps, which has no axis 1.
func lossOfEachStep(g *graph.Graph) {
	x, w := sequences(g)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x}, Axis: 1}, // want error BL360 "output 0 of a step has shape [], so that the outputs of all steps cannot be stacked along axis 1" "MoveAxis(x, 1, 0)"
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			next, _ = cell(w)(carry, x)
			return next, []*graph.Node{ops.Mean(ops.Square(next[0]))}
		})
}

func sequencesOfTwoLengths(g *graph.Graph) {
	x, w := sequences(g)
	y := g.Input("y", graph.Float32, g.Dim("n"), g.Dim("s"), 16)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x, y}, Axis: 1}, cell(w)) // want error BL102 "meet on axis 0, and nothing says that they are equal"
}

// The axis of the loop is the first one unless another is given. The body's own line has the mistake.
func stepsOverTheBatch(g *graph.Graph) {
	x, w := sequences(g)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.Add(x[0], ops.MatMul(carry[0], w)) // want error BL102 "meet on axis -2, and nothing says that they are equal"
			return []*graph.Node{h}, nil
		})
}

// A value of a step is used after the loop.
func stepOutside(g *graph.Graph) {
	x, _ := sequences(g)
	var last *graph.Node
	ops.Scan(ops.Loop{Carry: []*graph.Node{g.Scalar(graph.Float32, 0)}, Over: []*graph.Node{x}, Axis: 1},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			last = ops.Add(carry[0], ops.Sum(x[0]))
			return []*graph.Node{last}, nil
		})
	ops.Exp(last) // want error BL360 "is a value of the body of the loop" "return it from the body"
}

// What a mistake in the body leads to stays silent, gradients outside of the loop too.
func mistakeInBody(g *graph.Graph) {
	x, _ := sequences(g)
	w := g.Param("w2", graph.Float32, 8)
	_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{g.Scalar(graph.Float32, 0)}, Over: []*graph.Node{x}, Axis: 1},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return carry, []*graph.Node{ops.Mul(x[0], w)} // want error BL101 "must match the size of tensor b (8)"
		})
	dw := autodiff.Grad(ops.Sum(all[0]), []*graph.Node{w})[0]
	ops.Sum(ops.Square(dw))
}

func stateOfHalfPrecision(g *graph.Graph) {
	x, _ := sequences(g)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.BFloat16, 16)}, Over: []*graph.Node{x}, Axis: 1}, // want error BL360 "comes out as float32[16]" "graph.BFloat16)"
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Add(carry[0], ops.Mean(x[0], 0))}, nil
		})
}

func stateMissing(g *graph.Graph) {
	x, w := sequences(g)
	ops.Scan(ops.Loop{Carry: []*graph.Node{nil}, Over: []*graph.Node{x}, Axis: 1}, cell(w)) // want error BL360 "carried value 0 is nil"
}

func axisThatIsNot(g *graph.Graph) {
	x, w := sequences(g)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 16)}, Over: []*graph.Node{x}, Axis: 3}, cell(w)) // want error BL360 "Axis is 3, and Over[0], x, has shape [n, t, 16]"
}

func conditionOfVectors(g *graph.Graph) {
	x, _ := sequences(g)
	ops.While(10, []*graph.Node{x}, func(c []*graph.Node) *graph.Node { return ops.Greater(c[0], graph.Num(1)) }, // want error BL360 "must be one Bool: use ops.Any or ops.All to reduce it to one"
		func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Mul(c[0], graph.Num(0.5))}
		})
}

func branchesOfTwoWidths(g *graph.Graph) {
	x, _ := sequences(g)
	ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)), func() []*graph.Node { return []*graph.Node{x} }, // want error BL360 "value 0 is float32[n, t, 16] in one branch and float32[n, t] in the other"
		func() []*graph.Node { return []*graph.Node{ops.Sum(x, -1)} })
}

func searchWithBound(g *graph.Graph) {
	x, _ := sequences(g)
	ops.While(10, []*graph.Node{x}, func(c []*graph.Node) *graph.Node {
		return ops.Greater(ops.Max(c[0]), graph.Num(1))
	},
		func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Mul(c[0], graph.Num(0.5))}
		})
}

func branchesOfOneShape(g *graph.Graph) {
	x, _ := sequences(g)
	ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)), func() []*graph.Node { return []*graph.Node{x} },
		func() []*graph.Node { return []*graph.Node{ops.Neg(x)} })
}

// A loop goes through time, and its body over the batch where classes were meant.
func softmaxOverBatchInLoop(g *graph.Graph) {
	x, w := sequences(g)
	zeros := ops.Zeros(g, graph.Float32, x.Shape()[0], 16)
	_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x}, Axis: 1},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.Tanh(ops.Add(x[0], ops.MatMul(carry[0], w)))
			return []*graph.Node{h}, []*graph.Node{ops.LogSoftmax(testmodel.Linear(g, "out", h, 10), 0)} // want warning BL232 "axis 1"
		})
	ops.NLL(ops.Transpose(all[0], 1, 2), g.Input("classes", graph.Int64, x.Shape()[0], x.Shape()[1]))
}

// Layers as steps of a loop, over time first.
func attentionOverBatchInLoop(g *graph.Graph) {
	x := ops.Permute(g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 64), 1, 0, 2)
	ops.Scan(ops.Loop{Carry: []*graph.Node{x}, Over: []*graph.Node{g.Param("w", graph.Float32, 6, 64, 64)}},
		func(carry, w []*graph.Node) (next, out []*graph.Node) {
			q := ops.MatMul(carry[0], w[0])
			a := ops.Softmax(ops.MatMul(q, ops.Transpose(q, -1, -2)), -1) // want warning BL233
			return []*graph.Node{ops.Add(carry[0], ops.MatMul(a, carry[0]))}, nil
		})
}

// Rows of a square matrix are divided by sums of its columns, step by step.
func columnMeansInLoop(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("t"), 32, 32)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 32, 32)}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Add(carry[0], ops.Div(x[0], ops.Sum(x[0], 1)))}, nil // want warning BL230 "Unsqueeze(Sum("
		})
}

func poolOverBatchInLoop(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("frames"), g.Dim("seq"), 16),
		g.Param("w", graph.Float32, 16, 16)
	ops.Scan(ops.Loop{Over: []*graph.Node{x}, Axis: 1}, func(_, x []*graph.Node) (next, out []*graph.Node) {
		pooled := ops.Mean(ops.Relu(x[0]), 0) // want warning BL232 "axis 1, of size seq"
		return nil, []*graph.Node{ops.MatMul(pooled, w)}
	})
}

// As they are meant.
func maskedSteps(g *graph.Graph) {
	x, w := sequences(g)
	keep := g.Input("keep", graph.Bool, x.Shape()[0], x.Shape()[1])
	zeros := ops.Zeros(g, graph.Float32, x.Shape()[0], 16)
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x, keep}, Axis: 1, Reverse: true},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.LayerNorm(ops.Add(x[0], ops.MatMul(carry[0], w)), nil, nil, 1e-5)
			h = ops.Where(ops.Unsqueeze(x[1], 1), h, carry[0])
			return []*graph.Node{h}, []*graph.Node{ops.Softmax(h, 1)}
		})
}

func attentionInLoop(g *graph.Graph) {
	keys, w := sequences(g)
	n := keys.Shape()[0]
	ops.Fori(7, []*graph.Node{ops.Zeros(g, graph.Float32, n, 16)},
		func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
			query := ops.MatMul(carry[0], w)
			weights := ops.Softmax(ops.Squeeze(ops.MatMul(keys, ops.Unsqueeze(query, 2)), 2), 1)
			return []*graph.Node{ops.Squeeze(ops.MatMul(ops.Unsqueeze(weights, 1), keys), 1)}
		})
}

// The layers are steps, and what they give is pooled over time.
func pooledSteps(g *graph.Graph) {
	x, w := sequences(g)
	_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, x.Shape()[0], 16)},
		Over: []*graph.Node{x}, Axis: 1}, cell(w))
	scores := ops.Softmax(ops.Sum(ops.Mul(all[0], g.Param("query", graph.Float32, 16)), -1), 1)
	testmodel.Linear(g, "out", ops.Sum(ops.Mul(all[0], ops.Unsqueeze(scores, 2)), 1), 3)
}

func untilAllAreDone(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 16), g.Param("w", graph.Float32, 16, 16)
	ops.While(50, []*graph.Node{x, ops.Zeros(g, graph.Float32, x.Shape()[0])},
		func(c []*graph.Node) *graph.Node { return ops.Any(ops.Less(c[1], graph.Num(1))) },
		func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			p := ops.Sigmoid(ops.Mean(c[0], 1))
			return []*graph.Node{
				ops.Where(ops.Unsqueeze(ops.Less(c[1], graph.Num(1)), 1), ops.Tanh(ops.MatMul(c[0], w)), c[0]),
				ops.Add(c[1], p)}
		})
}
