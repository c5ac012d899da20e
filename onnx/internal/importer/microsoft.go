package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The operators of ONNX Runtime, in which it writes models that it has optimised or quantised. Their meaning is that of
// docs/ContribOperators.md of ONNX Runtime.
func init() {
	microsoft := map[string]rule{
		"Gelu":     one(ops.Gelu),
		"Inverse":  one(ops.Inv),
		"BiasGelu": two(func(x, b node) node { return ops.Gelu(ops.Add(x, b)) }),
		"FastGelu": with(func(c *call, x node) node {
			if b := c.at(1); b != nil {
				x = ops.Add(x, b)
			}
			return ops.GeluTanh(x)
		}),
		"QuickGelu": with(func(c *call, x node) node { return swish(x, c.float("alpha", 1.702)) }),
		"BiasAdd":   func(c *call) []node { return []node{ops.Add(ops.Add(c.in(0), c.in(1)), c.in(2))} },
		"FusedConv": func(c *call) []node {
			y := c.conv()
			if z := c.at(3); z != nil {
				y = ops.Add(y, z)
			}
			return []node{c.activated(y, c.numbers("activation_params"))}
		},
		"FusedGemm": func(c *call) []node {
			return []node{
				c.activated(gemm(c), []float64{c.float("activation_alpha", 0), c.float("activation_beta", 0)})}
		},
		"FusedMatMul":     func(c *call) []node { return []node{c.fusedMatMul()} },
		"TransposeMatMul": func(c *call) []node { return []node{c.fusedMatMul()} },

		"SkipLayerNormalization": skipNorm(func(c *call, x node) node {
			return ops.LayerNormOver(x, slices.Clone(x.Shape()[x.Rank()-1:]), c.in(2), c.at(3),
				c.float("epsilon", 1e-12))
		}, 4),
		"SkipSimplifiedLayerNormalization": skipNorm(func(c *call, x node) node {
			return rootNorm(x, c.in(2), -1, c.float("epsilon", 1e-12))
		}, 3),
		"EmbedLayerNormalization": embedNorm,
		"Attention":               fusedAttention,
		"MultiHeadAttention":      multiHeadAttention,
		"GroupQueryAttention":     groupedAttention,
		"RotaryEmbedding":         func(c *call) []node { return []node{turnedPositions(c)} },

		"QLinearAdd":       quantized2(ops.Add),
		"QLinearMul":       quantized2(ops.Mul),
		"QLinearSigmoid":   quantized1(func(c *call, x node) node { return ops.Sigmoid(x) }),
		"QLinearLeakyRelu": quantized1(func(c *call, x node) node { return ops.LeakyRelu(x, c.float("alpha", 0.01)) }),
		"QLinearSoftmax": quantized1(func(c *call, x node) node {
			if c.int("opset", 13) < 13 {
				axis := c.axis(-1)
				return ops.Reshape(ops.Softmax(ops.Flatten(x, axis, -1), -1), x.Shape()...)
			}
			return ops.Softmax(x, c.axis(-1))
		}),
		"QLinearGlobalAveragePool": quantized1(func(c *call, x node) node {
			if c.int("channels_last", 0) == 0 {
				return ops.Mean(x, spatial(x)...)
			}
			over := []ops.Axis{ops.KeepDims()}
			for i := 1; i < x.Rank()-1; i++ {
				over = append(over, ops.Axis(i))
			}
			return ops.Mean(x, over...)
		}),
		"QLinearAveragePool": quantized1(func(c *call, x node) node {
			if c.int("channels_last", 0) == 0 {
				return averagePool(c, x)
			}
			return ops.MoveAxis(averagePool(c, ops.MoveAxis(x, -1, 1)), 1, -1)
		}),
		"QLinearConcat": func(c *call) []node {
			var parts []node
			for i := 2; i+2 < len(c.operands); i += 3 {
				parts = append(parts, ops.Dequantize(c.in(i), c.number0(i+1), c.number0(i+2)))
			}
			if len(parts) == 0 {
				refuse("it has nothing to join")
			}
			axis := c.int("axis", 0)
			return []node{ops.Quantize(ops.Concat(axis, parts...), c.number0(0), c.number0(1))}
		},
		"QGemm": func(c *call) []node { return []node{quantizedGemm(c)} },
		"MatMulIntegerToFloat": func(c *call) []node {
			return []node{c.scaledProduct(ops.MatMulInteger(c.in(0), c.in(1), c.number0(4), c.at(5)),
				ops.Mul(c.number0(2), c.in(3)), c.at(6))}
		},
		"DynamicQuantizeMatMul": func(c *call) []node {
			x, scale, zero := ops.DynamicQuantize(c.in(0))
			return []node{c.scaledProduct(ops.MatMulInteger(x, c.in(1), zero, c.at(3)), ops.Mul(scale, c.in(2)),
				c.at(4))}
		},
		"MatMulNBits": func(c *call) []node { return []node{packedMatMul(c)} },
		"DynamicQuantizeLSTM": func(c *call) []node {
			return c.quantizedLSTM()
		},
	}
	rules := map[string]rule{
		"SimplifiedLayerNormalization": with(func(c *call, x node) node {
			return rootNorm(x, c.in(1), c.axis(-1), c.float("epsilon", 1e-5))
		}),
	}
	for name, r := range microsoft {
		rules["com.microsoft."+name] = r
	}
	join(rules)
}

// asONNX are operators that were ONNX Runtime's before they became ONNX's own.
var asONNX = map[string]bool{"QuantizeLinear": true, "DequantizeLinear": true, "GatherND": true, "Unique": true,
	"Trilu": true}

