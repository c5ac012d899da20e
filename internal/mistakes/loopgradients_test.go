package mistakes_test

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(gradientOfOneStep, partOfAGradient, partByTwoCarriedValues, partThatCountsAsZero, partInAnInnerLoop,
	partInWhile, gradientOfTheBeginning)

// Gradients in the body of a loop that no other step has a part in.
func gradientOfOneStep(g *graph.Graph) {
	x, w := sequences(g)
	v := g.Param("v", graph.Float32, 16)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	over := ops.Loop{Carry: []*graph.Node{zeros, ops.ZerosLike(w)}, Over: []*graph.Node{x}, Axis: 1}
	// What is carried is cut off.
	ops.Scan(over, func(carry, x []*graph.Node) (next, out []*graph.Node) {
		h := ops.Tanh(ops.Add(x[0], ops.MatMul(ops.StopGradient(carry[0]), w)))
		return []*graph.Node{h, ops.Add(carry[1], autodiff.Grad(ops.Mean(h), []*graph.Node{w})[0])}, nil
	})
	// The loss of a part of the batch reads nothing that is carried, and gradients add up.
	ops.Scan(over, func(carry, x []*graph.Node) (next, out []*graph.Node) {
		dw := autodiff.Grad(ops.Mean(ops.Square(ops.MatMul(x[0], w))), []*graph.Node{w})[0]
		return []*graph.Node{carry[0], ops.Add(carry[1], dw)}, nil
	})
	// What is carried and read depends on another parameter.
	ops.Scan(over, func(carry, x []*graph.Node) (next, out []*graph.Node) {
		loss := ops.Mean(ops.Square(ops.MatMul(carry[0], w)))
		return []*graph.Node{ops.Mul(carry[0], v), ops.Add(carry[1], autodiff.Grad(loss, []*graph.Node{w})[0])}, nil
	})
	// Steps of an optimiser, whose weights are carried, and a gradient through all of them.
	tuned := ops.Fori(3, []*graph.Node{w}, func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
		loss := ops.Mean(ops.Square(ops.Mul(ops.MatMul(ops.Select(x, 1, 0), carry[0]), v)))
		return []*graph.Node{ops.Sub(carry[0], autodiff.Grad(loss, []*graph.Node{carry[0]})[0])}
	})
	autodiff.Grad(ops.Sum(ops.Square(tuned[0])), []*graph.Node{w, v})
	// The outer loop's value is the same in each step of the inner one.
	ops.Fori(3, []*graph.Node{v}, func(_ *graph.Node, outer []*graph.Node) []*graph.Node {
		last := ops.Fori(2, []*graph.Node{ops.ZerosLike(v)}, func(_ *graph.Node, sum []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Add(sum[0], autodiff.Grad(ops.Sum(ops.Exp(outer[0])), []*graph.Node{outer[0]})[0])}
		})
		return last
	})
}

// The state depends on w through the steps before: the gradient would be that of one step alone.
func partOfAGradient(g *graph.Graph) {
	x, w := sequences(g)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros, ops.ZerosLike(w)}, Over: []*graph.Node{x}, Axis: 1},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.Tanh(ops.Add(x[0], ops.MatMul(carry[0], w)))
			dw := autodiff.Grad(ops.Mean(h), []*graph.Node{w})[0] // want error BL350 "with respect to w" "lacks the part through earlier steps" "depends on carry[0]" "ops.StopGradient(carry[0])"
			return []*graph.Node{h, dw}, nil
		})
}

// The state that is read is the one that was computed two steps before.
func partByTwoCarriedValues(g *graph.Graph) {
	x, w := sequences(g)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros, zeros}, Over: []*graph.Node{x}, Axis: 1},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.MatMul(carry[1], w)
			dw := autodiff.Grad(ops.Mean(h), []*graph.Node{w})[0] // want error BL350 "depends on carry[1]"
			return []*graph.Node{ops.MatMul(x[0], w), carry[0]}, []*graph.Node{dw}
		})
}

// Of the value of one step no gradient flows to w, and of those before one does.
func partThatCountsAsZero(g *graph.Graph) {
	x, w := sequences(g)
	zeros := ops.Mul(ops.Select(x, 1, 0), graph.Num(0))
	ops.Scan(ops.Loop{Carry: []*graph.Node{zeros}, Over: []*graph.Node{x}, Axis: 1},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			dw := autodiff.Grad(ops.Mean(ops.Square(carry[0])), []*graph.Node{w}, autodiff.ZeroForUnused())[0] // want error BL350 "lacks the part through earlier steps"
			return []*graph.Node{ops.MatMul(x[0], w)}, []*graph.Node{dw}
		})
}

// The inner loop's value is of the outer loop's step before.
func partInAnInnerLoop(g *graph.Graph) {
	w := g.Param("w", graph.Float32, 16)
	ops.Fori(3, []*graph.Node{ops.OnesLike(w)}, func(_ *graph.Node, outer []*graph.Node) []*graph.Node {
		inner := ops.Fori(2, []*graph.Node{outer[0], ops.ZerosLike(w)},
			func(_ *graph.Node, c []*graph.Node) []*graph.Node {
				dw := autodiff.Grad(ops.Sum(ops.Mul(c[0], w)), []*graph.Node{w})[0] // want error BL350 "lacks the part through earlier steps"
				return []*graph.Node{c[0], dw}
			})
		return []*graph.Node{ops.Mul(inner[1], w)}
	})
}

func partInWhile(g *graph.Graph) {
	w := g.Param("w", graph.Float32)
	ops.While(9, []*graph.Node{g.Scalar(graph.Float32, 1), g.Scalar(graph.Float32, 0)},
		func(c []*graph.Node) *graph.Node { return ops.Less(c[0], graph.Num(10)) },
		func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			y := ops.Mul(c[0], w)
			return []*graph.Node{y, autodiff.Grad(y, []*graph.Node{w})[0]} // want error BL350 "lacks the part through earlier steps"
		})
}

// The state begins as a function of w.
func gradientOfTheBeginning(g *graph.Graph) {
	w := g.Param("w", graph.Float32)
	ops.Fori(3, []*graph.Node{ops.Exp(w)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		y := ops.Mul(c[0], w)
		dw := autodiff.Grad(y, []*graph.Node{w})[0] // want error BL350 "flows to another step or out of the loop, through carry[0]"
		return []*graph.Node{ops.Add(y, dw)}
	})
}
