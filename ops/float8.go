package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

func init() {
	composed("CastSaturated", "x in a floating-point dtype of 8 bits, brought to the range of its numbers.",
		shownAs("CastSaturated(x, graph.Float8E4M3FN)", named("", "", "", "Cast", "",
			func(e *graph.Example) node { return CastSaturated(e.Of("x", "n"), graph.Float8E4M3FN) })))
}

// CastSaturated is [Cast] to Float8E4M3FN or Float8E5M2 with saturation: infinities and numbers out of range become
// ±448 or ±57,344. NaN stays NaN. It is ONNX's Cast with saturate.
func CastSaturated(x *graph.Node, to graph.DType) *graph.Node {
	defer building("CastSaturated", x, "graph."+to.GoName())()
	call := refused("CastSaturated", x).with("graph." + to.GoName())
	if bad := notNodes(call); bad != nil {
		return bad
	}
	if !to.IsStorage() {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType,
				Summary: fmt.Sprintf("CastSaturated converts to 8-bit floats, not to %s", to),
				Help:    []string{"use Float8E4M3FN or Float8E5M2; or clamp x with ops.Clamp, and use ops.Cast"}})
	}
	return saturated(x, to)
}

// saturated is x as a floating-point number of 8 bits.
func saturated(x node, to graph.DType) node {
	if x.DType() == to || x.DType().IsStorage() && to == graph.Float8E5M2 {
		return Cast(x, to) // whose infinities are as they were, and whose numbers are in the range
	}
	if t := x.DType(); !t.IsFloat() || t.IsStorage() {
		x = Cast(x, graph.Float32)
	}
	least, greatest := to.Range()
	return Cast(Clamp(x, least, greatest), to)
}