// activated computes the function that an operator names.
func (c *call) activated(x node, with []float64) node {
	at := func(i int, usual float64) float64 {
		if i < len(with) {
			return with[i]
		}
		return usual
	}
	switch name := c.text("activation", ""); name {
	case "":
		return x
	case "Relu":
		return ops.Relu(x)
	case "Sigmoid":
		return ops.Sigmoid(x)
	case "Tanh":
		return ops.Tanh(x)
	case "LeakyRelu":
		return ops.LeakyRelu(x, at(0, 0.01))
	case "Clip":
		return ops.Clamp(x, at(0, math.Inf(-1)), at(1, math.Inf(1)))
	case "HardSigmoid":
		return ops.Clamp(ops.Add(ops.Mul(x, graph.Num(at(0, 0.2))), graph.Num(at(1, 0.5))), 0, 1)
	default:
		refuse("the activation %s is unknown", name)
		return nil
	}
}

func (c *call) fusedMatMul() node {
	a, b := c.in(0), c.in(1)
	for i, x := range []*node{&a, &b} {
		name := []string{"A", "B"}[i]
		if c.int("transBatch"+name, 0) == 1 { // the first axis comes behind the batch
			*x = ops.MoveAxis(*x, 0, -2)
		}
		if c.int("trans"+name, 0) == 1 {
			*x = ops.Transpose(*x, -2, -1)
		}
	}
	return times(ops.MatMul(a, b), c.float("alpha", 1))
}

// rootNorm divides by the root of the mean of squares.
func rootNorm(x, scale node, axis int, eps float64) node {
	if axis < 0 {
		axis += x.Rank()
	}
	y := ops.Mul(x, ops.Rsqrt(ops.Add(ops.Mean(ops.Square(x), behind(axis, x.Rank())...), graph.Num(eps))))
	return ops.Mul(y, scale)
}

// skipNorm normalises a sum of two values and a bias, which is a result too.
func skipNorm(norm func(c *call, x node) node, bias int) rule {
	return func(c *call) []node {
		sum := ops.Add(c.in(0), c.in(1))
		if b := c.at(bias); b != nil {
			sum = ops.Add(sum, b)
		}
		return []node{norm(c, sum), nil, nil, sum}
	}
}

// embedNorm normalises the sum of the embeddings of words, positions and segments.
func embedNorm(c *call) []node {
	words := c.in(0)
	sum := ops.Take(c.in(2), 0, words)
	if at := c.at(8); at != nil {
		sum = ops.Add(sum, ops.Take(c.in(3), 0, at))
	} else {
		sum = ops.Add(sum, ops.Narrow(c.in(3), 0, 0, words.Shape()[1]))
	}
	if c.has(1) && c.has(4) {
		sum = ops.Add(sum, ops.Take(c.in(4), 0, c.in(1)))
	}
	y := ops.LayerNormOver(sum, slices.Clone(sum.Shape()[2:]), c.in(5), c.at(6), c.float("epsilon", 1e-12))
	length := ops.Expand(ops.Size(c.g, graph.Int32, words.Shape()[1]), words.Shape()[0])
	if c.has(7) {
		length = ops.Cast(ops.Sum(c.in(7), 1), graph.Int32)
	}
	return []node{y, length, sum}
}

// fusedAttention is self-attention with the products before it: x [batch, length, in], weights [in, 3·hidden].
func fusedAttention(c *call) []node {
	if c.has(4) || c.has(6) || c.int("do_rotary", 0) == 1 || c.given("qkv_hidden_sizes") {
		refuse(
			"it has a past, rotary positions or its own sizes: export the model without ONNX Runtime's optimisations")
	}
	x, n := c.in(0), c.int("num_heads", 1)
	all := ops.MatMul(x, c.in(1))
	if b := c.at(2); b != nil {
		all = ops.Add(all, b)
	}
	parts := ops.Chunk(all, 2, 3)
	q, k, v := heads(parts[0], n), heads(parts[1], n), heads(parts[2], n)
	bias := c.at(5)
	if c.has(3) {
		hidden := c.hiddenPlaces(c.in(3), q.Shape()[2])
		if bias != nil {
			hidden = ops.Add(hidden, bias)
		}
		bias = hidden
	}
	var seen node
	if c.int("unidirectional", 0) == 1 {
		seen = ops.LessEqual(ops.Iota(c.g, 0, q.Shape()[2]), ops.Iota(c.g, 0, q.Shape()[2], 1))
	}
	return []node{c.attend(q, k, v, seen, bias)}
}

// hiddenPlaces is what is added to scores: 0 where a place is seen, and else a number far below. Of a vector, it has
// the lengths of sequences; of a matrix, 1 where a place is seen.
func (c *call) hiddenPlaces(mask node, length graph.Dim) node {
	var seen node
	switch mask.Rank() {
	case 1:
		seen = ops.Reshape(ops.Less(ops.Iota(c.g, 0, length), ops.Unsqueeze(mask, 1)), mask.Shape()[0], 1, 1, length)
	case 2:
		seen = ops.Reshape(ops.NotEqual(mask, whole(0)), mask.Shape()[0], 1, 1, mask.Shape()[1])
	case 3:
		seen = ops.Unsqueeze(ops.NotEqual(mask, whole(0)), 1)
	default:
		seen = ops.NotEqual(mask, whole(0))
	}
	return ops.Where(seen, ops.Zeros(c.g, graph.Float32),
		ops.Full(c.g, graph.Float32, c.float("mask_filter_value", -10000)))
}
