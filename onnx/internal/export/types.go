package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// dataTypes are ONNX's names of the dtypes.
var dataTypes = map[graph.DType]wire.DataType{
	graph.Bool: wire.Bool, graph.Int8: wire.Int8, graph.Int16: wire.Int16, graph.Int32: wire.Int32,
	graph.Int64: wire.Int64,
	graph.Uint8: wire.Uint8, graph.Uint16: wire.Uint16, graph.Uint32: wire.Uint32, graph.Uint64: wire.Uint64,
	graph.Float8E4M3FN: wire.Float8E4M3FN, graph.Float8E5M2: wire.Float8E5M2, graph.Float16: wire.Float16,
	graph.BFloat16: wire.BFloat16,
	graph.Float32:  wire.Float, graph.Float64: wire.Double,
}

// lacks has the dtypes that ONNX Runtime 1.32 computes an operator with on no CPU, in a model of opset 20. Numbers of
// 16 bits are computed in float32 anyway.
var lacks = map[string][]graph.DType{
	"Max":       {graph.Int16, graph.Uint16},
	"Min":       {graph.Int16, graph.Uint16},
	"Where":     {graph.Int16, graph.Uint16, graph.Uint64, graph.BFloat16, graph.Float8E4M3FN, graph.Float8E5M2},
	"MatMul":    {graph.Int8, graph.Uint8, graph.Int16, graph.Uint16},
	"ReduceSum": {graph.Int8, graph.Uint8, graph.Int16, graph.Uint16, graph.Int32, graph.Uint32},
	"CumSum":    {graph.Int8, graph.Uint8, graph.Int16, graph.Uint16, graph.Uint32, graph.Uint64},
	"ReduceMax": {graph.Int16, graph.Uint16, graph.Uint32},
	"ArgMax":    {graph.Bool, graph.Int16, graph.Uint16, graph.Uint32, graph.Float16, graph.BFloat16},
	"TopK":      {graph.Bool, graph.Uint16, graph.Uint32, graph.BFloat16},
	"Pad":       {graph.Int16, graph.Uint16, graph.BFloat16, graph.Float8E4M3FN, graph.Float8E5M2},
	"Expand":    {graph.BFloat16, graph.Float8E4M3FN, graph.Float8E5M2},
	"Less":      {graph.Bool},
	"Scatter":   {graph.Bool, graph.Int8, graph.Uint8, graph.Int16, graph.Uint16, graph.Uint32, graph.Uint64},
}

// carrier is a dtype that holds all values of another, or at least all its bits.
func carrier(t graph.DType) graph.DType {
	switch {
	case t == graph.Bool:
		return graph.Uint8
	case t == graph.Float8E4M3FN || t == graph.Float8E5M2:
		return graph.Float16
	case t.IsHalf():
		return graph.Float32
	case t == graph.Uint32 || t == graph.Uint64:
		return graph.Int64
	}
	return graph.Int32
}

// heldBy returns the dtype in which an operator computes with values of a dtype: itself, or another one that carries
// them.
func heldBy(op string, t graph.DType) graph.DType {
	if slices.Contains(lacks[op], t) {
		if op == "ReduceSum" {
			return graph.Int64
		}
		return carrier(t)
	}
	return t
}

// carried applies an operator in a dtype for which it is there: c brings operands to it, and the result is brought
// back.
func (b *builder) carried(op string, t graph.DType, apply func(c func(*value) *value) *value) *value {
	held := heldBy(op, t)
	return b.cast(apply(func(x *value) *value { return b.cast(x, held) }), t)
}
