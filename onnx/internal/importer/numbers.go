package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"QuantizeLinear": func(c *call) []node {
			x, scale, zero := c.in(0), c.in(1), c.at(2)
			var opts []ops.QuantizeOption
			if c.int("saturate", 1) == 0 {
				opts = append(opts, ops.Unsaturated())
			}
			if t := c.int("output_dtype", 0); t != 0 && zero == nil {
				opts = append(opts, ops.QuantizedDType(dtypeOf(wire.DataType(t))))
			}
			bits := narrowBits(wire.DataType(c.int("output_dtype", 0)))
			if c.has(2) {
				bits = c.operands[2].bits
			}
			var y node
			if block := c.int("block_size", 0); block != 0 {
				y = ops.QuantizeBlocks(x, scale, zero, c.axis(1), block, opts...)
			} else {
				y = ops.Quantize(x, c.along(scale), c.along(zero), opts...)
			}
			if bits > 0 {
				y = saturated(y, bits)
			}
			return []node{y}
		},
		"DequantizeLinear": func(c *call) []node {
			x, scale, zero := c.in(0), c.in(1), c.at(2)
			if block := c.int("block_size", 0); block != 0 {
				return []node{ops.DequantizeBlocks(x, scale, zero, c.axis(1), block)}
			}
			return []node{ops.Dequantize(x, c.along(scale), c.along(zero))}
		},
		"DynamicQuantizeLinear": func(c *call) []node {
			q, scale, zero := ops.DynamicQuantize(c.in(0))
			return []node{q, scale, zero}
		},
		"MatMulInteger": func(c *call) []node { return []node{ops.MatMulInteger(c.in(0), c.in(1), c.at(2), c.at(3))} },
		"QLinearMatMul": func(c *call) []node {
			return []node{ops.QLinearMatMul(c.in(0), c.number0(1), c.number0(2), c.in(3), c.number0(4), c.number0(5),
				c.number0(6), c.number0(7))}
		},
		"ai.onnx.preview.training.Adam": optimizer(4, 2, func(c *call, v []node) []node {
			a, b := c.float("alpha", 0.9), c.float("beta", 0.999)
			alpha, beta := graph.Num(a), graph.Num(b)
			r, t := c.in(0), c.in(1)
			g := ops.Add(ops.Mul(graph.Num(c.float("norm_coefficient", 0)), v[0]), v[1])
			first := ops.Add(ops.Mul(alpha, v[2]), ops.Mul(graph.Num(1-a), g))
			second := ops.Add(ops.Mul(beta, v[3]), ops.Mul(graph.Num(1-b), ops.Square(g)))
			root := ops.Add(ops.Sqrt(second), graph.Num(c.float("epsilon", 1e-6)))
			steps := ops.Cast(t, graph.Float32)
			power := func(x node) node { return ops.Sub(graph.Num(1), ops.Pow(x, steps)) }
			corrected := ops.Where(ops.Greater(t, graph.Num(0)),
				ops.Div(ops.Mul(r, ops.Sqrt(power(beta))), power(alpha)), r)
			return []node{ops.Sub(v[0], ops.Div(ops.Mul(corrected, first), root)), first, second}
		}),
		"ai.onnx.preview.training.Adagrad": optimizer(3, 2, func(c *call, v []node) []node {
			rate := ops.Div(c.in(0),
				ops.Add(graph.Num(1), ops.Mul(ops.Cast(c.in(1), graph.Float32), graph.Num(c.float("decay_factor", 0)))))
			g := ops.Add(ops.Mul(graph.Num(c.float("norm_coefficient", 0)), v[0]), v[1])
			sum := ops.Add(v[2], ops.Square(g))
			return []node{
				ops.Sub(v[0], ops.Div(ops.Mul(rate, g), ops.Add(ops.Sqrt(sum), graph.Num(c.float("epsilon", 1e-6))))),
				sum}
		}),
		"ai.onnx.preview.training.Momentum": optimizer(3, 2, func(c *call, v []node) []node {
			alpha, beta := graph.Num(c.float("alpha", 0)), graph.Num(c.float("beta", 0))
			g := ops.Add(ops.Mul(graph.Num(c.float("norm_coefficient", 0)), v[0]), v[1])
			adjusted := ops.Where(ops.Greater(c.in(1), graph.Num(0)), beta, graph.Num(1))
			speed := ops.Add(ops.Mul(alpha, v[2]), ops.Mul(adjusted, g))
			step := speed
			if c.text("mode", "standard") == "nesterov" {
				step = ops.Add(g, ops.Mul(alpha, speed))
			}
			return []node{ops.Sub(v[0], ops.Mul(c.in(0), step)), speed}
		}),
	})
}

// optimizer is an operator on several tensors, each with its gradient and states: all tensors come first, then all
// gradients.
func optimizer(operands, before int, step func(c *call, v []node) []node) rule {
	return func(c *call) []node {
		tensors := (len(c.operands) - before) / operands
		var out []node
		for k := range operands - 1 {
			for i := range tensors {
				var v []node
				for j := range operands {
					v = append(v, c.in(before+j*tensors+i))
				}
				out = append(out, step(c, v)[k])
			}
		}
		return out
	}
}

// along gives a vector of scales the place of its axis; of one element it is a scalar.
func (c *call) along(x node) node {
	switch {
	case x == nil || x.Rank() == 0:
		return x
	case x.Shape()[0] == 1:
		return ops.Reshape(x)
	}
	shape := []graph.Dim{-1}
	for range c.in(0).Rank() - 1 - c.axis(1) {
		shape = append(shape, 1)
	}
	return ops.Reshape(x, shape...)
}
