package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/nibbles"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Integers times the scales of their blocks are one operator, DequantizeLinear, from opset 21 on. Those of 4 bits,
// which a parameter has in the halves of its bytes, are then a constant of ONNX's INT4 or UINT4, with the same bytes.
// Minima are added behind it: divided by scales, they would be no integers, as its zero points are.

// blocksOpset is the first version in which DequantizeLinear has blocks, INT4 and UINT4.
const blocksOpset = 21

// halves are bytes of a parameter that each have two integers of 4 bits.
type halves struct {
	param *value
	raw   []byte
	made  *value // the constant of 4 bits, if there is one
}

// findHalves notes that a value has the integers of 4 bits of a stored parameter's bytes, or of some of them.
func (e *exporter) findHalves(n *graph.Node, v *value) {
	from := nibbles.Of(n)
	if from == nil || e.opset < blocksOpset || e.isPlain || !alias.Storage(from).IsParam() {
		return
	}
	param, shown := e.Value(alias.Storage(from)), alias.LayoutOf(from)
	count, known := shown.Shape.NumElements().Int()
	first, isNumber := shown.Offset.Int()
	if !known || !isNumber || !shown.IsDense() || param.def != nil || param.data == nil || param.data.single ||
		first+count > int64(len(param.data.raw)) {
		return
	}
	e.halves[v] = &halves{param: param, raw: param.data.raw[first : first+count]}
}

// dequantized returns the operator that computes y, which shows products of integers and the scales of their blocks; y
// itself if it is none.
func (e *exporter) dequantized(y *value) *value {
	if e.isPlain || e.opset < blocksOpset || y.dtype != graph.Float32 || !is(y, "Reshape") || !is(y.def.in[0], "Mul") {
		return y
	}
	product := y.def.in[0]
	for i, scale := range product.def.in {
		levels := integersOf(product.def.in[1-i])
		if levels == nil || !is(levels, "Reshape") || !is(scale, "Reshape") {
			continue
		}
		levels, scale = levels.def.in[0], scale.def.in[0]
		block, fits := blockOf(product.shape, scale, levels)
		if !fits || !levels.shape.Equal(y.shape) {
			continue
		}
		return e.apply("DequantizeLinear", y.tensor,
			attrs{attrInt("axis", len(y.shape)-1), attrInt("block_size", block)}, e.inHalves(levels), scale)
	}
	return y
}

// integersOf returns the integers of 8 bits that are converted to a value; nil if there are none.
func integersOf(v *value) *value {
	for is(v, "Cast") && slices.Contains([]graph.DType{graph.Float32, graph.Int64, graph.Int32, graph.Int16}, v.dtype) {
		v = v.def.in[0]
	}
	if v.dtype != graph.Int8 && v.dtype != graph.Uint8 {
		return nil
	}
	return v
}

// blockOf returns the number of elements of a block, of products [..., blocks, block] by scales [..., blocks] of levels
// [..., blocks * block].
func blockOf(products graph.Shape, scale, levels *value) (block int, fits bool) {
	last := len(products) - 1
	if last < 1 || len(scale.shape) != last || len(levels.shape) != last || scale.dtype != graph.Float32 {
		return 0, false
	}
	each, known := products[last].Int()
	fits = known && products[:last].Equal(scale.shape) && products[:last-1].Equal(levels.shape[:last-1]) &&
		scale.shape[last-1].Times(products[last]) == levels.shape[last-1]
	return int(each), fits
}

// inHalves returns integers as a constant of 4 bits, if they are the halves of a parameter's bytes.
func (e *exporter) inHalves(levels *value) *value {
	h := e.halves[levels]
	if h == nil {
		return levels
	}
	if h.made == nil {
		h.param.isReplaced = true
		h.made = &value{tensor: levels.tensor, name: h.param.name, data: &literal{raw: h.raw}, inHalves: true}
		e.initial = append(e.initial, h.made)
	}
	return h.made
}
