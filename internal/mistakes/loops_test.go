package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(recurrentLoop, stateWithoutBatch, stateOfOtherDType, stateThatGrows, stateForgotten, sequencesOfTwoLengths, stepsOverTheBatch,
	stepOutside, conditionOfVectors, branchesOfTwoWidths, searchWithBound, branchesOfOneShape)

// sequences are a batch of some steps of vectors, and a matrix for the state.
func sequences(g *graph.Graph) (x, w *graph.Node) {
	return g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(2)), g.Dim("t", graph.AtLeast(2)), 16), g.Param("w", graph.Float32, 16, 16)
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
	ops.Scan(ops.Loop{Carry: []*graph.Node{g.Scalar(graph.Int64, 0)}, Over: []*graph.Node{x}, Axis: 1}, // want error BL360 "comes out as float32[]" "begin with a value of dtype float32" !"no carried value"
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
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros, zeros}, Over: []*graph.Node{x}, Axis: 1}, // want error BL360 "2 values are carried, and the body hands on 1"
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Add(carry[0], x[0])}, nil
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
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x}}, func(carry, x []*graph.Node) (next, out []*graph.Node) {
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

func conditionOfVectors(g *graph.Graph) {
	x, _ := sequences(g)
	ops.While(10, []*graph.Node{x}, func(c []*graph.Node) *graph.Node { return ops.Greater(c[0], graph.Num(1)) }, // want error BL360 "must be one Bool: ops.Any or ops.All make one of several"
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
	ops.While(10, []*graph.Node{x}, func(c []*graph.Node) *graph.Node { return ops.Greater(ops.Max(c[0]), graph.Num(1)) },
		func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Mul(c[0], graph.Num(0.5))}
		})
}

func branchesOfOneShape(g *graph.Graph) {
	x, _ := sequences(g)
	ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)), func() []*graph.Node { return []*graph.Node{x} },
		func() []*graph.Node { return []*graph.Node{ops.Neg(x)} })
}
