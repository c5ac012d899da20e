package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// number0 is an operand of one element without its axis, or nil; a longer one stays.
func (c *call) number0(i int) node { return flat(c.at(i)) }

func flat(x node) node {
	if x != nil && x.Rank() == 1 && x.Shape()[0] == 1 {
		return ops.Reshape(x)
	}
	return x
}

// quantized1 is a function of quantised numbers: x, its scale and zero point, and those of the result.
func quantized1(f func(c *call, x node) node) rule {
	return with(func(c *call, x node) node {
		return ops.Quantize(f(c, ops.Dequantize(x, c.number0(1), c.number0(2))), c.number0(3), c.number0(4))
	})
}

// quantized2 is one of two.
func quantized2(f func(x, y node) node) rule {
	return func(c *call) []node {
		x, y := ops.Dequantize(c.in(0), c.number0(1), c.number0(2)), ops.Dequantize(c.in(3), c.number0(4), c.number0(5))
		return []node{ops.Quantize(f(x, y), c.number0(6), c.number0(7))}
	}
}

// scaledProduct is a sum of products of integers as floating-point numbers.
func (c *call) scaledProduct(sums, scale, bias node) node {
	y := ops.Mul(ops.Cast(sums, graph.Float32), scale)
	if bias != nil {
		y = ops.Add(y, bias)
	}
	return y
}

// quantizedGemm is QGemm: A, its scale and zero point, those of B, C in Int32, and the scale and zero point of the
// result, if it is quantised.
func quantizedGemm(c *call) node {
	a, b := c.in(0), c.in(3)
	if c.int("transA", 0) == 1 {
		a = ops.Transpose(a, 0, 1)
	}
	if c.int("transB", 0) == 1 {
		b = ops.Transpose(b, 0, 1)
	}
	sums := ops.MatMulInteger(a, b, c.number0(2), c.number0(5))
	if bias := c.at(6); bias != nil {
		sums = ops.Add(sums, bias)
	}
	y := c.scaledProduct(sums, ops.Mul(times(c.number0(1), c.float("alpha", 1)), c.number0(4)), nil)
	if c.has(7) {
		y = ops.Quantize(y, c.number0(7), c.number0(8))
	}
	return y
}

// packedMatMul is a product with a matrix of few bits: B is [N, blocks, bytes of a block], with a scale for each block.
func packedMatMul(c *call) node {
	k, n, bits, block := c.int("K", 0), c.int("N", 0), c.int("bits", 4), c.int("block_size", 0)
	blocks := (k + block - 1) / max(block, 1)
	packed, ok := c.arrayOf(c.value(1))
	data, isBytes := packed.Data.([]uint8)
	if !ok || !isBytes || 8%bits != 0 || len(data)*8 < n*blocks*block*bits {
		refuse("its matrix of %d bits is not supported, or has the wrong size", bits)
	}
	b := graph.Constant(c.g, unpacked(data, n*blocks*block, bits, false), graph.Dim(n), graph.Dim(blocks),
		graph.Dim(block))
	zero := graph.Num(float64(int(1) << (bits - 1)))
	if c.has(3) {
		zero = c.packedZeros(n, blocks, bits)
	}
	if c.has(4) {
		refuse("it has a table of groups")
	}
	scale := ops.Reshape(c.in(2), graph.Dim(n), graph.Dim(blocks), 1)
	wide := ops.Mul(ops.Sub(ops.Cast(b, scale.DType()), zero), scale)
	w := ops.Narrow(ops.Reshape(wide, graph.Dim(n), graph.Dim(blocks*block)), 1, 0, graph.Dim(k))
	y := ops.MatMul(c.in(0), ops.Transpose(w, 0, 1))
	if bias := c.at(5); bias != nil {
		y = ops.Add(y, bias)
	}
	return y
}

// packedZeros are the zero points of blocks, which are packed as the matrix is, each row by itself, or floating-point
// numbers.
func (c *call) packedZeros(n, blocks, bits int) node {
	a, ok := c.arrayOf(c.value(3))
	data, isBytes := a.Data.([]uint8)
	if !ok || !isBytes {
		return ops.Reshape(c.in(3), graph.Dim(n), graph.Dim(blocks), 1)
	}
	row := (blocks*bits + 7) / 8
	if len(data) != n*row {
		refuse("its zero points have the wrong size")
	}
	var zeros []float32
	for i := range n {
		for _, v := range unpacked(data[i*row:][:row], blocks, bits, false) {
			zeros = append(zeros, float32(v))
		}
	}
	return graph.Constant(c.g, zeros, graph.Dim(n), graph.Dim(blocks), 1)
}

// quantizedLSTM is an LSTM whose weights are dequantised: W [directions, in, 4·hidden] and R, with scales and zero
// points. Its inputs are quantised by ONNX Runtime too, which loses what is kept here.
func (c *call) quantizedLSTM() []node {
	weight := func(at, scale, zero int) *value {
		w := ops.Transpose(c.in(at), 1, 2) // [directions, 4·hidden, in]
		spread := func(x node) node {
			if x != nil && x.Rank() == 2 { // for each row
				return ops.Unsqueeze(x, 2)
			}
			if x != nil && x.Rank() == 1 && w.Shape()[0] != 1 {
				return ops.Reshape(x, -1, 1, 1)
			}
			return flat(x)
		}
		return ofNode(ops.Mul(ops.Sub(ops.Cast(w, graph.Float32), ops.Cast(spread(c.in(zero)), graph.Float32)),
			spread(c.in(scale))))
	}
	inner := *c
	inner.operands = append([]*value{}, c.operands...)
	inner.operands[1], inner.operands[2] = weight(1, 8, 9), weight(2, 10, 11)
	inner.operands = inner.operands[:8]
	return operators["LSTM"](&inner)
}
