package conformance

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func embedding(c *call) []*graph.Node {
	index, table := c.param("index"), c.param("weight")
	if padding := c.attrs.integer(math.MinInt, "padding_idx"); padding != math.MinInt {
		return one(ops.Embedding(index, table, padding))
	}
	return one(ops.Embedding(index, table))
}

func linear(c *call) []*graph.Node {
	return one(ops.Linear(c.param("x"), c.param("weight"), c.param("bias")))
}

// lossOptions reads how the losses of the examples become one.
func lossOptions(c *call) []ops.LossOption {
	var opts []ops.LossOption
	switch c.attrs.text("reduction", "mean") {
	case "sum":
		opts = append(opts, ops.SumLoss())
	case "none":
		opts = append(opts, ops.EachLoss())
	}
	return opts
}

// classLoss is a loss of scores and targets; class weights are an operand where operands
// have names.
func classLoss(f func(x, target *graph.Node, opts ...ops.LossOption) *graph.Node) builder {
	return func(c *call) []*graph.Node {
		x, opts := c.param("x"), append(lossOptions(c), ops.IgnoreIndex(c.attrs.integer(-100, "ignore_index")))
		if c.names != nil {
			if w := c.param("weight"); w != nil {
				opts = append(opts, ops.ClassWeights(w))
			}
		}
		c.attrs.text("target_kind", "") // told by the target's dtype
		return one(f(x, c.param("target"), opts...))
	}
}

// distance is a loss of values of one shape.
func distance(f func(x, target *graph.Node, opts ...ops.LossOption) *graph.Node) builder {
	return func(c *call) []*graph.Node { return one(f(c.param("x"), c.param("target"), lossOptions(c)...)) }
}

func scaledDistance(f func(x, target *graph.Node, scale float64, opts ...ops.LossOption) *graph.Node,
	name string) builder {
	return func(c *call) []*graph.Node {
		scale := c.attrs.float(1, name)
		return one(f(c.param("x"), c.param("target"), scale, lossOptions(c)...))
	}
}

// normEps is PyTorch's default of what is added to a variance.
const normEps = 1e-5

func layerNorm(c *call) []*graph.Node {
	sizes, eps := c.attrs.shape("normalized_shape"), c.attrs.float(normEps, "eps")
	return one(ops.LayerNormOver(c.param("x"), sizes, c.param("weight"), c.param("bias"), eps))
}

func rmsNorm(c *call) []*graph.Node {
	eps := c.attrs.float(normEps, "eps")
	c.attrs.shape("normalized_shape") // of the gain
	return one(ops.RMSNorm(c.param("x"), c.param("weight"), eps))
}

func groupNorm(c *call) []*graph.Node {
	groups, eps := c.attrs.integer(1, "num_groups"), c.attrs.float(normEps, "eps")
	return one(ops.GroupNorm(c.param("x"), groups, c.param("weight"), c.param("bias"), eps))
}

// batchNorm uses the statistics of the batch in training, else those that are given.
func batchNorm(c *call) []*graph.Node {
	eps := c.attrs.float(normEps, "eps")
	c.attrs.float(0.1, "momentum") // changes the running statistics only
	x, mean, variance := c.param("x"), c.param("running_mean"), c.param("running_var")
	gain, bias := c.param("weight"), c.param("bias")
	if c.attrs.flag("training", false) {
		y, _, _ := ops.BatchNorm(x, gain, bias, eps)
		return one(y)
	}
	return one(ops.BatchNormInference(x, mean, variance, gain, bias, eps))
}
